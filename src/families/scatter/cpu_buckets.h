/* Updates by bucket, for several threads (cpu.c), and the memory that they need. */
#ifndef HEDDLE_FAMILIES_SCATTER_CPU_BUCKETS_H
#define HEDDLE_FAMILIES_SCATTER_CPU_BUCKETS_H

#include "families/scatter/kernel.h"

enum { HEDDLE_SCATTER_BUCKETS = 64 }; /* of consecutive rows; some may be empty */

struct heddle_scatter_update {
    uint32_t row, update;
};

/* The scratch memory of a call that puts updates into buckets: these, then where each slice's begin in each bucket and where the
 * buckets end. 0: it does not. Finding buckets takes longer than an update of one number, so few threads gain nothing. */
static inline size_t heddle__scatter_buckets_bytes(const struct heddle_scatter *s, int n_threads)
{
    enum { ALONE = 1 << 13, LEAST_THREADS = 4 };
    if (n_threads < LEAST_THREADS || s->n * s->row < ALONE || s->n > UINT32_MAX ||
        s->n_rows > UINT32_MAX)
        return 0;
    return (size_t)s->n * sizeof(struct heddle_scatter_update) +
           (size_t)(n_threads + 1) * HEDDLE_SCATTER_BUCKETS * sizeof(int64_t);
}

#endif
