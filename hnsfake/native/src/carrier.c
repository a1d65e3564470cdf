#include "carrier.h"

#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "http.h"

/* RPC's own codes for a service that is away, that went away, and that doesn't answer: HNS is reached by RPC.
 * unverified: which of RPC's codes a client of a stopped HNS sees. */
#define SERVER_UNAVAILABLE ((HRESULT)0x800706BA)
#define CALL_FAILED ((HRESULT)0x800706BE)
#define TIMED_OUT ((HRESULT)0x800705B4)

#define TRIES 40
#define PAUSE_MILLISECONDS 50

static const HRESULT ends[] = {
    [HTTP_ANSWERED] = S_OK,
    [HTTP_UNREACHABLE] = SERVER_UNAVAILABLE,
    [HTTP_BROKEN] = CALL_FAILED,
    [HTTP_TIMEOUT] = TIMED_OUT,
};

/* Exchanges, and waits a little for a service that isn't there: it may be starting again. */
static HRESULT exchange(const char *method, const struct text *path, const struct text *body,
                        struct http_answer *answer)
{
    enum http_end end = HTTP_UNREACHABLE;
    int tries;
    memset(answer, 0, sizeof *answer);
    text_start(&answer->body);
    if (!path->bytes || !body->bytes || !answer->body.bytes)
        return E_OUTOFMEMORY;
    for (tries = 0; tries < TRIES && end == HTTP_UNREACHABLE; tries++) {
        if (tries)
            client_pause(PAUSE_MILLISECONDS);
        end = http_exchange(method, path->bytes, body, client_patience(), answer);
    }
    if (end != HTTP_ANSWERED)
        return ends[end];
    if (!answer->body.bytes)
        return E_OUTOFMEMORY;
    /* Without this header it isn't HNS that answered. */
    return answer->hresult[0] ? (HRESULT)strtoul(answer->hresult, NULL, 16) : E_UNEXPECTED;
}

/* Hands a part of an answer to the caller, where there is one and it is wanted. */
static HRESULT hand_out(PWSTR *place, const char *bytes, size_t size)
{
    if (!place || !size)
        return S_OK;
    *place = utf16_from(bytes, size);
    return *place ? S_OK : E_OUTOFMEMORY;
}

static void write_path(const struct call *call, struct text *path)
{
    text_start(path);
    text_add_string(path, "/hcn/");
    text_add_string(path, call->function);
    text_add_string(path, "?client=");
    text_add_string(path, client_name());
    if (call->id) {
        text_add_string(path, "&id=");
        text_add_guid(path, call->id);
    }
    if (call->name) {
        text_add_string(path, "&id=");
        text_add_url(path, call->name, "");
    }
    if (call->has_handle) {
        text_add_string(path, "&handle=");
        text_add_number(path, (uint64_t)(uintptr_t)call->handle);
    }
}

HRESULT carry(const struct call *call)
{
    struct text path, body;
    struct http_answer answer;
    HRESULT hresult, handed = S_OK;
    if (call->record)
        *call->record = NULL;
    if (call->output)
        *call->output = NULL;
    if (call->opened)
        *call->opened = NULL;
    write_path(call, &path);
    text_start(&body);
    if (call->document)
        text_add_utf16(&body, call->document);
    hresult = exchange("POST", &path, &body, &answer);
    if (answer.hresult[0] && answer.body.bytes) {
        size_t record = strlen(answer.body.bytes);
        if (hand_out(call->record, answer.body.bytes, record) != S_OK)
            handed = E_OUTOFMEMORY;
        if (record < answer.body.size)
            if (hand_out(call->output, answer.body.bytes + record + 1, answer.body.size - record - 1) != S_OK)
                handed = E_OUTOFMEMORY;
        if (call->opened && answer.handle[0])
            *call->opened = (void *)(uintptr_t)strtoull(answer.handle, NULL, 10);
    }
    text_end(&path);
    text_end(&body);
    text_end(&answer.body);
    return hresult == S_OK ? handed : hresult;
}

/* Letters alone. */
static int is_word(PCWSTR method)
{
    PCWSTR at;
    for (at = method; *at; at++)
        if (!((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z')))
            return 0;
    return at != method;
}

/* Writes where a call goes: its method and path are the request's own where HTTP has the method, or else words. */
static void write_target(PCWSTR method, PCWSTR path, struct text *word, struct text *target)
{
    static const char *const shared[] = {"GET", "POST", "DELETE"};
    size_t at = 0;
    text_start(word);
    text_add_utf16(word, method);
    text_start(target);
    if (!word->bytes)
        return;
    while (at < sizeof shared / sizeof *shared && strcmp(word->bytes, shared[at]))
        at++;
    if (at < sizeof shared / sizeof *shared) {
        if (*path != '/')
            text_add_string(target, "/");
        text_add_url(target, path, "/?=&");
    } else {
        text_add_string(target, "/hcn/HNSCall?method=");
        text_add_string(target, word->bytes);
        text_add_string(target, "&path=");
        text_add_url(target, path, "/");
        text_end(word);
        text_start(word);
        text_add_string(word, "POST");
    }
}

HRESULT carry_v1(PCWSTR method, PCWSTR path, PCWSTR request, PWSTR *response)
{
    struct text word, target, body;
    struct http_answer answer;
    HRESULT hresult, handed = S_OK;
    if (response)
        *response = NULL;
    if (!method || !path || !response || !is_word(method))
        return E_INVALIDARG; /* unverified */
    write_target(method, path, &word, &target);
    text_start(&body);
    if (request)
        text_add_utf16(&body, request);
    hresult = word.bytes ? exchange(word.bytes, &target, &body, &answer) : E_OUTOFMEMORY;
    if (word.bytes) {
        if (answer.hresult[0] && answer.body.bytes)
            handed = hand_out(response, answer.body.bytes, answer.body.size);
        text_end(&answer.body);
    }
    text_end(&word);
    text_end(&target);
    text_end(&body);
    return hresult == S_OK ? handed : hresult;
}
