/* Small systems, each by N threads of a warp, of which each has a row in its registers. Rows stay where they are: a thread
 * knows to which place its row has come. Entry point: cuda_systems.h. */
#include "families/factor/cuda_systems.h"
#include "families/factor/cuda_report.cuh"

#include <cuda_runtime.h>
#include <math.h>

enum { THREADS = 128, TOGETHER = 4 /* columns of a right side */ };
#define ALL 0xffffffffu

/* The value of another thread of the system's. */
template <int N, class V>
static __device__ V of_thread(V v, int lane)
{
    return __shfl_sync(ALL, v, (int)threadIdx.x % 32 / N * N + lane);
}

/* Of the candidates, the first of the largest magnitude: its thread. */
template <class T, int N>
static __device__ int find_pivot(T size, int place, int lane)
{
    int from = lane;
#pragma unroll
    for (int step = N / 2; step > 0; step /= 2) {
        const T other = of_thread<N>(size, lane ^ step);
        const int other_place = of_thread<N>(place, lane ^ step),
                  other_from = of_thread<N>(from, lane ^ step);
        const bool takes = other > size || (other == size && other_place < place);
        size = takes ? other : size;
        place = takes ? other_place : place;
        from = takes ? other_from : from;
    }
    return from;
}

/* Element `at` of a row, which registers have no index for. */
template <class T, int N>
static __device__ T pick(const T (&row)[N], int at)
{
    T x = row[0];
#pragma unroll
    for (int j = 1; j < N; j++) x = at == j ? row[j] : x;
    return x;
}

template <class T, int N>
static __global__ void __launch_bounds__(THREADS) solve(const heddle_systems_launch s)
{
    const int64_t system = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / N;
    const int lane = threadIdx.x % N, n = s.n;
    const bool is_here = system < s.batch && lane < n;
    const T *a = (const T *)s.a + (system * n + lane) * n;
    T row[N];
    int place = lane, owner = lane, bad = 0; /* owner: the thread whose row came to place `lane` */
    bool odd = false;
#pragma unroll
    for (int j = 0; j < N; j++) row[j] = is_here && j < n ? a[j] : (T)(j == lane);
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (k >= n) break;
        /* what is no number is a pivot only where it stands: no comparison finds it larger */
        T size = row[k] < 0 ? -row[k] : row[k];
        size = size != size ? (place == k ? (T)INFINITY : (T)-1) : size;
        if (place < k || lane >= n) size = (T)-2;
        const int from = find_pivot<T, N>(size, place, lane);
        const int before = of_thread<N>(place, from);
        if (place == k) place = before;
        if (lane == from) place = k;
        if (lane == k) owner = from;
        odd ^= before != k;
        const T pivot = of_thread<N>(row[k], from);
        if (pivot == 0 && bad == 0) bad = k + 1;
        const T factor = place > k && pivot != 0 ? row[k] / pivot : 0;
        if (place > k) row[k] = factor;
#pragma unroll
        for (int j = k + 1; j < N; j++) row[j] -= factor * of_thread<N>(row[j], from);
    }
    if (s.what >= HEDDLE_SYSTEMS_PIVOTS) {
        const T own = pick<T, N>(row, place), pivot = place == 0 && odd ? -own : own;
        if (s.what == HEDDLE_SYSTEMS_PIVOTS) {
            if (is_here) ((T *)s.out)[system * n + place] = pivot;
            return;
        }
        T product = of_thread<N>(pivot, of_thread<N>(owner, 0));
#pragma unroll
        for (int k = 1; k < N; k++) {
            const T next = of_thread<N>(pivot, of_thread<N>(owner, k));
            product *= k < n ? next : 1;
        }
        if (lane == 0 && is_here) ((T *)s.out)[system] = product;
        return;
    }
    if (lane == 0 && bad > 0 && system < s.batch)
        atomicMin(s.first, (unsigned long long)(system * n + bad - 1));
    for (int first = 0; first < s.columns; first += TOGETHER) {
        T x[TOGETHER];
#pragma unroll
        for (int c = 0; c < TOGETHER; c++) {
            const int column = first + c;
            x[c] = !is_here || column >= s.columns ? 0
                   : s.what == HEDDLE_SYSTEMS_INVERT
                       ? (T)(column == lane)
                       : ((const T *)s.b)[(system * n + lane) * s.columns + column];
        }
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (k >= n) break;
            const int from = of_thread<N>(owner, k);
            const T factor = place > k ? row[k] : 0;
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) x[c] -= factor * of_thread<N>(x[c], from);
        }
#pragma unroll
        for (int k = N - 1; k >= 0; k--) {
            if (k >= n) continue;
            const int from = of_thread<N>(owner, k);
            const T factor = place < k ? row[k] : 0;
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) {
                if (place == k) x[c] /= row[k];
                x[c] -= factor * of_thread<N>(x[c], from);
            }
        }
#pragma unroll
        for (int c = 0; c < TOGETHER; c++)
            if (is_here && first + c < s.columns)
                ((T *)s.out)[(system * n + place) * s.columns + first + c] = x[c];
    }
}

template <class T, int N>
static int launch(const heddle_systems_launch &s, cudaStream_t stream)
{
    const int64_t blocks = (s.batch * N + THREADS - 1) / THREADS;
    heddle_systems_launch argument = s;
    void *arguments[] = {&argument};
    return (int)cudaLaunchKernel((const void *)solve<T, N>, dim3((unsigned)blocks), dim3(THREADS),
                                 arguments, 0, stream);
}

template <class T>
static int launch_of(const heddle_systems_launch &s, cudaStream_t stream)
{
    if (s.n <= 2) return launch<T, 2>(s, stream);
    if (s.n <= 4) return launch<T, 4>(s, stream);
    return s.n <= 8 ? launch<T, 8>(s, stream) : launch<T, 16>(s, stream);
}

int heddle__systems_launch(const heddle_systems_launch *s, void *stream)
{
    return s->single ? launch_of<float>(*s, (cudaStream_t)stream)
                     : launch_of<double>(*s, (cudaStream_t)stream);
}

/* ---- Reports --------------------------------------------------------------------------------------------- */

struct first_zero {
    const unsigned long long *first;
    int64_t width, n;
    heddle_factor_report report;
};

static __global__ void report_zero(const first_zero z)
{
    if (*z.first < (unsigned long long)(z.width * z.n))
        write_report(z.report, (int64_t)*z.first / z.width, (int64_t)*z.first % z.width);
}

int heddle__factor_first(const unsigned long long *first, int64_t width, int64_t n,
                         const struct heddle_factor_report *report, void *stream)
{
    first_zero argument = {first, width, n, *report};
    void *arguments[] = {&argument};
    return (int)cudaLaunchKernel((const void *)report_zero, dim3(1), dim3(1), arguments, 0,
                                 (cudaStream_t)stream);
}
