/* Sorting on the GPU: elements become keys (kernel.h), CUB sorts these by their digits, and they become elements or
 * positions again. Several rows are sorted by a block each if they are short, else together, with the number of the row in front
 * of the key, or by key and then, which is stable, by row. */
#include "families/sort/cuda_sort.h"

#include "families/sort/cuda_keys.cuh"
#include "families/sort/cuda_short_rows.h"

#include <heddle/dtype.h>

/* CUB includes <iostream>, whose objects would have every program load libstdc++; it uses none of them. */
#include <ostream>
#define _GLIBCXX_IOSTREAM 1

#include <cub/device/device_radix_sort.cuh>

enum { THREADS = 256, EACH = 4 };

/* ---- Keys ---------------------------------------------------------------------------------------------- */

template <class How>
static __global__ void __launch_bounds__(THREADS)
    make_keys(const typename How::type *in, typename How::key_type *keys, unsigned *positions,
              bool zeros_equal, hd_int64 size, hd_int64 n, typename How::key_type flip)
{
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i >= size) return;
        keys[i] = How::key(in[i], zeros_equal, flip);
        if (positions) positions[i] = (unsigned)(i % n);
    }
}

/* `keys` may have something in front of the key. */
template <class How, class K>
static __global__ void __launch_bounds__(THREADS)
    make_elements(const K *keys, typename How::type *out, hd_int64 size,
                  typename How::key_type flip)
{
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i < size) out[i] = How::element((typename How::key_type)keys[i], flip);
    }
}

static __global__ void __launch_bounds__(THREADS)
    make_positions(const unsigned *positions, hd_int64 *out, hd_int64 size)
{
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i < size) out[i] = positions[i];
    }
}

/* ---- Arrays ---------------------------------------------------------------------------------------------- */

/* Keys of rows together: the row before the key, for keys of 32 bits. */
template <class How>
static __global__ void __launch_bounds__(THREADS)
    make_row_keys(const typename How::type *in, hd_uint64 *keys, unsigned *positions, hd_int64 size,
                  hd_int64 n, typename How::key_type flip)
{
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i >= size) return;
        keys[i] = (hd_uint64)(i / n) << 32 | How::key(in[i], positions != nullptr, flip);
        if (positions) positions[i] = (unsigned)(i % n);
    }
}

/* to[i] = from[i] / n, or the remainder. */
template <class To, bool Remainder>
static __global__ void __launch_bounds__(THREADS)
    divide(const unsigned *from, To *to, hd_int64 size, unsigned n)
{
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i < size) to[i] = (To)(Remainder ? from[i] % n : from[i] / n);
    }
}

/* The elements at positions of the whole array. */
template <class How>
static __global__ void __launch_bounds__(THREADS)
    fetch_elements(const typename How::type *in, const unsigned *index, typename How::type *out,
                   hd_int64 size)
{
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i < size) out[i] = How::element(How::key(in[index[i]], true, 0), 0);
    }
}

/* What is cut off scratch memory, in order. */
struct pieces {
    char *at, *end;
    template <class T>
    T *take(hd_int64 n)
    {
        char *piece = at;
        at += ((size_t)n * sizeof(T) + 255) / 256 * 256;
        return (T *)piece;
    }
};

/* ---- The library ----------------------------------------------------------------------------------------- */

/* By the low `bits` of the keys, stable: from [0] to [1]. */
template <class K>
static cudaError_t sort_keys(pieces room, K *const keys[2], hd_int64 size, int bits,
                             cudaStream_t stream)
{
    size_t bytes = 0;
    const K *from = keys[0];
    cudaError_t error =
        cub::DeviceRadixSort::SortKeys(nullptr, bytes, from, keys[1], size, 0, bits, stream);
    if (error != cudaSuccess) return error;
    if (bytes > (size_t)(room.end - room.at)) return cudaErrorMemoryAllocation;
    return cub::DeviceRadixSort::SortKeys(room.at, bytes, from, keys[1], size, 0, bits, stream);
}

template <class K, class V>
static cudaError_t sort_pairs(pieces room, const K *key, K *key_to, const V *value, V *value_to,
                              hd_int64 size, int bits, cudaStream_t stream)
{
    size_t bytes = 0;
    cudaError_t error = cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, key_to, value,
                                                        value_to, size, 0, bits, stream);
    if (error != cudaSuccess) return error;
    if (bytes > (size_t)(room.end - room.at)) return cudaErrorMemoryAllocation;
    return cub::DeviceRadixSort::SortPairs(room.at, bytes, key, key_to, value, value_to, size, 0,
                                           bits, stream);
}

/* ---- A call ---------------------------------------------------------------------------------------------- */

static unsigned blocks_of(hd_int64 size)
{
    return (unsigned)((size + THREADS * EACH - 1) / (THREADS * EACH));
}

static int bits_of(hd_int64 n) /* of 0..n-1 */
{
    int bits = 1;
    while (bits < 32 && (n - 1) >> bits) bits++;
    return bits;
}

/* What is asked for of sorted keys, which may have something in front of them. `positions`: NULL unless these are asked for. */
template <class How, class K>
static void put_sorted(const heddle_sort_kernel *p, const K *keys, const unsigned *positions,
                       cudaStream_t stream)
{
    const heddle_sort &s = p->call;
    const hd_int64 size = s.rows * s.n;
    const unsigned blocks = blocks_of(size);
    const typename How::key_type flip = s.descending ? How::all : 0;
    void *const elements = positions ? p->elements : p->out;
    if (positions)
        make_positions<<<blocks, THREADS, 0, stream>>>(positions, (hd_int64 *)p->out, size);
    if (elements)
        make_elements<How, K>
            <<<blocks, THREADS, 0, stream>>>(keys, (typename How::type *)elements, size, flip);
}

template <class How>
static cudaError_t launch_short_rows(const heddle_sort_kernel *p, pieces room, cudaStream_t stream)
{
    typedef typename How::key_type K;
    const heddle_sort &s = p->call;
    const hd_int64 size = s.rows * s.n;
    const unsigned blocks = blocks_of(size);
    const K flip = s.descending ? How::all : 0;
    K *keys = room.take<K>(size);
    unsigned *positions = s.positions ? room.take<unsigned>(size) : nullptr;
    make_keys<How><<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in, keys, nullptr,
                                                   s.positions, size, s.n, flip);
    const cudaError_t error =
        heddle__sort_short_rows(keys, positions, s.rows, (int)s.n, How::bits, stream);
    put_sorted<How>(p, keys, positions, stream);
    return error;
}

/* Keys with the row in front are sorted at once. */
template <class How>
static cudaError_t launch_together(const heddle_sort_kernel *p, pieces room, cudaStream_t stream)
{
    const heddle_sort &s = p->call;
    const hd_int64 size = s.rows * s.n;
    const unsigned blocks = blocks_of(size);
    const unsigned flip = s.descending ? How::all : 0;
    const int bits = 32 + bits_of(s.rows);
    hd_uint64 *keys[2] = {room.take<hd_uint64>(size), room.take<hd_uint64>(size)};
    unsigned *positions[2] = {};
    if (s.positions)
        for (unsigned *&x : positions) x = room.take<unsigned>(size);
    make_row_keys<How><<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in, keys[0],
                                                       positions[0], size, s.n, flip);
    const cudaError_t error = s.positions ? sort_pairs(room, keys[0], keys[1], positions[0],
                                                       positions[1], size, bits, stream)
                                          : sort_keys(room, keys, size, bits, stream);
    put_sorted<How>(p, keys[1], positions[1], stream);
    return error;
}

/* By key first, then by row, which is stable. */
template <class How>
static cudaError_t launch_by_row(const heddle_sort_kernel *p, pieces room, cudaStream_t stream)
{
    typedef typename How::key_type K;
    const heddle_sort &s = p->call;
    const hd_int64 size = s.rows * s.n;
    const unsigned blocks = blocks_of(size);
    const K flip = s.descending ? How::all : 0;
    K *keys[2] = {room.take<K>(size), room.take<K>(size)};
    unsigned *index[2] = {room.take<unsigned>(size), room.take<unsigned>(size)};
    make_keys<How><<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in, keys[0],
                                                   index[0], s.positions, size, size, flip);
    cudaError_t error =
        sort_pairs(room, keys[0], keys[1], index[0], index[1], size, How::bits, stream);
    if (error != cudaSuccess) return error;
    if (!s.positions) {
        divide<unsigned, false>
            <<<blocks, THREADS, 0, stream>>>(index[1], index[0], size, (unsigned)s.n);
        error =
            sort_pairs(room, index[0], index[1], keys[1], keys[0], size, bits_of(s.rows), stream);
        make_elements<How, K>
            <<<blocks, THREADS, 0, stream>>>(keys[0], (typename How::type *)p->out, size, flip);
        return error;
    }
    unsigned *row = (unsigned *)keys[0], *row_to = (unsigned *)keys[1];
    divide<unsigned, false><<<blocks, THREADS, 0, stream>>>(index[1], row, size, (unsigned)s.n);
    error = sort_pairs(room, row, row_to, index[1], index[0], size, bits_of(s.rows), stream);
    divide<hd_int64, true>
        <<<blocks, THREADS, 0, stream>>>(index[0], (hd_int64 *)p->out, size, (unsigned)s.n);
    if (p->elements)
        fetch_elements<How><<<blocks, THREADS, 0, stream>>>(
            (const typename How::type *)p->in, index[0], (typename How::type *)p->elements, size);
    return error;
}

template <class How>
static cudaError_t launch_row(const heddle_sort_kernel *p, pieces room, cudaStream_t stream)
{
    typedef typename How::key_type K;
    const heddle_sort &s = p->call;
    const unsigned blocks = blocks_of(s.n);
    const K flip = s.descending ? How::all : 0;
    K *keys[2] = {room.take<K>(s.n), room.take<K>(s.n)};
    unsigned *positions[2] = {};
    if (s.positions)
        for (unsigned *&x : positions) x = room.take<unsigned>(s.n);
    make_keys<How><<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in, keys[0],
                                                   positions[0], s.positions, s.n, s.n, flip);
    const cudaError_t error = s.positions ? sort_pairs(room, keys[0], keys[1], positions[0],
                                                       positions[1], s.n, How::bits, stream)
                                          : sort_keys(room, keys, s.n, How::bits, stream);
    put_sorted<How>(p, keys[1], positions[1], stream);
    return error;
}

template <class How>
static cudaError_t launch(const heddle_sort_kernel *p, cudaStream_t stream)
{
    const heddle_sort &s = p->call;
    char *scratch = (char *)p->scratch;
    const pieces room = {scratch, scratch + heddle__sort_cuda_bytes(&s)};
    cudaError_t error;
    if (s.rows > INT32_MAX / s.n) return cudaErrorInvalidValue; /* a part has fewer elements */
    if (s.rows == 1)
        error = launch_row<How>(p, room, stream);
    else if (s.n <= HEDDLE_SORT_SHORT_ROW)
        error = launch_short_rows<How>(p, room, stream);
    else if constexpr (sizeof(typename How::key_type) == 4)
        error = launch_together<How>(p, room, stream);
    else
        error = launch_by_row<How>(p, room, stream);
    const cudaError_t launched = cudaGetLastError();
    return error != cudaSuccess ? error : launched;
}

int heddle__sort_launch(const struct heddle_sort_kernel *p, void *stream)
{
    const cudaStream_t on = (cudaStream_t)stream;
    return (int)HEDDLE_SORT_BY_KEYS(p->call.dtype, launch, p, on);
}

int heddle__sort_numbers(unsigned *const numbers[2], unsigned *const values[2], int64_t n, int bits,
                         void *scratch, size_t scratch_bytes, void *stream)
{
    const pieces room = {(char *)scratch, (char *)scratch + scratch_bytes};
    return (int)sort_pairs<unsigned, unsigned>(room, numbers[0], numbers[1], values[0], values[1],
                                               n, bits, (cudaStream_t)stream);
}
