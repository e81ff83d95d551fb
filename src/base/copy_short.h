/* Copies of a few bytes. */
#ifndef HEDDLE_BASE_COPY_SHORT_H
#define HEDDLE_BASE_COPY_SHORT_H

#include <stddef.h>
#include <string.h>

/* In pieces of which the last one may overlap the one before: a call, or a loop over the bytes, takes longer than a short run. */
static inline void heddle__copy_short(char *to, const char *from, size_t n)
{
    if (n >= 16) {
        for (size_t i = 0; i + 16 < n; i += 16) memcpy(to + i, from + i, 16);
        memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (size_t i = 0; i < n; i++) to[i] = from[i];
    }
}

#endif
