/* Scans along the innermost axis: the kernels. A block scans a chunk (cuda_notes.cuh). */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_LANES_CUH
#define HEDDLE_FAMILIES_SCAN_CUDA_LANES_CUH

#include "families/scan/cuda_notes.cuh"

/* ---- A warp's share of a chunk ------------------------------------------------------------------------ */

/* Lies in shared memory, so that memory is read and written by whole sectors, and many blocks wait for what is
 * before them without holding registers. 16-byte units are mixed so that lanes' items are in different banks. */
template <class T>
struct scan_share {
    static constexpr int elements = HEDDLE_SCAN_ROWS * HEDDLE_SCAN_ROW, units = sizeof(T) / 4;
    static constexpr int bytes = elements * (int)sizeof(T), per_unit = 16 / (int)sizeof(T);
    char *room;

    static __device__ __forceinline__ int place(int unit)
    {
        return 16 * (unit ^ (unit >> 3 & (units - 1)));
    }
    __device__ __forceinline__ T &at(int i)
    {
        return ((T *)(room + place(i / per_unit)))[i % per_unit];
    }
    __device__ __forceinline__ uint4 &unit(int u) { return *(uint4 *)(room + place(u)); }

    /* Of elements j.. of row o, that the call has at `from` or makes by its work. `left`: how many there are. */
    template <class Work>
    __device__ __forceinline__ void fetch(const Work &work, const T *from, int64_t o, int64_t j,
                                          int64_t left, int lane, bool aligned)
    {
        if constexpr (Work::loads) {
#pragma unroll 8
            for (int i = lane; i < elements; i += 32)
                if (i < left) at(i) = work.template load<T>(o, j + i, 0);
        } else if (aligned && left >= elements) {
#pragma unroll
            for (int u = lane; u < elements / per_unit; u += 32)
                copy(&unit(u), (const uint4 *)from + u);
            arrive();
        } else {
#pragma unroll 4
            for (int i = lane; i < elements; i += 32)
                if (i < left) at(i) = from[i];
        }
        __syncwarp();
    }
    template <class Work>
    __device__ __forceinline__ void put(const Work &work, T *to, int64_t o, int64_t j, int64_t left,
                                        int lane, bool aligned)
    {
        __syncwarp();
        if constexpr (Work::stores) {
#pragma unroll 8
            for (int i = lane; i < elements; i += 32)
                if (i < left) work.store(o, j + i, 0, at(i));
        } else if (aligned && left >= elements) {
#pragma unroll
            for (int u = lane; u < elements / per_unit; u += 32) ((uint4 *)to)[u] = unit(u);
        } else {
#pragma unroll 4
            for (int i = lane; i < elements; i += 32)
                if (i < left) to[i] = at(i);
        }
    }
    /* The items of a lane in a row. */
    __device__ __forceinline__ void get_items(T (&x)[HEDDLE_SCAN_ITEMS], int row, int lane)
    {
        hd_vector<T, HEDDLE_SCAN_ITEMS> v;
#pragma unroll
        for (int k = 0; k < v.pieces; k++) v.part[k] = unit((row * 32 + lane) * v.pieces + k);
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++) x[k] = v.element[k];
    }
    __device__ __forceinline__ void set_items(const T (&x)[HEDDLE_SCAN_ITEMS], int row, int lane)
    {
        hd_vector<T, HEDDLE_SCAN_ITEMS> v;
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++) v.element[k] = x[k];
#pragma unroll
        for (int k = 0; k < v.pieces; k++) unit((row * 32 + lane) * v.pieces + k) = v.part[k];
    }

#if defined(HEDDLE_EMULATED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800)
    static __device__ __forceinline__ void copy(uint4 *to, const uint4 *from)
    {
        *to = *from;
    }
    static __device__ __forceinline__ void arrive() {}
#else
    static __device__ __forceinline__ void copy(uint4 *to, const uint4 *from)
    {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(to)),
                     "l"(from)
                     : "memory");
    }
    static __device__ __forceinline__ void arrive()
    {
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
#endif
};

/* What is before each lane of a row, from the totals of its lanes; `rows`: the total of the rows before, then
 * that of this one, too. Of the first lane of row 0 it means nothing. */
template <class Op, class T>
HD T scan_row(T items, int row, int lane, T &rows)
{
    const T x = scan_lanes<Op>(items, lane);
    T before = hd_from_lane(x, (lane - 1) & 31);
    const T all = hd_from_lane(x, 31);
    if (row > 0) before = lane > 0 ? Op::apply(rows, before) : rows;
    rows = row > 0 ? Op::apply(rows, all) : all;
    return before;
}

/* The total of the share; for each row what is before the lane, if there is room for it. */
template <class Op, class T>
HD T scan_total(scan_share<T> &s, int lane, T *before)
{
    T rows = T();
#pragma unroll
    for (int r = 0; r < HEDDLE_SCAN_ROWS; r++) {
        T x[HEDDLE_SCAN_ITEMS];
        s.get_items(x, r, lane);
#pragma unroll
        for (int k = 1; k < HEDDLE_SCAN_ITEMS; k++) x[0] = Op::apply(x[0], x[k]);
        const T b = scan_row<Op>(x[0], r, lane, rows);
        if (before) before[r] = b;
    }
    return rows;
}

/* Scans the share. `around`: what is before it; `some`: whether there is anything; `known`: what scan_total
 * found before each lane, or NULL. */
template <class Op, class T>
HD void scan_finish(scan_share<T> &s, bool some, T around, int lane, const T *known)
{
    T rows = T();
#pragma unroll
    for (int r = 0; r < HEDDLE_SCAN_ROWS; r++) {
        T x[HEDDLE_SCAN_ITEMS];
        s.get_items(x, r, lane);
#pragma unroll
        for (int k = 1; k < HEDDLE_SCAN_ITEMS; k++) x[k] = Op::apply(x[k - 1], x[k]);
        T before = known ? known[r] : scan_row<Op>(x[HEDDLE_SCAN_ITEMS - 1], r, lane, rows);
        const bool follows = r > 0 || lane > 0; /* something of the share */
        before = !follows ? around : some ? Op::apply(around, before) : before;
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
            if (follows || some) x[k] = Op::apply(before, x[k]);
        s.set_items(x, r, lane);
    }
}

/* ---- Chunks ------------------------------------------------------------------------------------------- */

#ifdef HEDDLE_EMULATED
alignas(16) static char scan_memory[1 << 16];
#else
extern __shared__ __align__(16) char scan_memory[];
#endif

/* The number of the chunk that the block scans. Chunks are handed out by a ticket, so that a block waits for
 * running ones alone. It begins when the total of the chunk `window` before is known: blocks that all read at
 * once would all wait for the slowest, then all write at once. */
template <class T>
HD int64_t scan_ticket(const heddle_scan_kernel &p)
{
    __shared__ int64_t ticket;
    if (threadIdx.x == 0) {
        ticket = atomicAdd((unsigned *)p.scratch, 1u);
        const int64_t row = p.outer == 1 ? 0 : ticket / p.chunks;
        const int64_t c = ticket - row * p.chunks - p.window;
        if (c >= 0)
            scan_await<T>((const ulonglong2 *)((const char *)p.scratch + HEDDLE_SCAN_TICKET_BYTES) +
                          (row * p.notes + c) * scan_words<T>::n);
    }
    __syncthreads();
    return ticket;
}

/* Blocks that a multiprocessor has room for, and whether registers have room for what scan_total finds. */
template <class T>
struct scan_shape {
    static constexpr bool keeps = sizeof(T) == 4;
    static constexpr int blocks = sizeof(T) == 4 ? 8 : sizeof(T) == 8 ? 6 : 3;
};

/* WHOLE, TOTALS, APPLY: a block a chunk. */
template <class Op, int Phase, class Work>
HD void scan_one_chunk(const heddle_scan_kernel &p, const Work &work)
{
    typedef typename Op::type T;
    __shared__ T warp_total[HEDDLE_SCAN_WARPS], found;
    __shared__ bool has_found;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool looks_back = Phase == HEDDLE_SCAN_WHOLE && p.notes > 0;
    /* APPLY: backwards, since the last chunks that TOTALS read may still be in the cache */
    const int64_t number = looks_back                   ? scan_ticket<T>(p)
                           : Phase == HEDDLE_SCAN_APPLY ? gridDim.x - 1 - blockIdx.x
                                                        : blockIdx.x;
    const int64_t row = p.outer == 1 ? 0 : number / p.chunks, c = number - row * p.chunks;
    const int64_t at = c * HEDDLE_SCAN_CHUNK + warp * scan_share<T>::elements;
    const bool whole = p.n - c * HEDDLE_SCAN_CHUNK >= HEDDLE_SCAN_CHUNK;
    if (Phase == HEDDLE_SCAN_TOTALS && !whole) return;

    scan_share<T> s = {scan_memory + warp * scan_share<T>::bytes};
    T before[HEDDLE_SCAN_ROWS];
    s.fetch(work, (const T *)p.in + row * p.n + at, row, at, p.n - at, lane, p.in_aligned);
    const T total = scan_total<Op>(s, lane, scan_shape<T>::keeps ? before : nullptr);
    if (lane == 0) warp_total[warp] = total;
    __syncthreads();
    T around = warp_total[0];
    for (int w = 1; w < warp; w++) around = Op::apply(around, warp_total[w]);
    bool some = warp > 0;

    if (Phase == HEDDLE_SCAN_TOTALS) {
        if (threadIdx.x == 32 * HEDDLE_SCAN_WARPS - 1)
            ((T *)p.out)[number] = Op::apply(around, total);
        return;
    }
    const int64_t chunk = p.first_chunk + c;
    if (Phase == HEDDLE_SCAN_APPLY && chunk > 0) {
        const T prefix = ((const T *)p.state_in)[row * p.n_chunks + chunk];
        around = some ? Op::apply(prefix, around) : prefix;
        some = true;
    }
    if (looks_back) {
        constexpr int words = scan_words<T>::n;
        ulonglong2 *notes =
            (ulonglong2 *)((char *)p.scratch + HEDDLE_SCAN_TICKET_BYTES) + row * p.notes * words;
        const T *carry =
            p.state_in ? (const T *)p.state_in + row * (HEDDLE_SCAN_LEVELS * 32) : nullptr;
        if (warp == HEDDLE_SCAN_WARPS - 1) { /* the one that knows the total without a barrier */
            const T all = Op::apply(around, total);
            if (lane == 0 && whole) scan_publish(notes + c * words, all);
            scan_look<Op, T> look = {p, notes, carry, chunk, lane, all, true, all, false};
            look.run();
            if (lane == 0) {
                found = look.prefix;
                has_found = look.has_prefix;
            }
            if (p.state_out && c == p.chunks - 1)
                scan_leave_state<Op>(p, notes, carry,
                                     (T *)p.state_out + row * (HEDDLE_SCAN_LEVELS * 32), lane);
        }
        __syncthreads();
        if (has_found) {
            around = some ? Op::apply(found, around) : found;
            some = true;
        }
    }
    T *to = (T *)p.out + row * (p.n + p.initial) + p.initial;
    if (p.initial && c == 0 && threadIdx.x == 0) to[-1] = Op::identity();
    scan_finish<Op>(s, some, around, lane, scan_shape<T>::keeps ? before : nullptr);
    s.put(work, to + at, row, at, p.n - at, lane, p.out_aligned);
}

/* WHOLE, rows of at most a warp's share: a warp a row. */
template <class Op, class Work>
HD void scan_one_row(const heddle_scan_kernel &p, const Work &work)
{
    typedef typename Op::type T;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t row = (int64_t)blockIdx.x * HEDDLE_SCAN_WARPS + warp;
    if (row >= p.outer) return;
    scan_share<T> s = {scan_memory + warp * scan_share<T>::bytes};
    s.fetch(work, (const T *)p.in + row * p.n, row, 0, p.n, lane, p.in_aligned);
    T *to = (T *)p.out + row * (p.n + p.initial) + p.initial;
    if (p.initial && lane == 0) to[-1] = Op::identity();
    scan_finish<Op>(s, false, T(), lane, (const T *)nullptr);
    s.put(work, to, row, 0, p.n, lane, p.out_aligned);
}

/* The rows of a warp that has several: lanes have their items one after the other, memory has the rows so. What is stored by work goes
 * as it lies in memory, element i of them all by lane i % 32: stores of a few bytes of each sector take twice as long. */
template <class T>
struct scan_turned {
    T *items; /* [32][HEDDLE_SCAN_ITEMS], of the warp */
    int64_t first;
    int n, width, rows, lane;

    __device__ __forceinline__ void set(const T (&x)[HEDDLE_SCAN_ITEMS]) const
    {
        hd_vector<T, HEDDLE_SCAN_ITEMS> v;
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++) v.element[k] = x[k];
#pragma unroll
        for (int k = 0; k < v.pieces; k++) ((uint4 *)items)[lane * v.pieces + k] = v.part[k];
        __syncwarp();
    }
    template <class Work>
    __device__ __forceinline__ void store(const Work &work) const
    {
        const int reciprocal = (65535 + n) / n; /* exact below 128 */
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++) {
            const int i = lane + 32 * k, row = i * reciprocal >> 16, j = i - row * n;
            if (row < rows)
                work.store(first + row, j, 0, items[row * width * HEDDLE_SCAN_ITEMS + j]);
        }
    }
};

/* WHOLE, rows of at most ITEMS * width elements: `width` lanes a row. */
template <class Op, class Work>
HD void scan_one_short_row(const heddle_scan_kernel &p, int width, const Work &work)
{
    typedef typename Op::type T;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, row = thread / width;
    const int lane = (int)(thread % width), at = lane * HEDDLE_SCAN_ITEMS;
    const int64_t left = row < p.outer ? p.n - at : 0;
    T item[HEDDLE_SCAN_ITEMS];
    if constexpr (Work::loads) {
#pragma unroll
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
            item[k] = k < left ? work.template load<T>(row, at + k, 0) : T();
    } else {
        hd_load_some<int64_t, T, HEDDLE_SCAN_ITEMS>(item, (const T *)p.in + row * p.n + at, left);
    }
#pragma unroll
    for (int k = 1; k < HEDDLE_SCAN_ITEMS; k++) item[k] = Op::apply(item[k - 1], item[k]);
    const T x = scan_lanes<Op>(item[HEDDLE_SCAN_ITEMS - 1], lane, width);
    const T before = hd_from_lane(x, (int)(threadIdx.x - 1) & 31);
#pragma unroll
    for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
        if (lane > 0) item[k] = Op::apply(before, item[k]);
    T *to = (T *)p.out + row * (p.n + p.initial) + p.initial;
    if (p.initial && at == 0 && row < p.outer) to[-1] = Op::identity();
    if constexpr (Work::stores) {
        __shared__ uint4 turned[sizeof(T) / 4 * 32 * HEDDLE_SCAN_WARPS];
        const int64_t first = thread / 32 * (32 / width), rows = p.outer - first;
        const scan_turned<T> warp = {(T *)turned + threadIdx.x / 32 * 32 * HEDDLE_SCAN_ITEMS,
                                     first,
                                     (int)p.n,
                                     width,
                                     rows < 32 / width ? (int)rows : 32 / width,
                                     (int)threadIdx.x % 32};
        warp.set(item);
        warp.store(work);
    } else {
        hd_store_some<int64_t, T, HEDDLE_SCAN_ITEMS>(to + at, item, left);
    }
}

/* The kernels of calls without work. */
template <class Op, int Phase>
static __global__ void __launch_bounds__(32 * HEDDLE_SCAN_WARPS,
                                         scan_shape<typename Op::type>::blocks)
    scan_chunks(const heddle_scan_kernel p)
{
    scan_one_chunk<Op, Phase>(p, scan_no_work());
}
template <class Op>
static __global__ void __launch_bounds__(32 * HEDDLE_SCAN_WARPS)
    scan_rows(const heddle_scan_kernel p)
{
    scan_one_row<Op>(p, scan_no_work());
}
template <class Op>
static __global__ void __launch_bounds__(256) scan_short_rows(const heddle_scan_kernel p, int width)
{
    scan_one_short_row<Op>(p, width, scan_no_work());
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
