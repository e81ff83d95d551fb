/* The arguments of a call of a cumulative sum, product or extreme along one axis. */
#ifndef HEDDLE_FAMILIES_SCAN_KERNEL_H
#define HEDDLE_FAMILIES_SCAN_KERNEL_H

#include "scan_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heddle_launch;

/* A call on one part. All its arrays are (outer, n, inner) in C order; totals and prefixes have chunks in
 * place of n, and out has one more index if `initial`. If there are several parts, they begin and end
 * where chunks do. The state has the members before, in the group of each level: for lanes (outer,
 * LEVELS, RADIX) each of them, for columns (outer, LEVELS, inner) all combined. How many there are
 * follows from the number of the next chunk. */
struct heddle_scan {
    /* int32, int64, float32, float64; of sums and products complex64, complex128; of extremes uint32, uint64 */
    uint8_t dtype;
    uint8_t operation;       /* enum heddle_scan_operation */
    uint8_t phase;           /* enum heddle_scan_phase */
    uint8_t columns;         /* else lanes */
    uint8_t initial;         /* WHOLE, APPLY: the identity comes before the part's first element */
    uint8_t has_in, has_out; /* whether there are state_in (APPLY: always), state_out */
    int64_t outer, n, inner;
    int64_t first_chunk;                   /* of the part, along the axis */
    int64_t n_chunks;                      /* COMBINE, APPLY: of the whole axis */
    uint32_t in, out, state_in, state_out; /* buffers */
    /* Maps over the elements (kernel_work.h), or NULL. `before` makes what is read, and `in` is `out`, where it may be stored meanwhile;
     * `after` reads `out` in place. Both: WHOLE alone, no `initial`. */
    const struct heddle_launch *before, *after;
    /* The call as a stage of a chain over rows (rows.h), of a program that is a scan: WHOLE rows of as many elements as those take, no `initial`. Else NULL. */
    struct heddle_launch *rows;
};

static inline int64_t heddle__scan_chunk(bool columns)
{
    return columns ? HEDDLE_SCAN_COLUMN_CHUNK : HEDDLE_SCAN_CHUNK;
}
/* How many elements a state has along the axis. */
static inline int64_t heddle__scan_state(bool columns)
{
    return HEDDLE_SCAN_LEVELS * (columns ? 1 : HEDDLE_SCAN_RADIX);
}
/* How many chunks n elements make. */
static inline int64_t heddle__scan_chunks(int64_t n, bool columns)
{
    const int64_t chunk = heddle__scan_chunk(columns);
    return (n + chunk - 1) / chunk;
}
/* How many members of a group come before the one that has the chunk, in a level. */
static inline int heddle__scan_before(int64_t chunk, int level)
{
    return (int)(chunk >> 5 * level & (HEDDLE_SCAN_RADIX - 1));
}
/* How many members of a level contain chunks of first..first+n-1. */
static inline int64_t heddle__scan_members(int64_t first, int64_t n, int level)
{
    return n > 0 ? ((first + n - 1) >> 5 * level) - (first >> 5 * level) + 1 : 0;
}
/* How many members all levels have: each has a note, from level 0 on. */
static inline int64_t heddle__scan_notes(int64_t first, int64_t n)
{
    int64_t notes = 0;
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) notes += heddle__scan_members(first, n, l);
    return notes;
}

/* How many chunks the threads of a team scan together, as a band: whole groups. */
static inline int64_t heddle__scan_band(int n_threads)
{
    return (n_threads + 1) / 2 * (int64_t)HEDDLE_SCAN_RADIX;
}

#endif
