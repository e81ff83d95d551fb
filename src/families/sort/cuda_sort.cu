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

/* Calls the library, which says first how much memory it wants. */
template <class Call>
static cudaError_t call_library(pieces room, Call call)
{
    size_t bytes = 0;
    const cudaError_t error = call(nullptr, bytes);
    if (error != cudaSuccess) return error;
    if (bytes > (size_t)(room.end - room.at)) return cudaErrorMemoryAllocation;
    return call(room.at, bytes);
}

/* By the low `bits` of the keys, stable. Both buffers are overwritten; Current() says which one has the result. */
template <class K>
static cudaError_t sort_keys(pieces room, cub::DoubleBuffer<K> &keys, hd_int64 size, int bits,
                             cudaStream_t stream)
{
    return call_library(room, [&](void *at, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(at, bytes, keys, size, 0, bits, stream);
    });
}

template <class K, class V>
static cudaError_t sort_pairs(pieces room, cub::DoubleBuffer<K> &keys, cub::DoubleBuffer<V> &values,
                              hd_int64 size, int bits, cudaStream_t stream)
{
    return call_library(room, [&](void *at, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(at, bytes, keys, values, size, 0, bits, stream);
    });
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
static cudaError_t launch_short_rows(const heddle_sort_kernel *p, cudaStream_t stream)
{
    typedef typename How::key_type K;
    const heddle_sort &s = p->call;
    heddle_short_rows<K> a = {};
    a.in = p->in;
    a.elements = s.positions ? p->elements : p->out;
    a.positions = s.positions ? (hd_int64 *)p->out : nullptr;
    a.dtype = (int)s.dtype;
    a.n = (int)s.n;
    a.bits = How::bits;
    a.zeros_equal = s.positions;
    a.flip = s.descending ? How::all : 0;
    a.rows = s.rows;
    return heddle__sort_short_rows(a, stream);
}

template <class T>
static cub::DoubleBuffer<T> take_two(pieces &room, hd_int64 n)
{
    T *const first = room.take<T>(n);
    return cub::DoubleBuffer<T>(first, room.take<T>(n));
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
    cub::DoubleBuffer<hd_uint64> keys = take_two<hd_uint64>(room, size);
    cub::DoubleBuffer<unsigned> positions;
    if (s.positions) positions = take_two<unsigned>(room, size);
    make_row_keys<How><<<blocks, THREADS, 0, stream>>>(
        (const typename How::type *)p->in, keys.Current(), positions.Current(), size, s.n, flip);
    const cudaError_t error = s.positions ? sort_pairs(room, keys, positions, size, bits, stream)
                                          : sort_keys(room, keys, size, bits, stream);
    put_sorted<How>(p, keys.Current(), positions.Current(), stream);
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
    cub::DoubleBuffer<K> keys = take_two<K>(room, size);
    cub::DoubleBuffer<unsigned> index = take_two<unsigned>(room, size);
    make_keys<How><<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in,
                                                   keys.Current(), index.Current(), s.positions,
                                                   size, size, flip);
    cudaError_t error = sort_pairs(room, keys, index, size, How::bits, stream);
    if (error != cudaSuccess) return error;
    if (!s.positions) {
        cub::DoubleBuffer<unsigned> rows(index.Alternate(), index.Current());
        divide<unsigned, false>
            <<<blocks, THREADS, 0, stream>>>(index.Current(), rows.Current(), size, (unsigned)s.n);
        error = sort_pairs(room, rows, keys, size, bits_of(s.rows), stream);
        make_elements<How, K><<<blocks, THREADS, 0, stream>>>(
            keys.Current(), (typename How::type *)p->out, size, flip);
        return error;
    }
    cub::DoubleBuffer<unsigned> rows((unsigned *)keys.Current(), (unsigned *)keys.Alternate());
    divide<unsigned, false>
        <<<blocks, THREADS, 0, stream>>>(index.Current(), rows.Current(), size, (unsigned)s.n);
    error = sort_pairs(room, rows, index, size, bits_of(s.rows), stream);
    divide<hd_int64, true>
        <<<blocks, THREADS, 0, stream>>>(index.Current(), (hd_int64 *)p->out, size, (unsigned)s.n);
    if (p->elements)
        fetch_elements<How>
            <<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in, index.Current(),
                                             (typename How::type *)p->elements, size);
    return error;
}

/* Where elements are as large as keys, the result is one of the two buffers. */
template <class How>
static cudaError_t launch_row(const heddle_sort_kernel *p, pieces room, cudaStream_t stream)
{
    typedef typename How::key_type K;
    const heddle_sort &s = p->call;
    const unsigned blocks = blocks_of(s.n);
    const K flip = s.descending ? How::all : 0;
    K *const one = room.take<K>(s.n);
    cub::DoubleBuffer<K> keys(heddle__sort_in_result(&s) ? (K *)p->out : room.take<K>(s.n), one);
    cub::DoubleBuffer<unsigned> positions;
    if (s.positions) positions = take_two<unsigned>(room, s.n);
    make_keys<How><<<blocks, THREADS, 0, stream>>>((const typename How::type *)p->in,
                                                   keys.Current(), positions.Current(), s.positions,
                                                   s.n, s.n, flip);
    const cudaError_t error = s.positions
                                  ? sort_pairs(room, keys, positions, s.n, How::bits, stream)
                                  : sort_keys(room, keys, s.n, How::bits, stream);
    put_sorted<How>(p, keys.Current(), positions.Current(), stream);
    return error;
}

template <class How>
static cudaError_t launch_some(const heddle_sort_kernel *p, cudaStream_t stream)
{
    const heddle_sort &s = p->call;
    char *scratch = (char *)p->scratch;
    const pieces room = {scratch, scratch + heddle__sort_cuda_bytes(&s)};
    if (s.rows == 1) return launch_row<How>(p, room, stream);
    if (s.n <= HEDDLE_SORT_SHORT_ROW) return launch_short_rows<How>(p, stream);
    if constexpr (sizeof(typename How::key_type) == 4)
        return launch_together<How>(p, room, stream);
    else
        return launch_by_row<How>(p, room, stream);
}

/* So many rows at a time that what numbers elements of several has 32 bits. */
template <class How>
static cudaError_t launch(const heddle_sort_kernel *p, cudaStream_t stream)
{
    const heddle_sort &s = p->call;
    const hd_int64 each = heddle__sort_rows_at_once(&s);
    if (s.positions && s.n > HEDDLE_SORT_POSITIONS) return cudaErrorInvalidValue;
    for (hd_int64 row = 0; row < s.rows; row += each) {
        heddle_sort_kernel some = *p;
        const hd_int64 first = row * s.n;
        some.call.rows = s.rows - row < each ? s.rows - row : each;
        some.in = (const char *)p->in + first * s.element_bytes;
        some.out = (char *)p->out + first * (s.positions ? 8 : s.element_bytes);
        if (p->elements) some.elements = (char *)p->elements + first * s.element_bytes;
        const cudaError_t error = launch_some<How>(&some, stream), launched = cudaGetLastError();
        if (error != cudaSuccess || launched != cudaSuccess)
            return error != cudaSuccess ? error : launched;
    }
    return cudaSuccess;
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
    return (int)call_library(room, [&](void *at, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(at, bytes, numbers[0], numbers[1], values[0],
                                               values[1], n, 0, bits, (cudaStream_t)stream);
    });
}
