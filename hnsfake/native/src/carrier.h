/* The carrier: takes a call to the node's HNS and brings back what it answered. It decides nothing. */
#ifndef HNSFAKE_CARRIER_H
#define HNSFAKE_CARRIER_H

#include "platform.h"

typedef void(CALLBACK *notification_callback)(DWORD type, void *context, HRESULT status, PCWSTR data);

/* A call of an exported function, by name. What a function doesn't have is NULL. */
struct call {
    const char *function;
    REFGUID id;        /* an object's id, */
    PCWSTR name;       /* or, of a compute system, any text */
    const void *handle; /* has_handle tells an argument that is NULL from one that isn't there */
    int has_handle;
    PCWSTR document;
    PWSTR *record; /* optional: the caller may not want it */
    PWSTR *output;
    void **opened;
};

/* Carries a call out; the strings it hands out are the caller's, who frees them with CoTaskMemFree. */
HRESULT carry(const struct call *call);

/* Carries HNSCall out. */
HRESULT carry_v1(PCWSTR method, PCWSTR path, PCWSTR request, PWSTR *response);

/* Registers by `function`, and calls back from a thread of its own until unsubscribe(), which waits for it. */
HRESULT subscribe(const char *function, const void *handle, int has_handle, notification_callback callback,
                  void *context, void **registration);
HRESULT unsubscribe(const char *function, void *registration);

#endif
