/* A line of sorted runs on the GPU (kernel.h): samples and splits; cuda_merge.cu merges. */
#include "families/sort/cuda_line.cuh"

#include <heddle/dtype.h>

enum { WARP = 32, WARPS = 4 /* of a block that finds splits */ };

/* ---- Samples --------------------------------------------------------------------------------------------- */

/* A thread for each sample that there may be. */
template <class T>
static __global__ void __launch_bounds__(THREADS) sort_sample(const arguments a)
{
    const heddle_sort_line &s = a.p.call;
    const hd_int64 sets = s.is_first ? 1 : s.n_parts - 1;
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

HD hd_int64 sort_room(const heddle_sort_line &s, int run)
{
    return (sort_least(sort_length(s, run), s.most) + s.gap - 1) / s.gap;
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
    const int k = s.n_runs, boundaries = s.n_parts - 1;
    const int boundary = (int)(blockIdx.x % (unsigned)boundaries);
    const hd_int64 row = blockIdx.x / (unsigned)boundaries, sets = s.is_first ? 1 : boundaries;
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
                if (sort_count<How>(a, in, of, run, i, !maybe, lane) < s.part_bound[boundary + 1])
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

/* ---- Launches -------------------------------------------------------------------------------------------- */

template <class T>
static cudaError_t launch_sample(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line &s = a->p.call;
    const hd_int64 room = heddle__sort_room(s.sort.n, s.most, s.gap),
                   samples = s.sort.rows * heddle__sort_sets(&s) * room;
    return launch((const void *)sort_sample<T>, (samples + THREADS - 1) / THREADS, THREADS, a,
                  stream);
}

template <class How>
static cudaError_t launch_split(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line &s = a->p.call;
    return launch((const void *)sort_split<How>, s.sort.rows * (s.n_parts - 1), WARP * WARPS, a,
                  stream);
}

int heddle__sort_line_launch(const struct heddle_sort_line_kernel *p, void *stream)
{
    const cudaStream_t on = (cudaStream_t)stream;
    const enum heddle_sort_phase phase = (enum heddle_sort_phase)p->call.sort.phase;
    arguments a = {};
    a.p = *p;
    if (phase == HEDDLE_SORT_PAIR || phase == HEDDLE_SORT_MERGE)
        return heddle__sort_merge_launch(p, stream);
    if (phase == HEDDLE_SORT_SPLIT)
        return (int)HEDDLE_SORT_BY_KEYS(p->call.sort.dtype, launch_split, &a, on);
    switch (p->call.sort.element_bytes) {
    case 1: return (int)launch_sample<hd_uint8>(&a, on);
    case 2: return (int)launch_sample<hd_uint16>(&a, on);
    case 4: return (int)launch_sample<hd_uint32>(&a, on);
    case 8: return (int)launch_sample<hd_uint64>(&a, on);
    default: return (int)cudaErrorInvalidValue;
    }
}
