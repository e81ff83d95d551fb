/* A growing text. Entry points: text.h. */
#include "cuda/text.h"

#include <base/memory.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void heddle__put(struct heddle_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (need < 0 || text->failed) return;
    const size_t end = text->length + (size_t)need + 1;
    if (end > text->capacity) {
        const size_t capacity = end * 2 < 8192 ? 8192 : end * 2;
        char *data = heddle__realloc(text->data, capacity);
        if (!data) {
            text->failed = 1;
            return;
        }
        text->data = data;
        text->capacity = capacity;
    }
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)need + 1, format, args);
    va_end(args);
    text->length += (size_t)need;
}

char *heddle__text_take(struct heddle_text *text)
{
    char *data = text->data;
    if (text->failed) {
        heddle__free(data);
        data = NULL;
    }
    memset(text, 0, sizeof *text);
    return data;
}
