/* Rows that a block of threads, some threads of a warp, or one hold are sorted in registers and shared memory, by CUB: each
 * is read and written once. Entry point: heddle__sort_short_rows. */
#include "families/sort/cuda_short_rows.h"

#include "families/sort/cuda_keys.cuh"

#include <heddle/dtype.h>

/* CUB includes <iostream>, whose objects would have every program load libstdc++; it uses none of them. */
#include <ostream>
#define _GLIBCXX_IOSTREAM 1

#include <cub/block/block_radix_sort.cuh>
#include <cub/thread/thread_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <type_traits>

enum { SMALL_BLOCK = 128, TINY_ROW = 32 };

/* ---- Elements ---------------------------------------------------------------------------------------------- */

template <class How, class K>
static __device__ __forceinline__ typename How::key_type key_at(const heddle_short_rows<K> &a,
                                                                hd_int64 i)
{
    return How::key(((const typename How::type *)a.in)[i], a.zeros_equal,
                    (typename How::key_type)a.flip);
}

template <class How, class K>
static __device__ __forceinline__ int put_element(const heddle_short_rows<K> &a, hd_int64 i, K key)
{
    ((typename How::type *)a.elements)[i] =
        How::element((typename How::key_type)key, (typename How::key_type)a.flip);
    return 0;
}

/* Keys and positions first..first+Each-1 of a row of n. What is beyond it is as the largest key, and stays behind those
 * that are. */
template <class K, int Each>
static __device__ __forceinline__ void read_keys(K (&key)[Each], unsigned (&position)[Each],
                                                 const heddle_short_rows<K> &a, hd_int64 row,
                                                 int first, int n)
{
#pragma unroll
    for (int k = 0; k < Each; k++) {
        key[k] =
            first + k < n ? (K)HEDDLE_SORT_BY_KEYS(a.dtype, key_at, a, row + first + k) : ~(K)0;
        position[k] = (unsigned)(first + k);
    }
}

template <class K>
static __device__ __forceinline__ void put(const heddle_short_rows<K> &a, hd_int64 i, K key,
                                           unsigned position)
{
    if (a.elements) (void)HEDDLE_SORT_BY_KEYS(a.dtype, put_element, a, i, key);
    if (a.positions) a.positions[i] = position;
}

/* ---- Kernels ----------------------------------------------------------------------------------------------- */

/* Threads have neighbours of the row first, and every Threads-th of it at the end. */
template <class K, int Threads, int Each, bool WithPositions>
static __global__ void __launch_bounds__(Threads) sort_row(const heddle_short_rows<K> a)
{
    typedef std::conditional_t<WithPositions, unsigned, cub::NullType> value;
    typedef cub::BlockRadixSort<K, Threads, Each, value> block_sort;
    __shared__ typename block_sort::TempStorage room;
    const hd_int64 row = (hd_int64)blockIdx.x * a.n;
    K key[Each];
    unsigned position[Each];
    read_keys(key, position, a, row, (int)threadIdx.x * Each, a.n);
    if constexpr (WithPositions)
        block_sort(room).SortBlockedToStriped(key, position, 0, a.bits);
    else
        block_sort(room).SortBlockedToStriped(key, 0, a.bits);
#pragma unroll
    for (int k = 0; k < Each; k++) {
        const int i = (int)threadIdx.x + k * Threads;
        if (i < a.n) put(a, row + i, key[k], position[k]);
    }
}

struct is_less {
    template <class K>
    __device__ bool operator()(K x, K y) const
    {
        return x < y;
    }
};

/* A row for each `Threads` of a warp, of which each has Each neighbours. */
template <class K, int Threads, int Each, bool WithPositions>
static __global__ void __launch_bounds__(SMALL_BLOCK) sort_small_rows(const heddle_short_rows<K> a)
{
    typedef std::conditional_t<WithPositions, unsigned, cub::NullType> value;
    typedef cub::WarpMergeSort<K, Each, Threads, value> warp_sort;
    __shared__ typename warp_sort::TempStorage room[SMALL_BLOCK / Threads];
    const int group = (int)threadIdx.x / Threads;
    const int first = (int)threadIdx.x % Threads * Each;
    const hd_int64 number = (hd_int64)blockIdx.x * (SMALL_BLOCK / Threads) + group;
    const hd_int64 row = number * a.n;
    const int end = number < a.rows ? a.n : 0;
    K key[Each];
    unsigned position[Each];
    read_keys(key, position, a, row, first, end);
    if constexpr (WithPositions)
        warp_sort(room[group]).StableSort(key, position, is_less());
    else
        warp_sort(room[group]).StableSort(key, is_less());
#pragma unroll
    for (int k = 0; k < Each; k++)
        if (first + k < end) put(a, row + first + k, key[k], position[k]);
}

/* The rows of a block that has one for each thread, in shared memory an odd number of elements apart. */
struct tile {
    int n, rows, nth; /* i * nth / 2^20 is i / n of i < 2^15 */
    hd_int64 first;   /* element */
    __device__ tile(int n, hd_int64 row, hd_int64 left)
        : n(n), rows(left < SMALL_BLOCK ? (int)left : SMALL_BLOCK), nth((1 << 20) / n + 1),
          first(row * n)
    {
    }
    __device__ int apart() const { return n | 1; }
    __device__ int place(int i) const { return i + (i * nth >> 20) * (apart() - n); }
};

template <class How, class K>
static __device__ __forceinline__ int read_tile(const heddle_short_rows<K> &a, const tile &t,
                                                K *keys)
{
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < t.rows * t.n; i += SMALL_BLOCK)
        keys[t.place(i)] = (K)key_at<How>(a, t.first + i);
    return 0;
}

template <class How, class K>
static __device__ __forceinline__ int put_tile(const heddle_short_rows<K> &a, const tile &t,
                                               const K *keys)
{
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < t.rows * t.n; i += SMALL_BLOCK)
        (void)put_element<How>(a, t.first + i, keys[t.place(i)]);
    return 0;
}

/* A row for each thread, with room for Each elements. Threads of a block read and write neighbours, and exchange them in shared memory. */
template <class K, int Each, bool WithPositions>
static __global__ void __launch_bounds__(SMALL_BLOCK) sort_tiny_rows(const heddle_short_rows<K> a)
{
    typedef std::conditional_t<WithPositions, unsigned, cub::NullType> value;
    __shared__ K keys[SMALL_BLOCK * (Each + 1)];
    __shared__ unsigned char places[WithPositions ? SMALL_BLOCK * (Each + 1) : 1];
    const hd_int64 row = (hd_int64)blockIdx.x * SMALL_BLOCK;
    const tile t(a.n, row, a.rows - row);
    (void)HEDDLE_SORT_BY_KEYS(a.dtype, read_tile, a, t, keys);
    __syncthreads();
    const int own = (int)threadIdx.x * t.apart();
    K key[Each];
    value position[Each];
    if ((int)threadIdx.x < t.rows) {
#pragma unroll
        for (int k = 0; k < Each; k++) {
            key[k] = k < t.n ? keys[own + k] : ~(K)0;
            if constexpr (WithPositions) position[k] = (unsigned)k;
        }
        cub::StableOddEvenSort(key, position, is_less());
#pragma unroll
        for (int k = 0; k < Each; k++) {
            if (k >= t.n) break;
            keys[own + k] = key[k];
            if constexpr (WithPositions) places[own + k] = (unsigned char)position[k];
        }
    }
    __syncthreads();
    if (a.elements) (void)HEDDLE_SORT_BY_KEYS(a.dtype, put_tile, a, t, keys);
    if constexpr (WithPositions)
        for (int i = (int)threadIdx.x; i < t.rows * t.n; i += SMALL_BLOCK)
            a.positions[t.first + i] = places[t.place(i)];
}

template <int Each, class K>
static void launch_tiny(const heddle_short_rows<K> &a, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((a.rows + SMALL_BLOCK - 1) / SMALL_BLOCK);
    if (a.positions)
        sort_tiny_rows<K, Each, true><<<blocks, SMALL_BLOCK, 0, stream>>>(a);
    else
        sort_tiny_rows<K, Each, false><<<blocks, SMALL_BLOCK, 0, stream>>>(a);
}

template <int Threads, int Each, class K>
static void launch_small(const heddle_short_rows<K> &a, cudaStream_t stream)
{
    constexpr int rows = SMALL_BLOCK / Threads;
    const unsigned blocks = (unsigned)((a.rows + rows - 1) / rows);
    if (a.positions)
        sort_small_rows<K, Threads, Each, true><<<blocks, SMALL_BLOCK, 0, stream>>>(a);
    else
        sort_small_rows<K, Threads, Each, false><<<blocks, SMALL_BLOCK, 0, stream>>>(a);
}

template <int Threads, int Each, class K>
static void launch(const heddle_short_rows<K> &a, cudaStream_t stream)
{
    if (a.positions)
        sort_row<K, Threads, Each, true><<<(unsigned)a.rows, Threads, 0, stream>>>(a);
    else
        sort_row<K, Threads, Each, false><<<(unsigned)a.rows, Threads, 0, stream>>>(a);
}

template <class K>
cudaError_t heddle__sort_short_rows(const heddle_short_rows<K> &a, cudaStream_t stream)
{
    if (a.n <= TINY_ROW / 8)
        launch_tiny<TINY_ROW / 8>(a, stream);
    else if (a.n <= TINY_ROW / 4)
        launch_tiny<TINY_ROW / 4>(a, stream);
    else if (a.n <= TINY_ROW / 2)
        launch_tiny<TINY_ROW / 2>(a, stream);
    else if (a.n <= TINY_ROW * 3 / 4)
        launch_tiny<TINY_ROW * 3 / 4>(a, stream);
    else if (a.n <= TINY_ROW)
        launch_tiny<TINY_ROW>(a, stream);
    else if (a.n <= 64)
        launch_small<16, 4>(a, stream);
    else if (a.n <= 128)
        launch_small<32, 4>(a, stream);
    else if (a.n <= 256)
        launch_small<32, 8>(a, stream);
    else if (a.n <= 512)
        launch<128, 4>(a, stream);
    else if (a.n <= 1536)
        launch<256, 6>(a, stream);
    else
        launch<512, 8>(a, stream);
    return cudaGetLastError();
}

template cudaError_t heddle__sort_short_rows(const heddle_short_rows<unsigned> &, cudaStream_t);
template cudaError_t heddle__sort_short_rows(const heddle_short_rows<hd_uint64> &, cudaStream_t);
