/* Batches of small matrices are factored, each by a block of threads in shared memory (in place if it does not fit): their time is that of
 * dependent steps, not of arithmetic. cuSOLVER factors them by QR one after the other, and cuBLAS's batched steps wait for memory.
 * Householder's reflections and Gauss's elimination with partial pivoting, a column at a time, as LAPACK's geqr2 and getf2. Entry points:
 * cuda_batch.h. */
#include "families/factor/cuda_batch.h"

#include "families/factor/cuda_eliminate.cuh"

#include <cuda_runtime.h>
#include <heddle/dtype.h>

namespace
{

enum { MOST_WARPS = 16 };

/* ---- Panels ---------------------------------------------------------------------------------------------- */

struct panels {
    void *a, *scales;
    int rows, columns, pitch; /* pitch: from column to column where the panel is factored */
};

/* Moves a panel between memory and shared memory, a warp a column at a time. */
template <class T>
HD void copy(T *to, int to_pitch, const T *from, int from_pitch, int rows, int columns)
{
    const int lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
    for (int j = threadIdx.x / WARP; j < columns; j += warps)
        for (int i = lane; i < rows; i += WARP) to[j * to_pitch + i] = from[j * from_pitch + i];
}

/* The block's panel to where it is factored. */
template <class T, bool SHARED>
HD T *bring(const panels &p, T *all)
{
    HD_ROOMS;
    T *const a = SHARED ? (T *)hd_rooms : all;
    if (SHARED) copy(a, p.pitch, all, p.rows, p.rows, p.columns);
    __syncthreads();
    return a;
}

/* Householder's reflection of x, whose first element is alpha, to beta e: I - tau v v^H, v = 1 and then x times `up` times `scale`. `up` is a
 * power of 2, and not 1 if squares would be beyond what numbers go to. The same for all threads. */
template <class T>
struct reflection {
    T tau, scale;
    real_of<T> beta, up;
};

/* The sum of squares of x[1] .. x[n - 1], and of the imaginary part of x[0], all times `up`. */
template <class T>
HD real_of<T> squares(const T *x, int n, real_of<T> up)
{
    typedef real_of<T> R;
    R sum = 0;
    for (int i = 1 + (int)threadIdx.x % WARP; i < n; i += WARP) {
        const R u = hd_real(x[i]) * up, v = hd_imag(x[i]) * up;
        sum = fused(u, u, fused(v, v, sum));
    }
    const R v = hd_imag(x[0]) * up;
    return fused(v, v, sum_of_warp(sum));
}

template <class T>
HD reflection<T> reflect(const T *x, int n)
{
    typedef real_of<T> R;
    const bool single = sizeof(R) == 4;
    const R least = single ? (R)1e-30 : (R)1e-280, most = single ? (R)1e30 : (R)1e280;
    reflection<T> r;
    r.up = 1;
    R re = hd_real(x[0]), sum = squares(x, n, r.up), all = fused(re, re, sum);
    if (!(all > least && all < most)) {
        r.up = all > 1 ? (single ? (R)0x1p-100 : (R)0x1p-600) : (single ? (R)0x1p100 : (R)0x1p600);
        re *= r.up;
        sum = squares(x, n, r.up);
        all = fused(re, re, sum);
    }
    if (sum == 0) {
        r.tau = r.scale = T{0};
        r.beta = hd_real(x[0]);
        return r;
    }
    const R beta = re >= 0 ? -sqrt(all) : sqrt(all), im = hd_imag(x[0]) * r.up;
    T difference;
    set(r.tau, (beta - re) / beta, -im / beta);
    set(difference, re - beta, im);
    r.scale = quotient(T{1}, difference);
    r.beta = beta / r.up;
    return r;
}

template <class T>
HD T element_of(const reflection<T> &r, T x)
{
    return plus(T{0}, scaled(x, r.up), r.scale);
}

template <class T, bool SHARED>
__global__ void __launch_bounds__(MOST_WARPS *WARP) qr(const panels p)
{
    const int rows = p.rows, columns = p.columns, n = rows < columns ? rows : columns;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    T *const all = (T *)p.a + (hd_int64)blockIdx.x * rows * columns;
    T *const scales = (T *)p.scales + (hd_int64)blockIdx.x * n;
    T *const a = bring<T, SHARED>(p, all);
    const int pitch = p.pitch;
    for (int k = 0; k < n; k++) {
        T *const x = a + k * pitch;
        const reflection<T> r = reflect(x + k, rows - k);
        for (int j = k + 1 + warp * TOGETHER; j < columns; j += warps * TOGETHER) {
            T *const y = a + j * pitch;
            T sum[TOGETHER];
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) sum[c] = T{0};
            for (int i = k + 1 + lane; i < rows; i += WARP) {
                const T v = hd_conj(element_of(r, x[i]));
#pragma unroll
                for (int c = 0; c < TOGETHER; c++)
                    if (j + c < columns) sum[c] = plus(sum[c], v, y[c * pitch + i]);
            }
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) {
                const T first = j + c < columns ? y[c * pitch + k] : T{0};
                sum[c] = plus(T{0}, hd_conj(r.tau), plus(first, sum_of_warp(sum[c]), T{1}));
            }
            __syncwarp();
            for (int i = k + 1 + lane; i < rows; i += WARP) {
                const T v = element_of(r, x[i]);
#pragma unroll
                for (int c = 0; c < TOGETHER; c++)
                    if (j + c < columns) y[c * pitch + i] = minus(y[c * pitch + i], v, sum[c]);
            }
#pragma unroll
            for (int c = 0; c < TOGETHER; c++)
                if (lane == 0 && j + c < columns)
                    y[c * pitch + k] = minus(y[c * pitch + k], sum[c], T{1});
        }
        __syncthreads(); /* nobody reads the column any more */
        for (int i = k + 1 + (int)threadIdx.x; i < rows; i += blockDim.x)
            x[i] = element_of(r, x[i]);
        if (threadIdx.x == 0) {
            set(x[k], r.beta, real_of<T>(0));
            scales[k] = r.tau;
        }
    }
    __syncthreads();
    if (SHARED) copy(all, rows, a, pitch, rows, columns);
}

template <class T, bool SHARED>
__global__ void __launch_bounds__(MOST_WARPS *WARP) lu(const panels p)
{
    const int rows = p.rows, columns = p.columns, n = rows < columns ? rows : columns;
    T *const all = (T *)p.a + (hd_int64)blockIdx.x * rows * columns;
    hd_int64 *const pivots = (hd_int64 *)p.scales + (hd_int64)blockIdx.x * n;
    T *const a = bring<T, SHARED>(p, all);
    const int pitch = p.pitch;
    eliminate<true>(a, pitch, rows, columns, n, [&](int k, int at, T) { pivots[k] = at; });
    if (SHARED) copy(all, rows, a, pitch, rows, columns);
}

/* ---- Launches -------------------------------------------------------------------------------------------- */

enum { MOST_SHARED = 220 << 10, PLAIN_SHARED = 48 << 10 };

/* Bytes of a panel in shared memory, where columns begin in different banks. */
size_t shared_bytes(const heddle_batch *b)
{
    return (size_t)(b->rows | 1) * (size_t)b->columns *
           heddle_dtype_size((enum heddle_dtype)b->dtype);
}

int launch_panels(void (*near)(panels), void (*in_place)(panels), const heddle_batch *b,
                  void *stream)
{
    const size_t bytes = shared_bytes(b);
    int device, most = 0, warps = 1;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && bytes > PLAIN_SHARED)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return (int)error;
    const bool fits = bytes <= PLAIN_SHARED || bytes + 64 <= (size_t)most;
    const panels p = {b->panel, b->scales, b->rows, b->columns, fits ? b->rows | 1 : b->rows};
    while (warps < MOST_WARPS && warps * 2 * TOGETHER <= b->columns) warps *= 2;
    return launch_with_rooms((const void *)(fits ? near : in_place), b->n, warps * WARP, p,
                             fits ? bytes : 0, stream);
}

} // namespace

bool heddle__batch_factors(const struct heddle_batch *b)
{
    return b->n > 1 && b->n <= INT32_MAX && b->rows > 0 && b->columns > 0 &&
           shared_bytes(b) <= MOST_SHARED;
}

bool heddle__batch_reflects(const struct heddle_batch *b)
{
    enum { IN_PLACE = 1 << 24 /* steps of a matrix that are worth one of cuSOLVER's */ };
    const double n = b->rows < b->columns ? b->rows : b->columns,
                 cost = (double)b->rows * b->columns * n;
    return heddle__batch_factors(b) ||
           (b->n > 1 && b->n <= INT32_MAX && n > 0 && b->rows <= HEDDLE_BATCH_IN_PLACE &&
            (double)b->n * IN_PLACE >= cost);
}

int heddle__batch_qr(const struct heddle_batch *b, void *stream)
{
#define QR(T) launch_panels(qr<T, true>, qr<T, false>, b, stream)
    BY_DTYPE(b->dtype, QR)
}

int heddle__batch_lu(const struct heddle_batch *b, void *stream)
{
#define LU(T) launch_panels(lu<T, true>, lu<T, false>, b, stream)
    BY_DTYPE(b->dtype, LU)
}
