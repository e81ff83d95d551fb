/* Searching on the GPU: a thread for each few values, which are halved in at the same time, so that their reads are
 * on their way together. The first halvings compare with few elements, which a block has in its shared memory: lanes of a
 * warp that read 32 places there wait for some, in the cache for each sector of 32 bytes. */
#include "families/search/cuda_search.h"

#include "cuda/scalar.cuh"

#define HEDDLE_LINE_FUNCTION HD
#include "families/search/kernel_line.h"

#include <heddle/dtype.h>

enum { EACH = 4, MOST_THREADS = 1024 };

/* A launch. */
struct shape {
    int threads, blocks, table_bytes; /* of a block; at most, of a multiprocessor; of each block */
};
static const shape small = {256, 8, 16 << 10}, large = {MOST_THREADS, 1, 128 << 10};

/* NaNs are last. */
template <class T>
HD bool search_less(T x, T y)
{
    return x < y || (y != y && x == x);
}

/* How many elements a halving takes or leaves, where there are `rest`; the last one looks at what is left. */
HD hd_int64 search_half(hd_int64 rest)
{
    return rest > 1 ? rest / 2 : 1;
}

/* The element that node `node` of the tree of halvings compares with; node i is before 2 i + 1 and 2 i + 2. */
HD hd_int64 search_place(hd_int64 n, unsigned node)
{
    int level = 0;
    while (node + 1 >= 2u << level) level++;
    hd_int64 at = 0, rest = n;
    for (int l = level - 1; l >= 0; l--) {
        const hd_int64 half = search_half(rest);
        if (node + 1 >> l & 1) at += half;
        rest -= rest / 2;
    }
    return at + search_half(rest) - 1;
}

#ifdef HEDDLE_EMULATED
alignas(16) static char search_memory[128 << 10];
#else
extern __shared__ __align__(16) char search_memory[];
#endif

template <class T, int What>
static __global__ void __launch_bounds__(MOST_THREADS) search(const heddle_search_kernel p)
{
    constexpr bool right = What == HEDDLE_SEARCH_RIGHT || What == HEDDLE_SEARCH_LINE;
    T *const table = (T *)search_memory;
    const T *a = (const T *)p.sorted, *values = (const T *)p.values;
    const hd_int64 n = p.call.n;
    const int threads = blockDim.x;
    if (p.in_table > 0) {
        for (unsigned node = threadIdx.x; node + 1 < 1u << p.in_table; node += threads) {
            const hd_int64 place = search_place(n, node);
            table[node] = a[place < n ? place : n - 1]; /* or a node that no search comes to */
        }
        __syncthreads();
    }
    for (hd_int64 base = (hd_int64)blockIdx.x * (threads * EACH); base < p.call.size;
         base += (hd_int64)gridDim.x * (threads * EACH)) {
        const hd_int64 first = base + threadIdx.x;
        T x[EACH];
        hd_int64 at[EACH];
        unsigned node[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const hd_int64 i = first + k * threads;
            at[k] = 0;
            node[k] = 0;
            x[k] = i < p.call.size ? values[i] : (T)0;
        }
        hd_int64 rest = n;
        int level = 0;
        for (; level < p.in_table; level++) {
            const hd_int64 half = search_half(rest);
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                const T y = table[node[k]];
                const bool after = right ? !search_less(x[k], y) : search_less(y, x[k]);
                node[k] = 2 * node[k] + 1 + after;
                if (after) at[k] += half;
            }
            rest -= rest / 2;
        }
        for (; level < p.halvings; level++) {
            const hd_int64 half = search_half(rest);
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                const T y = a[at[k] + half - 1];
                if (right ? !search_less(x[k], y) : search_less(y, x[k])) at[k] += half;
            }
            rest -= rest / 2;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const hd_int64 i = first + k * threads;
            if (i >= p.call.size) break;
            if constexpr (What == HEDDLE_SEARCH_MEMBER)
                ((bool *)p.out)[i] = at[k] < n && a[at[k]] == x[k];
            else if constexpr (What == HEDDLE_SEARCH_LINE)
                ((double *)p.out)[i] = heddle__on_line(x[k], (const double *)p.sorted,
                                                       (const double *)p.heights, n, at[k]);
            else
                ((hd_int64 *)p.out)[i] = at[k];
        }
    }
}

template <class T>
static const void *kernel_of(int what)
{
    switch (what) {
    case HEDDLE_SEARCH_LEFT: return (const void *)search<T, HEDDLE_SEARCH_LEFT>;
    case HEDDLE_SEARCH_RIGHT: return (const void *)search<T, HEDDLE_SEARCH_RIGHT>;
    case HEDDLE_SEARCH_MEMBER: return (const void *)search<T, HEDDLE_SEARCH_MEMBER>;
    default: break;
    }
    if constexpr (hd_same<T, double>)
        return what == HEDDLE_SEARCH_LINE ? (const void *)search<T, HEDDLE_SEARCH_LINE> : nullptr;
    return nullptr;
}

static int64_t pieces_of(int64_t size, const shape &s)
{
    return (size + s.threads * EACH - 1) / (s.threads * EACH);
}

static int64_t blocks_of(int64_t size, const shape &s, int multiprocessors)
{
    const int64_t pieces = pieces_of(size, s), most = (int64_t)s.blocks * multiprocessors;
    return pieces < most ? pieces : most;
}

/* As many halvings by the table as there are, as it has room for, and as are fewer elements than the block has values. */
static int in_table(const heddle_search_kernel *p, size_t element, const shape &s, int64_t blocks)
{
    const int64_t each = p->call.size / blocks;
    int n = 0;
    while (n < p->halvings && (2 << n) - 1 <= (int)(s.table_bytes / element) && 2 << n <= each) n++;
    return n;
}

/* One large table in a multiprocessor leaves fewer halvings to the cache than many small ones, where there are
 * many values and so much shared memory. */
template <class T>
static int launch(heddle_search_kernel *p, int multiprocessors, void *stream)
{
    const void *kernel = kernel_of<T>(p->call.what);
    if (!kernel || p->call.n < 1) return (int)cudaErrorInvalidValue;
    if (p->call.size == 0) return (int)cudaSuccess;
    p->halvings = 1;
    for (int64_t rest = p->call.n; rest > 1; rest -= rest / 2) p->halvings++;
    enum { ROUNDS = 4 }; /* or the last one, with few blocks, would be much of the time */
    const shape *s = &small;
    int64_t blocks = blocks_of(p->call.size, small, multiprocessors);
    p->in_table = in_table(p, sizeof(T), small, blocks);
    if (pieces_of(p->call.size, large) >= ROUNDS * multiprocessors) {
        const int deeper = in_table(p, sizeof(T), large, multiprocessors);
        const bool fits = deeper > p->in_table &&
                          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               large.table_bytes) == cudaSuccess;
        if (!fits) (void)cudaGetLastError();
        if (fits) {
            s = &large;
            blocks = multiprocessors;
            p->in_table = deeper;
        }
    }
    void *parameters[] = {(void *)p};
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)s->threads),
                                 parameters, (size_t)s->table_bytes, (cudaStream_t)stream);
}

int heddle__search_launch(heddle_search_kernel *p, int multiprocessors, void *stream)
{
    switch ((enum heddle_dtype)p->call.dtype) {
    case HEDDLE_BOOL:
    case HEDDLE_UINT8: return launch<hd_uint8>(p, multiprocessors, stream);
    case HEDDLE_INT8: return launch<hd_int8>(p, multiprocessors, stream);
    case HEDDLE_UINT16: return launch<hd_uint16>(p, multiprocessors, stream);
    case HEDDLE_INT16: return launch<hd_int16>(p, multiprocessors, stream);
    case HEDDLE_UINT32: return launch<hd_uint32>(p, multiprocessors, stream);
    case HEDDLE_INT32: return launch<hd_int32>(p, multiprocessors, stream);
    case HEDDLE_UINT64: return launch<hd_uint64>(p, multiprocessors, stream);
    case HEDDLE_INT64: return launch<hd_int64>(p, multiprocessors, stream);
    case HEDDLE_FLOAT32: return launch<float>(p, multiprocessors, stream);
    case HEDDLE_FLOAT64: return launch<double>(p, multiprocessors, stream);
    default: return (int)cudaErrorInvalidValue;
    }
}
