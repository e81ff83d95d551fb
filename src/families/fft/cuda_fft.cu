/* What is done around cuFFT: factors, what C2R is given, and lines side by side. */
#include "families/fft/cuda_fft.h"

#include "cuda/scalar.cuh"

enum { THREADS = 256 };
static const int64_t blocks_max = 1 << 16;

template <class T>
struct pair {
    T r, i;
};

template <class T>
static __global__ void __launch_bounds__(THREADS) scale(T *x, hd_int64 n, T factor)
{
    const hd_int64 step = (hd_int64)gridDim.x * THREADS;
    for (hd_int64 i = (hd_int64)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        x[i] *= factor;
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    hermitian(const pair<T> *in, pair<T> *out, hd_int64 size, hd_int64 extent, hd_int64 inner,
              hd_int64 n, T factor)
{
    const hd_int64 step = (hd_int64)gridDim.x * THREADS;
    for (hd_int64 i = (hd_int64)blockIdx.x * THREADS + threadIdx.x; i < size; i += step) {
        const hd_int64 k = i / inner % extent;
        const pair<T> x = in[i];
        out[i].r = x.r * factor;
        out[i].i = k == 0 || 2 * k == n ? (T)0 : x.i * factor;
    }
}

enum { TILE = 32, TILE_ROWS = 8 };

template <class T>
static __global__ void __launch_bounds__(TILE *TILE_ROWS)
    transpose(const T *in, T *out, hd_int64 outer, hd_int64 rows, hd_int64 columns)
{
    __shared__ T tile[TILE][TILE + 1];
    const hd_int64 across = (columns + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (hd_int64 i = blockIdx.x; i < outer * down * across; i += gridDim.x) {
        const hd_int64 column = i % across * TILE, row = i / across % down * TILE,
                       from = i / across / down * rows * columns;
        for (int k = y; k < TILE; k += TILE_ROWS)
            if (row + k < rows && column + x < columns)
                tile[k][x] = in[from + (row + k) * columns + column + x];
        __syncthreads();
        for (int k = y; k < TILE; k += TILE_ROWS)
            if (column + k < columns && row + x < rows)
                out[from + (column + k) * rows + row + x] = tile[x][k];
        __syncthreads();
    }
}

/* The same where there are few columns, or few rows: neighbouring threads have neighbours along the short axis. I: of indices. */
template <class T, class I>
static __global__ void __launch_bounds__(THREADS)
    transpose_narrow(const T *in, T *out, I size, I rows, I columns)
{
    const I step = (I)gridDim.x * THREADS;
    const bool from = columns < rows; /* by elements of `in` */
    const I width = from ? columns : rows, length = from ? rows : columns;
    for (I i = (I)blockIdx.x * THREADS + threadIdx.x; i < size; i += step) {
        const I line = i / width, there = line / length * (width * length) +
                                          (i - line * width) * length + line % length;
        if (from)
            out[there] = in[i];
        else
            out[i] = in[there];
    }
}

static unsigned blocks(int64_t n)
{
    const int64_t b = (n + THREADS - 1) / THREADS;
    return (unsigned)(b < blocks_max ? b : blocks_max);
}

int heddle__fft_scale(void *x, int is_double, int64_t n, double factor, void *stream)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (n == 0) return 0;
    if (is_double)
        scale<<<blocks(n), THREADS, 0, s>>>((double *)x, (hd_int64)n, factor);
    else
        scale<<<blocks(n), THREADS, 0, s>>>((float *)x, (hd_int64)n, (float)factor);
    return (int)cudaGetLastError();
}

int heddle__fft_hermitian(const void *in, void *out, int is_double, int64_t outer, int64_t extent,
                          int64_t inner, int64_t n, double factor, void *stream)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t size = outer * extent * inner;
    if (size == 0) return 0;
    if (is_double)
        hermitian<<<blocks(size), THREADS, 0, s>>>((const pair<double> *)in, (pair<double> *)out,
                                                   size, extent, inner, n, factor);
    else
        hermitian<<<blocks(size), THREADS, 0, s>>>((const pair<float> *)in, (pair<float> *)out,
                                                   size, extent, inner, n, (float)factor);
    return (int)cudaGetLastError();
}

template <class T>
static void launch_transpose(const void *from, void *to, int64_t outer, int64_t rows,
                             int64_t columns, cudaStream_t s)
{
    enum { NARROW = 16 };
    const T *in = (const T *)from;
    T *out = (T *)to;
    const int64_t size = outer * rows * columns,
                  tiles = outer * ((rows + TILE - 1) / TILE) * ((columns + TILE - 1) / TILE);
    if (rows > NARROW && columns > NARROW)
        transpose<<<blocks(tiles * THREADS), THREADS, 0, s>>>(in, out, outer, rows, columns);
    else if (size <= INT32_MAX) /* a step beyond does not wrap */
        transpose_narrow<T, hd_uint32><<<blocks(size), THREADS, 0, s>>>(
            in, out, (hd_uint32)size, (hd_uint32)rows, (hd_uint32)columns);
    else
        transpose_narrow<T, hd_int64>
            <<<blocks(size), THREADS, 0, s>>>(in, out, size, rows, columns);
}

int heddle__fft_transpose(const void *in, void *out, int element_bytes, int64_t outer, int64_t rows,
                          int64_t columns, void *stream)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (outer * rows * columns == 0) return 0;
    if (element_bytes == 4)
        launch_transpose<float>(in, out, outer, rows, columns, s);
    else if (element_bytes == 8)
        launch_transpose<double>(in, out, outer, rows, columns, s);
    else
        launch_transpose<pair<double>>(in, out, outer, rows, columns, s);
    return (int)cudaGetLastError();
}
