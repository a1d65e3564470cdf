/* computenetwork.dll: guest network services and their port reservations.
 * Signatures: mingw-w64 and microsoft/windows-rs HostComputeNetwork. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carrier.h"
#include "text.h"

#if defined(_WIN32) && defined(__has_include)
#if __has_include(<computenetwork.h>)
#include <computenetwork.h>
#define HAS_SDK_TYPES
#endif
#endif

#ifndef HAS_SDK_TYPES
typedef enum { HCN_PORT_PROTOCOL_TCP = 1, HCN_PORT_PROTOCOL_UDP = 2, HCN_PORT_PROTOCOL_BOTH = 3 } HCN_PORT_PROTOCOL;
typedef enum { HCN_PORT_ACCESS_EXCLUSIVE = 1, HCN_PORT_ACCESS_SHARED = 2 } HCN_PORT_ACCESS;
typedef struct {
    USHORT startingPort, endingPort;
} HCN_PORT_RANGE_RESERVATION;
typedef struct {
    GUID OwningPartitionId, TargetPartitionId;
    HCN_PORT_PROTOCOL Protocol;
    ULONG64 Priority;
    ULONG ReservationType, SharingFlags, DeliveryMode;
    USHORT StartingPort, EndingPort;
} HCN_PORT_RANGE_ENTRY, *PHCN_PORT_RANGE_ENTRY;
#endif

EXPORT HRESULT WINAPI HcnCreateGuestNetworkService(REFGUID id, PCWSTR settings, void **opened, PWSTR *record)
{
    struct call call = {.function = "HcnCreateGuestNetworkService", .id = id, .document = settings, .opened = opened,
                        .record = record};
    return opened ? carry(&call) : E_INVALIDARG;
}

EXPORT HRESULT WINAPI HcnModifyGuestNetworkService(void *handle, PCWSTR settings, PWSTR *record)
{
    struct call call = {.function = "HcnModifyGuestNetworkService", .handle = handle, .has_handle = 1,
                        .document = settings, .record = record};
    return carry(&call);
}

EXPORT HRESULT WINAPI HcnDeleteGuestNetworkService(REFGUID id, PWSTR *record)
{
    struct call call = {.function = "HcnDeleteGuestNetworkService", .id = id, .record = record};
    return id ? carry(&call) : E_INVALIDARG;
}

EXPORT HRESULT WINAPI HcnCloseGuestNetworkService(void *handle)
{
    struct call call = {.function = "HcnCloseGuestNetworkService", .handle = handle, .has_handle = 1};
    return carry(&call);
}

EXPORT HRESULT WINAPI HcnRegisterGuestNetworkServiceCallback(void *handle, notification_callback callback,
                                                             void *context, void **registration)
{
    return subscribe("HcnRegisterGuestNetworkServiceCallback", handle, 1, callback, context, registration);
}

EXPORT HRESULT WINAPI HcnUnregisterGuestNetworkServiceCallback(void *registration)
{
    return unsubscribe("HcnUnregisterGuestNetworkServiceCallback", registration);
}

/* Carries a call whose arguments are numbers: they go as a document, and come back as words with spaces between. */
static HRESULT carry_words(struct call *call, const char *arguments, struct text *words)
{
    PWSTR document = utf16_from(arguments, strlen(arguments)), output = NULL;
    HRESULT hresult = E_OUTOFMEMORY;
    text_start(words);
    if (document && words->bytes) {
        call->document = document;
        call->output = &output;
        hresult = carry(call);
        if (output)
            text_add_utf16(words, output);
    }
    free_result(document);
    free_result(output);
    return words->bytes ? hresult : E_OUTOFMEMORY;
}

EXPORT HRESULT WINAPI HcnReserveGuestNetworkServicePort(void *handle, HCN_PORT_PROTOCOL protocol,
                                                        HCN_PORT_ACCESS access, USHORT port, HANDLE *reservation)
{
    struct call call = {.function = "HcnReserveGuestNetworkServicePort", .handle = handle, .has_handle = 1,
                        .opened = reservation};
    struct text words;
    char arguments[96];
    HRESULT hresult;
    if (!reservation)
        return E_INVALIDARG;
    snprintf(arguments, sizeof arguments, "{\"Protocol\":%d,\"Access\":%d,\"Port\":%u}", (int)protocol, (int)access,
             (unsigned)port);
    hresult = carry_words(&call, arguments, &words);
    text_end(&words);
    return hresult;
}

EXPORT HRESULT WINAPI HcnReserveGuestNetworkServicePortRange(void *handle, USHORT count,
                                                             HCN_PORT_RANGE_RESERVATION *range, HANDLE *reservation)
{
    struct call call = {.function = "HcnReserveGuestNetworkServicePortRange", .handle = handle, .has_handle = 1,
                        .opened = reservation};
    struct text words;
    char arguments[48];
    unsigned first = 0, last = 0;
    HRESULT hresult;
    if (!range || !reservation)
        return E_INVALIDARG;
    snprintf(arguments, sizeof arguments, "{\"PortCount\":%u}", (unsigned)count);
    hresult = carry_words(&call, arguments, &words);
    if (hresult == S_OK && sscanf(words.bytes, "%u %u", &first, &last) != 2)
        hresult = E_UNEXPECTED;
    text_end(&words);
    range->startingPort = (USHORT)first;
    range->endingPort = (USHORT)last;
    return hresult;
}

EXPORT HRESULT WINAPI HcnReleaseGuestNetworkServicePortReservationHandle(HANDLE reservation)
{
    struct call call = {.function = "HcnReleaseGuestNetworkServicePortReservationHandle", .handle = reservation,
                        .has_handle = 1};
    return carry(&call);
}

/* Reads a GUID at the start of a text; returns what follows, or NULL. */
static const char *read_guid(const char *words, GUID *guid)
{
    unsigned parts[11];
    int length = 0, at;
    if (sscanf(words, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4],
               &parts[5], &parts[6], &parts[7], &parts[8], &parts[9], &parts[10], &length) != 11)
        return NULL;
    guid->Data1 = parts[0];
    guid->Data2 = (uint16_t)parts[1];
    guid->Data3 = (uint16_t)parts[2];
    for (at = 0; at < 8; at++)
        guid->Data4[at] = (uint8_t)parts[3 + at];
    return words + length;
}

/* Reads an entry: two GUIDs and seven numbers; returns what follows, or NULL. */
static const char *read_entry(const char *words, HCN_PORT_RANGE_ENTRY *entry)
{
    unsigned protocol, type, sharing, delivery, first, last;
    unsigned long long priority;
    int length = 0;
    words = read_guid(words, &entry->OwningPartitionId);
    words = words ? read_guid(words + strspn(words, " "), &entry->TargetPartitionId) : NULL;
    if (!words || sscanf(words, "%u %llu %u %u %u %u %u%n", &protocol, &priority, &type, &sharing, &delivery, &first,
                         &last, &length) != 7)
        return NULL;
    entry->Protocol = (HCN_PORT_PROTOCOL)protocol;
    entry->Priority = priority;
    entry->ReservationType = type;
    entry->SharingFlags = sharing;
    entry->DeliveryMode = delivery;
    entry->StartingPort = (USHORT)first;
    entry->EndingPort = (USHORT)last;
    return words + length;
}

/* The answer: how many entries there are, and the entries. */
static HRESULT read_entries(const char *words, ULONG *count, HCN_PORT_RANGE_ENTRY **entries)
{
    char *end;
    ULONG number = (ULONG)strtoul(words, &end, 10), at;
    HCN_PORT_RANGE_ENTRY *all;
    if (end == words)
        return E_UNEXPECTED;
    if (!number)
        return S_OK;
    all = CoTaskMemAlloc(number * sizeof *all);
    if (!all)
        return E_OUTOFMEMORY;
    memset(all, 0, number * sizeof *all);
    for (words = end, at = 0; at < number && words; at++)
        words = read_entry(words + strspn(words, " "), &all[at]);
    if (!words) {
        free_result(all);
        return E_UNEXPECTED;
    }
    *count = number;
    *entries = all;
    return S_OK;
}

EXPORT HRESULT WINAPI HcnEnumerateGuestNetworkPortReservations(ULONG *count, HCN_PORT_RANGE_ENTRY **entries)
{
    struct call call = {.function = "HcnEnumerateGuestNetworkPortReservations"};
    struct text words;
    HRESULT hresult;
    if (!count || !entries)
        return E_INVALIDARG;
    *count = 0;
    *entries = NULL;
    hresult = carry_words(&call, "", &words);
    if (hresult == S_OK)
        hresult = read_entries(words.bytes, count, entries);
    text_end(&words);
    return hresult;
}

EXPORT void WINAPI HcnFreeGuestNetworkPortReservations(HCN_PORT_RANGE_ENTRY *entries)
{
    free_result(entries);
}
