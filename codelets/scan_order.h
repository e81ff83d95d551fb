/* Cumulative sums, products and extremes along one axis: the order of operations. Also text for NVRTC.
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
#ifndef HEDDLE_CODELETS_SCAN_ORDER_H
#define HEDDLE_CODELETS_SCAN_ORDER_H

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
    HEDDLE_SCAN_MINIMUM,
    HEDDLE_SCAN_OPERATIONS
};

enum heddle_scan_phase {
    HEDDLE_SCAN_WHOLE,  /* in -> out; state_in and state_out, if given, link parts along the axis */
    HEDDLE_SCAN_TOTALS, /* in -> out: the total of each chunk of the part */
    HEDDLE_SCAN_COMBINE, /* out: totals of all chunks -> their prefixes; that of the first is not set */
    HEDDLE_SCAN_APPLY, /* in, prefixes of all chunks (state_in) -> out */
};

#endif
