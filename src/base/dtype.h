/* The table of dtypes, and one scalar value of any of them. */
#ifndef HEDDLE_BASE_DTYPE_H
#define HEDDLE_BASE_DTYPE_H

#include <heddle/dtype.h>
#include <stdint.h>

/* One value of any dtype, in the dtype's own layout at offset 0. */
union heddle_scalar {
    _Bool b;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16; /* float16 and bfloat16, too */
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    float c64[2];
    double c128[2];
};

enum { HEDDLE_N_COMPUTED = HEDDLE_FLOAT16 }; /* kernels compute in the dtypes before it */
/* The dtype that kernels compute in: float32 for float16 and bfloat16, else itself. */
enum heddle_dtype heddle__computed_in(enum heddle_dtype dtype);
static inline bool heddle__is_half(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_FLOAT16 || dtype == HEDDLE_BFLOAT16;
}

/* dtype -> its place in real numbers: complex64 -> float32, complex128 -> float64, else itself. */
enum heddle_dtype heddle__real_dtype(enum heddle_dtype dtype);

/* Converts one scalar as astype does (C conversions; saturating where C is undefined; to bool
 * x != 0; complex to real drops the imaginary part). */
union heddle_scalar heddle__convert(union heddle_scalar value, enum heddle_dtype from,
                                    enum heddle_dtype to);

/* The number that a real dtype has for x. */
double heddle__as_held(double x, enum heddle_dtype dtype);

/* The dtype of a .npy type code ("f8"), HEDDLE_DTYPE_NONE if there is none; and the code of a dtype. */
enum heddle_dtype heddle__dtype_from_npy(const char *code);
const char *heddle__dtype_npy(enum heddle_dtype dtype);

#endif
