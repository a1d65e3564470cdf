#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256

void text_start(struct text *text)
{
    text->size = 0;
    text->room = FIRST_ROOM;
    text->bytes = malloc(FIRST_ROOM);
    if (text->bytes)
        text->bytes[0] = 0;
}

void text_add(struct text *text, const void *bytes, size_t size)
{
    if (!text->bytes)
        return;
    if (text->room - text->size <= size) {
        size_t room = (text->size + size + 1) * 2;
        char *larger = room > size ? realloc(text->bytes, room) : NULL;
        if (!larger) {
            text_end(text);
            return;
        }
        text->bytes = larger;
        text->room = room;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
}

void text_add_string(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_add_number(struct text *text, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    text_add_string(text, digits);
}

void text_add_guid(struct text *text, REFGUID guid)
{
    char shown[40];
    const uint8_t *last = guid->Data4;
    snprintf(shown, sizeof shown, "%08lX-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X", (unsigned long)guid->Data1,
             guid->Data2, guid->Data3, last[0], last[1], last[2], last[3], last[4], last[5], last[6], last[7]);
    text_add_string(text, shown);
}

/* Takes the next character off a UTF-16 string. A lone surrogate comes as it is: the service refuses such text. */
static uint32_t next_character(PCWSTR *string)
{
    uint32_t high = *(*string)++, low;
    if (high < 0xD800 || high > 0xDBFF)
        return high;
    low = **string;
    if (low < 0xDC00 || low > 0xDFFF)
        return high;
    ++*string;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

static size_t encode(uint32_t character, unsigned char bytes[4])
{
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4, at;
    if (size == 1) {
        bytes[0] = (unsigned char)character;
        return 1;
    }
    for (at = size - 1; at > 0; at--, character >>= 6)
        bytes[at] = (unsigned char)(0x80 | (character & 0x3F));
    bytes[0] = (unsigned char)(lead[size] | character);
    return size;
}

void text_add_utf16(struct text *text, PCWSTR string)
{
    unsigned char bytes[4];
    while (*string)
        text_add(text, bytes, encode(next_character(&string), bytes));
}

void text_add_url(struct text *text, PCWSTR string, const char *also)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    unsigned char bytes[4];
    char coded[4];
    while (*string) {
        size_t size = encode(next_character(&string), bytes), at;
        for (at = 0; at < size; at++) {
            if (strchr(plain, bytes[at]) || strchr(also, bytes[at])) {
                text_add(text, &bytes[at], 1);
            } else {
                snprintf(coded, sizeof coded, "%%%02X", bytes[at]);
                text_add_string(text, coded);
            }
        }
    }
}

void text_end(struct text *text)
{
    free(text->bytes);
    text->bytes = NULL;
    text->size = text->room = 0;
}

/* Takes the next character off UTF-8 bytes; U+FFFD for a byte that begins none. */
static uint32_t decode(const unsigned char **bytes, const unsigned char *end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = *(*bytes)++;
    size_t size = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0, at;
    uint32_t character = size < 2 ? first : first & (0x7F >> size);
    if (size == 0 || (size_t)(end - *bytes) < size - 1)
        return 0xFFFD;
    for (at = 0; at + 1 < size; at++) {
        if (((*bytes)[at] & 0xC0) != 0x80)
            return 0xFFFD;
        character = character << 6 | ((*bytes)[at] & 0x3F);
    }
    if (character < least[size] || character > 0x10FFFF)
        return 0xFFFD;
    *bytes += size ? size - 1 : 0;
    return character;
}

PWSTR utf16_from(const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes, *end = at + size;
    PWSTR string = CoTaskMemAlloc((size + 1) * sizeof *string), next = string;
    if (!string)
        return NULL;
    while (at < end) {
        uint32_t character = decode(&at, end);
        if (character >= 0x10000) {
            *next++ = (WCHAR)(0xD800 + ((character - 0x10000) >> 10));
            *next++ = (WCHAR)(0xDC00 + ((character - 0x10000) & 0x3FF));
        } else {
            *next++ = (WCHAR)character;
        }
    }
    *next = 0;
    return string;
}
