/* Divisors, multiples and shifts of integers, and division of many by one, as the CPU's. Also embedded text for NVRTC: may include scalar.cuh only. */
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

/* ---- Division by one divisor ---------------------------------------------------------------------------- */

/* A divisor d of integers that many are divided by, without a division: program.c makes the multiplier. */
template <class T>
struct hd_divisor {
    typedef hd_wrap<T> U;
    T d;
    U multiplier;
    /* Shifts; first: 0 of divisors 0, 1 and -1, else 1. Of less than 4 bytes first alone: 1 of divisors 1 and -1, else 0. */
    int first, second;
    /* Of 8 bytes: what divides numbers below `near`, which is 2^31 for divisors from 2 to 2^31 and else 0, with 32 bits: a sixth of the time. */
    U near;
    unsigned near_multiplier;
    __device__ __forceinline__ hd_divisor(T by, hd_int64 m) : d(by), multiplier((U)m)
    {
        const U size = hd_kind<T> == 'I' && by < 0 ? (U)0 - (U)by : (U)by;
        const int log = size < 2        ? 0
                        : sizeof(U) > 4 ? 64 - __clzll((hd_int64)(size - 1))
                                        : 32 - __clz((int)(size - 1));
        first = sizeof(T) < 4 ? size == 1 : log > 0;
        second = log > 0 ? log - 1 : 0;
        if constexpr (sizeof(T) == 8) {
            /* 2^(31 + log) / d, rounded down, and 1: the upper digits of the multiplier, which is made of 2^63, or 2^64 and less by 2^64 */
            near = by > 1 && by <= (T)0x80000000u ? (U)0x80000000u : (U)0;
            near_multiplier = hd_kind<T> == 'I' ? (unsigned)(multiplier >> 32) + 1
                                                : 0x80000001u + (unsigned)(multiplier >> 33);
        }
    }
    __device__ __forceinline__ unsigned near_quotient(unsigned n) const
    {
        return __umulhi(n, near_multiplier) >> second;
    }
    /* n / |d|; of signed types n is 2^(width - 1) at most. */
    __device__ __forceinline__ U quotient(U n) const
    {
        U high;
        if constexpr (sizeof(U) > 4)
            high = __umul64hi(n, multiplier);
        else
            high = __umulhi(n, multiplier);
        if constexpr (sizeof(T) < 4)
            return high + n * (U)first;
        else if constexpr (hd_kind<T> == 'I')
            return first ? high >> second : n;
        else
            return (high + ((n - high) >> first)) >> second;
    }
};

/* As hd_floor_divide: what is below 0 as -1 - n, so that it is rounded down. */
template <class T>
HD T hd_floor_divide_by(T x, const hd_divisor<T> &y)
{
    typedef hd_wrap<T> U;
    if constexpr (hd_kind<T> != 'I' && sizeof(T) < 4) return (T)y.quotient(x); /* by 0, too */
    if (y.d == 0) return 0;
    if constexpr (sizeof(T) == 8)
        if ((U)x < y.near) return (T)y.near_quotient((unsigned)x);
    if constexpr (hd_kind<T> == 'I') {
        if (y.d > 0) {
            const U below = x < 0 ? ~(U)0 : (U)0;
            return (T)(y.quotient((U)x ^ below) ^ below);
        }
        const U above = x > 0 ? ~(U)0 : (U)0; /* -x is below 0 */
        return (T)(y.quotient(x > 0 ? (U)x - 1 : (U)0 - (U)x) ^ above);
    } else
        return (T)y.quotient((U)x);
}

template <class T>
HD T hd_remainder_by(T x, const hd_divisor<T> &y)
{
    typedef hd_wrap<T> U;
    if constexpr (sizeof(T) == 8)
        if ((U)x < y.near) {
            const unsigned n = (unsigned)x;
            return (T)(n - y.near_quotient(n) * (unsigned)y.d);
        }
    return y.d == 0 ? T(0) : (T)((U)x - (U)hd_floor_divide_by(x, y) * (U)y.d);
}

/* The same, of which the quotient is there already. */
template <class T>
HD T hd_rest_by(T x, T quotient, const hd_divisor<T> &y)
{
    typedef hd_wrap<T> U;
    return y.d == 0 ? T(0) : (T)((U)x - (U)quotient * (U)y.d);
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
