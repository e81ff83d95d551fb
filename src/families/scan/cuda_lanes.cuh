/* Scans along the innermost axis. A block scans a chunk: it publishes the total, then reads those of the
 * chunks before it in its group, of the groups before its own, ...: one pass over the data, in the order
 * of kernel.h whatever block is first (looking back at totals, not at prefixes, which come from no fixed
 * order: D. Merrill, M. Garland, Single-pass parallel prefix scan with decoupled look-back, 2016).
 * Chunks are handed out by a ticket, so that a block waits for running ones alone. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_LANES_CUH
#define HEDDLE_FAMILIES_SCAN_CUDA_LANES_CUH

#include "families/scan/cuda_scan.h"
#include "families/scan/kernel.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

template <class T>
struct scan_add {
    typedef T type;
    static __device__ __forceinline__ T apply(T x, T y) { return hd_add(x, y); }
    static __device__ __forceinline__ T identity() { return T(); }
};
template <class T>
struct scan_multiply {
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

/* ---- Notes that blocks leave for others ----------------------------------------------------------- */

/* A value in words, each with a mark, so that a word is there as a whole or not at all. */
template <class T>
union scan_words {
    static constexpr int n = sizeof(T) > 8 ? 2 : 1;
    T value;
    unsigned long long word[n];
    __device__ __forceinline__ scan_words() {}
};

#ifdef HEDDLE_EMULATED
static inline void scan_put(ulonglong2 *at, unsigned long long word)
{
    *at = {word, 1};
}
static inline ulonglong2 scan_get(const ulonglong2 *at)
{
    return *at;
}
#else
HD void scan_put(ulonglong2 *at, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(word), "l"(1ull)
                 : "memory");
}
HD ulonglong2 scan_get(const ulonglong2 *at)
{
    ulonglong2 r;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(r.x), "=l"(r.y)
                 : "l"(at)
                 : "memory");
    return r;
}
#endif

template <class T>
HD void scan_publish(ulonglong2 *note, T value)
{
    scan_words<T> w;
    w.word[0] = 0;
    w.value = value;
#pragma unroll
    for (int k = 0; k < w.n; k++) scan_put(note + k, w.word[k]);
}

template <class T>
HD T scan_await(const ulonglong2 *note)
{
    scan_words<T> w;
#pragma unroll
    for (int k = 0; k < w.n; k++) {
        ulonglong2 got;
        do got = scan_get(note + k);
        while (got.y == 0);
        w.word[k] = got.x;
    }
    return w.value;
}

/* ---- Within a warp ---------------------------------------------------------------------------------- */

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

/* By a warp, for chunk number `chunk` of a row, whose total is given: what is before it; false: nothing.
 * Publishes the totals of groups that end with it. The carry has the members before first_chunk. */
template <class Op, class T>
HD bool scan_look_back(const heddle_scan_kernel &p, ulonglong2 *notes, const T *carry,
                       int64_t chunk, T total, int lane, T *prefix)
{
    constexpr int words = scan_words<T>::n;
    bool some = false, is_known = true; /* of the level's own member: its total */
    T own = total;
    for (int l = 0; l < p.levels; l++) {
        const int64_t member = chunk >> 5 * l, first = p.first_chunk >> 5 * l;
        const int before = (int)(member & 31);
        T x = own;
        if (lane < before) {
            const int64_t it = member - before + lane;
            x = it < first ? carry[l * 32 + lane]
                           : scan_await<T>(notes + (p.first_note[l] + it - first) * words);
        }
        __syncwarp();
        x = scan_lanes<Op>(x, lane);
        if (before > 0) {
            const T last = hd_from_lane(x, before - 1);
            *prefix = some ? Op::apply(last, *prefix) : last;
            some = true;
        }
        own = hd_from_lane(x, 31);
        is_known = is_known && before == 31;
        if (is_known && lane == 0 && l + 1 < p.levels)
            scan_publish(notes + (p.first_note[l + 1] + (member >> 5) - (first >> 5)) * words, own);
    }
    return some;
}

/* By a warp: the members before the next chunk in the groups of all levels, for the part after this. */
template <class Op, class T>
HD void scan_leave_state(const heddle_scan_kernel &p, const ulonglong2 *notes, const T *carry,
                         T *state, int lane)
{
    constexpr int words = scan_words<T>::n;
    const int64_t next = p.first_chunk + p.chunks;
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) {
        const int64_t member = next >> 5 * l, first = p.first_chunk >> 5 * l;
        const int before = (int)(member & 31);
        const int64_t it = member - before + lane;
        if (lane >= before) continue;
        state[l * 32 + lane] = it < first
                                   ? carry[l * 32 + lane]
                                   : scan_await<T>(notes + (p.first_note[l] + it - first) * words);
    }
}

/* ---- A chunk ------------------------------------------------------------------------------------------ */

/* A warp's share of a chunk: its rows, scanned within lanes, and for each what is before the lane. */
template <class T>
struct scan_share {
    T item[HEDDLE_SCAN_ROWS][HEDDLE_SCAN_ITEMS];
    T before[HEDDLE_SCAN_ROWS]; /* but for the first lane of the first row */
    T total;
};

/* `left`: elements from the warp's first one on. */
template <class Op, class T>
HD void scan_read(scan_share<T> &s, const T *from, int64_t left, int lane, bool aligned)
{
    const bool whole = left >= HEDDLE_SCAN_ROW * HEDDLE_SCAN_ROWS;
#pragma unroll
    for (int r = 0; r < HEDDLE_SCAN_ROWS; r++) {
        const int at = r * HEDDLE_SCAN_ROW + lane * HEDDLE_SCAN_ITEMS;
        if (whole && aligned)
            hd_load<T, HEDDLE_SCAN_ITEMS>(s.item[r], from + at);
        else
            hd_load_some<int64_t, T, HEDDLE_SCAN_ITEMS>(s.item[r], from + at, left - at);
    }
#pragma unroll
    for (int r = 0; r < HEDDLE_SCAN_ROWS; r++) {
#pragma unroll
        for (int k = 1; k < HEDDLE_SCAN_ITEMS; k++)
            s.item[r][k] = Op::apply(s.item[r][k - 1], s.item[r][k]);
        const T x = scan_lanes<Op>(s.item[r][HEDDLE_SCAN_ITEMS - 1], lane);
        s.before[r] = hd_from_lane(x, (lane - 1) & 31);
        const T row = hd_from_lane(x, 31);
        if (r > 0) s.before[r] = lane > 0 ? Op::apply(s.total, s.before[r]) : s.total;
        s.total = r > 0 ? Op::apply(s.total, row) : row;
    }
}

/* What may be before something. */
template <class T>
struct scan_before {
    bool is;
    T value;
};

/* `warps`: of the chunk, before this one; `prefix`: before the chunk. */
template <class Op, class T>
HD void scan_write(scan_share<T> &s, scan_before<T> warps, scan_before<T> prefix, T *to,
                   int64_t left, int lane, bool aligned)
{
    const bool whole = left >= HEDDLE_SCAN_ROW * HEDDLE_SCAN_ROWS;
#pragma unroll
    for (int r = 0; r < HEDDLE_SCAN_ROWS; r++) {
        const int at = r * HEDDLE_SCAN_ROW + lane * HEDDLE_SCAN_ITEMS;
        scan_before<T> before = {r > 0 || lane > 0, s.before[r]};
        if (warps.is)
            before = {true, before.is ? Op::apply(warps.value, before.value) : warps.value};
        if (prefix.is)
            before = {true, before.is ? Op::apply(prefix.value, before.value) : prefix.value};
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
            if (before.is) s.item[r][k] = Op::apply(before.value, s.item[r][k]);
        if (whole && aligned)
            hd_store<T, HEDDLE_SCAN_ITEMS>(to + at, s.item[r]);
        else
            hd_store_some<int64_t, T, HEDDLE_SCAN_ITEMS>(to + at, s.item[r], left - at);
    }
}

/* WHOLE, TOTALS, APPLY: a block a chunk. */
template <class Op, int Phase>
static __global__ void __launch_bounds__(32 * HEDDLE_SCAN_WARPS)
    scan_chunks(const heddle_scan_kernel p)
{
    typedef typename Op::type T;
    __shared__ T warp_total[HEDDLE_SCAN_WARPS], found;
    __shared__ int64_t ticket;
    __shared__ bool has_found;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    /* APPLY: backwards, since the last chunks that TOTALS read may still be in the cache */
    int64_t number = Phase == HEDDLE_SCAN_APPLY ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    if (Phase == HEDDLE_SCAN_WHOLE && p.notes > 0) {
        if (threadIdx.x == 0) ticket = atomicAdd((unsigned *)p.scratch, 1u);
        __syncthreads();
        number = ticket;
    }
    const int64_t row = number / p.chunks, c = number % p.chunks;
    const int64_t at = c * HEDDLE_SCAN_CHUNK + warp * (HEDDLE_SCAN_ROWS * HEDDLE_SCAN_ROW);
    const bool whole = p.n - c * HEDDLE_SCAN_CHUNK >= HEDDLE_SCAN_CHUNK;
    if (Phase == HEDDLE_SCAN_TOTALS && !whole) return;

    scan_share<T> s;
    scan_read<Op>(s, (const T *)p.in + row * p.n + at, p.n - at, lane, p.aligned);
    if (lane == 0) warp_total[warp] = s.total;
    __syncthreads();
    T around = warp_total[0];
    for (int w = 1; w < warp; w++) around = Op::apply(around, warp_total[w]);
    scan_before<T> prefix = {false, around};

    if (Phase == HEDDLE_SCAN_TOTALS) {
        if (threadIdx.x == 32 * HEDDLE_SCAN_WARPS - 1)
            ((T *)p.out)[number] = Op::apply(around, s.total);
        return;
    }
    const int64_t chunk = p.first_chunk + c;
    if (Phase == HEDDLE_SCAN_APPLY && chunk > 0)
        prefix = {true, ((const T *)p.state_in)[row * p.n_chunks + chunk]};
    if (Phase == HEDDLE_SCAN_WHOLE && p.notes > 0) {
        constexpr int words = scan_words<T>::n;
        ulonglong2 *notes =
            (ulonglong2 *)((char *)p.scratch + HEDDLE_SCAN_TICKET_BYTES) + row * p.notes * words;
        const T *carry =
            p.state_in ? (const T *)p.state_in + row * (HEDDLE_SCAN_LEVELS * 32) : nullptr;
        if (warp == HEDDLE_SCAN_WARPS - 1) { /* the one that knows the total without a barrier */
            const T total = Op::apply(around, s.total);
            if (lane == 0 && whole) scan_publish(notes + c * words, total);
            T before = total;
            const bool has = scan_look_back<Op>(p, notes, carry, chunk, total, lane, &before);
            if (lane == 0) {
                found = before;
                has_found = has;
            }
            if (p.state_out && c == p.chunks - 1)
                scan_leave_state<Op>(p, notes, carry,
                                     (T *)p.state_out + row * (HEDDLE_SCAN_LEVELS * 32), lane);
        }
        __syncthreads();
        prefix = {has_found, found};
    }
    T *to = (T *)p.out + row * (p.n + p.initial) + p.initial;
    if (p.initial && c == 0 && threadIdx.x == 0) to[-1] = Op::identity();
    scan_write<Op>(s, {warp > 0, around}, prefix, to + at, p.n - at, lane, p.aligned);
}

/* WHOLE, rows of at most a warp's share: a warp a row. */
template <class Op>
static __global__ void __launch_bounds__(256) scan_rows(const heddle_scan_kernel p)
{
    typedef typename Op::type T;
    const int lane = threadIdx.x % 32;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= p.outer) return;
    scan_share<T> s;
    scan_read<Op>(s, (const T *)p.in + row * p.n, p.n, lane, p.aligned);
    T *to = (T *)p.out + row * (p.n + p.initial) + p.initial;
    if (p.initial && lane == 0) to[-1] = Op::identity();
    const scan_before<T> nothing = {false, s.total};
    scan_write<Op>(s, nothing, nothing, to, p.n, lane, p.aligned);
}

/* WHOLE, rows of at most ITEMS * width elements: `width` lanes a row. */
template <class Op>
static __global__ void __launch_bounds__(256) scan_short_rows(const heddle_scan_kernel p, int width)
{
    typedef typename Op::type T;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, row = thread / width;
    const int lane = (int)(thread % width), at = lane * HEDDLE_SCAN_ITEMS;
    const int64_t left = row < p.outer ? p.n - at : 0;
    T item[HEDDLE_SCAN_ITEMS];
    hd_load_some<int64_t, T, HEDDLE_SCAN_ITEMS>(item, (const T *)p.in + row * p.n + at, left);
#pragma unroll
    for (int k = 1; k < HEDDLE_SCAN_ITEMS; k++) item[k] = Op::apply(item[k - 1], item[k]);
    const T x = scan_lanes<Op>(item[HEDDLE_SCAN_ITEMS - 1], lane, width);
    const T before = hd_from_lane(x, (int)(threadIdx.x - 1) & 31);
#pragma unroll
    for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
        if (lane > 0) item[k] = Op::apply(before, item[k]);
    T *to = (T *)p.out + row * (p.n + p.initial) + p.initial;
    if (p.initial && at == 0 && row < p.outer) to[-1] = Op::identity();
    hd_store_some<int64_t, T, HEDDLE_SCAN_ITEMS>(to + at, item, left);
}

/* ---- All chunks' prefixes ----------------------------------------------------------------------------- */

/* COMBINE: a block a row. The members of all levels, scanned within their groups, are notes; then each
 * chunk reads what is before it. */
template <class Op>
static __global__ void __launch_bounds__(1024) scan_combine(const heddle_scan_kernel p)
{
    typedef typename Op::type T;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    T *totals = (T *)p.out + (int64_t)blockIdx.x * p.n_chunks;
    T *notes = (T *)p.scratch + (int64_t)blockIdx.x * p.notes;
    for (int l = 0; l < p.levels; l++) {
        const int64_t members = ((p.n_chunks - 1) >> 5 * l) + 1;
        for (int64_t group = warp; group * 32 < members; group += warps) {
            const int64_t member = group * 32 + lane;
            T x = T();
            if (member < members) /* a group that is not full is no member of anything */
                x = l == 0 ? totals[member]
                    : (member + 1) * 32 <= ((p.n_chunks - 1) >> 5 * (l - 1)) + 1
                        ? notes[p.first_note[l - 1] + member * 32 + 31]
                        : T();
            __syncwarp();
            x = scan_lanes<Op>(x, lane);
            if (member < members) notes[p.first_note[l] + member] = x;
        }
        __syncthreads();
    }
    for (int64_t chunk = threadIdx.x; chunk < p.n_chunks; chunk += blockDim.x) {
        bool some = false;
        T prefix = T();
        for (int l = 0; l < p.levels; l++) {
            const int64_t member = chunk >> 5 * l;
            if ((member & 31) == 0) continue;
            const T before = notes[p.first_note[l] + member - 1];
            prefix = some ? Op::apply(before, prefix) : before;
            some = true;
        }
        if (some) totals[chunk] = prefix;
    }
}

#endif
