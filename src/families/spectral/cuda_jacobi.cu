/* Singular values and vectors by Jacobi's method on one side (M. Hestenes, 1958; Z. Drmac and K. Veselic, 2008): pairs of rows are rotated
 * until all are orthogonal; their lengths are the values. Pairs that share no row go together, a warp each, in the order of a tournament. It
 * is as exact as any method, and has few steps that wait for each other, where cuSOLVER decomposes matrices of more than 32 rows one after
 * the other. Entry points: heddle__jacobi_serves, heddle__jacobi. */
#include "families/spectral/cuda_jacobi.h"

#include "cuda/numbers.cuh"

#include <cuda_runtime.h>
#include <heddle/dtype.h>

namespace
{

enum { MOST_WARPS = 16, SWEEPS = 40, MOST_SHARED = 96 << 10, MOST_ROWS = 128 };

/* x times a number of magnitude 1, or a real one. */
template <class R>
HD R turned(R x, R by)
{
    return x * by;
}
template <class R>
HD hd_complex<R> turned(hd_complex<R> x, hd_complex<R> by)
{
    return plus(hd_complex<R>{0, 0}, x, by);
}

/* Lengths^2 up to this are 0, beside elements of which the largest is about 1: squares have lost their digits. */
template <class R>
HD R nothing()
{
    return sizeof(R) == 4 ? (R)0x1p-100 : (R)0x1p-960;
}

/* What makes rows p and q of lengths^2 `pp` and `qq` and product pq (p times the conjugate of q) orthogonal: c p - s q' and s p + c q', q' = q
 * times `phase`. s is 0 where they are so to the precision. */
template <class T>
struct rotation {
    real_of<T> c, s;
    T phase;
};
template <class T>
HD rotation<T> rotate(real_of<T> pp, real_of<T> qq, T pq, real_of<T> tolerance)
{
    typedef real_of<T> R;
    rotation<T> r = {1, 0, T{1}};
    const R re = hd_real(pq), im = hd_imag(pq), size = im == 0 ? fabs(re) : hypot(re, im);
    if (!(pp > nothing<R>() && qq > nothing<R>() && size > tolerance * sqrt(pp) * sqrt(qq)))
        return r;
    const R zeta = (qq - pp) / (2 * size), z = fabs(zeta);
    const R t = z > (R)1e8 ? (R)0.5 / z : 1 / (z + sqrt(1 + z * z));
    r.c = 1 / sqrt(1 + t * t);
    r.s = (zeta < 0 ? -t : t) * r.c;
    set(r.phase, re / size, im / size);
    return r;
}

template <class T>
HD void rotate_rows(const rotation<T> &r, T *p, T *q, int n)
{
    for (int i = threadIdx.x % WARP; i < n; i += WARP) {
        const T x = p[i], y = turned(q[i], r.phase);
        p[i] = minus(scaled(x, r.c), y, T{r.s});
        q[i] = plus(scaled(x, r.s), y, T{r.c});
    }
}

/* The largest part of all elements, the same for all threads; what is no number does not count. */
template <class T>
HD real_of<T> largest_part(const T *x, int n)
{
    typedef real_of<T> R;
    __shared__ R of_warp[MOST_WARPS];
    R most = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        most = fmax(most, fmax(fabs(hd_real(x[i])), fabs(hd_imag(x[i]))));
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        most = fmax(most, hd_from_lane(most, (int)threadIdx.x % WARP ^ step));
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = most;
    __syncthreads();
    for (int w = 0; w < (int)blockDim.x / WARP; w++) most = fmax(most, of_warp[w]);
    return most;
}

/* By a warp: row k, of length 0, becomes one of length 1 that is orthogonal to those of length 1: of an axis what these have not, twice, as
 * rounding wants it. */
template <class T>
HD void complete(T *a, const real_of<T> *length, int rows, int columns, int k)
{
    typedef real_of<T> R;
    const int lane = threadIdx.x % WARP;
    T *const x = a + k * columns;
    for (int axis = 0; axis < columns; axis++) {
        R square = 0;
        for (int i = lane; i < columns; i += WARP) x[i] = T{(R)(i == axis)};
        __syncwarp();
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < rows; j++) {
                if (j == k || length[j] == 0) continue;
                const T *const y = a + j * columns;
                T sum = T{0};
                for (int i = lane; i < columns; i += WARP) sum = plus(sum, x[i], hd_conj(y[i]));
                sum = sum_of_warp(sum);
                for (int i = lane; i < columns; i += WARP) x[i] = minus(x[i], y[i], sum);
                __syncwarp();
            }
        for (int i = lane; i < columns; i += WARP) {
            const R re = hd_real(x[i]), im = hd_imag(x[i]);
            square = fused(re, re, fused(im, im, square));
        }
        square = sum_of_warp(square);
        if (square * (2 * columns) < 1) continue; /* some axis has at least that much left */
        for (int i = lane; i < columns; i += WARP) x[i] = scaled(x[i], 1 / sqrt(square));
        __syncwarp();
        return;
    }
}

template <class T>
__global__ void __launch_bounds__(MOST_WARPS *WARP) decompose(const heddle_jacobi j)
{
    typedef real_of<T> R;
    HD_ROOMS;
    __shared__ R length[MOST_ROWS];
    __shared__ int place[MOST_ROWS];
    const int rows = j.rows, columns = j.columns, each = rows * columns;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const hd_int64 at = blockIdx.x;
    const bool vectors = j.has_vectors;
    T *const a = (T *)hd_rooms, *const w = a + each; /* W A has orthogonal rows; W^H is u */
    const T *const in = (const T *)j.in + at * each;
    const R least = sizeof(R) == 4 ? (R)0x1p-126 : (R)0x1p-1022;
    const R tolerance = (sizeof(R) == 4 ? (R)0x1p-23 : (R)0x1p-52) * sqrt((R)columns);

    for (int i = threadIdx.x; i < each; i += blockDim.x) a[i] = in[i];
    for (int i = threadIdx.x; vectors && i < rows * rows; i += blockDim.x)
        w[i] = T{(R)(i % rows == i / rows)};
    __syncthreads();
    const R most = largest_part(a, each);
    /* elements are at most 1, by a power of 2 that is a number like its inverse */
    const int shift = most >= least && most * 0 == 0 ? -ilogb(most) : 0;
    const int half = shift / 2, rest = shift - half;
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        a[i] = scaled(scaled(a[i], (R)ldexp((R)1, half)), (R)ldexp((R)1, rest));
    __syncthreads();

    const int players = rows + rows % 2, rounds = players - 1;
    bool converged = rows < 2;
    for (int sweep = 0; sweep < SWEEPS && !converged; sweep++) {
        int turns = 0;
        for (int round = 0; round < rounds; round++) {
            for (int pair = warp; pair < players / 2; pair += warps) {
                const int first = pair == 0 ? rounds : (round + pair) % rounds;
                const int second = (round - pair + rounds) % rounds;
                if (first >= rows || second >= rows) continue;
                T *const p = a + (first < second ? first : second) * columns;
                T *const q = a + (first < second ? second : first) * columns;
                R pp = 0, qq = 0;
                T pq = T{0};
                for (int i = lane; i < columns; i += WARP) {
                    const T x = p[i], y = q[i];
                    pp = fused(hd_real(x), hd_real(x), fused(hd_imag(x), hd_imag(x), pp));
                    qq = fused(hd_real(y), hd_real(y), fused(hd_imag(y), hd_imag(y), qq));
                    pq = plus(pq, x, hd_conj(y));
                }
                const rotation<T> r =
                    rotate(sum_of_warp(pp), sum_of_warp(qq), sum_of_warp(pq), tolerance);
                if (r.s == 0) continue;
                turns = 1;
                rotate_rows(r, p, q, columns);
                if (vectors)
                    rotate_rows(r, w + (p - a) / columns * rows, w + (q - a) / columns * rows,
                                rows);
            }
            __syncthreads();
        }
        converged = !__syncthreads_or(turns);
    }
    if (threadIdx.x == 0 && !converged) j.info[at] = 1;

    for (int k = warp; k < rows; k += warps) {
        R square = 0;
        for (int i = lane; i < columns; i += WARP) {
            const R re = hd_real(a[k * columns + i]), im = hd_imag(a[k * columns + i]);
            square = fused(re, re, fused(im, im, square));
        }
        square = sum_of_warp(square);
        if (square <= nothing<R>()) square = 0;
        if (lane == 0) length[k] = sqrt(square);
        for (int i = lane; vectors && i < columns && square > 0; i += WARP)
            a[k * columns + i] = scaled(a[k * columns + i], 1 / sqrt(square));
    }
    __syncthreads();
    for (int k = threadIdx.x; k < rows; k += blockDim.x) {
        int before = 0;
        for (int other = 0; other < rows; other++)
            before += length[other] > length[k] || (length[other] == length[k] && other < k);
        place[k] = before;
        ((R *)j.values)[at * rows + before] = (R)ldexp(length[k], -shift);
    }
    __syncthreads();
    if (!vectors) return;
    for (int k = 0; k < rows && warp == 0; k++) {
        if (length[k] > 0 || length[k] != length[k]) continue;
        complete(a, length, rows, columns, k);
        if (lane == 0) length[k] = 1;
        __syncwarp();
    }
    __syncthreads();
    T *const u = (T *)j.u + at * rows * rows, *const vh = (T *)j.vh + at * each;
    for (int k = warp; k < rows; k += warps) {
        for (int i = lane; i < columns; i += WARP) vh[place[k] * columns + i] = a[k * columns + i];
        for (int i = lane; i < rows; i += WARP) u[i * rows + place[k]] = hd_conj(w[k * rows + i]);
    }
}

size_t shared_bytes(const heddle_jacobi *j)
{
    return (size_t)j->rows * (size_t)(j->columns + (j->has_vectors ? j->rows : 0)) *
           heddle_dtype_size((enum heddle_dtype)j->dtype);
}

template <class T>
int launch(const heddle_jacobi *j, void *stream)
{
    int warps = 1;
    while (warps < MOST_WARPS && warps * 4 <= j->rows) warps *= 2;
    return launch_with_rooms((const void *)decompose<T>, j->n, warps * WARP, *j, shared_bytes(j),
                             stream);
}

} // namespace

bool heddle__jacobi_serves(const struct heddle_jacobi *j)
{
    return j->n > 1 && j->n <= INT32_MAX && j->rows > 0 && j->rows <= MOST_ROWS &&
           j->columns >= j->rows && shared_bytes(j) <= MOST_SHARED - 4096;
}

int heddle__jacobi(const struct heddle_jacobi *j, void *stream)
{
#define LAUNCH(T) launch<T>(j, stream)
    BY_DTYPE(j->dtype, LAUNCH)
}
