/* HTTP by WinHTTP. HNSFAKE_URL is http://HOST[:PORT]. */
#include "http.h"

#include <stdlib.h>
#include <winhttp.h>

#define CONNECT_MILLISECONDS 2000
#define LONGEST_URL 512

static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
static HINTERNET session, server;

static BOOL CALLBACK start(INIT_ONCE *state, void *parameter, void **context)
{
    WCHAR url[LONGEST_URL] = L"", host[LONGEST_URL] = L"";
    URL_COMPONENTS parts = {.dwStructSize = sizeof parts, .lpszHostName = host, .dwHostNameLength = LONGEST_URL};
    (void)state, (void)parameter, (void)context;
    if (!GetEnvironmentVariableW(L"HNSFAKE_URL", url, LONGEST_URL))
        MultiByteToWideChar(CP_UTF8, 0, HTTP_DEFAULT_URL, -1, url, LONGEST_URL);
    if (!WinHttpCrackUrl(url, 0, 0, &parts))
        return TRUE;
    session = WinHttpOpen(L"hnsfake", WINHTTP_ACCESS_TYPE_NO_PROXY, WINHTTP_NO_PROXY_NAME, WINHTTP_NO_PROXY_BYPASS, 0);
    server = session ? WinHttpConnect(session, host, parts.nPort, 0) : NULL;
    return TRUE;
}

static PWSTR wide(const char *string)
{
    int size = MultiByteToWideChar(CP_UTF8, 0, string, -1, NULL, 0);
    PWSTR text = malloc(size * sizeof *text);
    if (text)
        MultiByteToWideChar(CP_UTF8, 0, string, -1, text, size);
    return text;
}

static HINTERNET opened(const char *method, const char *path, int milliseconds)
{
    PWSTR wide_method = wide(method), wide_path = wide(path);
    HINTERNET request = NULL;
    DWORD patience = (DWORD)milliseconds;
    DWORD off = WINHTTP_DISABLE_KEEP_ALIVE | WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES;
    InitOnceExecuteOnce(&once, start, NULL, NULL);
    if (server && wide_method && wide_path)
        request = WinHttpOpenRequest(server, wide_method, wide_path, NULL, WINHTTP_NO_REFERER,
                                     WINHTTP_DEFAULT_ACCEPT_TYPES, WINHTTP_FLAG_ESCAPE_DISABLE);
    if (request) {
        WinHttpSetOption(request, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof off);
        WinHttpSetTimeouts(request, CONNECT_MILLISECONDS, CONNECT_MILLISECONDS, milliseconds, milliseconds);
        if (patience) /* how long until the answer begins; left alone it is 90 s, and in Wine not changed by the above */
            WinHttpSetOption(request, WINHTTP_OPTION_RECEIVE_RESPONSE_TIMEOUT, &patience, sizeof patience);
    }
    free(wide_method);
    free(wide_path);
    return request;
}

static enum http_end failed(int sent)
{
    switch (GetLastError()) {
    case ERROR_WINHTTP_CANNOT_CONNECT:
    case ERROR_WINHTTP_NAME_NOT_RESOLVED:
        return HTTP_UNREACHABLE;
    case ERROR_WINHTTP_TIMEOUT:
    case WSAETIMEDOUT: /* what Wine's has instead */
        return sent ? HTTP_TIMEOUT : HTTP_UNREACHABLE;
    default:
        return sent ? HTTP_BROKEN : HTTP_UNREACHABLE;
    }
}

static void keep_header(HINTERNET request, PCWSTR name, char *value, size_t room)
{
    WCHAR found[32];
    DWORD size = sizeof found, index = WINHTTP_NO_HEADER_INDEX ? 0 : 0;
    if (!WinHttpQueryHeaders(request, WINHTTP_QUERY_CUSTOM, name, found, &size, &index) ||
        !WideCharToMultiByte(CP_UTF8, 0, found, -1, value, (int)room, NULL, NULL))
        value[0] = 0;
}

static int take_body(void *body, const char *bytes, size_t size)
{
    text_add(body, bytes, size);
    return ((struct text *)body)->bytes != NULL;
}

static enum http_end read_all(HINTERNET request, int (*taken)(void *context, const char *bytes, size_t size),
                              void *context)
{
    char bytes[8192];
    DWORD size;
    do {
        /* What is there already, and not a full buffer: a stream's events must not wait for each other. */
        if (!WinHttpQueryDataAvailable(request, &size))
            return failed(1);
        if (size > sizeof bytes)
            size = sizeof bytes;
        if (size && !WinHttpReadData(request, bytes, size, &size))
            return failed(1);
    } while (size && taken(context, bytes, size));
    return HTTP_ANSWERED;
}

enum http_end http_exchange(const char *method, const char *path, const struct text *body, unsigned milliseconds,
                            struct http_answer *answer)
{
    static const WCHAR headers[] = L"Accept: " TEXT(HTTP_RAW) L"\r\nContent-Type: application/json\r\n";
    HINTERNET request = opened(method, path, (int)milliseconds);
    enum http_end end = HTTP_ANSWERED;
    if (!request)
        return HTTP_UNREACHABLE;
    if (!WinHttpSendRequest(request, headers, (DWORD)-1, body->bytes, (DWORD)body->size, (DWORD)body->size, 0)) {
        end = failed(0);
    } else if (!WinHttpReceiveResponse(request, NULL)) {
        end = failed(1);
    } else {
        keep_header(request, TEXT(HTTP_HRESULT), answer->hresult, sizeof answer->hresult);
        keep_header(request, TEXT(HTTP_HANDLE), answer->handle, sizeof answer->handle);
        end = read_all(request, take_body, &answer->body);
    }
    WinHttpCloseHandle(request);
    return end;
}

enum http_end http_stream(const char *path, int (*taken)(void *context, const char *bytes, size_t size), void *context)
{
    HINTERNET request = opened("GET", path, 0);
    enum http_end end;
    if (!request)
        return HTTP_UNREACHABLE;
    if (!WinHttpSendRequest(request, NULL, 0, NULL, 0, 0, 0))
        end = failed(0);
    else if (!WinHttpReceiveResponse(request, NULL))
        end = failed(1);
    else
        end = read_all(request, taken, context);
    WinHttpCloseHandle(request);
    return end;
}
