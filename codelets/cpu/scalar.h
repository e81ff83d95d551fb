/* The hd_ functions of ops.def and reductions.def in C, for the one dtype that the including file
 * names: HD_T its C type, HD_KIND its kind as HD_B, HD_I, HD_U, HD_F or HD_C, HD_SINGLE nonzero
 * for float32 and complex64. All are total: no input is undefined behaviour (-fwrapv is assumed
 * for signed integers). The CUDA twin is scalar.cuh; integer and arithmetic results are the same
 * bits there. No function here may look at anything but its arguments. */
#ifndef HEDDLE_CODELETS_SCALAR_H
#define HEDDLE_CODELETS_SCALAR_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#undef I
#undef complex

#define HD_B 1
#define HD_I 2
#define HD_U 3
#define HD_F 4
#define HD_C 5

/* The real type of a floating dtype, and the libm function of its precision. */
#if HD_SINGLE
#define HD_REAL float
#define HD_M(name) name##f
#else
#define HD_REAL double
#define HD_M(name) name
#endif

/* ---- floating to integer, as heddle__convert: saturating, NaN to the lowest -------------------- */

static inline int64_t hd_real_to_i64(double x)
{
    const double low = -9.2233720368547758e18, high = 9.2233720368547758e18;
    const bool inside = x > low && x < high;
    const int64_t i = (int64_t)(inside ? x : 0.0);
    return inside ? i : x >= high ? INT64_MAX : INT64_MIN;
}

static inline uint64_t hd_real_to_u64(double x)
{
    const double high = 1.8446744073709552e19;
    const bool inside = x >= 0 && x < high;
    const uint64_t u = (uint64_t)(inside ? x : 0.0);
    return inside ? u : x >= high ? UINT64_MAX : (uint64_t)hd_real_to_i64(x);
}

/* ---- every dtype ----------------------------------------------------------------------------- */

static inline bool hd_equal(HD_T x, HD_T y)
{
    return x == y;
}

static inline bool hd_not_equal(HD_T x, HD_T y)
{
    return x != y;
}

#if HD_KIND == HD_C
#include "cpu/scalar_complex.h"
#elif HD_KIND == HD_F
#include "cpu/scalar_real.h"
#else
#include "cpu/scalar_integer.h"
#endif

#endif
