/* HTTP as the carrier needs it: on Windows by WinHTTP (http_winhttp.c), on Linux by libcurl (http_curl.c). */
#ifndef HNSFAKE_HTTP_H
#define HNSFAKE_HTTP_H

#include "text.h"

/* Where a node is found when HNSFAKE_URL doesn't say: inside the node, on its loopback. */
#define HTTP_DEFAULT_URL "http://127.0.0.1:947"
/* What is asked for in `Accept`: error record, a zero byte, output; HRESULT and handle come as headers. */
#define HTTP_RAW "application/vnd.hnsfake.raw"
#define HTTP_HRESULT "HNS-HResult"
#define HTTP_HANDLE "HNS-Handle"

enum http_end {
    HTTP_ANSWERED,
    HTTP_UNREACHABLE, /* nothing was sent: trying again is safe */
    HTTP_BROKEN,      /* sent, and the connection was lost: nobody knows what was done */
    HTTP_TIMEOUT,
};

struct http_answer {
    char hresult[16]; /* the headers' values, "" for none */
    char handle[24];
    struct text body;
};

/* One exchange, on a connection of its own: a request is never sent twice behind the caller's back. */
enum http_end http_exchange(const char *method, const char *path, const struct text *body, unsigned milliseconds,
                            struct http_answer *answer);

/* Gets `path` and hands out what comes until the server ends it; `taken` returns 0 to stop. */
enum http_end http_stream(const char *path, int (*taken)(void *context, const char *bytes, size_t size), void *context);

#endif
