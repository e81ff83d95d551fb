/* What cuSOLVER leaves to others: pointers of a batch, pivots as rows, the order that they make, identities, and reports of
 * matrices without a factor. Entry points: cuda_factor.h. */
#include "families/factor/cuda_factor.h"
#include "families/factor/cuda_report.cuh"

#include <cuda_runtime.h>

enum { THREADS = 256, SHARED_ROWS = 12000 /* of 4 bytes, that any GPU has room for */ };

static unsigned blocks_for(int64_t n)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return (unsigned)(blocks < 65536 ? blocks : 65536);
}

#define FOR_ALL(i, n)                                                                              \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);                      \
         i += (int64_t)gridDim.x * blockDim.x)

/* ---- Batches and pivots -------------------------------------------------------------------------------- */

static __global__ void set_pointers(void **pointers, char *first, int64_t bytes, int64_t n)
{
    FOR_ALL(i, n) pointers[i] = first + i * bytes;
}

int heddle__factor_pointers(void **pointers, void *first, int64_t bytes, int64_t n, void *stream)
{
    set_pointers<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(pointers, (char *)first,
                                                                      bytes, n);
    return (int)cudaGetLastError();
}

template <class To, class From>
static __global__ void shift(To *to, const From *from, int64_t by, int64_t n)
{
    FOR_ALL(i, n) to[i] = (To)(from[i] + by);
}

int heddle__factor_rows_of(int64_t *to, const int64_t *from, int64_t row, int64_t n, void *stream)
{
    shift<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(to, from, row - 1, n);
    return (int)cudaGetLastError();
}

int heddle__factor_rows_of_int(int64_t *to, const int *from, int64_t n, void *stream)
{
    shift<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(to, from, (int64_t)-1, n);
    return (int)cudaGetLastError();
}

/* A block for each matrix. Swaps depend on each other, so one thread makes them, in shared memory if the rows fit: no more
 * of it than they take, so that many small matrices have their turn at once. */
static __global__ void __launch_bounds__(THREADS)
    find_order(int64_t *order, int64_t *signs, const int64_t *pivots, int64_t rows,
               int64_t n_pivots)
{
    extern __shared__ int near[];
    __shared__ int odd;
    const bool fits = rows <= SHARED_ROWS;
    order += blockIdx.x * rows;
    pivots += blockIdx.x * n_pivots;
    if (threadIdx.x == 0) odd = 0;
    __syncthreads();
    int swaps = 0;
    for (int64_t i = threadIdx.x; i < rows; i += blockDim.x) {
        if (fits)
            near[i] = (int)i;
        else
            order[i] = i;
    }
    for (int64_t i = threadIdx.x; i < n_pivots; i += blockDim.x) swaps += pivots[i] != i;
    if (swaps & 1) atomicXor(&odd, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int64_t i = 0; i < n_pivots; i++) {
            const int64_t with = pivots[i];
            if (fits) {
                const int row = near[i];
                near[i] = near[with];
                near[with] = row;
            } else {
                const int64_t row = order[i];
                order[i] = order[with];
                order[with] = row;
            }
        }
        signs[blockIdx.x] = odd ? -1 : 1;
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < rows && fits; i += blockDim.x) order[i] = near[i];
}

int heddle__factor_order(int64_t *order, int64_t *signs, const int64_t *pivots, int64_t rows,
                         int64_t n_pivots, int64_t n, void *stream)
{
    const size_t shared = rows <= SHARED_ROWS ? (size_t)rows * sizeof(int) : 0;
    const unsigned threads = rows <= 64 ? 64 : THREADS;
    find_order<<<(unsigned)n, threads, shared, (cudaStream_t)stream>>>(order, signs, pivots, rows,
                                                                       n_pivots);
    return (int)cudaGetLastError();
}

/* ---- Swaps ----------------------------------------------------------------------------------------------- */

enum { SWAPS = 512, SWAP_THREADS = 128 };

/* A block for each column. Of SWAPS swaps at a time all rows that they touch come to shared memory at once: those with a pivot,
 * which are neighbours, and behind them each other one in the place of the first swap that takes it. One thread makes the
 * swaps there, which depend on each other. */
template <class T>
static __global__ void __launch_bounds__(SWAP_THREADS)
    swap_rows(T *to, int64_t rows, const int64_t *pivots, int64_t row, int64_t n)
{
    __shared__ T value[2 * SWAPS];
    __shared__ int64_t with[SWAPS];
    __shared__ int place[SWAPS];
    T *column = to + blockIdx.x * rows;
    for (; n > 0; n -= SWAPS, row += SWAPS, pivots += SWAPS) {
        const int some = n < SWAPS ? (int)n : SWAPS;
        for (int i = threadIdx.x; i < some; i += SWAP_THREADS) {
            with[i] = pivots[i] - row;
            value[i] = column[row + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < some; i += SWAP_THREADS) {
            int first = 0;
            if (with[i] < some) {
                place[i] = (int)with[i];
                continue;
            }
            while (with[first] != with[i]) first++;
            place[i] = SWAPS + first;
            if (first == i) value[SWAPS + i] = column[row + with[i]];
        }
        __syncthreads();
        for (int i = 0; i < some && threadIdx.x == 0; i++) {
            const T x = value[i];
            value[i] = value[place[i]];
            value[place[i]] = x;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < some; i += SWAP_THREADS) {
            column[row + i] = value[i];
            if (place[i] == SWAPS + i) column[row + with[i]] = value[SWAPS + i];
        }
        __syncthreads();
    }
}

int heddle__factor_swap(void *to, int64_t rows, int64_t columns, int size, const int64_t *pivots,
                        int64_t row, int64_t n, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    const unsigned blocks = (unsigned)columns;
    if (size == 4)
        swap_rows<<<blocks, SWAP_THREADS, 0, s>>>((float *)to, rows, pivots, row, n);
    else if (size == 8)
        swap_rows<<<blocks, SWAP_THREADS, 0, s>>>((double *)to, rows, pivots, row, n);
    else
        swap_rows<<<blocks, SWAP_THREADS, 0, s>>>((double2 *)to, rows, pivots, row, n);
    return (int)cudaGetLastError();
}

/* ---- Identities ------------------------------------------------------------------------------------------ */

template <class T, int WORDS>
static __global__ void set_identity(T *to, int64_t rows, int64_t columns, int64_t begin,
                                    int64_t all)
{
    FOR_ALL(i, all)
    {
        const int64_t row = i % rows, column = i / rows % columns;
        to[i * WORDS] = (T)(row == begin + column);
        if (WORDS > 1) to[i * WORDS + 1] = 0;
    }
}

int heddle__factor_identity(void *to, int64_t rows, int64_t columns, int64_t begin, int size,
                            int real, int64_t n, void *stream)
{
    const int64_t all = rows * columns * n;
    const cudaStream_t s = (cudaStream_t)stream;
    const unsigned blocks = blocks_for(all);
    if (real == 4 && size == 4)
        set_identity<float, 1><<<blocks, THREADS, 0, s>>>((float *)to, rows, columns, begin, all);
    else if (real == 4)
        set_identity<float, 2><<<blocks, THREADS, 0, s>>>((float *)to, rows, columns, begin, all);
    else if (size == 8)
        set_identity<double, 1><<<blocks, THREADS, 0, s>>>((double *)to, rows, columns, begin, all);
    else
        set_identity<double, 2><<<blocks, THREADS, 0, s>>>((double *)to, rows, columns, begin, all);
    return (int)cudaGetLastError();
}

/* ---- Reflectors --------------------------------------------------------------------------------------------- */

template <class T, int WORDS>
static __global__ void copy_reflectors(T *v, const T *panel, int64_t ld, int64_t m, int64_t k)
{
    FOR_ALL(i, m * k)
    {
        const int64_t row = i % m, column = i / m;
        for (int w = 0; w < WORDS; w++)
            v[i * WORDS + w] = row > column    ? panel[(column * ld + row) * WORDS + w]
                               : row == column ? (T)(w == 0)
                                               : (T)0;
    }
}

int heddle__factor_reflectors(void *v, const void *panel, int64_t ld, int64_t m, int64_t k,
                              int size, int real, void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    const unsigned blocks = blocks_for(m * k);
    if (real == 4 && size == 4)
        copy_reflectors<float, 1>
            <<<blocks, THREADS, 0, s>>>((float *)v, (const float *)panel, ld, m, k);
    else if (real == 4)
        copy_reflectors<float, 2>
            <<<blocks, THREADS, 0, s>>>((float *)v, (const float *)panel, ld, m, k);
    else if (size == 8)
        copy_reflectors<double, 1>
            <<<blocks, THREADS, 0, s>>>((double *)v, (const double *)panel, ld, m, k);
    else
        copy_reflectors<double, 2>
            <<<blocks, THREADS, 0, s>>>((double *)v, (const double *)panel, ld, m, k);
    return (int)cudaGetLastError();
}

template <class T, int WORDS>
static __global__ void set_reciprocals(T *to, const T *tau, int64_t k)
{
    const T large = sizeof(T) == 4 ? (T)1e30 : (T)1e200;
    FOR_ALL(i, k)
    {
        const T re = tau[i * WORDS], im = WORDS > 1 ? tau[i * WORDS + WORDS - 1] : (T)0;
        const T square = re * re + im * im;
        T *x = to + i * (k + 1) * WORDS;
        x[0] = square > 0 ? re / square : large;
        if (WORDS > 1) x[WORDS - 1] = square > 0 ? -im / square : (T)0;
    }
}

int heddle__factor_reciprocals(void *to, const void *tau, int64_t k, int size, int real,
                               void *stream)
{
    const cudaStream_t s = (cudaStream_t)stream;
    const unsigned blocks = blocks_for(k);
    if (real == 4 && size == 4)
        set_reciprocals<float, 1><<<blocks, THREADS, 0, s>>>((float *)to, (const float *)tau, k);
    else if (real == 4)
        set_reciprocals<float, 2><<<blocks, THREADS, 0, s>>>((float *)to, (const float *)tau, k);
    else if (size == 8)
        set_reciprocals<double, 1><<<blocks, THREADS, 0, s>>>((double *)to, (const double *)tau, k);
    else
        set_reciprocals<double, 2><<<blocks, THREADS, 0, s>>>((double *)to, (const double *)tau, k);
    return (int)cudaGetLastError();
}

/* ---- Reports --------------------------------------------------------------------------------------------- */

/* One block, so that the first matrix is the one that is reported. */
static __global__ void __launch_bounds__(THREADS)
    check_info(const int *info, int64_t n, const heddle_factor_report report)
{
    __shared__ unsigned long long first;
    if (threadIdx.x == 0) first = (unsigned long long)n;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        if (info[i] > 0) atomicMin(&first, (unsigned long long)i);
    __syncthreads();
    if (threadIdx.x == 0 && first < (unsigned long long)n)
        write_report(report, (int64_t)first, info[first] - 1);
}

int heddle__factor_info(const int *info, int64_t n, const struct heddle_factor_report *report,
                        void *stream)
{
    check_info<<<1, THREADS, 0, (cudaStream_t)stream>>>(info, n, *report);
    return (int)cudaGetLastError();
}

/* The least number of a diagonal element that is 0, among all of all matrices, goes to *first. */
template <class T, int WORDS>
static __global__ void __launch_bounds__(THREADS)
    find_zero(const char *at, int64_t rows, int64_t width, int64_t bytes, int64_t n,
              unsigned long long *first)
{
    FOR_ALL(i, width * n)
    {
        const T *x = (const T *)(at + i / width * bytes) + i % width * (rows + 1) * WORDS;
        if (x[0] == 0 && (WORDS == 1 || x[WORDS - 1] == 0)) atomicMin(first, (unsigned long long)i);
    }
}

int heddle__factor_diagonal(const void *at, int64_t rows, int64_t width, int size, int real,
                            int64_t bytes, int64_t n, void *word,
                            const struct heddle_factor_report *report, void *stream)
{
    const char *x = (const char *)at;
    unsigned long long *first = (unsigned long long *)word;
    const cudaStream_t s = (cudaStream_t)stream;
    const unsigned blocks = blocks_for(width * n);
    const cudaError_t error = cudaMemsetAsync(first, 0xff, sizeof *first, s);
    if (error != cudaSuccess) return (int)error;
    if (real == 4 && size == 4)
        find_zero<float, 1><<<blocks, THREADS, 0, s>>>(x, rows, width, bytes, n, first);
    else if (real == 4)
        find_zero<float, 2><<<blocks, THREADS, 0, s>>>(x, rows, width, bytes, n, first);
    else if (size == 8)
        find_zero<double, 1><<<blocks, THREADS, 0, s>>>(x, rows, width, bytes, n, first);
    else
        find_zero<double, 2><<<blocks, THREADS, 0, s>>>(x, rows, width, bytes, n, first);
    const cudaError_t found = cudaGetLastError();
    return found != cudaSuccess ? (int)found
                                : heddle__factor_first(first, width, n, report, stream);
}
