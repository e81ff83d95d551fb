/* Merges of runs on the GPU (kernel.h): a block merges a tile of the result in shared memory (O. Green, R. McColl,
 * D. A. Bader, GPU Merge Path, 2012). How much is to be merged is only known on the GPU, so launches are as large as it
 * may be. */
#include "families/sort/cuda_line.cuh"

#include <heddle/dtype.h>

enum { EACH = HEDDLE_SORT_TILE / THREADS /* elements of a tile that a thread merges */ };

/* What part `part` of the result takes of a run. */
HD sort_window sort_piece(const heddle_sort_line_kernel &p, hd_int64 row, int run)
{
    const int part = p.call.part;
    if (run >= p.call.n_runs) return sort_window{0, 0};
    return sort_window{part == 0 ? 0 : sort_window_of(p, row, part - 1, run).lo,
                       part == p.call.n_parts - 1 ? sort_length(p.call, run)
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

/* ---- Tiles ----------------------------------------------------------------------------------------------- */

/* Two sequences in order, and where the result goes. */
template <class How>
struct sort_two {
    const typename How::type *one, *other;
    const int64_t *one_at, *other_at; /* positions, counted from the bases */
    hd_int64 n_one, n_other, one_base, other_base, to;
};

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

/* The pieces of two runs. */
template <class How>
HD sort_two<How> sort_runs_of(const arguments &a, hd_int64 row, const hd_int64 *at)
{
    const heddle_sort_line &s = a.p.call;
    const sort_window one = sort_piece(a.p, row, s.run), other = sort_piece(a.p, row, s.run + 1);
    const hd_int64 i = row * sort_length(s, s.run) + one.lo,
                   j = row * sort_length(s, s.run + 1) + other.lo;
    typedef const typename How::type *elements;
    return sort_two<How>{(elements)a.p.in + i,
                         (elements)a.p.other + j,
                         a.p.in_positions + i,
                         a.p.other_positions + j,
                         one.hi - one.lo,
                         other.hi - other.lo,
                         s.bound[s.run],
                         s.run + 1 < s.n_runs ? s.bound[s.run + 1] : 0,
                         row * s.sort.n + at[s.run]};
}

/* What neighbours have made of runs: the first of them begins with `run`. */
template <class How>
HD sort_two<How> sort_neighbours(const arguments &a, hd_int64 row, const hd_int64 *at, int run)
{
    const int k = a.p.call.n_runs, middle = run + a.width < k ? run + a.width : k,
              end = run + 2 * a.width < k ? run + 2 * a.width : k;
    const hd_int64 i = row * a.p.call.sort.n + at[run], j = row * a.p.call.sort.n + at[middle];
    typedef const typename How::type *elements;
    return sort_two<How>{(elements)a.from + i,
                         (elements)a.from + j,
                         a.from_positions + i,
                         a.from_positions + j,
                         at[middle] - at[run],
                         at[end] - at[middle],
                         0,
                         0,
                         i};
}

template <class How>
HD hd_int64 sort_start_of(const arguments &a, const sort_two<How> &x, hd_int64 n)
{
    const typename How::key_type flip = a.p.call.sort.descending ? How::all : 0;
    const bool by_value = a.p.call.sort.positions;
    const sort_elements<How> one = {x.one, by_value, flip}, other = {x.other, by_value, flip};
    return sort_path(one, x.n_one, other, x.n_other, n);
}

/* A block for a row and as many tiles as it has threads: how much of the first of the two that meet where a tile
 * begins is before it. */
template <class How, bool OfRuns>
static __global__ void __launch_bounds__(THREADS) sort_start(const arguments a)
{
    __shared__ hd_int64 at[RUNS + 1];
    const hd_int64 blocks = (a.tiles + THREADS - 1) / THREADS, row = blockIdx.x / blocks,
                   tile = blockIdx.x % blocks * THREADS + threadIdx.x;
    const hd_int64 first = tile * HEDDLE_SORT_TILE;
    sort_find_pieces(a.p, row, at);
    if (tile >= a.tiles) return;
    if (OfRuns) {
        const sort_two<How> x = sort_runs_of<How>(a, row, at);
        if (first < x.n_one + x.n_other)
            a.starts[row * a.tiles + tile] = sort_start_of<How>(a, x, first);
        return;
    }
    int run = 0;
    while (at[run + 2 * a.width < a.p.call.n_runs ? run + 2 * a.width : a.p.call.n_runs] <= first)
        run += 2 * a.width;
    a.starts[row * a.tiles + tile] =
        sort_start_of<How>(a, sort_neighbours<How>(a, row, at, run), first - at[run]);
}

/* By all threads of a block, from shared memory: elements of.lo .. of.hi-1 of what two make; of the first, those from
 * `one` to `one_end`. */
template <class How>
HD void sort_merge_tile(const arguments &a, const sort_two<How> &x, sort_window of, hd_int64 one,
                        hd_int64 one_end, typename How::key_type *keys, unsigned short *source)
{
    typedef typename How::key_type K;
    const K flip = a.p.call.sort.descending ? How::all : 0;
    const bool by_value = a.p.call.sort.positions;
    const int thread = (int)threadIdx.x;
    const int n = (int)(of.hi - of.lo), n_one = (int)(one_end - one);
    const hd_int64 other = of.lo - one;
    for (int i = thread; i < n; i += THREADS)
        keys[i] = How::key(i < n_one ? x.one[one + i] : x.other[other + i - n_one], by_value, flip);
    __syncthreads();
    K key[EACH];
    unsigned short of_key[EACH];
    const int first = thread * EACH < n ? thread * EACH : n;
    int i = sort_path((const K *)keys, n_one, (const K *)keys + n_one, n - n_one, first);
    int j = n_one + first - i;
    K key_i = i < n_one ? keys[i] : 0, key_j = j < n ? keys[j] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k >= n) break;
        const bool second = i >= n_one || (j < n && key_j < key_i);
        of_key[k] = (unsigned short)(second ? j : i);
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
        if (a.to_positions) source[first + k] = of_key[k];
    }
    __syncthreads();
    const hd_int64 to = x.to + of.lo;
    for (int k = thread; k < n; k += THREADS) {
        if (a.to) ((typename How::type *)a.to)[to + k] = How::element(keys[k], flip);
        if (!a.to_positions) continue;
        const int at = source[k];
        a.to_positions[to + k] = at < n_one ? x.one_base + x.one_at[one + at]
                                            : x.other_base + x.other_at[other + at - n_one];
    }
    __syncthreads();
}

/* A block for each tile that there may be. Where a tile ends in what two make, the next one begins. */
template <class How, bool OfRuns>
static __global__ void __launch_bounds__(THREADS) sort_merge(const arguments a)
{
    __shared__ hd_int64 at[RUNS + 1];
    __shared__ typename How::key_type keys[HEDDLE_SORT_TILE];
    __shared__ unsigned short source[HEDDLE_SORT_TILE];
    const heddle_sort_line &s = a.p.call;
    const hd_int64 row = blockIdx.x / a.tiles, lo = blockIdx.x % a.tiles * HEDDLE_SORT_TILE,
                   hi = lo + HEDDLE_SORT_TILE;
    const hd_int64 *starts = a.starts + blockIdx.x;
    sort_find_pieces(a.p, row, at);
    if (OfRuns) {
        const sort_two<How> x = sort_runs_of<How>(a, row, at);
        const hd_int64 n = x.n_one + x.n_other;
        if (lo < n)
            sort_merge_tile<How>(a, x, sort_window{lo, sort_least(hi, n)}, starts[0],
                                 hi < n ? starts[1] : x.n_one, keys, source);
        return;
    }
    bool is_first = true;
    for (int run = 0; run < s.n_runs; run += 2 * a.width) {
        const sort_two<How> x = sort_neighbours<How>(a, row, at, run);
        const hd_int64 n = x.n_one + x.n_other, begin = at[run];
        if (n == 0 || begin + n <= lo || begin >= hi) continue;
        const sort_window of = {begin > lo ? 0 : lo - begin, sort_least(hi - begin, n)};
        sort_merge_tile<How>(a, x, of, is_first ? starts[0] : 0,
                             begin + n > hi ? starts[1] : x.n_one, keys, source);
        is_first = false;
    }
}

/* ---- Launches -------------------------------------------------------------------------------------------- */

/* Of rows of n elements at most. */
template <class How, bool OfRuns>
static cudaError_t launch_tiles(arguments *a, hd_int64 n, cudaStream_t stream)
{
    const hd_int64 rows = a->p.call.sort.rows;
    a->starts = (hd_int64 *)a->p.scratch;
    a->tiles = (n + HEDDLE_SORT_TILE - 1) / HEDDLE_SORT_TILE;
    const cudaError_t error =
        launch((const void *)sort_start<How, OfRuns>, rows * ((a->tiles + THREADS - 1) / THREADS),
               THREADS, a, stream);
    if (error != cudaSuccess) return error;
    return launch((const void *)sort_merge<How, OfRuns>, rows * a->tiles, THREADS, a, stream);
}

template <class How>
static cudaError_t launch_pair(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line &s = a->p.call;
    hd_int64 both = 0;
    for (int run = s.run; run < s.n_runs && run < s.run + 2; run++)
        both += s.bound[run + 1] - s.bound[run];
    a->to = a->p.out;
    a->to_positions = a->p.out_positions;
    return launch_tiles<How, true>(a, both < s.sort.n ? both : s.sort.n, stream);
}

/* Passes as on the CPU (cpu_line.c). */
template <class How>
static cudaError_t launch_merge(arguments *a, cudaStream_t stream)
{
    const heddle_sort_line_kernel &p = a->p;
    const heddle_sort_line &s = p.call;
    const int passes = heddle__sort_passes(s.n_runs);
    const bool even = passes % 2 == 0, positions = s.sort.positions;
    int64_t *rest = (int64_t *)((char *)p.scratch + heddle__sort_tiles_bytes(&s));
    int64_t *room_at = !positions ? nullptr : even ? rest : (int64_t *)p.out;
    void *room = positions && even   ? rest + s.sort.rows * s.sort.n
                 : positions || even ? (void *)rest
                                     : p.out;
    for (int pass = 1; pass <= passes; pass++) {
        const bool back = pass % 2 == 0, last = pass == passes;
        a->width = 1 << pass;
        a->from = back ? room : p.in;
        a->from_positions = back ? room_at : p.in_positions;
        a->to = !last ? (back ? p.in : room) : positions ? nullptr : p.out;
        a->to_positions = !positions ? nullptr
                          : last     ? (int64_t *)p.out
                          : back     ? p.in_positions
                                     : room_at;
        const cudaError_t error = launch_tiles<How, false>(a, s.sort.n, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

int heddle__sort_merge_launch(const struct heddle_sort_line_kernel *p, void *stream)
{
    const cudaStream_t on = (cudaStream_t)stream;
    arguments a = {};
    a.p = *p;
    return p->call.sort.phase == HEDDLE_SORT_PAIR
               ? (int)HEDDLE_SORT_BY_KEYS(p->call.sort.dtype, launch_pair, &a, on)
               : (int)HEDDLE_SORT_BY_KEYS(p->call.sort.dtype, launch_merge, &a, on);
}
