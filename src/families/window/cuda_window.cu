/* Sums over windows on the GPU. A block has a tile of results, neighbouring ones for each thread. What their windows have of the row comes to
 * shared memory once, by stages of TAPS taps; a thread takes GROUP taps at a time, and each element that it loads for all its results. */
#include "families/window/cuda_window.h"

#include "cuda/scalar.cuh"

#include <heddle/dtype.h>

enum {
    THREADS = 256,
    TAPS = 256,   /* of a stage */
    GROUP = 8,    /* at a time; divides TAPS */
    FEW = 1 << 16 /* results, of which a thread has one each, so that more processors have some */
};

/* What sums are made in: of bytes and halves of words the low ones are right in words, too. */
template <class T>
struct summed {
    typedef T type;
    static __device__ __forceinline__ T add(T sum, T x, T g) { return hd_add(sum, hd_mul(x, g)); }
};
template <class T>
struct wide {
    typedef unsigned type;
    static __device__ __forceinline__ unsigned add(unsigned sum, unsigned x, unsigned g)
    {
        return sum + x * g;
    }
};
template <>
struct summed<hd_uint8> : wide<hd_uint8> {
};
template <>
struct summed<hd_uint16> : wide<hd_uint16> {
};
struct hd_one_bit { /* a bool, as it is stored */
    hd_uint8 bits;
};
template <>
struct summed<hd_one_bit> {
    typedef unsigned type;
    static __device__ __forceinline__ unsigned add(unsigned sum, unsigned x, unsigned g)
    {
        return sum | (x & g);
    }
};

template <class T>
HD typename summed<T>::type element_of(T x)
{
    return (typename summed<T>::type)x;
}
HD unsigned element_of(hd_one_bit x)
{
    return x.bits;
}
template <class T>
HD void put(T *y, typename summed<T>::type sum)
{
    *y = (T)sum;
}
HD void put(hd_one_bit *y, unsigned sum)
{
    y->bits = (hd_uint8)sum;
}

/* Adds COUNT taps to R results; x: the thread's first element of the first tap. `first` to R + COUNT - 2 are in w. Some: result r has tap
 * j's element if lo <= r + j < hi. */
template <class T, int R, int COUNT, bool Some>
HD void add_taps(typename summed<T>::type (&sum)[R], typename summed<T>::type (&w)[R + GROUP - 1],
                 const typename summed<T>::type *x, const typename summed<T>::type *g, int lo,
                 int hi)
{
    typedef typename summed<T>::type A;
#pragma unroll
    for (int j = 0; j < COUNT; j++) w[R - 1 + j] = x[R - 1 + j];
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        const A tap = g[j];
#pragma unroll
        for (int r = 0; r < R; r++)
            if (!Some || (r + j >= lo && r + j < hi))
                sum[r] = summed<T>::add(sum[r], w[r + j], tap);
    }
#pragma unroll
    for (int r = 0; r < R - 1; r++) w[r] = w[r + COUNT];
}

/* A stage of `count` taps. */
template <class T, int R, bool Some>
HD void add_stage(typename summed<T>::type (&sum)[R], const typename summed<T>::type *x,
                  const typename summed<T>::type *g, int count, int lo, int hi)
{
    typename summed<T>::type w[R + GROUP - 1];
#pragma unroll
    for (int r = 0; r < R - 1; r++) w[r] = x[r];
    int j = 0;
    for (; j + GROUP <= count; j += GROUP)
        add_taps<T, R, GROUP, Some>(sum, w, x + j, g + j, lo - j, hi - j);
    for (; j < count; j++) add_taps<T, R, 1, Some>(sum, w, x + j, g + j, lo - j, hi - j);
}

/* An odd number of results a thread: then the threads of a warp load from different banks. */
template <class T, int R>
static __global__ void __launch_bounds__(THREADS) window_sums(const heddle_window_kernel p)
{
    typedef typename summed<T>::type A;
    __shared__ uint4 row[(THREADS * R + TAPS) * sizeof(A) / 16], stage[TAPS * sizeof(A) / 16];
    A *const xs = (A *)row, *const gs = (A *)stage;
    const heddle_window &c = p.call;
    const T *x = (const T *)p.x, *taps = (const T *)p.taps;
    T *y = (T *)p.y;
    const int thread = (int)threadIdx.x;
    const hd_int64 tile = (hd_int64)blockIdx.x * (THREADS * R), begin = c.first + tile;
    const bool whole = begin >= 0 && begin + THREADS * R - 1 + c.m <= c.n_x;
    A sum[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        const hd_int64 i = tile + thread * R + r;
        sum[r] = A();
        if (c.adds && c.first + i < 0 && i < c.n) sum[r] = element_of(y[i]);
    }
    for (hd_int64 from = 0; from < c.m; from += TAPS) {
        const int count = c.m - from < TAPS ? (int)(c.m - from) : TAPS;
        __syncthreads();
        for (int e = thread; e < THREADS * R + count - 1; e += THREADS) {
            const hd_int64 at = begin + from + e;
            xs[e] = at >= 0 && at < c.n_x ? element_of(x[at]) : A();
        }
        for (int e = thread; e < count; e += THREADS)
            gs[e] = element_of(taps[c.turned ? c.m - 1 - from - e : from + e]);
        __syncthreads();
        const A *const mine = xs + thread * R;
        if (whole) {
            add_stage<T, R, false>(sum, mine, gs, count, 0, 0);
        } else { /* where the row's elements begin and end, from the thread's first one of the stage */
            const hd_int64 lo = -(begin + from + thread * R), hi = lo + c.n_x;
            const int most = R + TAPS;
            add_stage<T, R, true>(sum, mine, gs, count,
                                  lo < 0      ? 0
                                  : lo < most ? (int)lo
                                              : most,
                                  hi < 0      ? 0
                                  : hi < most ? (int)hi
                                              : most);
        }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r++) xs[thread * R + r] = sum[r];
    __syncthreads();
    for (int e = thread; e < THREADS * R && tile + e < c.n; e += THREADS) put(&y[tile + e], xs[e]);
}

template <class T, int R>
static int launch(const heddle_window_kernel *p, void *stream)
{
    const hd_int64 each = p->call.n <= FEW ? THREADS : THREADS * R,
                   blocks = (p->call.n + each - 1) / each;
    if (blocks > INT32_MAX) return (int)cudaErrorInvalidValue;
    if (blocks == 0) return (int)cudaSuccess;
    void *parameters[] = {(void *)p};
    const void *kernel =
        p->call.n <= FEW ? (const void *)window_sums<T, 1> : (const void *)window_sums<T, R>;
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), parameters, 0,
                                 (cudaStream_t)stream);
}

int heddle__window_launch(const struct heddle_window_kernel *p, void *stream)
{
    switch ((enum heddle_dtype)p->call.dtype) {
    case HEDDLE_BOOL: return launch<hd_one_bit, 9>(p, stream);
    case HEDDLE_INT8:
    case HEDDLE_UINT8: return launch<hd_uint8, 9>(p, stream);
    case HEDDLE_INT16:
    case HEDDLE_UINT16: return launch<hd_uint16, 9>(p, stream);
    case HEDDLE_INT32:
    case HEDDLE_UINT32: return launch<unsigned, 9>(p, stream);
    case HEDDLE_INT64:
    case HEDDLE_UINT64: return launch<hd_uint64, 7>(p, stream);
    case HEDDLE_FLOAT32: return launch<float, 9>(p, stream);
    case HEDDLE_FLOAT64: return launch<double, 7>(p, stream);
    case HEDDLE_COMPLEX64: return launch<hd_complex64, 7>(p, stream);
    case HEDDLE_COMPLEX128: return launch<hd_complex128, 3>(p, stream);
    default: return (int)cudaErrorInvalidValue;
    }
}
