/* Indices into arrays, checked before an address is made of them. */
#ifndef HEDDLE_CUDA_CHECKED_CUH
#define HEDDLE_CUDA_CHECKED_CUH

#include "cuda/types.cuh"

/* A bad index of a thread, which is reported as kernels.h says when the thread is done: a fence at once would keep the loads of other
 * elements waiting. slots: where the words are (0: nowhere), and the tag. */
struct hd_bad_index {
    const hd_int64 *slots;
    hd_int64 index, extent;
    int function; /* -1: there is none */

    __device__ __forceinline__ explicit hd_bad_index(const hd_int64 *slots)
        : slots(slots), index(0), extent(0), function(-1)
    {
    }
    __device__ __forceinline__ ~hd_bad_index()
    {
        if (function < 0 || slots[0] == 0) return;
        volatile hd_int64 *words = (volatile hd_int64 *)slots[0];
        words[1] = index;
        words[2] = extent;
        words[3] = function;
        __threadfence_system();
        words[0] = slots[1];
    }
};

/* The index k, plus the extent if it is negative. If it is out of range, it is 0, and `good` becomes false. N: int, if it has the
 * extent, or hd_int64. */
template <class N>
HD hd_int64 hd_in_range(hd_int64 k, hd_int64 extent, bool &good)
{
    const N n = (N)extent, low = (N)k, sign = low >> (8 * sizeof(N) - 1), at = low + (sign & n);
    bool is = (hd_wrap<N>)at < (hd_wrap<N>)n;
    if constexpr (sizeof(N) < sizeof k)
        is = is && (N)(k >> 32) == sign; /* fewer instructions than low == k */
    good = good && is;
    return is ? at : 0;
}

/* The same; `good` becomes false only if `live`: an element that exists has it. */
template <class N>
HD hd_int64 hd_in_range_if(hd_int64 k, hd_int64 extent, bool live, bool &good)
{
    bool is = true;
    const hd_int64 at = hd_in_range<N>(k, extent, is);
    good = good && (is || !live);
    return at;
}

/* The same; a bad index is noted if `live`: an element that exists has it. */
template <class N>
HD hd_int64 hd_checked(hd_int64 k, hd_int64 extent, bool live, int function, hd_bad_index &bad)
{
    bool good = true;
    const hd_int64 at = hd_in_range_if<N>(k, extent, live, good);
    bad.index = good ? bad.index : k;
    bad.extent = good ? bad.extent : extent;
    bad.function = good ? bad.function : function;
    return at;
}

#endif
