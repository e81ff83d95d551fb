/* Scans on GPUs: their operations, and rows that threads have, in the order of scan_order.h. */
#ifndef HEDDLE_CUDA_SCAN_CUH
#define HEDDLE_CUDA_SCAN_CUH

#include "scan_order.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

template <class T>
struct scan_sum {
    typedef T type;
    static __device__ __forceinline__ T apply(T x, T y) { return hd_add(x, y); }
    static __device__ __forceinline__ T identity() { return T(); }
};
template <class T>
struct scan_product {
    typedef T type;
    static __device__ __forceinline__ T apply(T x, T y) { return hd_mul(x, y); }
    static __device__ __forceinline__ T identity()
    {
        if constexpr (hd_kind<T> == 'C')
            return hd_pair(typename hd_traits<T>::real(1), typename hd_traits<T>::real(0));
        else
            return T(1);
    }
};

/* The first of equal ones; NaN if one is. There is no identity: nothing begins with one. */
template <class T>
struct scan_maximum {
    typedef T type;
    static __device__ __forceinline__ T apply(T x, T y) { return hd_maximum(x, y); }
    static __device__ __forceinline__ T identity() { return T(); }
};
template <class T>
struct scan_minimum {
    typedef T type;
    static __device__ __forceinline__ T apply(T x, T y) { return hd_minimum(x, y); }
    static __device__ __forceinline__ T identity() { return T(); }
};

/* Kogge and Stone over `width` lanes: x of lane i becomes x[0] o ... o x[i]. */
template <class Op, class T>
HD T scan_lanes(T x, int lane, int width = 32)
{
    for (int d = 1; d < width; d *= 2) {
        const T before = hd_from_lane(x, (int)(threadIdx.x - d) & 31);
        if ((lane & (width - 1)) >= d) x = Op::apply(before, x);
    }
    return x;
}

/* ---- A row that threads have ------------------------------------------------------------------------- */

/* The last value of the thread before, in a lane of the order that has several threads, goes before the thread's own. */
template <class Op, int ITEMS, class T>
HD void scan_items(T *x, int place, int of_lane)
{
#pragma unroll
    for (int turn = 0; turn < of_lane; turn++) {
        const T before = turn > 0 ? hd_from_lane(x[ITEMS - 1], (int)(threadIdx.x - 1) & 31) : x[0];
        if (place != turn) continue;
        if (turn > 0) x[0] = Op::apply(before, x[0]);
#pragma unroll
        for (int k = 1; k < ITEMS; k++) x[k] = Op::apply(x[k - 1], x[k]);
    }
}

/* A thread has all of the row. */
template <class Op, class T, int SLOTS>
HD void scan_own_row(T (&x)[SLOTS])
{
    constexpr int lanes = (SLOTS + HEDDLE_SCAN_ITEMS - 1) / HEDDLE_SCAN_ITEMS;
    static_assert(lanes <= HEDDLE_SCAN_LANES, "more than one row of the order");
    T total[lanes];
#pragma unroll
    for (int t = 0; t < SLOTS; t++) {
        if (t % HEDDLE_SCAN_ITEMS > 0) x[t] = Op::apply(x[t - 1], x[t]);
        total[t / HEDDLE_SCAN_ITEMS] = x[t];
    }
#pragma unroll
    for (int d = 1; d < lanes; d *= 2)
#pragma unroll
        for (int l = lanes - 1; l >= d; l--) total[l] = Op::apply(total[l - d], total[l]);
#pragma unroll
    for (int t = HEDDLE_SCAN_ITEMS; t < SLOTS; t++)
        x[t] = Op::apply(total[t / HEDDLE_SCAN_ITEMS - 1], x[t]);
}

/* Threads of one warp. Slots come in groups of BESIDE, of which all threads' lie together: a group has `lanes` of the order's lanes, and some groups a row
 * of it. */
template <class Op, int THREADS, int BESIDE, class T, int SLOTS>
HD void scan_warp_row(T (&x)[SLOTS], int lane)
{
    constexpr int of_lane = HEDDLE_SCAN_ITEMS / BESIDE, groups = SLOTS / BESIDE,
                  lanes = THREADS / of_lane, of_row = HEDDLE_SCAN_LANES / lanes;
    const int place = lane % of_lane, own = lane / of_lane, first = (int)threadIdx.x - lane,
              last = of_lane - 1;
    T total[groups], before, warp, all;
#pragma unroll
    for (int g = 0; g < groups; g++) {
        scan_items<Op, BESIDE>(x + g * BESIDE, place, of_lane);
        total[g] = x[g * BESIDE + BESIDE - 1];
    }
    /* Kogge and Stone over the lanes of a row; those of a group before are in the same threads */
#pragma unroll
    for (int d = 1; d < HEDDLE_SCAN_LANES; d *= 2) {
        if (d < lanes) {
            const int from = (first + ((own - d) & (lanes - 1)) * of_lane + last) & 31;
#pragma unroll
            for (int g = 0; g < groups; g++) {
                const T here = hd_from_lane(total[g], from);
                if (own >= d)
                    total[g] = Op::apply(here, total[g]);
                else if (g % of_row > 0)
                    total[g] = Op::apply(before, total[g]);
                before = here;
            }
        } else {
            const int apart = d / lanes;
#pragma unroll
            for (int g = groups - 1; g >= apart; g--)
                if (g % of_row >= apart) total[g] = Op::apply(total[g - apart], total[g]);
        }
    }
    const int from = (first + ((own - 1) & (lanes - 1)) * of_lane + last) & 31;
#pragma unroll
    for (int g = 0; g < groups; g++) {
        const int row = g / of_row, in_warp = row % HEDDLE_SCAN_ROWS;
        const T here = hd_from_lane(total[g], from);
        T outside = own > 0 ? here : before;
        bool some = own > 0 || g % of_row > 0;
        if (in_warp > 0) outside = some ? Op::apply(warp, outside) : warp;
        some = some || in_warp > 0;
        if (row >= HEDDLE_SCAN_ROWS) outside = some ? Op::apply(all, outside) : all;
        some = some || row >= HEDDLE_SCAN_ROWS;
        if (some) {
#pragma unroll
            for (int k = 0; k < BESIDE; k++)
                x[g * BESIDE + k] = Op::apply(outside, x[g * BESIDE + k]);
        }
        before = here;
        if (g % of_row < of_row - 1 || g == groups - 1) continue;
        const T of_all = hd_from_lane(total[g], (first + THREADS - 1) & 31);
        warp = in_warp > 0 ? Op::apply(warp, of_all) : of_all;
        if (in_warp == HEDDLE_SCAN_ROWS - 1)
            all = row >= HEDDLE_SCAN_ROWS ? Op::apply(all, warp) : warp;
    }
}

/* What is before a row of the order in its warp, and before that warp, from the totals of rows, of which each lane of a warp has one. */
template <class Op, class T>
HD void scan_rows_before(T total, int n_rows, int row, T &in_warp, T &warps)
{
    T x = total;
#pragma unroll
    for (int k = 1; k < HEDDLE_SCAN_ROWS; k++) {
        const T before = hd_from_lane(x, (row - 1) & 31);
        if (row % HEDDLE_SCAN_ROWS == k) x = Op::apply(before, x);
    }
    in_warp = hd_from_lane(x, (row - 1) & 31);
    T all = x;
    warps = x;
    for (int w = 1; w * HEDDLE_SCAN_ROWS < n_rows; w++) {
        const T warp = hd_from_lane(x, w * HEDDLE_SCAN_ROWS - 1);
        all = w > 1 ? Op::apply(all, warp) : warp;
        if (row / HEDDLE_SCAN_ROWS == w) warps = all;
    }
}

/* All threads of a block. `lane_totals`: shared memory, THREADS * SLOTS / HEDDLE_SCAN_ITEMS. */
template <class Op, int THREADS, int BESIDE, class T, int SLOTS>
HD void scan_block_row(T (&x)[SLOTS], int lane, T *lane_totals)
{
    constexpr int of_lane = HEDDLE_SCAN_ITEMS / BESIDE, groups = SLOTS / BESIDE,
                  lanes = THREADS / of_lane, n = lanes * groups,
                  n_rows = (n + HEDDLE_SCAN_LANES - 1) / HEDDLE_SCAN_LANES;
    static_assert(n_rows <= HEDDLE_SCAN_ROWS * HEDDLE_SCAN_WARPS, "more than a chunk");
    const int place = lane % of_lane, own = lane / of_lane, of_warp = lane & 31;
    __syncthreads(); /* all have read what is there */
#pragma unroll
    for (int g = 0; g < groups; g++) {
        scan_items<Op, BESIDE>(x + g * BESIDE, place, of_lane);
        if (place == of_lane - 1) lane_totals[g * lanes + own] = x[g * BESIDE + BESIDE - 1];
    }
    __syncthreads();
    for (int row = lane / 32; row < n_rows; row += THREADS / 32) {
        const int at = row * HEDDLE_SCAN_LANES + of_warp;
        const T total = scan_lanes<Op>(lane_totals[at < n ? at : n - 1], of_warp);
        if (at < n) lane_totals[at] = total;
    }
    __syncthreads();
    const int end = (of_warp + 1) * HEDDLE_SCAN_LANES - 1;
    T in_warp, warps;
    scan_rows_before<Op>(lane_totals[end < n ? end : n - 1], n_rows, of_warp, in_warp, warps);
#pragma unroll
    for (int g = 0; g < groups; g++) {
        const int at = g * lanes + own, row = at / HEDDLE_SCAN_LANES;
        const T rows = hd_from_lane(in_warp, row), outer = hd_from_lane(warps, row);
        bool some = at % HEDDLE_SCAN_LANES > 0;
        T outside = lane_totals[some ? at - 1 : 0];
        if (row % HEDDLE_SCAN_ROWS > 0) {
            outside = some ? Op::apply(rows, outside) : rows;
            some = true;
        }
        if (row >= HEDDLE_SCAN_ROWS) {
            outside = some ? Op::apply(outer, outside) : outer;
            some = true;
        }
        if (some) {
#pragma unroll
            for (int k = 0; k < BESIDE; k++)
                x[g * BESIDE + k] = Op::apply(outside, x[g * BESIDE + k]);
        }
    }
}

/* ---- A column that threads have --------------------------------------------------------------------- */

/* A thread has all of it. */
template <class Op, class T, int SLOTS>
HD void scan_own_column(T (&x)[SLOTS])
{
#pragma unroll
    for (int t = 1; t < SLOTS; t++)
        if (t % HEDDLE_SCAN_COLUMN_CHUNK > 0) x[t] = Op::apply(x[t - 1], x[t]);
#pragma unroll
    for (int t = HEDDLE_SCAN_COLUMN_CHUNK; t < SLOTS; t++) /* what ends a chunk has all before it */
        x[t] = Op::apply(x[t / HEDDLE_SCAN_COLUMN_CHUNK * HEDDLE_SCAN_COLUMN_CHUNK - 1], x[t]);
}

/* Warps have a run of SLOTS elements each of the same 32 columns of n. Those that round go on from warp to warp within a chunk; of others all
 * runs are scanned at once. */
template <class Op, bool ROUNDS, int PARTS, class T, int SLOTS>
HD void scan_column_runs(T (&x)[SLOTS], int part, int n)
{
    constexpr int chunks =
        (PARTS * SLOTS + HEDDLE_SCAN_COLUMN_CHUNK - 1) / HEDDLE_SCAN_COLUMN_CHUNK;
    __shared__ T totals[ROUNDS ? chunks : PARTS][32], turns[32];
    const int lane = (int)threadIdx.x & 31;
    __syncthreads(); /* all have read what the scan before left there */
    if constexpr (!ROUNDS) {
        (void)turns;
#pragma unroll
        for (int t = 1; t < SLOTS; t++) x[t] = Op::apply(x[t - 1], x[t]);
        totals[part][lane] = x[SLOTS - 1];
        __syncthreads();
        T before = totals[0][lane];
        for (int p = 1; p < part; p++) before = Op::apply(before, totals[p][lane]);
        if (part == 0) return;
#pragma unroll
        for (int t = 0; t < SLOTS; t++) x[t] = Op::apply(before, x[t]);
        return;
    }
#pragma unroll 1
    for (int turn = 0; turn < PARTS; turn++) {
        if (turn == part) {
            T before = turns[lane];
#pragma unroll
            for (int t = 0; t < SLOTS; t++) {
                const int f = part * SLOTS + t;
                if (f % HEDDLE_SCAN_COLUMN_CHUNK > 0) x[t] = Op::apply(before, x[t]);
                before = x[t];
                if (f % HEDDLE_SCAN_COLUMN_CHUNK == HEDDLE_SCAN_COLUMN_CHUNK - 1)
                    totals[f / HEDDLE_SCAN_COLUMN_CHUNK][lane] = before;
            }
            turns[lane] = before;
        }
        __syncthreads();
    }
    T before = totals[0][lane];
#pragma unroll 1
    for (int c = 1; c < chunks && c * HEDDLE_SCAN_COLUMN_CHUNK < n; c++) {
#pragma unroll
        for (int t = 0; t < SLOTS; t++)
            if ((part * SLOTS + t) / HEDDLE_SCAN_COLUMN_CHUNK == c) x[t] = Op::apply(before, x[t]);
        before = Op::apply(before, totals[c][lane]);
    }
}

/* ---- All ---------------------------------------------------------------------------------------------- */

/* Slot t of thread `lane` of a row has its element (t / BESIDE * THREADS + lane) * BESIDE + t % BESIDE, and then that of the scan. Elements
 * beyond the row may be any. */
template <class Op, int THREADS, int BESIDE, class T, int SLOTS>
HD void scan_held_row(T (&x)[SLOTS], int lane, T *lane_totals)
{
    if constexpr (THREADS == 1)
        scan_own_row<Op>(x);
    else if constexpr (THREADS <= 32)
        scan_warp_row<Op, THREADS, BESIDE>(x, lane);
    else
        scan_block_row<Op, THREADS, BESIDE>(x, lane, lane_totals);
}

#endif
