/* Divisors, multiples and bits of integers, as the CPU's. Also embedded text for NVRTC: may include scalar.cuh only. */
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

#endif
