/* Memory that blocks fetch on their way, for the boxes after theirs: a chain over rows that computes for a while and then
 * reads new rows would else leave memory idle, and then wait for it. */
#ifndef HEDDLE_CODELETS_CPU_AHEAD_H
#define HEDDLE_CODELETS_CPU_AHEAD_H

#include "cpu/blocks.h"
#include <stddef.h>
#include <stdint.h>

enum { HEDDLE_AHEAD_RANGES = 8 };

struct heddle__ahead {
    int n;
    struct {
        const char *at, *end;
        double share; /* bytes for each element of a block */
    } range[HEDDLE_AHEAD_RANGES];
};

/* Fetches what a block of n elements fetches of each range, into the second-level cache. */
static inline void heddle__ahead_fetch(struct heddle__ahead *ahead, int64_t n)
{
    for (int r = 0; r < ahead->n; r++) {
        const char *at = ahead->range[r].at, *end = ahead->range[r].end;
        const ptrdiff_t some = (ptrdiff_t)(ahead->range[r].share * (double)n);
        if (some < end - at) end = at + some;
        for (; at < end; at += HEDDLE_CACHE_LINE) __builtin_prefetch(at, 0, 2);
        ahead->range[r].at = at;
    }
}

#endif
