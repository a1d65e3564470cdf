/* Callbacks: a registration is made by a call as any other, and its events come as a stream of server-sent events:
 * `event` is the notification's number, `status` its HRESULT (absent: S_OK), `data` its document. */
#include <stdlib.h>
#include <string.h>

#include "carrier.h"
#include "client.h"
#include "http.h"

#define SERVICE_DISCONNECT 0x01000000u /* HcnNotificationServiceDisconnect, and HcsNotificationServiceDisconnect */
#define CALL_FAILED ((HRESULT)0x800706BE)

struct registration {
    void *handle;
    notification_callback callback;
    void *context;
    struct client_thread *thread;
    struct text line;
    DWORD type;
    HRESULT status;
    struct text data;
    volatile int ended_by_us;
    int frees_itself; /* ended from within its own callback: nobody waits for the thread */
    struct registration *next;
};

/* The registrations of this process, so that a handle that is none is known. */
static struct registration *registrations;

static void add(struct registration *registration)
{
    client_lock();
    registration->next = registrations;
    registrations = registration;
    client_unlock();
}

static struct registration *take_out(const void *handle)
{
    struct registration **at, *found = NULL;
    client_lock();
    for (at = &registrations; *at && !found; ) {
        if ((*at)->handle == handle) {
            found = *at;
            *at = found->next;
        } else {
            at = &(*at)->next;
        }
    }
    client_unlock();
    return found;
}

static void deliver(struct registration *registration)
{
    PWSTR data = registration->data.bytes ? utf16_from(registration->data.bytes, registration->data.size) : NULL;
    if (registration->type && !registration->ended_by_us)
        registration->callback(registration->type, registration->context, registration->status, data);
    free_result(data);
    registration->type = 0;
    registration->status = S_OK;
    text_end(&registration->data);
}

static const char *value_of(const char *line, const char *field)
{
    size_t length = strlen(field);
    return strncmp(line, field, length) == 0 ? line + length : NULL;
}

static void take_line(struct registration *registration, const char *line)
{
    const char *value;
    if (!*line) {
        deliver(registration);
    } else if ((value = value_of(line, "event: "))) {
        registration->type = (DWORD)strtoul(value, NULL, 10);
    } else if ((value = value_of(line, "status: "))) {
        registration->status = (HRESULT)strtoul(value, NULL, 16);
    } else if ((value = value_of(line, "data: "))) {
        text_end(&registration->data);
        text_start(&registration->data);
        text_add_string(&registration->data, value);
    }
}

static int take(void *context, const char *bytes, size_t size)
{
    struct registration *registration = context;
    size_t at;
    for (at = 0; at < size; at++) {
        if (bytes[at] == '\n') {
            if (registration->line.bytes)
                take_line(registration, registration->line.bytes);
            text_end(&registration->line);
            text_start(&registration->line);
        } else {
            text_add(&registration->line, &bytes[at], 1);
        }
    }
    return !registration->ended_by_us;
}

static void listen_to(void *context)
{
    struct registration *registration = context;
    struct text path;
    text_start(&path);
    text_add_string(&path, "/lab/notifications?client=");
    text_add_string(&path, client_name());
    text_add_string(&path, "&handle=");
    text_add_number(&path, (uint64_t)(uintptr_t)registration->handle);
    text_start(&registration->line);
    if (path.bytes)
        http_stream(path.bytes, take, registration);
    text_end(&path);
    text_end(&registration->line);
    text_end(&registration->data);
    if (!registration->ended_by_us)
        registration->callback(SERVICE_DISCONNECT, registration->context, CALL_FAILED, NULL);
    if (registration->frees_itself)
        free(registration);
}

HRESULT subscribe(const char *function, const void *handle, int has_handle, notification_callback callback,
                  void *context, void **registered)
{
    void *number = NULL;
    struct call call = {.function = function, .handle = handle, .has_handle = has_handle, .opened = &number};
    struct registration *registration;
    HRESULT hresult;
    if (!callback || !registered)
        return E_INVALIDARG; /* unverified */
    *registered = NULL;
    registration = calloc(1, sizeof *registration);
    if (!registration)
        return E_OUTOFMEMORY;
    hresult = carry(&call);
    if (hresult != S_OK) {
        free(registration);
        return hresult;
    }
    registration->handle = number;
    registration->callback = callback;
    registration->context = context;
    add(registration);
    registration->thread = client_thread_start(listen_to, registration);
    if (!registration->thread) {
        free(take_out(number));
        return E_OUTOFMEMORY;
    }
    *registered = number;
    return S_OK;
}

HRESULT unsubscribe(const char *function, void *registered)
{
    struct registration *registration = take_out(registered);
    struct call call = {.function = function, .handle = registered, .has_handle = 1};
    struct client_thread *thread;
    if (!registration)
        return E_HANDLE;
    thread = registration->thread;
    registration->ended_by_us = 1;
    if (client_thread_is_this(thread)) {
        registration->frees_itself = 1;
        carry(&call);
        client_thread_leave(thread);
        return S_OK;
    }
    /* The service ends the stream; where it is gone, the stream has ended. No callback runs after this returns. */
    carry(&call);
    client_thread_join(thread);
    free(registration);
    return S_OK;
}
