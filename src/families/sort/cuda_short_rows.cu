/* Rows that a block of threads, or some threads of a warp, hold are sorted in registers and shared memory, by CUB: each
 * is read and written once. Entry point: heddle__sort_short_rows. */
#include "families/sort/cuda_short_rows.h"

/* CUB includes <iostream>, whose objects would have every program load libstdc++; it uses none of them. */
#include <ostream>
#define _GLIBCXX_IOSTREAM 1

#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <type_traits>

enum { SMALL_BLOCK = 128, SMALL_EACH = 4 };

/* Keys and positions first..first+Each-1 of a row of n. What is beyond it is as the largest key, and stays behind those
 * that are. */
template <class K, int Each>
static __device__ __forceinline__ void read_keys(K (&key)[Each], unsigned (&position)[Each],
                                                 const K *row, int first, int n)
{
#pragma unroll
    for (int k = 0; k < Each; k++) {
        key[k] = first + k < n ? row[first + k] : ~(K)0;
        position[k] = (unsigned)(first + k);
    }
}

/* Threads have neighbours of the row first, and every Threads-th of it at the end. */
template <class K, int Threads, int Each, bool WithPositions>
static __global__ void __launch_bounds__(Threads)
    sort_row(K *keys, unsigned *positions, int n, int bits)
{
    typedef std::conditional_t<WithPositions, unsigned, cub::NullType> value;
    typedef cub::BlockRadixSort<K, Threads, Each, value> block_sort;
    __shared__ typename block_sort::TempStorage room;
    const hd_int64 row = (hd_int64)blockIdx.x * n;
    K key[Each];
    unsigned position[Each];
    read_keys(key, position, keys + row, (int)threadIdx.x * Each, n);
    if constexpr (WithPositions)
        block_sort(room).SortBlockedToStriped(key, position, 0, bits);
    else
        block_sort(room).SortBlockedToStriped(key, 0, bits);
#pragma unroll
    for (int k = 0; k < Each; k++) {
        const int i = (int)threadIdx.x + k * Threads;
        if (i >= n) continue;
        keys[row + i] = key[k];
        if constexpr (WithPositions) positions[row + i] = position[k];
    }
}

struct is_less {
    template <class K>
    __device__ bool operator()(K x, K y) const
    {
        return x < y;
    }
};

/* A row for each `Threads` of a warp. */
template <class K, int Threads, bool WithPositions>
static __global__ void __launch_bounds__(SMALL_BLOCK)
    sort_small_rows(K *keys, unsigned *positions, hd_int64 rows, int n)
{
    typedef std::conditional_t<WithPositions, unsigned, cub::NullType> value;
    typedef cub::WarpMergeSort<K, SMALL_EACH, Threads, value> warp_sort;
    __shared__ typename warp_sort::TempStorage room[SMALL_BLOCK / Threads];
    const int group = (int)threadIdx.x / Threads;
    const int first = (int)threadIdx.x % Threads * SMALL_EACH;
    const hd_int64 number = (hd_int64)blockIdx.x * (SMALL_BLOCK / Threads) + group;
    const hd_int64 row = number * n;
    const int end = number < rows ? n : 0;
    K key[SMALL_EACH];
    unsigned position[SMALL_EACH];
    read_keys(key, position, keys + row, first, end);
    if constexpr (WithPositions)
        warp_sort(room[group]).StableSort(key, position, is_less());
    else
        warp_sort(room[group]).StableSort(key, is_less());
#pragma unroll
    for (int k = 0; k < SMALL_EACH; k++) {
        if (first + k >= end) continue;
        keys[row + first + k] = key[k];
        if constexpr (WithPositions) positions[row + first + k] = position[k];
    }
}

template <int Threads, class K>
static void launch_small(K *keys, unsigned *positions, hd_int64 rows, int n, cudaStream_t stream)
{
    constexpr int each = SMALL_BLOCK / Threads;
    const unsigned blocks = (unsigned)((rows + each - 1) / each);
    if (positions)
        sort_small_rows<K, Threads, true>
            <<<blocks, SMALL_BLOCK, 0, stream>>>(keys, positions, rows, n);
    else
        sort_small_rows<K, Threads, false>
            <<<blocks, SMALL_BLOCK, 0, stream>>>(keys, positions, rows, n);
}

template <int Threads, int Each, class K>
static void launch(K *keys, unsigned *positions, hd_int64 rows, int n, int bits,
                   cudaStream_t stream)
{
    if (positions)
        sort_row<K, Threads, Each, true>
            <<<(unsigned)rows, Threads, 0, stream>>>(keys, positions, n, bits);
    else
        sort_row<K, Threads, Each, false>
            <<<(unsigned)rows, Threads, 0, stream>>>(keys, positions, n, bits);
}

template <class K>
cudaError_t heddle__sort_short_rows(K *keys, unsigned *positions, hd_int64 rows, int n, int bits,
                                    cudaStream_t stream)
{
    if (n <= 4 * SMALL_EACH)
        launch_small<4>(keys, positions, rows, n, stream);
    else if (n <= 16 * SMALL_EACH)
        launch_small<16>(keys, positions, rows, n, stream);
    else if (n <= 512)
        launch<128, 4>(keys, positions, rows, n, bits, stream);
    else if (n <= 1536)
        launch<256, 6>(keys, positions, rows, n, bits, stream);
    else
        launch<512, 8>(keys, positions, rows, n, bits, stream);
    return cudaGetLastError();
}

template cudaError_t heddle__sort_short_rows(unsigned *, unsigned *, hd_int64, int, int,
                                             cudaStream_t);
template cudaError_t heddle__sort_short_rows(hd_uint64 *, unsigned *, hd_int64, int, int,
                                             cudaStream_t);
