/* Values of functions that long doubles cannot give by one call of libm, for oracles: sums of exponentials near 1, whose logarithms
 * cancel, and a Bessel function by its integral. Entry points: true_log_add_exp, true_log_add_exp2, true_i0; EXACT_CANCELS: the
 * absolute error of the first two where their results are near 0. */
#ifndef HEDDLE_TESTS_EXACT_H
#define HEDDLE_TESTS_EXACT_H

#include <float.h>
#include <math.h>

/* Quadruple precision, which GCC and glibc have on x86-64 by this type; the functions are declared here, as math.h does not
 * without macros that come before all includes. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
typedef _Float128 exact_real;
extern _Float128 expf128(_Float128), exp2f128(_Float128), expm1f128(_Float128),
    log1pf128(_Float128);
#define EXACT(function) function##f128
#define EXACT_CANCELS 1e-33L
#define EXACT_LOG_2 0.693147180559945309417232121458176568f128
#else
typedef long double exact_real;
#define EXACT(function) function##l
#define EXACT_CANCELS LDBL_EPSILON
#define EXACT_LOG_2 0.693147180559945309417232121458176568L
#endif

/* log_b(b^x + b^y), log b = scale. */
static inline long double true_log_add(long double x, long double y, exact_real scale)
{
    if (isnan(x) || isnan(y)) return NAN;
    if (isinf(x) && x == y) return x;
    const long double top = x > y ? x : y, low = x > y ? y : x;
    if (isinf(top) || isinf(low)) return top + 0; /* -0 and 0 are 0 */
    const exact_real a = top * scale, b = low * scale;
    if (fabsl(top) > 2) return (long double)(top + EXACT(log1p)(EXACT(exp)(b - a)) / scale);
    return (long double)(EXACT(log1p)(EXACT(expm1)(a) + EXACT(exp)(b)) / scale);
}

static inline long double true_log_add_exp(long double x, long double y)
{
    return true_log_add(x, y, 1);
}

static inline long double true_log_add_exp2(long double x, long double y)
{
    return true_log_add(x, y, EXACT_LOG_2);
}

/* The mean of cosh(x cos t) over a quarter of a turn, which points in the middle of equal steps give to rounding, with as
 * many as the square root of the largest x wants. exp(x) comes out of it, so that what is rounded is small. */
static inline long double true_i0(long double x)
{
    enum { STEPS = 200 };
    const long double pi = 3.14159265358979323846264338327950288L, size = fabsl(x);
    if (!(size < 12000)) return expl(size);
    long double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        const long double t = (i + 0.5L) * pi / (4 * STEPS), s = sinl(t), c = cosl(t);
        sum += expl(-2 * size * s * s) + expl(-2 * size * c * c);
    }
    return expl(size) * (sum / (2 * STEPS));
}

#endif
