/* Counts by bin on the GPU. Counts: a block counts a piece of a chunk in shared memory, if the bins fit there, and adds
 * that to the chunk's row. Weights, whose order counts: a warp goes through a chunk, 32 elements at a time; of those
 * that have the same bin the first lane adds all, in order, to a row in shared memory, if the bins fit there. */
#include "families/histogram/cuda_histogram.h"

#include "cuda/scalar.cuh"

#include <heddle/dtype.h>

enum {
    THREADS = 256,
    PIECE = 1 << 14, /* elements of a block that counts */
    LANES = 32,
    MOST_SHARED = 4096, /* bins that are counted there */
    MOST_SUMS = 3072,   /* bins whose weights are: eight chunks on a multiprocessor */
};

typedef unsigned long long hd_counter; /* that atomicAdd knows */

/* ---- Bins: h.bins of an element that has none ---------------------------------------------------------- */

template <class T>
struct integer_bins {
    typedef T type;
    static __device__ hd_int64 find(const heddle_histogram &h, const void *, T x)
    {
        return x >= 0 && (hd_int64)x < h.bins ? (hd_int64)x : h.bins;
    }
};

template <class T>
struct uniform_bins {
    typedef T type;
    static __device__ hd_int64 find(const heddle_histogram &h, const void *edges, T x)
    {
        const T *e = (const T *)edges, low = e[0], high = e[h.bins];
        if (!(x >= low && x <= high)) return h.bins;
        T guess = (x - low) * ((T)h.bins / (high - low));
        guess = guess > 0 ? guess : 0;
        hd_int64 k = guess < (T)(h.bins - 1) ? (hd_int64)guess : h.bins - 1;
        while (x < e[k]) k--;
        while (k < h.bins - 1 && x >= e[k + 1]) k++;
        return k;
    }
};

template <class T>
struct bins_between {
    typedef T type;
    static __device__ hd_int64 find(const heddle_histogram &h, const void *edges, T x)
    {
        const T *e = (const T *)edges;
        if (!(x >= e[0] && x <= e[h.bins])) return h.bins;
        hd_int64 k = 0;
        for (hd_int64 rest = h.bins; rest > 1; rest -= rest / 2)
            if (e[k + rest / 2] <= x) k += rest / 2;
        return k;
    }
};

/* ---- Kernels ------------------------------------------------------------------------------------------- */

template <class Bins, bool Shared>
static __global__ void __launch_bounds__(THREADS)
    histogram_count(const heddle_histogram_kernel p, hd_int64 pieces)
{
    __shared__ unsigned count[Shared ? MOST_SHARED : 1];
    const heddle_histogram &h = p.call;
    const hd_int64 chunk = blockIdx.x / pieces, piece = blockIdx.x % pieces;
    hd_int64 begin = piece * PIECE, end = begin + PIECE < h.chunk ? begin + PIECE : h.chunk;
    begin += chunk * h.chunk;
    end += chunk * h.chunk;
    if (end > h.n) end = h.n;
    hd_counter *row = (hd_counter *)p.out + chunk * h.bins;
    if (Shared) {
        for (hd_int64 k = threadIdx.x; k < h.bins; k += THREADS) count[k] = 0;
        __syncthreads();
    }
    const typename Bins::type *in = (const typename Bins::type *)p.in;
    for (hd_int64 i = begin + threadIdx.x; i < end; i += THREADS) {
        const hd_int64 k = Bins::find(h, p.edges, in[i]);
        if (k == h.bins) continue;
        if (Shared)
            atomicAdd(&count[k], 1u);
        else
            atomicAdd(&row[k], (hd_counter)1);
    }
    if (Shared) {
        __syncthreads();
        for (hd_int64 k = threadIdx.x; k < h.bins; k += THREADS)
            if (count[k]) atomicAdd(&row[k], (hd_counter)count[k]);
    }
}

/* Bins: of 32 bits, as lanes compare them. */
template <class Bins, bool Shared>
static __global__ void __launch_bounds__(LANES) histogram_add(const heddle_histogram_kernel p)
{
    __shared__ double weight[LANES], sums[Shared ? MOST_SUMS : 1];
    const heddle_histogram &h = p.call;
    const int lane = (int)threadIdx.x;
    const hd_int64 begin = (hd_int64)blockIdx.x * h.chunk,
                   end = begin + h.chunk < h.n ? begin + h.chunk : h.n;
    double *const out = (double *)p.out + (hd_int64)blockIdx.x * h.bins;
    double *const row = Shared ? sums : out;
    const typename Bins::type *in = (const typename Bins::type *)p.in;
    if (Shared)
        for (hd_int64 k = lane; k < h.bins; k += LANES) sums[k] = 0;
    hd_int64 i = begin + lane;
    typename Bins::type x = i < end ? in[i] : typename Bins::type(0);
    double w = i < end ? p.weights[i] : 0;
    for (hd_int64 from = begin; from < end; from += LANES) {
        const unsigned bin = i < end ? (unsigned)Bins::find(h, p.edges, x) : (unsigned)h.bins;
        unsigned same = __match_any_sync(0xffffffffu, bin);
        weight[lane] = w;
        i += LANES;
        if (i < end) x = in[i], w = p.weights[i]; /* are under way while the last are added */
        __syncwarp();
        if (bin < h.bins && __ffs((int)same) - 1 == lane) {
            double sum = row[bin];
            for (; same; same &= same - 1) sum += weight[__ffs((int)same) - 1];
            row[bin] = sum;
        }
        __syncwarp();
    }
    if (Shared)
        for (hd_int64 k = lane; k < h.bins; k += LANES) out[k] = sums[k];
}

template <class Bins>
static int launch(const heddle_histogram_kernel *p, void *stream)
{
    const heddle_histogram &h = p->call;
    const hd_int64 chunks = (h.n + h.chunk - 1) / h.chunk;
    hd_int64 pieces = (h.chunk + PIECE - 1) / PIECE;
    void *parameters[] = {(void *)p, &pieces};
    const bool shared = h.bins <= (h.weighted ? MOST_SUMS : MOST_SHARED);
    const void *kernel = h.weighted && shared ? (const void *)histogram_add<Bins, true>
                         : h.weighted         ? (const void *)histogram_add<Bins, false>
                         : shared             ? (const void *)histogram_count<Bins, true>
                                              : (const void *)histogram_count<Bins, false>;
    const hd_int64 blocks = h.weighted ? chunks : chunks * pieces;
    if (blocks > INT32_MAX || h.bins >= UINT32_MAX) return (int)cudaErrorInvalidValue;
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(h.weighted ? LANES : THREADS),
                                 parameters, 0, (cudaStream_t)stream);
}

int heddle__histogram_launch(const struct heddle_histogram_kernel *p, void *stream)
{
    const bool edges = p->call.by_edges, uniform = p->call.uniform;
    switch ((enum heddle_dtype)p->call.dtype) {
    case HEDDLE_INT32: return launch<integer_bins<int>>(p, stream);
    case HEDDLE_INT64: return launch<integer_bins<hd_int64>>(p, stream);
    case HEDDLE_FLOAT32:
        if (!edges) break;
        return uniform ? launch<uniform_bins<float>>(p, stream)
                       : launch<bins_between<float>>(p, stream);
    case HEDDLE_FLOAT64:
        if (!edges) break;
        return uniform ? launch<uniform_bins<double>>(p, stream)
                       : launch<bins_between<double>>(p, stream);
    default: break;
    }
    return (int)cudaErrorInvalidValue;
}
