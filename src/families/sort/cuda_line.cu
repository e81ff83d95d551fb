/* A line of sorted runs on the GPU (kernel.h): samples, splits, pieces, merges. How much is to be copied or merged is
 * only known on the GPU, so launches are as large as it may be. */
#include "families/sort/cuda_line.h"

#include "families/sort/cuda_keys.cuh"

#include <heddle/dtype.h>

enum {
    THREADS = 256,
    EACH = HEDDLE_SORT_TILE / THREADS, /* elements of a tile that a thread has */
    WARP = 32,
    WARPS = 4, /* of a block that finds splits */
    RUNS = HEDDLE_SORT_RUNS
};

/* What a kernel is given: one struct. */
struct sort_line_arguments {
    heddle_sort_line_kernel p;
    hd_int64 tiles; /* of a row */
    hd_int64
        *starts; /* MERGE, of each tile: how many elements of the first of the two are before it */
    const void *from;
    void *to; /* NULL: nobody reads the elements */
    const hd_int64 *from_positions;
    hd_int64 *to_positions;
    int width; /* runs that are merged with as many */
};
typedef sort_line_arguments arguments;

struct sort_window {
    hd_int64 lo, hi;
};

HD hd_int64 sort_least(hd_int64 x, hd_int64 y)
{
    return x < y ? x : y;
}

HD hd_int64 sort_length(const heddle_sort_line &s, int run)
{
    return s.bound[run + 1] - s.bound[run];
}

HD hd_int64 sort_room(const heddle_sort_line &s, int run)
{
    return (sort_least(sort_length(s, run), s.most) + s.gap - 1) / s.gap;
}

HD sort_window sort_window_of(const heddle_sort_line_kernel &p, hd_int64 row, int boundary, int run)
{
    const hd_int64 k = p.call.n_runs;
    if (!p.windows) return sort_window{0, sort_length(p.call, run)};
    const int64_t *w = p.windows + ((row * (k - 1) + boundary) * k + run) * 2;
    return sort_window{w[0], w[1]};
}

/* What part `part` of the result takes of a run. */
HD sort_window sort_piece(const heddle_sort_line_kernel &p, hd_int64 row, int run)
{
    const int part = p.call.part;
    return sort_window{part == 0 ? 0 : sort_window_of(p, row, part - 1, run).lo,
                       part == p.call.n_runs - 1 ? sort_length(p.call, run)
                                                 : sort_window_of(p, row, part, run).lo};
}

/* By all threads of a block: where each run's piece begins in the part, and behind the last one. */
HD void sort_find_pieces(const heddle_sort_line_kernel &p, hd_int64 row, hd_int64 *at)
{
    const int k = p.call.n_runs;
    for (int run = (int)threadIdx.x; run < k; run += (int)blockDim.x) {
        const sort_window w = sort_piece(p, row, run);
        at[run + 1] = w.hi - w.lo;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        at[0] = 0;
        for (int run = 0; run < k; run++) at[run + 1] += at[run];
    }
    __syncthreads();
}

/* ---- Samples --------------------------------------------------------------------------------------------- */

/* A thread for each sample that there may be. */
template <class T>
static __global__ void __launch_bounds__(THREADS) sort_sample(const arguments a)
{
    const heddle_sort_line &s = a.p.call;
    const hd_int64 sets = s.is_first ? 1 : s.n_runs - 1;
    const hd_int64 room = (sort_least(s.sort.n, s.most) + s.gap - 1) / s.gap;
    const hd_int64 i = (hd_int64)blockIdx.x * THREADS + threadIdx.x;
    const hd_int64 set = i / room, at = i % room;
    if (set >= s.sort.rows * sets) return;
    const sort_window w = sort_window_of(a.p, set / sets, (int)(set % sets), s.run);
    if (w.lo + at * s.gap >= w.hi) return;
    ((T *)a.p.out)[i] =
        ((const T *)a.p.in)[set / sets * s.sort.n + sort_least(w.lo + (at + 1) * s.gap, w.hi) - 1];
}

/* ---- Splits ---------------------------------------------------------------------------------------------- */

/* Samples of a window of a run. */
struct sort_samples {
    sort_window window;
    hd_int64 n, first; /* how many, and where they begin in a row of samples */
};

/* Behind sample i. */
HD hd_int64 sort_end(const sort_samples &x, hd_int64 i, hd_int64 gap)
{
    return sort_least(x.window.lo + (i + 1) * gap, x.window.hi);
}

HD hd_int64 sort_sum_of_warp(hd_int64 x, int lane)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        const unsigned low = __shfl_sync(0xffffffffu, (unsigned)x, lane ^ distance),
                       high = __shfl_sync(0xffffffffu, (unsigned)((hd_uint64)x >> 32),
                                          lane ^ distance);
        x += (hd_int64)((hd_uint64)high << 32 | low);
    }
    return x;
}

/* How many elements are before sample i of run `run`, at least or at most, as cpu_line.c counts them: each lane counts
 * those of some runs. */
template <class How>
HD hd_int64 sort_count(const arguments &a, const typename How::type *in, const sort_samples *of,
                       int run, hd_int64 i, bool at_most, int lane)
{
    const heddle_sort_line &s = a.p.call;
    const bool by_value = s.sort.positions;
    const typename How::key_type flip = s.sort.descending ? How::all : 0,
                                 key = How::key(in[of[run].first + i], by_value, flip);
    hd_int64 sum = 0;
    for (int other = lane; other < s.n_runs; other += WARP) {
        const sort_samples &x = of[other];
        if (other == run) {
            sum += sort_end(x, i, s.gap) - 1;
            continue;
        }
        hd_int64 lo = 0, hi = x.n;
        while (lo < hi) {
            const hd_int64 at = lo + (hi - lo) / 2;
            const typename How::key_type y = How::key(in[x.first + at], by_value, flip);
            if (y < key || (y == key && other < run))
                lo = at + 1;
            else
                hi = at;
        }
        sum += !at_most   ? sort_end(x, lo - 1, s.gap)
               : lo < x.n ? sort_end(x, lo, s.gap) - 1
                          : x.window.hi;
    }
    return sort_sum_of_warp(sum, lane);
}

/* A block for each boundary of each row; its warps share the runs. */
template <class How>
static __global__ void __launch_bounds__(WARP *WARPS) sort_split(const arguments a)
{
    __shared__ sort_samples of[RUNS];
    __shared__ hd_int64 total;
    const heddle_sort_line &s = a.p.call;
    const int k = s.n_runs, boundary = (int)(blockIdx.x % (unsigned)(k - 1));
    const hd_int64 row = blockIdx.x / (unsigned)(k - 1), sets = s.is_first ? 1 : k - 1;
    const int lane = (int)threadIdx.x % WARP;
    for (int run = (int)threadIdx.x; run < k; run += WARP * WARPS) {
        const sort_window w = sort_window_of(a.p, row, boundary, run);
        of[run].window = w;
        of[run].n = (w.hi - w.lo + s.gap - 1) / s.gap;
    }
    if (threadIdx.x == 0) {
        hd_int64 next = 0;
        for (int run = 0; run < k; run++) {
            const hd_int64 room = sort_room(s, run);
            of[run].first = next + (s.is_first ? 0 : boundary * room);
            next += sets * room;
        }
        total = next;
    }
    __syncthreads();
    const typename How::type *in = (const typename How::type *)a.p.in + row * total;
    for (int run = (int)threadIdx.x / WARP; run < k; run += WARPS) {
        hd_int64 before[2] = {0, 0}; /* samples that are before the boundary for sure; perhaps */
        for (int maybe = 0; maybe < 2; maybe++) {
            hd_int64 lo = before[0], hi = of[run].n;
            while (lo < hi) {
                const hd_int64 i = lo + (hi - lo) / 2;
                if (sort_count<How>(a, in, of, run, i, !maybe, lane) < s.bound[boundary + 1])
                    lo = i + 1;
                else
                    hi = i;
            }
            before[maybe] = lo;
        }
        if (lane > 0) continue;
        const sort_samples &x = of[run];
        hd_int64 *out = (hd_int64 *)a.p.out + ((hd_int64)blockIdx.x * k + run) * 2;
        out[0] = sort_end(x, before[0] - 1, s.gap);
        out[1] = before[1] < x.n ? sort_end(x, before[1], s.gap) - 1 : x.window.hi;
    }
}

/* ---- Pieces ---------------------------------------------------------------------------------------------- */

/* A block for each tile that there may be. */
template <class T>
static __global__ void __launch_bounds__(THREADS) sort_take(const arguments a)
{
    __shared__ hd_int64 at[RUNS + 1];
    const heddle_sort_line &s = a.p.call;
    const hd_int64 row = blockIdx.x / a.tiles, first = blockIdx.x % a.tiles * HEDDLE_SORT_TILE;
    const sort_window piece = sort_piece(a.p, row, s.run);
    if (first >= piece.hi - piece.lo) return;
    sort_find_pieces(a.p, row, at);
    const hd_int64 from = row * sort_length(s, s.run) + piece.lo, to = row * s.sort.n + at[s.run];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS + threadIdx.x;
        if (i >= piece.hi - piece.lo) return;
        ((T *)a.p.out)[to + i] = ((const T *)a.p.in)[from + i];
        if (a.p.in_positions)
            a.p.out_positions[to + i] = a.p.in_positions[from + i] + s.bound[s.run];
    }
}

/* ---- Merges ---------------------------------------------------------------------------------------------- */

/* Elements as keys. */
template <class How>
struct sort_elements {
    const typename How::type *at;
    bool by_value;
    typename How::key_type flip;
    __device__ typename How::key_type operator[](hd_int64 i) const
    {
        return How::key(at[i], by_value, flip);
    }
};

/* How many of the first n elements of two sequences in order, a before equal ones of b, are of a (as path in
 * cpu_merge.h). */
template <class A, class I>
HD I sort_path(A a, I n_a, A b, I n_b, I n)
{
    I lo = n > n_b ? n - n_b : 0, hi = n < n_a ? n : n_a;
    while (lo < hi) {
        const I i = lo + (hi - lo) / 2;
        if (b[n - 1 - i] < a[i])
            hi = i;
        else
            lo = i + 1;
    }
    return lo;
}

/* Runs that are merged with each other: the first two begin at `run` and at `middle`. */
struct sort_pair {
    hd_int64 begin, middle, end; /* in the part */
};

HD sort_pair sort_pair_at(const arguments &a, const hd_int64 *at, int run)
{
    const int k = a.p.call.n_runs;
    return sort_pair{at[run], at[run + a.width < k ? run + a.width : k],
                     at[run + 2 * a.width < k ? run + 2 * a.width : k]};
}

/* A block for a row and as many tiles as it has threads: how much of the first of the two that meet where a tile
 * begins is before it. */
template <class How>
static __global__ void __launch_bounds__(THREADS) sort_start(const arguments a)
{
    __shared__ hd_int64 at[RUNS + 1];
    const heddle_sort_line &s = a.p.call;
    const hd_int64 blocks = (a.tiles + THREADS - 1) / THREADS, row = blockIdx.x / blocks,
                   tile = blockIdx.x % blocks * THREADS + threadIdx.x;
    sort_find_pieces(a.p, row, at);
    if (tile >= a.tiles) return;
    const hd_int64 first = tile * HEDDLE_SORT_TILE;
    int run = 0;
    while (sort_pair_at(a, at, run).end <= first) run += 2 * a.width;
    const sort_pair x = sort_pair_at(a, at, run);
    const typename How::type *from = (const typename How::type *)a.from + row * s.sort.n;
    const typename How::key_type flip = s.sort.descending ? How::all : 0;
    const bool by_value = s.sort.positions;
    const sort_elements<How> one = {from + x.begin, by_value, flip},
                             other = {from + x.middle, by_value, flip};
    a.starts[row * a.tiles + tile] =
        sort_path(one, x.middle - x.begin, other, x.end - x.middle, first - x.begin);
}

/* A block for each tile: merges what each pair has there, from shared memory. */
template <class How>
static __global__ void __launch_bounds__(THREADS) sort_merge(const arguments a)
{
    typedef typename How::key_type K;
    __shared__ hd_int64 at[RUNS + 1];
    __shared__ K keys[HEDDLE_SORT_TILE];
    __shared__ unsigned short source[HEDDLE_SORT_TILE];
    const heddle_sort_line &s = a.p.call;
    const hd_int64 row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles;
    const hd_int64 lo = tile * HEDDLE_SORT_TILE, hi = sort_least(lo + HEDDLE_SORT_TILE, s.sort.n);
    const K flip = s.sort.descending ? How::all : 0;
    const bool by_value = s.sort.positions;
    const typename How::type *from = (const typename How::type *)a.from + row * s.sort.n;
    const int thread = (int)threadIdx.x;
    sort_find_pieces(a.p, row, at);
    bool is_first = true;
    for (int run = 0; run < s.n_runs; run += 2 * a.width) {
        const sort_pair x = sort_pair_at(a, at, run);
        if (x.end <= lo || x.begin >= hi || x.begin == x.end) continue;
        const hd_int64 begin = x.begin > lo ? x.begin - lo : 0; /* in the tile */
        const int n = (int)(sort_least(x.end, hi) - lo - begin);
        const hd_int64 one = is_first ? a.starts[row * a.tiles + tile] : 0,
                       one_end =
                           x.end > hi ? a.starts[row * a.tiles + tile + 1] : x.middle - x.begin,
                       other = lo + begin - x.begin - one;
        const int n_one = (int)(one_end - one), n_other = n - n_one;
        is_first = false;
        for (int i = thread; i < n; i += THREADS)
            keys[i] = How::key(from[i < n_one ? x.begin + one + i : x.middle + other + i - n_one],
                               by_value, flip);
        __syncthreads();
        K key[EACH];
        unsigned short of[EACH];
        const int first = thread * EACH < n ? thread * EACH : n;
        int i = sort_path((const K *)keys, n_one, (const K *)keys + n_one, n_other, first);
        int j = n_one + first - i;
        K key_i = i < n_one ? keys[i] : 0, key_j = j < n ? keys[j] : 0;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (first + k >= n) break;
            const bool second = i >= n_one || (j < n && key_j < key_i);
            of[k] = (unsigned short)(second ? j : i);
            key[k] = second ? key_j : key_i;
            if (second)
                key_j = ++j < n ? keys[j] : 0;
            else
                key_i = ++i < n_one ? keys[i] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (first + k >= n) break;
            keys[first + k] = key[k];
            if (a.to_positions) source[first + k] = of[k];
        }
        __syncthreads();
        const hd_int64 to = row * s.sort.n + lo + begin;
        for (int k = thread; k < n; k += THREADS) {
            if (a.to) ((typename How::type *)a.to)[to + k] = How::element(keys[k], flip);
            if (!a.to_positions) continue;
            const int i_of = source[k];
            a.to_positions[to + k] =
                a.from_positions[row * s.sort.n + (i_of < n_one ? x.begin + one + i_of
                                                                : x.middle + other + i_of - n_one)];
        }
        __syncthreads();
    }
}

/* ---- Launches -------------------------------------------------------------------------------------------- */

static cudaError_t launch(const void *kernel, hd_int64 blocks, int threads, const arguments *a,
                          cudaStream_t stream)
{
    if (blocks > INT32_MAX) return cudaErrorInvalidValue;
    if (blocks == 0) return cudaSuccess;
    void *parameters[] = {(void *)a};
    return cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), parameters, 0,
                            stream);
}

template <class T>
static cudaError_t launch_copy(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line &s = a->p.call;
    if (s.sort.phase == HEDDLE_SORT_TAKE) {
        const hd_int64 run = s.bound[s.run + 1] - s.bound[s.run],
                       most = run < s.sort.n ? run : s.sort.n;
        a->tiles = (most + HEDDLE_SORT_TILE - 1) / HEDDLE_SORT_TILE;
        return launch((const void *)sort_take<T>, s.sort.rows * a->tiles, THREADS, a, stream);
    }
    const hd_int64 room = heddle__sort_room(s.sort.n, s.most, s.gap),
                   samples = s.sort.rows * heddle__sort_sets(&s) * room;
    return launch((const void *)sort_sample<T>, (samples + THREADS - 1) / THREADS, THREADS, a,
                  stream);
}

template <class How>
static cudaError_t launch_split(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line &s = a->p.call;
    return launch((const void *)sort_split<How>, s.sort.rows * (s.n_runs - 1), WARP * WARPS, a,
                  stream);
}

/* Passes as on the CPU (cpu_line.c). */
template <class How>
static cudaError_t launch_merge(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line_kernel &p = a->p;
    const heddle_sort_line &s = p.call;
    const int passes = heddle__sort_passes(s.n_runs);
    const bool even = passes % 2 == 0, positions = s.sort.positions;
    const hd_int64 size = s.sort.rows * s.sort.n;
    a->tiles = (s.sort.n + HEDDLE_SORT_TILE - 1) / HEDDLE_SORT_TILE;
    a->starts = (hd_int64 *)p.scratch;
    hd_int64 *rest = a->starts + s.sort.rows * a->tiles;
    hd_int64 *room_at = !positions ? nullptr : even ? rest : (hd_int64 *)p.out;
    void *room = positions && even ? rest + size : positions || even ? (void *)rest : p.out;
    const hd_int64 blocks = s.sort.rows * ((a->tiles + THREADS - 1) / THREADS);
    for (int pass = 1; pass <= passes; pass++) {
        const bool back = pass % 2 == 0, last = pass == passes;
        a->width = 1 << (pass - 1);
        a->from = back ? room : p.in;
        a->from_positions = back ? room_at : (const hd_int64 *)p.in_positions;
        a->to = !last ? (back ? p.in : room) : positions ? nullptr : p.out;
        a->to_positions = !positions ? nullptr
                          : last     ? (hd_int64 *)p.out
                          : back     ? (hd_int64 *)p.in_positions
                                     : room_at;
        cudaError_t error = launch((const void *)sort_start<How>, blocks, THREADS, a, stream);
        if (error == cudaSuccess)
            error =
                launch((const void *)sort_merge<How>, s.sort.rows * a->tiles, THREADS, a, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

int heddle__sort_line_launch(const struct heddle_sort_line_kernel *p, void *stream)
{
    const cudaStream_t on = (cudaStream_t)stream;
    arguments a = {};
    a.p = *p;
    if (p->call.sort.phase == HEDDLE_SORT_SPLIT)
        return (int)HEDDLE_SORT_BY_KEYS(p->call.sort.dtype, launch_split, &a, on);
    if (p->call.sort.phase == HEDDLE_SORT_MERGE)
        return (int)HEDDLE_SORT_BY_KEYS(p->call.sort.dtype, launch_merge, &a, on);
    switch (p->call.sort.element_bytes) {
    case 1: return (int)launch_copy<hd_uint8>(&a, on);
    case 2: return (int)launch_copy<hd_uint16>(&a, on);
    case 4: return (int)launch_copy<hd_uint32>(&a, on);
    case 8: return (int)launch_copy<hd_uint64>(&a, on);
    default: return (int)cudaErrorInvalidValue;
    }
}
