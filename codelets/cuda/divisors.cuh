/* Divisors, multiples and shifts of integers, as the CPU's. Also embedded text for NVRTC: may include scalar.cuh only. */
#ifndef HEDDLE_CUDA_DIVISORS_CUH
#define HEDDLE_CUDA_DIVISORS_CUH

#include "cuda/scalar.cuh"

template <class T>
HD unsigned long long hd_magnitude(T x)
{
    if constexpr (hd_kind<T> == 'I')
        if (x < 0) return 0 - (unsigned long long)x;
    return (unsigned long long)x;
}

/* The bits set in |x|. */
template <class T>
HD hd_uint8 hd_bit_count(T x)
{
    const unsigned long long n = hd_magnitude(x);
    return (hd_uint8)(sizeof(T) > 4 ? __popcll(n) : __popc((unsigned)n));
}

/* Euclid's. */
template <class T>
HD_BIG T hd_gcd(T x, T y)
{
    unsigned long long a = hd_magnitude(x), b = hd_magnitude(y);
    while (b) {
        const unsigned long long rest = a % b;
        a = b;
        b = rest;
    }
    return (T)a;
}

template <class T>
HD_BIG T hd_lcm(T x, T y)
{
    const unsigned long long divisor = hd_magnitude(hd_gcd(x, y));
    return divisor ? (T)(hd_magnitude(x) / divisor * hd_magnitude(y)) : T(0);
}

/* ---- Shifts ------------------------------------------------------------------------------------------- */

/* A count for the instructions below, which take all counts of 32 and more as 32, or 64 as 64. */
template <class T>
HD unsigned hd_shift_count(T y)
{
    if constexpr (sizeof(T) == 8)
        return (unsigned)((hd_uint64)y < 64 ? (hd_uint64)y : 64);
    else
        return (unsigned)y;
}

/* Shifts past the width give 0, or -1 of negative numbers to the right; a negative count is past
 * every width. Narrow numbers are shifted with 32 bits, of which the width is kept. */
template <class T>
HD T hd_shift_left(T x, T y)
{
#ifdef __CUDA_ARCH__
    const unsigned count = hd_shift_count(y);
    if constexpr (sizeof(T) == 8) {
        hd_uint64 r;
        asm("shl.b64 %0, %1, %2;" : "=l"(r) : "l"((hd_uint64)x), "r"(count));
        return (T)r;
    } else {
        unsigned r;
        asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"((unsigned)x), "r"(count));
        return (T)r;
    }
#else
    const bool inside = (hd_uint64)y < 8 * sizeof(T);
    return inside ? (T)((hd_wrap<T>)x << (inside ? (int)y : 0)) : T(0);
#endif
}

template <class T>
HD T hd_shift_right(T x, T y)
{
#ifdef __CUDA_ARCH__
    const unsigned count = hd_shift_count(y);
    constexpr bool is_signed = hd_kind<T> == 'I';
    if constexpr (sizeof(T) == 8) {
        hd_uint64 r;
        if constexpr (is_signed)
            asm("shr.s64 %0, %1, %2;" : "=l"(r) : "l"((hd_uint64)x), "r"(count));
        else
            asm("shr.u64 %0, %1, %2;" : "=l"(r) : "l"((hd_uint64)x), "r"(count));
        return (T)r;
    } else {
        unsigned r;
        if constexpr (is_signed)
            asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"((unsigned)(int)x), "r"(count));
        else
            asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"((unsigned)x), "r"(count));
        return (T)r;
    }
#else
    const bool inside = (hd_uint64)y < 8 * sizeof(T);
    if constexpr (hd_kind<T> == 'I')
        return (T)(x >> (inside ? (int)y : 8 * (int)sizeof(T) - 1));
    else
        return inside ? (T)(x >> (inside ? (int)y : 0)) : T(0);
#endif
}

#endif
