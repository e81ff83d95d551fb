/* Sums of partial results, and products with a vector that give them. All orders depend on extents and strides alone, so
 * each run has the same bits. Entry points: cuda_thin.h. */
#include "families/matmul/cuda_thin.h"

#include "cuda/half.cuh"
#include "cuda/kernel.cuh"

#include <heddle/dtype.h>

enum { THREADS = HEDDLE_THIN_THREADS, WIDTH = 8, AT_ONCE = 4 };

/* ---- Dtypes ---------------------------------------------------------------------------------------- */

template <class T>
struct types { /* what products and sums of a slice are computed in, and sums of these */
    typedef T slice;
    typedef double wide;
};
template <>
struct types<hd_float16> {
    typedef float slice;
    typedef double wide;
};
template <>
struct types<hd_bfloat16> {
    typedef float slice;
    typedef double wide;
};
template <>
struct types<hd_complex64> {
    typedef hd_complex64 slice;
    typedef hd_complex128 wide;
};
template <>
struct types<hd_complex128> {
    typedef hd_complex128 slice;
    typedef hd_complex128 wide;
};

template <class To, class From>
static __device__ To as(From x)
{
    if constexpr (hd_same<To, From>)
        return x;
    else if constexpr (hd_kind<From> == 'C')
        return To{(typename hd_traits<To>::real)x.re, (typename hd_traits<To>::real)x.im};
    else if constexpr (hd_kind<From> == 'H')
        return (To)hd_widen(x);
    else if constexpr (hd_kind<To> == 'H') {
        To r;
        hd_round_to(r, x);
        return r;
    } else
        return (To)x;
}

template <class S, class T>
static __device__ S product(const T *a, const T *b)
{
    return hd_mul(as<S>(*a), as<S>(*b));
}

/* ---- Sums ------------------------------------------------------------------------------------------- */

/* The threads of a block have elements x lanes; a lane adds slices lane, lane + lanes, ... and then terms of the rest in
 * the same way. Lanes are added in halves: the upper to the lower ones. */
template <class T, class R>
static __global__ void __launch_bounds__(THREADS) thin_sums(const heddle_thin_kernel p)
{
    typedef typename types<T>::slice S;
    typedef typename types<T>::wide W;
    __shared__ W part[THREADS];
    const hd_int64 n_elements = p.m * p.n;
    int width = 1;
    while (width < WIDTH && width < n_elements) width *= 2;
    const int lanes = THREADS / width, lane = threadIdx.x / width;
    const hd_int64 element = (hd_int64)blockIdx.x * width + threadIdx.x % width;
    const hd_int64 i = element / p.n, j = element % p.n;
    W sum = W();
    if (element < n_elements) {
        const S *const partial = (const S *)p.partial + element;
#pragma unroll 16 /* as many loads at once: few threads add many */
        for (hd_int64 s = lane; s < p.slices; s += lanes)
            sum = hd_add(sum, as<W>(partial[s * n_elements]));
        const T *const a = (const T *)p.a + i * p.a_row, *const b = (const T *)p.b + j * p.b_column;
#pragma unroll 4
        for (hd_int64 k = p.k - p.rest + lane; k < p.k; k += lanes)
            sum = hd_add(sum, product<W>(a + k * p.a_column, b + k * p.b_row));
    }
    part[threadIdx.x] = sum;
    for (int half = THREADS / 2; half >= width; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            part[threadIdx.x] = hd_add(part[threadIdx.x], part[threadIdx.x + half]);
    }
    if (lane > 0 || element >= n_elements) return;
    R *const c = (R *)p.c + i * p.c_row + j;
    sum = part[threadIdx.x];
    *c = as<R>(p.accumulate ? hd_add(as<W>(*c), sum) : sum);
}

/* ---- Products with a vector --------------------------------------------------------------------------- */

/* V rows that lie together: by one load if they are ALIGNED; the order of sums is the same. */
template <class T, int V, bool ALIGNED>
static __device__ void load_rows(T (&x)[V], const T *a)
{
    if constexpr (ALIGNED)
        hd_load(x, a);
    else
#pragma unroll
        for (int v = 0; v < V; v++) x[v] = a[v];
}

/* A block has a slice of up to V * THREADS rows, V neighbours a thread. Threads that are left over take further terms, `lanes` at a
 * time; their sums are added in halves, too. */
template <class T, int V, bool ALIGNED>
static __global__ void __launch_bounds__(THREADS) thin_across(const heddle_thin_kernel p)
{
    typedef typename types<T>::slice S;
    __shared__ S part[V][THREADS];
    const hd_int64 columns = p.m / V, groups = (columns + THREADS - 1) / THREADS;
    const hd_int64 slice = blockIdx.x / groups, first = blockIdx.x % groups * THREADS;
    const int width = columns < THREADS ? (int)columns : THREADS, lanes = THREADS / width;
    const int lane = threadIdx.x / width;
    const hd_int64 row = (first + threadIdx.x % width) * V;
    const hd_int64 begin = slice * p.length, end = begin + p.length < p.k ? begin + p.length : p.k;
    const bool has_row = lane < lanes && row < p.m;
    S sum[V];
#pragma unroll
    for (int v = 0; v < V; v++) sum[v] = S();
    if (has_row) {
        const T *a = (const T *)p.a + row * p.a_row, *b = (const T *)p.b;
#pragma unroll 8
        for (hd_int64 k = begin + lane; k < end; k += lanes) {
            T x[V];
            const T y = b[k * p.b_row];
            load_rows<T, V, ALIGNED>(x, a + k * p.a_column);
#pragma unroll
            for (int v = 0; v < V; v++) sum[v] = hd_add(sum[v], product<S>(&x[v], &y));
        }
    }
#pragma unroll
    for (int v = 0; v < V; v++) part[v][threadIdx.x] = sum[v];
    int half = 1;
    while (half < lanes) half *= 2;
    for (half /= 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half && lane + half < lanes)
#pragma unroll
            for (int v = 0; v < V; v++)
                part[v][threadIdx.x] =
                    hd_add(part[v][threadIdx.x], part[v][threadIdx.x + half * width]);
    }
    if (lane > 0 || !has_row) return;
#pragma unroll
    for (int v = 0; v < V; v++) ((S *)p.partial)[slice * p.m + row + v] = part[v][threadIdx.x];
}

/* A warp has a slice of a row, and adds the sums of its lanes in halves. The warps of a block have neighbouring rows of the
 * same slice, if there are several: they read the same piece of the vector. */
template <class T>
static __global__ void __launch_bounds__(THREADS) thin_along(const heddle_thin_kernel p)
{
    typedef typename types<T>::slice S;
    const hd_int64 warp = (hd_int64)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    const hd_int64 slice = warp / p.m, row = warp % p.m;
    const hd_int64 begin = slice * p.length, end = begin + p.length < p.k ? begin + p.length : p.k;
    const T *const a = (const T *)p.a + row * p.a_row, *const b = (const T *)p.b;
    const int lane = threadIdx.x % 32;
    S sum = S();
    if (slice < p.slices)
#pragma unroll 8
        for (hd_int64 k = begin + lane; k < end; k += 32)
            sum = hd_add(sum, product<S>(a + k * p.a_column, b + k * p.b_row));
    for (int half = 16; half > 0; half /= 2) sum = hd_add(sum, hd_from_lane(sum, lane ^ half));
    if (lane == 0 && slice < p.slices) ((S *)p.partial)[warp] = sum;
}

/* `length` threads have a row, and AT_ONCE rows at the same time, so that loads are under way. Terms go to threads by pieces of 16
 * bytes, ALIGNED or not: the order is the same. Threads' sums are added in halves. */
template <class T, class R, bool ALIGNED>
static __global__ void __launch_bounds__(THREADS) thin_rows(const heddle_thin_kernel p)
{
    typedef typename types<T>::slice S;
    enum { V = 16 / sizeof(T) };
    const int threads = (int)p.length, lane = threadIdx.x % threads, apart = THREADS / threads;
    const hd_int64 first = (hd_int64)blockIdx.x * (apart * AT_ONCE) + threadIdx.x / threads;
    const T *const b = (const T *)p.b, *a[AT_ONCE];
    S sum[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
        const hd_int64 row = first + i * apart;
        a[i] = (const T *)p.a + (row < p.m ? row : p.m - 1) * p.a_row;
        sum[i] = S();
    }
    const int k = (int)p.k, pieces = k / V;
    for (int c = lane; c < pieces; c += threads) {
        T x[AT_ONCE][V];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if constexpr (ALIGNED)
                hd_load(x[i], a[i] + c * V);
            else
#pragma unroll
                for (int v = 0; v < V; v++) x[i][v] = a[i][c * V + v];
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            const T y = b[(c * V + v) * p.b_row];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) sum[i] = hd_add(sum[i], product<S>(&x[i][v], &y));
        }
    }
    for (int e = pieces * V + lane; e < k; e += threads)
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            sum[i] = hd_add(sum[i], product<S>(a[i] + e, b + e * p.b_row));
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
        for (int half = threads / 2; half > 0; half /= 2)
            sum[i] = hd_add(sum[i], hd_from_lane(sum[i], (threadIdx.x & 31) ^ half));
        const hd_int64 row = first + i * apart;
        if (lane > 0 || row >= p.m) continue;
        R *const c = (R *)p.c + row * p.c_row;
        *c = as<R>(p.accumulate ? hd_add(as<S>(*c), sum[i]) : sum[i]);
    }
}

/* ---- Launches ----------------------------------------------------------------------------------------- */

typedef void (*function)(const heddle_thin_kernel);

static int launch(function kernel, int64_t blocks, const heddle_thin_kernel *p, void *stream)
{
    if (!kernel || blocks > INT32_MAX) return (int)cudaErrorInvalidValue;
    void *parameters[] = {const_cast<heddle_thin_kernel *>(p)};
    return (int)cudaLaunchKernel((const void *)kernel, dim3((unsigned)blocks), dim3(THREADS),
                                 parameters, 0, (cudaStream_t)stream);
}

template <class T>
static function sums_of(int result)
{
    return result == HEDDLE_FLOAT32 ? thin_sums<T, float> : thin_sums<T, T>;
}

int heddle__thin_sums(const struct heddle_thin_kernel *p, void *stream)
{
    function kernel = nullptr;
    switch (p->of) {
    case HEDDLE_FLOAT16: kernel = sums_of<hd_float16>(p->result); break;
    case HEDDLE_BFLOAT16: kernel = sums_of<hd_bfloat16>(p->result); break;
    case HEDDLE_FLOAT32: kernel = thin_sums<float, float>; break;
    case HEDDLE_FLOAT64: kernel = thin_sums<double, double>; break;
    case HEDDLE_COMPLEX64: kernel = thin_sums<hd_complex64, hd_complex64>; break;
    case HEDDLE_COMPLEX128: kernel = thin_sums<hd_complex128, hd_complex128>; break;
    }
    int64_t width = 1;
    while (width < WIDTH && width < p->m * p->n) width *= 2;
    return launch(kernel, (p->m * p->n + width - 1) / width, p, stream);
}

/* Rows that a thread of thin_across has: by their number and strides alone. */
template <class T>
static int rows_of_thread(const struct heddle_thin_kernel *p)
{
    enum { V = 16 / sizeof(T) };
    return p->a_row == 1 && p->m % V == 0 ? V : 1;
}

template <class T>
static int launch_vector(const struct heddle_thin_kernel *p, int along, void *stream)
{
    enum { V = 16 / sizeof(T) };
    const int rows = rows_of_thread<T>(p);
    const int64_t groups = (p->m / rows + THREADS - 1) / THREADS;
    if (along)
        return launch(thin_along<T>, (p->slices * p->m + THREADS / 32 - 1) / (THREADS / 32), p,
                      stream);
    if (V == 1 || rows == 1) return launch(thin_across<T, 1, false>, p->slices * groups, p, stream);
    const bool aligned = (uintptr_t)p->a % 16 == 0 && p->a_column * (int64_t)sizeof(T) % 16 == 0;
    return launch(aligned ? thin_across<T, V, true> : thin_across<T, V, false>, p->slices * groups,
                  p, stream);
}

int heddle__thin_vector(const struct heddle_thin_kernel *p, int along, void *stream)
{
    switch (p->of) {
    case HEDDLE_FLOAT16: return launch_vector<hd_float16>(p, along, stream);
    case HEDDLE_BFLOAT16: return launch_vector<hd_bfloat16>(p, along, stream);
    case HEDDLE_FLOAT32: return launch_vector<float>(p, along, stream);
    case HEDDLE_FLOAT64: return launch_vector<double>(p, along, stream);
    case HEDDLE_COMPLEX64: return launch_vector<hd_complex64>(p, along, stream);
    case HEDDLE_COMPLEX128: return launch_vector<hd_complex128>(p, along, stream);
    default: return (int)cudaErrorInvalidValue;
    }
}

template <class T, class R>
static function rows_of(bool aligned)
{
    return aligned ? thin_rows<T, R, true> : thin_rows<T, R, false>;
}

template <class T>
static function rows_to(int result, bool aligned)
{
    return result == HEDDLE_FLOAT32 ? rows_of<T, float>(aligned) : rows_of<T, T>(aligned);
}

int heddle__thin_rows(const struct heddle_thin_kernel *p, void *stream)
{
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)p->of);
    const bool aligned = (uintptr_t)p->a % 16 == 0 && p->a_row * size % 16 == 0;
    function kernel = nullptr;
    switch (p->of) {
    case HEDDLE_FLOAT16: kernel = rows_to<hd_float16>(p->result, aligned); break;
    case HEDDLE_BFLOAT16: kernel = rows_to<hd_bfloat16>(p->result, aligned); break;
    case HEDDLE_FLOAT32: kernel = rows_of<float, float>(aligned); break;
    case HEDDLE_FLOAT64: kernel = rows_of<double, double>(aligned); break;
    case HEDDLE_COMPLEX64: kernel = rows_of<hd_complex64, hd_complex64>(aligned); break;
    case HEDDLE_COMPLEX128: kernel = rows_of<hd_complex128, hd_complex128>(aligned); break;
    }
    const int64_t at_once = THREADS / p->length * AT_ONCE;
    return launch(kernel, (p->m + at_once - 1) / at_once, p, stream);
}
