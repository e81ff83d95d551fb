/* Samples of functions: ranges that grow by factors, interpolation, convolution, polynomials, phases. Names and
 * rules are NumPy's. Lazy; made of other functions, but for convolutions. Integers are taken as float64 where
 * the result is no integer. */
#ifndef HEDDLE_SERIES_H
#define HEDDLE_SERIES_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Ranges ---------------------------------------------------------------------------------------- */

struct heddle_logspace_options {
    size_t size;             /* call.h */
    enum heddle_dtype dtype; /* default: float64, complex128 of complex ends */
    bool endpoint_excluded;
    double base; /* of logspace; 0: 10 */
};

/** `num` numbers whose logarithms to the base are evenly spaced from `start` to `stop`: base ** linspace(...). The
 *  ends are scalars. Errors: as heddle_linspace. */
HEDDLE_API heddle_array *heddle_logspace_with(heddle_array *start, heddle_array *stop, int64_t num,
                                              const struct heddle_logspace_options *o);
/** `num` numbers from `start` to `stop`, each the same multiple of the one before; the ends are exact. Errors: as
 *  heddle_linspace. An end that is 0 gives nan. */
HEDDLE_API heddle_array *heddle_geomspace_with(heddle_array *start, heddle_array *stop, int64_t num,
                                               const struct heddle_logspace_options *o);
#define heddle_logspace(...)                                                                       \
    HEDDLE_CALL3(heddle_logspace_with, heddle_logspace_options, __VA_ARGS__)
#define heddle_geomspace(...)                                                                      \
    HEDDLE_CALL3(heddle_geomspace_with, heddle_logspace_options, __VA_ARGS__)

/* ---- Functions of samples --------------------------------------------------------------------------- */

struct heddle_interp_options {
    size_t size;         /* call.h */
    heddle_array *left;  /* 0-d: below the first of xp; NULL: the first of fp */
    heddle_array *right; /* 0-d: above the last of xp; NULL: the last of fp */
};

/** The function through the points (xp[i], fp[i]), straight between them, at `x`, in the shape of `x`. `xp` and `fp`
 *  have one axis of one length; `xp` ascends, else the result is some number. float64, or complex128 of complex
 *  `fp`. Errors: HEDDLE_ESHAPE (no points too), HEDDLE_EDTYPE (complex x or xp). */
HEDDLE_API heddle_array *heddle_interp_with(heddle_array *x, heddle_array *xp, heddle_array *fp,
                                            const struct heddle_interp_options *o);
#define heddle_interp(...) HEDDLE_CALL3(heddle_interp_with, heddle_interp_options, __VA_ARGS__)

/* Which places of a convolution of lengths n >= m: all n + m - 1, the n in the middle, or the n - m + 1 where
 * every product has both factors. */
enum heddle_convolution {
    HEDDLE_CONVOLUTION_DEFAULT, /* convolve: FULL; correlate: VALID */
    HEDDLE_CONVOLUTION_FULL,
    HEDDLE_CONVOLUTION_SAME,
    HEDDLE_CONVOLUTION_VALID,
};

struct heddle_convolve_options {
    size_t size; /* call.h */
    enum heddle_convolution mode;
};

/** Element k: the sum of a[k - i] * v[i], of bools whether there is such a product. Both have one axis, or none, and elements. The dtype is
 *  that of a product; integers wrap, halves are summed in float32. Products are added in the order of the longer one, each rounded, then
 *  their sum: the same bits on all devices, in any parts. Up to 4 places of VALID, of
 *  4096 products or more each, are sums as heddle_sum makes them. Cost: as many multiplications and additions for each element as the shorter
 *  one has elements, in one pass; no transform is used. Errors: HEDDLE_ESHAPE. */
HEDDLE_API heddle_array *heddle_convolve_with(heddle_array *a, heddle_array *v,
                                              const struct heddle_convolve_options *o);
/** Element k: the sum of a[k + i] * conj(v[i]). The rest as for convolve. */
HEDDLE_API heddle_array *heddle_correlate_with(heddle_array *a, heddle_array *v,
                                               const struct heddle_convolve_options *o);
#define heddle_convolve(...)                                                                       \
    HEDDLE_CALL2(heddle_convolve_with, heddle_convolve_options, __VA_ARGS__)
#define heddle_correlate(...)                                                                      \
    HEDDLE_CALL2(heddle_correlate_with, heddle_convolve_options, __VA_ARGS__)

/** p[0] * x**(n-1) + ... + p[n-1], by Horner's rule. `p` has one axis, or none: then it is the constant. Errors:
 *  HEDDLE_ESHAPE. */
HEDDLE_API heddle_array *heddle_polyval(heddle_array *p, heddle_array *x);

struct heddle_vander_options {
    size_t size; /* call.h */
    bool increasing;
};

/** The powers of `x`, of one axis, along a new last axis: from x**(n-1) down to x**0, or up. Errors: HEDDLE_ESHAPE,
 *  HEDDLE_EARG (n < 0). */
HEDDLE_API heddle_array *heddle_vander_with(heddle_array *x, int n,
                                            const struct heddle_vander_options *o);
#define heddle_vander(...) HEDDLE_CALL2(heddle_vander_with, heddle_vander_options, __VA_ARGS__)

struct heddle_unwrap_options {
    size_t size;    /* call.h */
    int axis;       /* default: the last */
    bool has_axis;  /* whether it is given; set by the macros */
    double period;  /* 0: 2 pi */
    double discont; /* larger steps are changed; 0, or less than half the period: half the period */
};

/** `a` with multiples of the period added, so that no step along the axis is larger than half of it: floating, or of
 *  a's dtype if it has integers and the period is whole. Errors: HEDDLE_EAXIS, HEDDLE_EDTYPE (complex). */
HEDDLE_API heddle_array *heddle_unwrap_with(heddle_array *a, const struct heddle_unwrap_options *o);
#define heddle_unwrap(...) HEDDLE_CALL1_AXIS(heddle_unwrap_with, heddle_unwrap_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
