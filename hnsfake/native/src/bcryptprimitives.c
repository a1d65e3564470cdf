/* bcryptprimitives.dll, which Wine 8 lacks: Go's runtime takes its random numbers from it (golang/go
 * src/runtime/os_windows.go). */
#include <windows.h>

BOOLEAN WINAPI SystemFunction036(void *buffer, ULONG size); /* advapi32: RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size)
{
    while (size) {
        ULONG part = size > 0x10000000 ? 0x10000000 : (ULONG)size;
        if (!SystemFunction036(data, part))
            return FALSE;
        data += part;
        size -= part;
    }
    return TRUE;
}
