/* Searching on the GPU: a thread for each few values, which are halved in at the same time, so that their reads are
 * on their way together. The first halvings compare with few elements, which a block has in its shared memory: lanes of a
 * warp that read 32 places there wait for some, in the cache for each line. */
#include "families/search/cuda_search.h"

#include "cuda/scalar.cuh"

#define HEDDLE_LINE_FUNCTION HD
#include "families/search/kernel_line.h"

#include <heddle/dtype.h>

enum {
    THREADS = 256,
    EACH = 4,
    BLOCKS = 8,             /* of a multiprocessor, at most, if they make tables */
    TABLE_BYTES = 16 << 10, /* of each */
};

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

template <class T, int What>
static __global__ void __launch_bounds__(THREADS) search(const heddle_search_kernel p)
{
    constexpr bool right = What == HEDDLE_SEARCH_RIGHT || What == HEDDLE_SEARCH_LINE;
    __shared__ T table[TABLE_BYTES / sizeof(T)];
    const T *a = (const T *)p.sorted, *values = (const T *)p.values;
    const hd_int64 n = p.call.n;
    if (p.in_table > 0) {
        for (unsigned node = threadIdx.x; node + 1 < 1u << p.in_table; node += THREADS) {
            const hd_int64 place = search_place(n, node);
            table[node] = a[place < n ? place : n - 1]; /* or a node that no search comes to */
        }
        __syncthreads();
    }
    for (hd_int64 base = (hd_int64)blockIdx.x * (THREADS * EACH); base < p.call.size;
         base += (hd_int64)gridDim.x * (THREADS * EACH)) {
        const hd_int64 first = base + threadIdx.x;
        T x[EACH];
        hd_int64 at[EACH];
        unsigned node[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const hd_int64 i = first + k * THREADS;
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
            const hd_int64 i = first + k * THREADS;
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

/* As many halvings by the table as there are, as it has room for, and as are fewer elements than the block has values. */
template <class T>
static int launch(heddle_search_kernel *p, int multiprocessors, void *stream)
{
    const void *kernel = kernel_of<T>(p->call.what);
    const int64_t pieces = (p->call.size + THREADS * EACH - 1) / (THREADS * EACH),
                  few = (int64_t)BLOCKS * multiprocessors;
    if (!kernel || p->call.n < 1) return (int)cudaErrorInvalidValue;
    if (pieces == 0) return (int)cudaSuccess;
    p->halvings = 1;
    for (int64_t rest = p->call.n; rest > 1; rest -= rest / 2) p->halvings++;
    int64_t blocks = pieces < few ? pieces : few;
    const int64_t each = p->call.size / blocks;
    p->in_table = 0;
    while (p->in_table < p->halvings && (2 << p->in_table) - 1 <= (int)(TABLE_BYTES / sizeof(T)) &&
           2 << p->in_table <= each)
        p->in_table++;
    void *parameters[] = {(void *)p};
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), parameters, 0,
                                 (cudaStream_t)stream);
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
