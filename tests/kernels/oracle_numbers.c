/* Numbers of the oracle: elements of any dtype, how near two of them are, values for tests. Knows no
 * operations. Entry points: oracle_get, oracle_set, oracle_near, oracle_same, oracle_value. */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef long double real;

/* ---- elements ---------------------------------------------------------------------------------- */

struct number oracle_get(enum heddle_dtype dtype, const void *data, int64_t k)
{
    struct number v = {0, 0, 0};
    switch (dtype) {
    case HEDDLE_BOOL: v.i = ((const bool *)data)[k]; break;
    case HEDDLE_INT8: v.i = ((const int8_t *)data)[k]; break;
    case HEDDLE_INT16: v.i = ((const int16_t *)data)[k]; break;
    case HEDDLE_INT32: v.i = ((const int32_t *)data)[k]; break;
    case HEDDLE_INT64: v.i = ((const int64_t *)data)[k]; break;
    case HEDDLE_UINT8: v.i = ((const uint8_t *)data)[k]; break;
    case HEDDLE_UINT16: v.i = ((const uint16_t *)data)[k]; break;
    case HEDDLE_UINT32: v.i = ((const uint32_t *)data)[k]; break;
    case HEDDLE_UINT64: v.i = ((const uint64_t *)data)[k]; break;
    case HEDDLE_FLOAT32: v.re = ((const float *)data)[k]; break;
    case HEDDLE_FLOAT64: v.re = ((const double *)data)[k]; break;
    case HEDDLE_COMPLEX64:
        v.re = ((const float *)data)[2 * k], v.im = ((const float *)data)[2 * k + 1];
        break;
    case HEDDLE_COMPLEX128:
        v.re = ((const double *)data)[2 * k], v.im = ((const double *)data)[2 * k + 1];
        break;
    default: break;
    }
    return v;
}

void oracle_set(enum heddle_dtype dtype, void *data, int64_t k, struct number v)
{
    switch (dtype) {
    case HEDDLE_BOOL: ((bool *)data)[k] = v.i & 1; break;
    case HEDDLE_INT8:
    case HEDDLE_UINT8: ((uint8_t *)data)[k] = (uint8_t)v.i; break;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: ((uint16_t *)data)[k] = (uint16_t)v.i; break;
    case HEDDLE_INT32:
    case HEDDLE_UINT32: ((uint32_t *)data)[k] = (uint32_t)v.i; break;
    case HEDDLE_INT64:
    case HEDDLE_UINT64: ((uint64_t *)data)[k] = (uint64_t)v.i; break;
    case HEDDLE_FLOAT32: ((float *)data)[k] = (float)v.re; break;
    case HEDDLE_FLOAT64: ((double *)data)[k] = (double)v.re; break;
    case HEDDLE_COMPLEX64:
        ((float *)data)[2 * k] = (float)v.re, ((float *)data)[2 * k + 1] = (float)v.im;
        break;
    case HEDDLE_COMPLEX128:
        ((double *)data)[2 * k] = (double)v.re, ((double *)data)[2 * k + 1] = (double)v.im;
        break;
    default: break;
    }
}

bool oracle_is_single(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64;
}

real oracle_rounded(enum heddle_dtype dtype, real x)
{
    return oracle_is_single(dtype) ? (real)(float)x : (real)(double)x;
}

real oracle_ulp(enum heddle_dtype dtype, real x)
{
    int e;
    frexpl(x, &e);
    const int digits = oracle_is_single(dtype) ? FLT_MANT_DIG : DBL_MANT_DIG;
    const int least = oracle_is_single(dtype) ? FLT_MIN_EXP : DBL_MIN_EXP;
    return ldexpl(1, (e < least ? least : e) - digits);
}

static bool near_real(enum heddle_dtype dtype, real got, real want, real bound)
{
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    const real to = oracle_rounded(dtype, want);
    if (got == to) return bound > 0 || got != 0 || signbit(got) == signbit(want);
    if (isinf(got) && !isinf(want)) { /* overflow within the bound */
        return signbit(got) == signbit(want) &&
               isinf(oracle_rounded(dtype, want + copysignl(bound, want)));
    }
    if (isinf(to) && !isinf(got)) return fabsl(got - want) <= bound;
    return fabsl(got - want) <= bound;
}

bool oracle_near(enum heddle_dtype dtype, struct number got, struct number want, double ulps)
{
    const char kind = heddle_dtype_kind(dtype);
    if (kind == 'F') {
        if (got.re == 0 && want.re == 0 && signbit(got.re) != signbit(want.re)) return false;
        return near_real(dtype, got.re, want.re, (real)ulps * oracle_ulp(dtype, want.re));
    }
    if (kind != 'C') return got.i == want.i;
    const real size = fmaxl(fabsl(want.re), fabsl(want.im));
    const real bound = (real)ulps * oracle_ulp(dtype, isfinite(size) ? size : 1);
    return near_real(dtype, got.re, want.re, bound) && near_real(dtype, got.im, want.im, bound);
}

bool oracle_same(enum heddle_dtype dtype, const void *a, int64_t i, const void *b, int64_t j)
{
    const size_t size = heddle_dtype_size(dtype);
    if (!memcmp((const char *)a + (size_t)i * size, (const char *)b + (size_t)j * size, size))
        return true;
    const struct number x = oracle_get(dtype, a, i), y = oracle_get(dtype, b, j);
    const bool re = isnan(x.re) ? isnan(y.re) : x.re == y.re && signbit(x.re) == signbit(y.re);
    const bool im = isnan(x.im) ? isnan(y.im) : x.im == y.im && signbit(x.im) == signbit(y.im);
    return x.i == y.i && re && im;
}

/* ---- values ------------------------------------------------------------------------------------ */

static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Written so that values are cheap: tests fill arrays with them. */
static real real_value(enum heddle_dtype dtype, uint64_t k)
{
#define SPECIAL(HUGEST, TINY, LEAST)                                                               \
    {                                                                                              \
        0, -0.0L, 1, -1, INFINITY, -INFINITY, NAN, HUGEST, -HUGEST, TINY, -TINY, LEAST, -LEAST,    \
            0.5L, -0.5L, 1.5L, 2, 2.5L, -2.5L, 3, -3, -5, 1e5L, 0.1L                               \
    }
    static const real special[2][ORACLE_SPECIAL] = {SPECIAL(DBL_MAX, DBL_MIN, DBL_TRUE_MIN),
                                                    SPECIAL(FLT_MAX, FLT_MIN, FLT_TRUE_MIN)};
#undef SPECIAL
    const bool single = oracle_is_single(dtype);
    if (k < ORACLE_SPECIAL) return oracle_rounded(dtype, special[single][k]);
    const uint64_t u = mixed(k);
    const real unit = (real)(u >> 11) * 0x1p-53L;
    const real sign = u & 1 ? -1 : 1;
    switch (u >> 1 & 7) {
    case 0:
    case 1: return oracle_rounded(dtype, sign * unit);
    case 2:
    case 3: return oracle_rounded(dtype, sign * unit * 20);
    case 4: return oracle_rounded(dtype, sign * unit * 1000);
    case 5:
    case 6: {
        const int exponent = (int)(u >> 4 & 63) - 32;
        const real power = (real)(UINT64_C(1) << (exponent < 0 ? -exponent : exponent));
        return oracle_rounded(dtype,
                              sign * (exponent < 0 ? (1 + unit) / power : (1 + unit) * power));
    }
    default: {
        const int exponent =
            (int)((u >> 4 & 0xfffff) % (single ? 278 : 2100)) - (single ? 150 : 1075);
        return oracle_rounded(dtype, sign * ldexpl(1 + unit, exponent));
    }
    }
}

static __int128 special_integer(bool is_signed, int bits, uint64_t k)
{
    const __int128 one = 1;
    const __int128 low = is_signed ? -(one << (bits - 1)) : 0;
    const __int128 high = is_signed ? (one << (bits - 1)) - 1 : (one << bits) - 1;
    const __int128 special[ORACLE_SPECIAL] = {0,  1,       -1,       low, high, 2,    -2,       3,
                                              -3, low + 1, high - 1, 7,   -7,   8,    31,       32,
                                              33, 63,      64,       65,  -64,  bits, bits - 1, 10};
    return special[k];
}

struct number oracle_value(enum heddle_dtype dtype, uint64_t k)
{
    struct number v = {0, 0, 0};
    const char kind = heddle_dtype_kind(dtype);
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    if (kind == 'F') {
        v.re = real_value(dtype, k);
    } else if (kind == 'C') {
        const bool special = k < ORACLE_SPECIAL;
        v.re = real_value(dtype, special ? k : 2 * k);
        v.im = real_value(dtype, special ? mixed(k) % ORACLE_SPECIAL : 2 * k + 1);
    } else if (kind == 'B') {
        v.i = (__int128)(mixed(k) & 1);
    } else {
        const uint64_t u = mixed(k);
        v.i = k < ORACLE_SPECIAL ? special_integer(kind == 'I', bits, k)
              : u & 1            ? (__int128)(int64_t)u
                                 : (__int128)(int64_t)((u >> 1) % 41) - 20;
        uint64_t element; /* wrapped to the dtype */
        oracle_set(dtype, &element, 0, v);
        v = oracle_get(dtype, &element, 0);
    }
    return v;
}
