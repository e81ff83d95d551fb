/* Cumulative sums, products and extremes along one axis: the arguments of a call, and the order of operations.
 *
 * The order is the same for every executor, partition and schedule, so that results are bitwise the
 * same. It depends on the extents of the whole array alone. The axis is cut into chunks. An element gets
 * prefix o local: local is the scan within its chunk, prefix that of all chunks before, which the first
 * chunk lacks. o is +, *, or the larger or smaller of two, the first if they are equal, NaN if one is; never commuted.
 *
 * Lanes: the axis is the innermost one longer than 1. A chunk has 4096 elements: 8 warps of 4 rows of 32
 * lanes of 4 items. Items are scanned left to right; the totals of a row's lanes by Kogge and Stone
 * (for d = 1, 2, 4, 8, 16: x[i] = x[i - d] o x[i] where i >= d: P. M. Kogge, H. S. Stone, A parallel
 * algorithm for the efficient solution of a general class of recurrence equations, 1973); rows of a
 * warp, and warps, left to right. An element gets
 *     ((prefix o warps before) o (rows before o lanes before)) o (items of its lane up to it)
 * Columns: there are inner axes. A chunk has 64 elements, scanned left to right.
 *
 * Prefixes of chunks: a tree of radix 32. Chunks are in groups of 32, groups in groups of 32, ... A
 * group's members are scanned by Kogge and Stone (lanes) or left to right (columns), which also gives
 * its total. The prefix of a chunk is p(last level) of: p(0) = members before it in its group; p(l) =
 * groups of level l before its own in theirs o p(l - 1); a level without members is left out. */
#ifndef HEDDLE_FAMILIES_SCAN_KERNEL_H
#define HEDDLE_FAMILIES_SCAN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEDDLE_SCAN_RADIX = 32,
    HEDDLE_SCAN_LEVELS = 8, /* 2^40 chunks */
    HEDDLE_SCAN_ITEMS = 4,
    HEDDLE_SCAN_LANES = 32,
    HEDDLE_SCAN_ROW = HEDDLE_SCAN_ITEMS * HEDDLE_SCAN_LANES,
    HEDDLE_SCAN_ROWS = 4,  /* of a warp */
    HEDDLE_SCAN_WARPS = 8, /* of a chunk */
    HEDDLE_SCAN_CHUNK = HEDDLE_SCAN_ROW * HEDDLE_SCAN_ROWS * HEDDLE_SCAN_WARPS,
    HEDDLE_SCAN_COLUMN_CHUNK = 64,
    HEDDLE_SCAN_TICKET_BYTES = 64, /* of CUDA scratch, before the notes */
};

enum heddle_scan_operation {
    HEDDLE_SCAN_ADD,
    HEDDLE_SCAN_MULTIPLY,
    HEDDLE_SCAN_MAXIMUM,
    HEDDLE_SCAN_MINIMUM
};

enum heddle_scan_phase {
    HEDDLE_SCAN_WHOLE,  /* in -> out; state_in and state_out, if given, link parts along the axis */
    HEDDLE_SCAN_TOTALS, /* in -> out: the total of each chunk of the part */
    HEDDLE_SCAN_COMBINE, /* out: totals of all chunks -> their prefixes; that of the first is not set */
    HEDDLE_SCAN_APPLY, /* in, prefixes of all chunks (state_in) -> out */
};

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
