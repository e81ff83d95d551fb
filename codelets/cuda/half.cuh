/* Halves, which are stored, and cast to and from float. May include types.cuh and base/half.h only. Entry points:
 * hd_float16, hd_bfloat16, hd_widen, hd_round_to. */
#ifndef HEDDLE_CUDA_HALF_CUH
#define HEDDLE_CUDA_HALF_CUH

#include "cuda/types.cuh"
#include "base/half.h"

struct hd_float16 {
    hd_uint16 bits;
};
struct hd_bfloat16 {
    hd_uint16 bits;
};
/* On a GPU by its own conversions, which round alike; of a NaN they keep that it is one. */
HD float hd_widen(hd_float16 x)
{
#ifdef __CUDA_ARCH__
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
    return r;
#else
    return hd_float16_to_float(x.bits);
#endif
}
HD float hd_widen(hd_bfloat16 x)
{
    return hd_bfloat16_to_float(x.bits);
}
HD void hd_round_to(hd_float16 &r, float x)
{
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
#else
    r.bits = hd_float16_of_float(x);
#endif
}
HD void hd_round_to(hd_bfloat16 &r, float x)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
#else
    r.bits = hd_bfloat16_of_float(x);
#endif
}
HD void hd_round_to(hd_float16 &r, double x)
{
    hd_round_to(r, hd_float_to_odd(x));
}
HD void hd_round_to(hd_bfloat16 &r, double x)
{
    hd_round_to(r, hd_float_to_odd(x));
}

template <>
struct hd_traits<hd_float16> {
    static constexpr char kind = 'H';
    typedef hd_float16 real;
};
template <>
struct hd_traits<hd_bfloat16> {
    static constexpr char kind = 'H';
    typedef hd_bfloat16 real;
};

#endif
