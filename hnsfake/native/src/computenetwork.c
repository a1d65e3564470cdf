/* computenetwork.dll: the v2 API's exported functions.
 * Signatures: mingw-w64 and microsoft/windows-rs HostComputeNetwork; the SDN routes' microsoft/hcsshim hcn/hcn.go. */
#include "carrier.h"

#if defined(_WIN32) && defined(__has_include)
#if __has_include(<computenetwork.h>)
#include <computenetwork.h> /* holds our prototypes against the SDK's */
#endif
#endif

/* What is not among a function's arguments stays out of its call. */
#define CALL(name, ...) \
    struct call call = {.function = name, __VA_ARGS__}; \
    return carry(&call)

#define ENUMERATE(function) \
    EXPORT HRESULT WINAPI function(PCWSTR query, PWSTR *ids, PWSTR *record) \
    { \
        if (!ids) \
            return E_INVALIDARG; /* unverified, here and below */ \
        CALL(#function, .document = query, .output = ids, .record = record); \
    }

#define CREATE(function) \
    EXPORT HRESULT WINAPI function(REFGUID id, PCWSTR settings, void **opened, PWSTR *record) \
    { \
        if (!opened) \
            return E_INVALIDARG; \
        CALL(#function, .id = id, .document = settings, .opened = opened, .record = record); \
    }

#define OPEN(function) \
    EXPORT HRESULT WINAPI function(REFGUID id, void **opened, PWSTR *record) \
    { \
        if (!id || !opened) \
            return E_INVALIDARG; \
        CALL(#function, .id = id, .opened = opened, .record = record); \
    }

#define MODIFY(function) \
    EXPORT HRESULT WINAPI function(void *handle, PCWSTR settings, PWSTR *record) \
    { \
        CALL(#function, .handle = handle, .has_handle = 1, .document = settings, .record = record); \
    }

#define QUERY(function) \
    EXPORT HRESULT WINAPI function(void *handle, PCWSTR query, PWSTR *properties, PWSTR *record) \
    { \
        if (!properties) \
            return E_INVALIDARG; \
        CALL(#function, .handle = handle, .has_handle = 1, .document = query, .output = properties, \
             .record = record); \
    }

#define DELETE_(function) \
    EXPORT HRESULT WINAPI function(REFGUID id, PWSTR *record) \
    { \
        if (!id) \
            return E_INVALIDARG; \
        CALL(#function, .id = id, .record = record); \
    }

#define CLOSE(function) \
    EXPORT HRESULT WINAPI function(void *handle) \
    { \
        CALL(#function, .handle = handle, .has_handle = 1); \
    }

ENUMERATE(HcnEnumerateNetworks)
CREATE(HcnCreateNetwork)
OPEN(HcnOpenNetwork)
MODIFY(HcnModifyNetwork)
QUERY(HcnQueryNetworkProperties)
DELETE_(HcnDeleteNetwork)
CLOSE(HcnCloseNetwork)

ENUMERATE(HcnEnumerateEndpoints)
OPEN(HcnOpenEndpoint)
MODIFY(HcnModifyEndpoint)
QUERY(HcnQueryEndpointProperties)
QUERY(HcnQueryEndpointStats)
QUERY(HcnQueryEndpointAddresses)
DELETE_(HcnDeleteEndpoint)
CLOSE(HcnCloseEndpoint)

EXPORT HRESULT WINAPI HcnCreateEndpoint(void *network, REFGUID id, PCWSTR settings, void **opened, PWSTR *record)
{
    if (!opened)
        return E_INVALIDARG;
    CALL("HcnCreateEndpoint", .handle = network, .has_handle = 1, .id = id, .document = settings, .opened = opened,
         .record = record);
}

ENUMERATE(HcnEnumerateNamespaces)
CREATE(HcnCreateNamespace)
OPEN(HcnOpenNamespace)
MODIFY(HcnModifyNamespace)
QUERY(HcnQueryNamespaceProperties)
DELETE_(HcnDeleteNamespace)
CLOSE(HcnCloseNamespace)

ENUMERATE(HcnEnumerateLoadBalancers)
CREATE(HcnCreateLoadBalancer)
OPEN(HcnOpenLoadBalancer)
MODIFY(HcnModifyLoadBalancer)
QUERY(HcnQueryLoadBalancerProperties)
DELETE_(HcnDeleteLoadBalancer)
CLOSE(HcnCloseLoadBalancer)

ENUMERATE(HcnEnumerateSdnRoutes)
CREATE(HcnCreateSdnRoute)
OPEN(HcnOpenSdnRoute)
MODIFY(HcnModifySdnRoute)
QUERY(HcnQuerySdnRouteProperties)
DELETE_(HcnDeleteSdnRoute)
CLOSE(HcnCloseSdnRoute)

EXPORT HRESULT WINAPI HcnRegisterServiceCallback(notification_callback callback, void *context, void **registration)
{
    return subscribe("HcnRegisterServiceCallback", NULL, 0, callback, context, registration);
}

EXPORT HRESULT WINAPI HcnUnregisterServiceCallback(void *registration)
{
    return unsubscribe("HcnUnregisterServiceCallback", registration);
}
