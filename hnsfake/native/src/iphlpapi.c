/* iphlpapi.dll: Wine's own, to which iphlpapi.def forwards, and what Wine 8 lacks: compartments of threads.
 * Functions: microsoft/hcsshim hcn/hcn.go; learn.microsoft.com, netioapi.h. */
#include <winsock2.h>
#include <windows.h>

/* The compartment that the node itself is in: where this program runs. */
#define HOST_COMPARTMENT 1

static DWORD slot = TLS_OUT_OF_INDEXES;

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, void *reserved)
{
    (void)instance, (void)reserved;
    if (reason == DLL_PROCESS_ATTACH)
        return (slot = TlsAlloc()) != TLS_OUT_OF_INDEXES;
    if (reason == DLL_PROCESS_DETACH)
        TlsFree(slot);
    return TRUE;
}

__declspec(dllexport) UINT WINAPI GetCurrentThreadCompartmentId(void)
{
    UINT_PTR chosen = (UINT_PTR)TlsGetValue(slot);
    return chosen ? (UINT)chosen : HOST_COMPARTMENT;
}

/* The thread is told apart, but its sockets stay in the compartment that the program was started in: Wine makes them
 * in a process of its own. A program that must send from another compartment is started there.
 * unverified: the code for compartment 0. */
__declspec(dllexport) DWORD WINAPI SetCurrentThreadCompartmentId(UINT compartment)
{
    if (!compartment)
        return ERROR_INVALID_PARAMETER;
    TlsSetValue(slot, (void *)(UINT_PTR)compartment);
    return NO_ERROR;
}
