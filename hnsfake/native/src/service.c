/* A Windows service that does nothing but run: what stands behind the names "hns" and "vmcompute" in the service
 * control manager, for programs that ask whether they are there (moby/moby daemon/daemon_windows.go). */
#include <windows.h>

static SERVICE_STATUS_HANDLE service;
static HANDLE stopped;

static void report(DWORD state)
{
    SERVICE_STATUS status = {
        .dwServiceType = SERVICE_WIN32_OWN_PROCESS,
        .dwCurrentState = state,
        .dwControlsAccepted = SERVICE_ACCEPT_STOP,
    };
    SetServiceStatus(service, &status);
}

static DWORD WINAPI control(DWORD code, DWORD event, void *data, void *context)
{
    (void)event, (void)data, (void)context;
    if (code == SERVICE_CONTROL_STOP)
        SetEvent(stopped);
    return code == SERVICE_CONTROL_STOP || code == SERVICE_CONTROL_INTERROGATE ? NO_ERROR
                                                                                : ERROR_CALL_NOT_IMPLEMENTED;
}

static void WINAPI run(DWORD count, PWSTR *arguments)
{
    (void)count;
    service = RegisterServiceCtrlHandlerExW(arguments[0], control, NULL);
    stopped = CreateEventW(NULL, TRUE, FALSE, NULL);
    report(SERVICE_RUNNING);
    WaitForSingleObject(stopped, INFINITE);
    report(SERVICE_STOPPED);
}

int main(void)
{
    SERVICE_TABLE_ENTRYW table[] = {{L"", run}, {NULL, NULL}};
    return StartServiceCtrlDispatcherW(table) ? 0 : 1;
}
