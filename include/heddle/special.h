/* Elementwise functions beyond the standard, with NumPy's names. They are made of those in elementwise.h,
 * whose rules hold, and fuse as they do. Also comparisons with a tolerance. */
#ifndef HEDDLE_SPECIAL_H
#define HEDDLE_SPECIAL_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/** |x| of real numbers, floating. */
HEDDLE_API heddle_array *heddle_fabs(heddle_array *x);
/** a to the b in float64 or complex128. */
HEDDLE_API heddle_array *heddle_float_power(heddle_array *a, heddle_array *b);
/** Degrees from radians. */
HEDDLE_API heddle_array *heddle_degrees(heddle_array *x);
/** Radians from degrees. */
HEDDLE_API heddle_array *heddle_radians(heddle_array *x);
/** The argument of a complex number, in [-pi, pi]. */
HEDDLE_API heddle_array *heddle_angle(heddle_array *x);
/** sin(pi x) / (pi x); 1 at 0. */
HEDDLE_API heddle_array *heddle_sinc(heddle_array *x);
/** 0 where x < 0, 1 where x > 0, at0 where x is 0, NaN of NaN. */
HEDDLE_API heddle_array *heddle_heaviside(heddle_array *x, heddle_array *at0);
/** x rounded to `decimals` places, halves to even; negative: to tens, hundreds ... */
HEDDLE_API heddle_array *heddle_around(heddle_array *x, int decimals);
/** Whether x is +infinity. */
HEDDLE_API heddle_array *heddle_isposinf(heddle_array *x);
/** Whether x is -infinity. */
HEDDLE_API heddle_array *heddle_isneginf(heddle_array *x);
/** Whether the imaginary part is 0. */
HEDDLE_API heddle_array *heddle_isreal(heddle_array *x);
/** Whether it is not. */
HEDDLE_API heddle_array *heddle_iscomplex(heddle_array *x);

struct heddle_nan_to_num_options {
    size_t size;          /* call.h */
    heddle_array *nan;    /* in the place of NaN; NULL: 0 */
    heddle_array *posinf; /* of infinity; NULL: the largest number */
    heddle_array *neginf; /* of -infinity; NULL: the smallest */
};

/** x with finite numbers in the place of NaN and infinities, of complex numbers in each part. */
HEDDLE_API heddle_array *heddle_nan_to_num_with(heddle_array *x,
                                                const struct heddle_nan_to_num_options *o);
#define heddle_nan_to_num(...)                                                                     \
    HEDDLE_CALL1(heddle_nan_to_num_with, heddle_nan_to_num_options, __VA_ARGS__)

struct heddle_isclose_options {
    size_t size;    /* call.h */
    double rtol;    /* 0: 1e-5; negative: none */
    double atol;    /* 0: 1e-8; negative: none */
    bool equal_nan; /* NaN is close to NaN */
};

/** Whether |a - b| <= atol + rtol |b|; infinities are close to themselves. */
HEDDLE_API heddle_array *heddle_isclose_with(heddle_array *a, heddle_array *b,
                                             const struct heddle_isclose_options *o);
/** Whether all elements are close: a 0-d bool. */
HEDDLE_API heddle_array *heddle_allclose_with(heddle_array *a, heddle_array *b,
                                              const struct heddle_isclose_options *o);
#define heddle_isclose(...)                                                                        \
    HEDDLE_CALL2(heddle_isclose_with, heddle_isclose_options, __VA_ARGS__)
#define heddle_allclose(...)                                                                       \
    HEDDLE_CALL2(heddle_allclose_with, heddle_isclose_options, __VA_ARGS__)

/** Whether the shapes are the same and all elements equal: a 0-d bool. */
HEDDLE_API heddle_array *heddle_array_equal(heddle_array *a, heddle_array *b);

#ifdef __cplusplus
}
#endif

#endif
