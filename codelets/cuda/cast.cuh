/* Conversions between all dtypes, as the CPU's. May include half.cuh and scalar.cuh only. Entry point:
 * hd_cast<To>(x). */
#ifndef HEDDLE_CUDA_CAST_CUH
#define HEDDLE_CUDA_CAST_CUH

#include "cuda/half.cuh"
#include "cuda/scalar.cuh"

/* Floating to integer saturates to 64 bits, then wraps to the width; NaN is the least int64. */
template <class From>
HD hd_int64 hd_to_int64(From x)
{
    if (!(x > (From)-9.2233720368547758e18)) return (hd_int64)0x8000000000000000ull;
    return x >= (From)9.2233720368547758e18 ? 0x7fffffffffffffffll : (hd_int64)x;
}

template <class From>
HD hd_uint64 hd_to_uint64(From x)
{
    if (!(x >= 0)) return (hd_uint64)hd_to_int64(x);
    return x >= (From)1.8446744073709552e19 ? 0xffffffffffffffffull : (hd_uint64)x;
}

/* To 32 bits or fewer: where 32 bits have the number, as they mostly have, its lowest bits are those of 64, and conversions to 32 bits
 * take a fourth of the time. */
template <class To, class From>
HD To hd_to_narrow(From x)
{
    if (fabs(x) < (From)2147483648.0) return (To)(int)x;
    return hd_kind<To> == 'I' ? (To)hd_to_int64(x) : (To)hd_to_uint64(x);
}

template <class To, class From>
HD To hd_cast(From x)
{
    if constexpr (hd_same<To, From>)
        return x;
    else if constexpr (hd_kind<From> == 'H')
        return hd_cast<To>(hd_widen(x));
    else if constexpr (hd_kind<To> == 'H') {
        To r;
        hd_round_to(r, x);
        return r;
    } else if constexpr (hd_kind<From> == 'C') {
        if constexpr (hd_kind<To> == 'C') {
            typedef typename hd_traits<To>::real R;
            return hd_pair((R)x.re, (R)x.im);
        } else if constexpr (hd_kind<To> == 'B')
            return (x.re != 0) | (x.im != 0);
        else
            return hd_cast<To>(x.re);
    } else if constexpr (hd_kind<To> == 'C') {
        typedef typename hd_traits<To>::real R;
        return hd_pair((R)(double)x, R(0));
    } else if constexpr (hd_kind<To> == 'B')
        return x != 0;
    else if constexpr (hd_kind<From> == 'F' && hd_kind<To> != 'F' && sizeof(To) <= 4)
        return hd_to_narrow<To>(x);
    else if constexpr (hd_kind<From> == 'F' && hd_kind<To> == 'I')
        return (To)hd_to_int64(x);
    else if constexpr (hd_kind<From> == 'F' && hd_kind<To> == 'U')
        return (To)hd_to_uint64(x);
    else
        return (To)x;
}

#endif
