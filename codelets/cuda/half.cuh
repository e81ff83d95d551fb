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
HD float hd_widen(hd_float16 x)
{
    return hd_float16_to_float(x.bits);
}
HD float hd_widen(hd_bfloat16 x)
{
    return hd_bfloat16_to_float(x.bits);
}
HD void hd_round_to(hd_float16 &r, float x)
{
    r.bits = hd_float16_of_float(x);
}
HD void hd_round_to(hd_float16 &r, double x)
{
    r.bits = hd_float16_of_double(x);
}
HD void hd_round_to(hd_bfloat16 &r, float x)
{
    r.bits = hd_bfloat16_of_float(x);
}
HD void hd_round_to(hd_bfloat16 &r, double x)
{
    r.bits = hd_bfloat16_of_double(x);
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
