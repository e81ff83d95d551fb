/* SCAN_BODY, a header, for each dtype and operation of scans. It finds SCAN_T, SCAN_OP(x, y), SCAN_IDENTITY and SCAN(name), for the names that
 * it makes, and undefines them. HEDDLE_SCANS(name): those of `name` by operation and dtype. */
#include "scan_order.h"

#include <complex.h>
#include <stdint.h>

#undef I

static inline float complex mul_c64(float complex x, float complex y)
{
    const float a = crealf(x), b = cimagf(x), c = crealf(y), d = cimagf(y);
    float complex product; /* clang 14 has no CMPLXF with glibc */
    __real__ product = a * c - b * d;
    __imag__ product = a * d + b * c;
    return product;
}

static inline double complex mul_c128(double complex x, double complex y)
{
    const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    double complex product;
    __real__ product = a * c - b * d;
    __imag__ product = a * d + b * c;
    return product;
}

/* Integers wrap, signed ones too. */
#define SCAN_T uint32_t
#define SCAN(name) name##_add_i32
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T uint32_t
#define SCAN(name) name##_mul_i32
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include SCAN_BODY

#define SCAN_T uint64_t
#define SCAN(name) name##_add_i64
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T uint64_t
#define SCAN(name) name##_mul_i64
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include SCAN_BODY

#define SCAN_T float
#define SCAN(name) name##_add_f32
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T float
#define SCAN(name) name##_mul_f32
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include SCAN_BODY

#define SCAN_T double
#define SCAN(name) name##_add_f64
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T double
#define SCAN(name) name##_mul_f64
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include SCAN_BODY

#define SCAN_T float complex
#define SCAN(name) name##_add_c64
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T float complex
#define SCAN(name) name##_mul_c64
#define SCAN_OP(x, y) mul_c64(x, y)
#define SCAN_IDENTITY 1
#include SCAN_BODY

#define SCAN_T double complex
#define SCAN(name) name##_add_c128
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T double complex
#define SCAN(name) name##_mul_c128
#define SCAN_OP(x, y) mul_c128(x, y)
#define SCAN_IDENTITY 1
#include SCAN_BODY

/* The first of equal ones; NaN if one is. There is no identity: nothing begins with one. */
#define SCAN_NAMED(name, dtype) name##_max_##dtype
#define SCAN_IS_BEST(x, y) (((x) >= (y)) | ((x) != (x)))
#include "cpu/scan/extremes.h"

#define SCAN_NAMED(name, dtype) name##_min_##dtype
#define SCAN_IS_BEST(x, y) (((x) <= (y)) | ((x) != (x)))
#include "cpu/scan/extremes.h"

/* Signed and unsigned integers have the same bits. */
#define HEDDLE_SCANS_OF(name, op)                                                                  \
    {                                                                                              \
        [HEDDLE_INT32] = name##_##op##_i32, [HEDDLE_INT64] = name##_##op##_i64,                    \
        [HEDDLE_UINT32] = name##_##op##_i32, [HEDDLE_UINT64] = name##_##op##_i64,                  \
        [HEDDLE_FLOAT32] = name##_##op##_f32, [HEDDLE_FLOAT64] = name##_##op##_f64,                \
        [HEDDLE_COMPLEX64] = name##_##op##_c64, [HEDDLE_COMPLEX128] = name##_##op##_c128           \
    }
#define HEDDLE_SCANS_OF_EXTREMES(name, op)                                                         \
    {                                                                                              \
        [HEDDLE_INT32] = name##_##op##_i32, [HEDDLE_INT64] = name##_##op##_i64,                    \
        [HEDDLE_UINT32] = name##_##op##_u32, [HEDDLE_UINT64] = name##_##op##_u64,                  \
        [HEDDLE_FLOAT32] = name##_##op##_f32, [HEDDLE_FLOAT64] = name##_##op##_f64                 \
    }
#define HEDDLE_SCANS(name)                                                                         \
    {                                                                                              \
        [HEDDLE_SCAN_ADD] = HEDDLE_SCANS_OF(name, add),                                            \
        [HEDDLE_SCAN_MULTIPLY] = HEDDLE_SCANS_OF(name, mul),                                       \
        [HEDDLE_SCAN_MAXIMUM] = HEDDLE_SCANS_OF_EXTREMES(name, max),                               \
        [HEDDLE_SCAN_MINIMUM] = HEDDLE_SCANS_OF_EXTREMES(name, min),                               \
    }
