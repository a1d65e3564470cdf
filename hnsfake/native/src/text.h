/* Text: UTF-16 as callers have it, UTF-8 as the carrier has it, GUIDs, and what may stand in a URL. */
#ifndef HNSFAKE_TEXT_H
#define HNSFAKE_TEXT_H

#include "platform.h"

/* A growing text; `bytes` is NULL after an allocation failed, and stays so. */
struct text {
    char *bytes;
    size_t size, room;
};

void text_start(struct text *text);
void text_add(struct text *text, const void *bytes, size_t size);
void text_add_string(struct text *text, const char *string);
void text_add_number(struct text *text, uint64_t number);
void text_add_guid(struct text *text, REFGUID guid);
void text_add_utf16(struct text *text, PCWSTR string);
/* As text_add_utf16, percent-encoded but for `also` and the characters that no URL gives a meaning. */
void text_add_url(struct text *text, PCWSTR string, const char *also);
void text_end(struct text *text);

/* Returns UTF-16 from CoTaskMemAlloc; NULL for no memory. Bytes that aren't UTF-8 become U+FFFD. */
PWSTR utf16_from(const char *bytes, size_t size);

#endif
