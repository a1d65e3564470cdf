/* The few Windows words that the sources use, and what they are where there is no Windows. */
#ifndef HNSFAKE_PLATFORM_H
#define HNSFAKE_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32

#include <windows.h>
#include <combaseapi.h>

#define EXPORT __declspec(dllexport)

#define free_result CoTaskMemFree

#else

#include <stdlib.h>
#include <uchar.h>

#define EXPORT __attribute__((visibility("default")))
#define WINAPI
#define CALLBACK

typedef int32_t HRESULT;
typedef uint32_t DWORD;
typedef int32_t BOOL;
typedef uint16_t USHORT;
typedef uint32_t ULONG;
typedef uint64_t ULONG64;
typedef void *HANDLE;
typedef char16_t WCHAR, *PWSTR;
typedef const char16_t *PCWSTR;
typedef struct {
    uint32_t Data1;
    uint16_t Data2, Data3;
    uint8_t Data4[8];
} GUID;
typedef const GUID *REFGUID;

#define S_OK ((HRESULT)0)
#define E_INVALIDARG ((HRESULT)0x80070057)
#define E_HANDLE ((HRESULT)0x80070006)
#define E_OUTOFMEMORY ((HRESULT)0x8007000E)
#define E_UNEXPECTED ((HRESULT)0x8000FFFF)

/* Results are the caller's, who frees them as on Windows; .NET on Linux frees with free() (mono/metadata/marshal.c). */
#define CoTaskMemAlloc malloc
#define free_result free

#endif
#endif
