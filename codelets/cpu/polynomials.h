/* Functions of vectors that are polynomials and an exponential: the Bessel function I0 (bessel.h), and tanh of float32, of which
 * SLEEF's takes three times as long. Included by elementary.c only. Defines i0_d, i0_f, tanh_f. */
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

/* Up to 1 an odd polynomial, interpolated at Chebyshev's points to 2^-29; beyond 1 - 2 / (exp(2 x) + 1), with exp(2 x) =
 * 2^n exp(f), |f| < 0.35, to 2^-32. */
static inline vf tanh_f(vf x)
{
    const vf none = {0}, size = MAGNITUDE_f(x), z = x * x;
    vf p = none + 0.000142793188F;
    p = FUSED_f(p, z, none - 0.0009235008463F);
    p = FUSED_f(p, z, none + 0.003206803387F);
    p = FUSED_f(p, z, none - 0.008697847593F);
    p = FUSED_f(p, z, none + 0.02182954884F);
    p = FUSED_f(p, z, none - 0.05396341475F);
    p = FUSED_f(p, z, none + 0.1333331066F);
    p = FUSED_f(p, z, none - 0.3333333316F);
    const vf near = SIGNED_f(FUSED_f(x * z, p, x), x); /* of -0, too */
    const vfi is_near = (vfi)(size < 1);
    if (!ANY(~is_near)) return near;

    const vf most = none + 10,
             twice = 2 * select_f((vfi)(size < most), size, most); /* tanh(10) is 1 */
    const vf magic = none + 0x1.8p23F,
             biased = FUSED_f(twice, none + 1.44269504F, magic); /* its last bits are n */
    const vf n = biased - magic;
    vf f =
        FUSED_f(n, none - 0.693359375F, twice); /* log 2 in two parts: n times the first is exact */
    f = FUSED_f(n, none + 2.12194440e-4F, f);
    vf e = none + 0.000198919813F;
    e = FUSED_f(e, f, none + 0.001393454193F);
    e = FUSED_f(e, f, none + 0.008333310024F);
    e = FUSED_f(e, f, none + 0.04166645681F);
    e = FUSED_f(e, f, none + 0.1666666668F);
    e = FUSED_f(e, f, none + 0.5000000014F);
    e = FUSED_f(e * f, f, f) + 1;
    e = (vf)((vfi)e + ((vfi)biased << 23));
    vf r = SIGNED_f(1 - 2 / (e + 1), x);
    r = select_f(is_near, near, r);
    return select_f((vfi)IS_NAN(x), x, r);
}

#endif
