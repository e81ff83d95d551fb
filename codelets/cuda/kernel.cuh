/* What generated kernels are written in: parameters, index arithmetic, vector loads and stores,
 * exchange between threads. Embedded as text for NVRTC, and used by the interpreter: may include
 * scalar.cuh only. */
#ifndef HEDDLE_CUDA_KERNEL_CUH
#define HEDDLE_CUDA_KERNEL_CUH

#include "cuda/scalar.cuh"

/* A 64-bit parameter slot as a value. */
template <class T>
HD T hd_slot(const hd_int64 *slot)
{
    if constexpr (hd_same<T, double>)
        return __longlong_as_double(slot[0]);
    else if constexpr (hd_same<T, float>)
        return __int_as_float((int)slot[0]);
    else if constexpr (hd_same<T, hd_complex128>)
        return hd_pair(__longlong_as_double(slot[0]), __longlong_as_double(slot[1]));
    else if constexpr (hd_same<T, hd_complex64>)
        return hd_pair(__int_as_float((int)slot[0]), __int_as_float((int)(slot[0] >> 32)));
    else if constexpr (hd_kind<T> == 'H')
        return T{(hd_uint16)slot[0]};
    else
        return (T)slot[0];
}

/* n / d for 0 <= n < 2^31, with the magic number {multiplier, shift} of d that the host made; of 64-bit indices, which are
 * less than 2^52, by a reciprocal that loops make once: a division of integers takes ten times as long. */
HD int hd_quotient(int n, int, hd_int64 magic)
{
    const unsigned m = (unsigned)magic, shift = (unsigned)(magic >> 32);
    return (int)((__umulhi((unsigned)n, m) + (unsigned)n) >> shift);
}
HD hd_int64 hd_quotient(hd_int64 n, hd_int64 d, hd_int64)
{
    if (d <= 0) return 0;
    const hd_int64 q = (hd_int64)((double)n * (1.0 / (double)d)), rest = n - q * d;
    return rest < 0 ? q - 1 : rest >= d ? q + 1 : q;
}

/* Where element f is that is f % period steps and f / period leaps on. */
template <class I>
HD I hd_leaps(int f, int period, hd_int64 magic, I step, I leap)
{
    const int q = hd_quotient(f, period, magic);
    return q * leap + (f - q * period) * step;
}

/* Brings a line of memory to the second-level cache, sometime. */
HD void hd_fetch_ahead(const void *at)
{
#ifndef HEDDLE_EMULATED
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

template <int Bytes>
struct hd_piece {
    typedef uint4 type;
};
template <>
struct hd_piece<8> {
    typedef uint2 type;
};
template <>
struct hd_piece<4> {
    typedef unsigned type;
};
template <>
struct hd_piece<2> {
    typedef unsigned short type;
};
template <>
struct hd_piece<1> {
    typedef unsigned char type;
};

/* V elements that lie together; in pieces of up to 16 bytes, a power of two, to which p is aligned. */
template <class T, int V>
union hd_vector {
    static constexpr int all = (int)sizeof(T) * V, power = all & -all;
    static constexpr int bytes = power < 16 ? power : 16, pieces = all / bytes;
    typedef typename hd_piece<bytes>::type piece;
    static_assert(sizeof(piece) == bytes, "there is a type for each size");
    piece part[pieces];
    unsigned word[all < 4 ? 1 : all / 4];
    T element[V];
    __device__ __forceinline__ hd_vector() {}
};

/* Emulated: ends the program where a GPU does, at a piece that is not aligned. */
template <class T, int V>
HD void hd_expect_aligned(const T *p)
{
#ifdef HEDDLE_EMULATED
    if ((hd_uint64)p % hd_vector<T, V>::bytes) __builtin_trap();
#endif
}

template <class T, int V>
HD void hd_load_pieces(hd_vector<T, V> &v, const T *p)
{
    hd_expect_aligned<T, V>(p);
#pragma unroll
    for (int k = 0; k < v.pieces; k++) v.part[k] = ((const typename hd_vector<T, V>::piece *)p)[k];
}

template <class T, int V>
HD void hd_load(T (&r)[V], const T *p)
{
    hd_vector<T, V> v;
    hd_load_pieces(v, p);
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = v.element[k];
}

/* Small elements that lie together, in words until they are asked for: where two branches load them, they meet as words, from which
 * one instruction takes an element. */
template <class T, int V>
struct hd_packed {
    static constexpr int size = (int)sizeof(T);
    static_assert(size < 4 && V * size % 4 == 0, "whole words");
    unsigned word[V * size / 4];
    __device__ __forceinline__ T operator[](int k) const
    {
        union {
            typename hd_piece<size>::type bits;
            T element;
        } x;
        x.bits = (typename hd_piece<size>::type)(word[k * size / 4] >> k * size % 4 * 8);
        return x.element;
    }
};

template <class T, int V>
HD void hd_load(hd_packed<T, V> &r, const T *p)
{
    hd_vector<T, V> v;
    hd_load_pieces(v, p);
#pragma unroll
    for (int k = 0; k < V * r.size / 4; k++) r.word[k] = v.word[k];
}

/* Whether hd_load can have V elements at p + k for each k whose bits are among `all`. */
template <int V, class T>
HD bool hd_are_pieces(const T *p, hd_int64 all)
{
    constexpr int bytes = hd_vector<T, V>::bytes;
    return (((unsigned)(hd_uint64)p | (unsigned)all * (unsigned)sizeof(T)) & (bytes - 1)) == 0;
}

/* The same to r and what follows it, of a thread's elements; zeros where they are not `there`. */
template <int V, class T>
HD void hd_load_run(T *r, bool there, const T *p)
{
    T run[V];
#pragma unroll
    for (int k = 0; k < V; k++) run[k] = T();
    if (there) hd_load(run, p);
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = run[k];
}

template <class T, int V>
HD void hd_store(T *p, const T (&r)[V])
{
    hd_vector<T, V> v;
    hd_expect_aligned<T, V>(p);
#pragma unroll
    for (int k = 0; k < V; k++) v.element[k] = r[k];
#pragma unroll
    for (int k = 0; k < v.pieces; k++) ((typename hd_vector<T, V>::piece *)p)[k] = v.part[k];
}

/* Shared memory, as much as a kernel is launched with. */
#ifdef HEDDLE_EMULATED
#define HD_ROOMS static uint4 hd_rooms[1 << 14]
#else
#define HD_ROOMS extern __shared__ uint4 hd_rooms[]
#endif

/* V elements from memory to shared memory, sometime before hd_copies_arrive() of the same thread ends. */
template <int V, class T>
HD void hd_copy_ahead(T *to, const T *from)
{
    typedef hd_vector<T, V> vector;
#pragma unroll
    for (int k = 0; k < vector::pieces; k++) {
        typename vector::piece *const at = (typename vector::piece *)to + k;
        const typename vector::piece *const of = (const typename vector::piece *)from + k;
#if !defined(HEDDLE_EMULATED) && __CUDA_ARCH__ >= 800
        if (vector::bytes >= 4) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                             (unsigned)__cvta_generic_to_shared(at)),
                         "l"(of), "n"(vector::bytes < 4 ? 4 : vector::bytes)
                         : "memory");
            continue;
        }
#endif
        *at = *of;
    }
}
HD void hd_copies_arrive()
{
#if !defined(HEDDLE_EMULATED) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* One element for all of r. */
template <class T, int V>
HD void hd_spread(T (&r)[V], const T *p)
{
    const T x = *p;
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = x;
}

/* Elements `step` apart. */
template <class I, class T, int V>
HD void hd_load_apart(T (&r)[V], const T *p, I step)
{
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = p[k * step];
}

/* The same at an edge: `count` elements exist, perhaps none; the rest of r becomes 0. */
template <class I, class T, int V>
HD void hd_load_apart_some(T (&r)[V], const T *p, I step, I count)
{
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = k < count ? p[k * step] : T();
}

template <class I, class T, int V>
HD void hd_load_some(T (&r)[V], const T *p, I count)
{
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = k < count ? p[k] : T();
}

template <class I, class T, int V>
HD void hd_load_some(hd_packed<T, V> &r, const T *p, I count)
{
    typedef typename hd_piece<(int)sizeof(T)>::type bits;
#pragma unroll
    for (int k = 0; k < V; k++) {
        unsigned &word = r.word[k * r.size / 4];
        const unsigned one = k < count ? ((const bits *)p)[k] : 0;
        word = (k * r.size % 4 ? word : 0) | one << k * r.size % 4 * 8;
    }
}

template <class I, class T, int V>
HD void hd_store_some(T *p, const T (&r)[V], I count)
{
#pragma unroll
    for (int k = 0; k < V; k++)
        if (k < count) p[k] = r[k];
}

template <class I, class T, int V>
HD void hd_spread_some(T (&r)[V], const T *p, I count)
{
    const T x = count > 0 ? *p : T();
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = x;
}

/* Rows x Columns elements in shared memory, that threads write in runs of V along one axis and read in runs along the other
 * one. Rows are padded, and those of each V have room before them, so that the threads of a warp seldom
 * meet in a bank: all of the reads, of which there are V where a write of small elements is a word, go to different ones. */
template <class T, int Rows, int Columns, int V>
struct hd_tile {
    static constexpr int size = (int)sizeof(T);
    static constexpr int pitch = Columns + (size < 4 ? 4 / size : 1);
    /* What reads at once takes so many elements beside each other; a vector further down, the next banks. */
    static constexpr int beside = size < 4 ? 0 : 128 / size * V / Rows;
    static constexpr int skew = beside >= V     ? beside - V
                                : V * size < 16 ? 0
                                : size <= 2     ? 16 / size
                                                : 8 / size;
    alignas(16) T element[Rows * pitch + Rows / V * skew];
};

/* Elements x, y..y+V-1 of a tile become r, or r becomes those. y is a multiple of V. */
template <class T, int Rows, int Columns, int V>
HD void hd_put_run(hd_tile<T, Rows, Columns, V> &tile, int x, int y, const T (&r)[V])
{
    T *const p = tile.element + x * tile.pitch + x / V * tile.skew + y;
    if constexpr (sizeof(T) < 4 && V * sizeof(T) >= 4) {
        constexpr int per_word = 4 / (int)sizeof(T);
        hd_vector<T, per_word> v;
#pragma unroll
        for (int k = 0; k < V; k += per_word) {
#pragma unroll
            for (int e = 0; e < per_word; e++) v.element[e] = r[k + e];
            *(unsigned *)(p + k) = v.part[0];
        }
    } else {
#pragma unroll
        for (int k = 0; k < V; k++) p[k] = r[k];
    }
}
template <class T, int Rows, int Columns, int V>
HD void hd_take_run(T (&r)[V], const hd_tile<T, Rows, Columns, V> &tile, int x, int y)
{
    const T *const p = tile.element + x * tile.pitch + x / V * tile.skew + y;
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = p[k];
}

/* The same of elements x..x+V-1, y. x is a multiple of V. */
template <class T, int Rows, int Columns, int V>
HD void hd_put_across(hd_tile<T, Rows, Columns, V> &tile, int x, int y, const T (&r)[V])
{
    T *const p = tile.element + x * tile.pitch + x / V * tile.skew + y;
#pragma unroll
    for (int k = 0; k < V; k++) p[k * tile.pitch] = r[k];
}
template <class T, int Rows, int Columns, int V>
HD void hd_take_across(T (&r)[V], const hd_tile<T, Rows, Columns, V> &tile, int x, int y)
{
    const T *const p = tile.element + x * tile.pitch + x / V * tile.skew + y;
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = p[k * tile.pitch];
}

/* Where element e of rows that lie together is in shared memory. After each 128 bytes a word is left free: so threads that
 * have a row each, of an even number of words, seldom meet in a bank. */
template <class T>
HD constexpr int hd_spaced(int e)
{
    constexpr int size = (int)sizeof(T);
    return e + e / (128 / size) * (size < 4 ? 4 / size : 1);
}

/* N small elements of rows that lie together on their way to shared memory, 16 bytes at a time: those of a lane. */
template <class T, int N>
struct hd_staged {
    static constexpr int each = 16 / (int)sizeof(T), n_pieces = N / each;
    hd_vector<T, each> piece[(n_pieces + 31) / 32];

    __device__ __forceinline__ void load(const T *from, int lane)
    {
        hd_expect_aligned<T, each>(from);
#pragma unroll
        for (int k = 0; k < (n_pieces + 31) / 32; k++)
            if (k * 32 + lane < n_pieces)
                piece[k].part[0] =
                    ((const typename hd_vector<T, each>::piece *)from)[k * 32 + lane];
    }

    __device__ __forceinline__ void store(T *room, int lane) const
    {
#pragma unroll
        for (int k = 0; k < (n_pieces + 31) / 32; k++) {
            if (k * 32 + lane >= n_pieces) continue;
            T *const to = room + hd_spaced<T>((k * 32 + lane) * each); /* at a word */
#pragma unroll
            for (int word = 0; word < 4; word++)
                ((unsigned *)to)[word] = ((const unsigned *)&piece[k])[word];
        }
    }
};

/* The same one by one, of fewer than N or where they are not aligned. */
template <int N, class T>
HD void hd_stage(T *room, const T *from, hd_int64 left, int lane)
{
    const int n = left < N ? (int)left : N;
    for (int e = lane; e < n; e += 32) room[hd_spaced<T>(e)] = from[e];
}

/* The value of lane `lane + distance`, or of lane `from`, of the warp. */
template <class T>
HD T hd_from_lane(T x, int lane)
{
    if constexpr (hd_kind<T> == 'H')
        return T{(hd_uint16)__shfl_sync(0xffffffffu, (int)x.bits, lane)};
    else if constexpr (sizeof(T) < 4)
        return (T)__shfl_sync(0xffffffffu, (int)x, lane);
    else {
        union both {
            T value;
            unsigned word[sizeof(T) / 4];
            __device__ __forceinline__ both() {}
        } b;
        b.value = x;
#pragma unroll
        for (int k = 0; k < (int)(sizeof(T) / 4); k++)
            b.word[k] = __shfl_sync(0xffffffffu, b.word[k], lane);
        return b.value;
    }
}

/* By all threads of a block, for one of `count` pieces of work, whose results thread 0 has just
 * written: whether it is the last that is done. Then the results of all are visible to the block, by
 * ordinary loads: each writer's fence and atomic come before the last one's atomic and fence, which
 * also drops what its multiprocessor caches, and that before the barrier. The ticket wraps to 0. */
HD bool hd_is_last(unsigned *ticket, unsigned count)
{
    int is_last = 0;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(ticket, count - 1) == count - 1;
        __threadfence();
    }
    return __syncthreads_or(is_last);
}

/* The least number of any real dtype but halves, and the greatest: of floating ones the infinities. */
struct hd_least {
    template <class T>
    __device__ __forceinline__ operator T() const
    {
        if constexpr (hd_kind<T> == 'F')
            return (T)-__int_as_float(0x7f800000);
        else if constexpr (hd_kind<T> == 'U')
            return 0;
        else
            return (T)(1ull << (8 * sizeof(T) - 1));
    }
};
struct hd_greatest {
    template <class T>
    __device__ __forceinline__ operator T() const
    {
        if constexpr (hd_kind<T> == 'F')
            return (T)__int_as_float(0x7f800000);
        else
            return (T) ~(T)hd_least();
    }
};

/* A value and its index, of argmax and argmin; laid out as a partial. N: of the index; int: of those that are never stored. */
template <class T, class N = hd_int64>
struct hd_at {
    alignas(8) T value;
    alignas(8) N index;
};

template <class T, class N>
HD hd_at<T, N> hd_from_lane(hd_at<T, N> x, int lane)
{
    return hd_at<T, N>{hd_from_lane(x.value, lane), hd_from_lane(x.index, lane)};
}

/* Ties keep the lower index: the left operand of a tree need not have it. */
template <class T, class N>
HD hd_at<T, N> hd_better(hd_at<T, N> x, hd_at<T, N> y, bool y_is, bool x_is)
{
    const N lower = x.index < y.index ? x.index : y.index;
    return hd_at<T, N>{y_is ? y.value : x.value, y_is ? y.index : x_is ? x.index : lower};
}

/* The same if all indices of x are lower than those of y: by selections alone. */
template <class T, class N>
HD hd_at<T, N> hd_later(hd_at<T, N> x, hd_at<T, N> y, bool y_is)
{
    return hd_at<T, N>{y_is ? y.value : x.value, y_is ? y.index : x.index};
}
template <class T, class N>
HD hd_at<T, N> hd_argmax_later(hd_at<T, N> x, hd_at<T, N> y)
{
    return hd_later(x, y, hd_above(y.value, x.value));
}
template <class T, class N>
HD hd_at<T, N> hd_argmin_later(hd_at<T, N> x, hd_at<T, N> y)
{
    return hd_later(x, y, hd_below(y.value, x.value));
}

template <class T, class N>
HD hd_at<T, N> hd_argmax(hd_at<T, N> x, hd_at<T, N> y)
{
    return hd_better(x, y, hd_above(y.value, x.value), hd_above(x.value, y.value));
}
template <class T, class N>
HD hd_at<T, N> hd_argmin(hd_at<T, N> x, hd_at<T, N> y)
{
    return hd_better(x, y, hd_below(y.value, x.value), hd_below(x.value, y.value));
}

#endif
