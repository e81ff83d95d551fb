/* A function of vectors that is polynomials and an exponential: the Bessel function I0 (bessel.h). Included by elementary.c only. Defines
 * i0_d, i0_f. */
#ifndef HEDDLE_CODELETS_CPU_POLYNOMIALS_H
#define HEDDLE_CODELETS_CPU_POLYNOMIALS_H

#define FIRST_TERM(c) r = none + (c);
#define NEXT_TERM(c) r = FUSED_d(r, t, none + (c));
#define FIRST_SLOPE(c) slope = none + (c);
#define NEXT_SLOPE(c) slope = FUSED_d(slope, t, none + (c));

/* What x^2 loses by its rounding. */
static inline vd lost_by_square(vd x, vd square)
{
#if HD_LEVEL >= 2
    return FMA_d(x, x, -square);
#else
    const vd part = 134217729.0 * x, high = part - (part - x),
             low = x - high; /* Veltkamp, Dekker */
    return ((high * high - square) + 2 * high * low) + low * low;
#endif
}

/* The steps of hd_bessel_i0. */
static inline vd i0_d(vd x)
{
    const vd none = {0}, size = MAGNITUDE_d(x), square = size * size;
    const vdi far = ~(vdi)(size <= 8), beyond = (vdi)(size > HD_I0_MOST);
    vd t = square * 0.25, r, slope;
    HD_I0_SLOPE(FIRST_SLOPE, NEXT_SLOPE)
    HD_I0_NEAR(FIRST_TERM, NEXT_TERM)
    const vd less = lost_by_square(size, square) * 0.25 * slope;
    const vd near = FUSED_d(r, t, 1 + (r * t + 1) * less);
    if (!ANY(far)) return near;
    t = 16 / size - 1;
    HD_I0_FAR(FIRST_TERM, NEXT_TERM)
    const vd e = SLEEF_D(exp, u10)(size - 8), root = SQRT_D(size), one_by = 1 / root,
             p = r * one_by;
    const vd lost = FUSED_d(-p, root, r) - 0.5 * p * one_by * FUSED_d(-root, root, size);
    r = select_d(far, FUSED_d(e, p, e * (lost * one_by)), near);
    return select_d(beyond, none + (double)INFINITY, r);
}

static inline vf i0_f(vf x)
{
    typedef float half __attribute__((vector_size(sizeof(vf) / 2)));
    half a[2];
    memcpy(a, &x, sizeof x);
    for (int i = 0; i < 2; i++)
        a[i] = __builtin_convertvector(i0_d(__builtin_convertvector(a[i], vd)), half);
    memcpy(&x, a, sizeof x);
    return x;
}

#endif
