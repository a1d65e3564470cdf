/* vmcompute.dll: HNSCall, and what networking needs of the Host Compute Service.
 * Signatures: microsoft/hcsshim internal/hns/hns.go and internal/vmcompute/vmcompute.go. */
#include <string.h>

#include "carrier.h"

#define CALL(name, ...) \
    struct call call = {.function = name, __VA_ARGS__}; \
    return carry(&call)

/* A function of an open compute system or process, with a document. */
#define WITH_DOCUMENT(function) \
    EXPORT HRESULT WINAPI function(void *handle, PCWSTR document, PWSTR *record) \
    { \
        CALL(#function, .handle = handle, .has_handle = 1, .document = document, .record = record); \
    }

#define CLOSE(function) \
    EXPORT HRESULT WINAPI function(void *handle) \
    { \
        CALL(#function, .handle = handle, .has_handle = 1); \
    }

#define REGISTER(function) \
    EXPORT HRESULT WINAPI function(void *handle, notification_callback callback, void *context, void **registration) \
    { \
        return subscribe(#function, handle, 1, callback, context, registration); \
    }

#define UNREGISTER(function) \
    EXPORT HRESULT WINAPI function(void *registration) \
    { \
        return unsubscribe(#function, registration); \
    }

/* A process's id and standard handles, which only a process that runs has. */
struct process_information {
    DWORD process_id, reserved;
    HANDLE input, output, error;
};

EXPORT HRESULT WINAPI HNSCall(PCWSTR method, PCWSTR path, PCWSTR request, PWSTR *response)
{
    return carry_v1(method, path, request, response);
}

EXPORT HRESULT WINAPI HcsEnumerateComputeSystems(PCWSTR query, PWSTR *systems, PWSTR *record)
{
    CALL("HcsEnumerateComputeSystems", .document = query, .output = systems, .record = record);
}

EXPORT HRESULT WINAPI HcsCreateComputeSystem(PCWSTR id, PCWSTR configuration, HANDLE identity, void **system,
                                             PWSTR *record)
{
    (void)identity; /* whose rights the container's processes have: not a matter of networking */
    if (!id || !system)
        return E_INVALIDARG;
    CALL("HcsCreateComputeSystem", .name = id, .document = configuration, .opened = system, .record = record);
}

EXPORT HRESULT WINAPI HcsOpenComputeSystem(PCWSTR id, void **system, PWSTR *record)
{
    if (!id || !system)
        return E_INVALIDARG;
    CALL("HcsOpenComputeSystem", .name = id, .opened = system, .record = record);
}

CLOSE(HcsCloseComputeSystem)
WITH_DOCUMENT(HcsStartComputeSystem)
WITH_DOCUMENT(HcsShutdownComputeSystem)
WITH_DOCUMENT(HcsTerminateComputeSystem)
WITH_DOCUMENT(HcsPauseComputeSystem)
WITH_DOCUMENT(HcsResumeComputeSystem)
WITH_DOCUMENT(HcsSaveComputeSystem)
WITH_DOCUMENT(HcsModifyComputeSystem)
REGISTER(HcsRegisterComputeSystemCallback)
UNREGISTER(HcsUnregisterComputeSystemCallback)

EXPORT HRESULT WINAPI HcsGetComputeSystemProperties(void *system, PCWSTR query, PWSTR *properties, PWSTR *record)
{
    CALL("HcsGetComputeSystemProperties", .handle = system, .has_handle = 1, .document = query, .output = properties,
         .record = record);
}

EXPORT HRESULT WINAPI HcsModifyServiceSettings(PCWSTR settings, PWSTR *record)
{
    CALL("HcsModifyServiceSettings", .document = settings, .record = record);
}

EXPORT HRESULT WINAPI HcsGetServiceProperties(PCWSTR query, PWSTR *properties, PWSTR *record)
{
    CALL("HcsGetServiceProperties", .document = query, .output = properties, .record = record);
}

EXPORT HRESULT WINAPI HcsCreateProcess(void *system, PCWSTR parameters, struct process_information *information,
                                       void **process, PWSTR *record)
{
    if (information)
        memset(information, 0, sizeof *information);
    CALL("HcsCreateProcess", .handle = system, .has_handle = 1, .document = parameters, .opened = process,
         .record = record);
}

EXPORT HRESULT WINAPI HcsOpenProcess(void *system, DWORD process_id, void **process, PWSTR *record)
{
    (void)process_id; /* no compute system here has a process, and the answer says so */
    CALL("HcsOpenProcess", .handle = system, .has_handle = 1, .opened = process, .record = record);
}

EXPORT HRESULT WINAPI HcsTerminateProcess(void *process, PWSTR *record)
{
    CALL("HcsTerminateProcess", .handle = process, .has_handle = 1, .record = record);
}

EXPORT HRESULT WINAPI HcsGetProcessInfo(void *process, struct process_information *information, PWSTR *record)
{
    if (information)
        memset(information, 0, sizeof *information);
    CALL("HcsGetProcessInfo", .handle = process, .has_handle = 1, .record = record);
}

EXPORT HRESULT WINAPI HcsGetProcessProperties(void *process, PWSTR *properties, PWSTR *record)
{
    CALL("HcsGetProcessProperties", .handle = process, .has_handle = 1, .output = properties, .record = record);
}

CLOSE(HcsCloseProcess)
WITH_DOCUMENT(HcsSignalProcess)
WITH_DOCUMENT(HcsModifyProcess)
REGISTER(HcsRegisterProcessCallback)
UNREGISTER(HcsUnregisterProcessCallback)
