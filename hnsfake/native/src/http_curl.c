/* HTTP by libcurl. HNSFAKE_URL is http://…, or unix:PATH, or unix:@NAME for an abstract socket. */
#include "http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <string.h>

#define CONNECT_MILLISECONDS 2000L

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
}

static size_t take_body(char *bytes, size_t one, size_t count, void *body)
{
    text_add(body, bytes, one * count);
    return ((struct text *)body)->bytes ? one * count : 0;
}

static void keep_header(const char *line, size_t size, const char *name, char *value, size_t room)
{
    size_t length = strlen(name), at = length + 1;
    if (size <= at || strncasecmp(line, name, length) != 0 || line[length] != ':')
        return;
    while (at < size && line[at] == ' ')
        at++;
    while (size > at && (line[size - 1] == '\r' || line[size - 1] == '\n'))
        size--;
    if (size - at < room) {
        memcpy(value, line + at, size - at);
        value[size - at] = 0;
    }
}

static size_t take_header(char *line, size_t one, size_t count, void *context)
{
    struct http_answer *answer = context;
    keep_header(line, one * count, HTTP_HRESULT, answer->hresult, sizeof answer->hresult);
    keep_header(line, one * count, HTTP_HANDLE, answer->handle, sizeof answer->handle);
    return one * count;
}

struct stream {
    int (*taken)(void *context, const char *bytes, size_t size);
    void *context;
};

static size_t take_stream(char *bytes, size_t one, size_t count, void *context)
{
    struct stream *stream = context;
    return stream->taken(stream->context, bytes, one * count) ? one * count : 0;
}

/* Returns a handle that is set to `path` of the node, or NULL. */
static CURL *opened(const char *path)
{
    static const char unix_scheme[] = "unix:";
    const char *url = getenv("HNSFAKE_URL"), *socket = NULL;
    struct text whole;
    CURL *curl;
    pthread_once(&once, start);
    curl = curl_easy_init();
    if (!curl)
        return NULL;
    if (!url || !*url)
        url = HTTP_DEFAULT_URL;
    if (strncmp(url, unix_scheme, strlen(unix_scheme)) == 0) {
        socket = url + strlen(unix_scheme);
        url = "http://hns";
    }
    text_start(&whole);
    text_add_string(&whole, url);
    text_add_string(&whole, path);
    if (socket && *socket == '@')
        curl_easy_setopt(curl, CURLOPT_ABSTRACT_UNIX_SOCKET, socket + 1);
    else if (socket)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket);
    if (!whole.bytes || curl_easy_setopt(curl, CURLOPT_URL, whole.bytes) != CURLE_OK) {
        curl_easy_cleanup(curl);
        curl = NULL;
    } else {
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
        curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MILLISECONDS);
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
        curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    }
    text_end(&whole);
    return curl;
}

static enum http_end ended(CURL *curl, CURLcode code)
{
    /* 0 from before the connection stood: the time-out was the connection's. */
    curl_off_t connected = 0;
    curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME_T, &connected);
    if (code == CURLE_OK)
        return HTTP_ANSWERED;
    if (!connected)
        return HTTP_UNREACHABLE;
    return code == CURLE_OPERATION_TIMEDOUT ? HTTP_TIMEOUT : HTTP_BROKEN;
}

enum http_end http_exchange(const char *method, const char *path, const struct text *body, unsigned milliseconds,
                            struct http_answer *answer)
{
    CURL *curl = opened(path);
    struct curl_slist *headers = NULL;
    enum http_end end;
    if (!curl)
        return HTTP_UNREACHABLE;
    headers = curl_slist_append(headers, "Accept: " HTTP_RAW);
    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->bytes);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)milliseconds);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, answer);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer->body);
    end = ended(curl, curl_easy_perform(curl));
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return end;
}

enum http_end http_stream(const char *path, int (*taken)(void *context, const char *bytes, size_t size), void *context)
{
    struct stream stream = {taken, context};
    CURL *curl = opened(path);
    enum http_end end;
    if (!curl)
        return HTTP_UNREACHABLE;
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_stream);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &stream);
    end = ended(curl, curl_easy_perform(curl));
    curl_easy_cleanup(curl);
    return end;
}
