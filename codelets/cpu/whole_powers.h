/* x^y of vectors, y whole and up to MOST_PRODUCT: products, which take less time than logarithms, and have the right signs. Of float32 in float64;
 * of float64 in two parts, as a product and what its rounding lost (T. J. Dekker, "A floating-point technique for extending the available
 * precision", 1971), so that errors stay near half an ULP. An element's bits are the same for a y of its own and for one of all. Only for
 * processors that fuse. Included by powers.h only. Defines is_product_d and _f, product_d and _f, products_d and _f. */
#ifndef HEDDLE_CODELETS_CPU_WHOLE_POWERS_H
#define HEDDLE_CODELETS_CPU_WHOLE_POWERS_H

enum { MOST_PRODUCT = 64 };

/* ---- Each element has its exponent ---------------------------------------------------------------------- */

#define IS_PRODUCT(S)                                                                              \
    static inline v##S##i is_product_##S(v##S y)                                                   \
    {                                                                                              \
        return (v##S##i)(TO_ZERO_##S(y) == y) & (v##S##i)(MAGNITUDE_##S(y) <= MOST_PRODUCT);       \
    }
IS_PRODUCT(d)
IS_PRODUCT(f)

static inline vdi whole_of(vd y)
{
    const vd magic = (vd){0} + 0x1p52;
    return (vdi)(MAGNITUDE_d(y) + magic) - (vdi)magic;
}

/* Float64 holds the powers of float32 that are not zero or infinite there. */
static inline vd short_product(vd x, vd y)
{
    vd r = (vd){0} + 1;
    for (vdi n = whole_of(y), none = {0}; ANY(n); n >>= 1, x *= x)
        r = select_d(none - (n & 1), r * x, r);
    const vdi inverse = (vdi)(y < 0);
    return ANY(inverse) ? select_d(inverse, 1 / r, r) : r;
}

static inline vf product_f(vf x, vf y)
{
    return of_halves(short_product(lower_half(x), lower_half(y)),
                     short_product(upper_half(x), upper_half(y)));
}

/* a a_rest times b b_rest. */
static inline vd times(vd a, vd a_rest, vd b, vd b_rest, vd *rest)
{
    const vd r = a * b;
    *rest = FMA_d(a, b_rest, FMA_d(a_rest, b, FMA_d(a, b, -r)));
    return r;
}

/* What r and its rest are, or 1 over it; *usual where r is far from the smallest and the largest numbers, or zero, so that this
 * is right. */
static inline vd end_product(vd r, vd rest, bool inverse, vdi *usual)
{
    const vd none = {0}, size = MAGNITUDE_d(r);
    const vdi zero = (vdi)(size == none);
    *usual = ((vdi)(size > none + 0x1p-960) & (vdi)(size < none + 0x1p960)) | zero;
    if (!inverse) return select_d(zero, r, r + rest);
    const vd first = 1 / r, missing = FMA_d(-first, rest, FMA_d(-first, r, none + 1));
    return select_d(zero, first, FMA_d(first, missing, first));
}

static inline vd product_d(vd x, vd y, vdi *usual)
{
    const vd none = {0};
    vd r = none + 1, rest = none, x_rest = none;
    for (vdi n = whole_of(y), bits = {0}; ANY(n); n >>= 1) {
        const vdi odd = bits - (n & 1);
        vd more;
        const vd longer = times(r, rest, x, x_rest, &more);
        r = select_d(odd, longer, r);
        rest = select_d(odd, more, rest);
        x = times(x, x_rest, x, x_rest, &x_rest);
    }
    const vdi inverse = (vdi)(y < none);
    const vd plain = end_product(r, rest, false, usual);
    return ANY(inverse) ? select_d(inverse, end_product(r, rest, true, usual), plain) : plain;
}

/* ---- All have one ------------------------------------------------------------------------------------------ */

enum { AT_ONCE = 4 }; /* vectors, so that none waits for its products */

static inline void short_products(vd x[AT_ONCE], unsigned n, bool inverse)
{
    vd r[AT_ONCE];
    for (; n % 2 == 0; n /= 2)
        for (int k = 0; k < AT_ONCE; k++) x[k] *= x[k];
    for (int k = 0; k < AT_ONCE; k++) r[k] = x[k];
    while ((n /= 2) > 0) {
        for (int k = 0; k < AT_ONCE; k++) x[k] *= x[k];
        for (int k = 0; k < AT_ONCE && n % 2 == 1; k++) r[k] *= x[k];
    }
    for (int k = 0; k < AT_ONCE; k++) x[k] = r[k];
    for (int k = 0; k < AT_ONCE && inverse; k++) x[k] = 1 / r[k];
}

static inline void products_f(vf x[AT_ONCE / 2], unsigned n, bool inverse)
{
    vd half[AT_ONCE];
    for (int k = 0; k < AT_ONCE / 2; k++) {
        half[2 * k] = lower_half(x[k]);
        half[2 * k + 1] = upper_half(x[k]);
    }
    short_products(half, n, inverse);
    for (int k = 0; k < AT_ONCE / 2; k++) x[k] = of_halves(half[2 * k], half[2 * k + 1]);
}

/* False: not all are usual. */
static inline bool products_d(vd x[AT_ONCE], unsigned n, bool inverse)
{
    vd x_rest[AT_ONCE], r[AT_ONCE], rest[AT_ONCE];
    for (int k = 0; k < AT_ONCE; k++) x_rest[k] = (vd){0};
    for (; n % 2 == 0; n /= 2)
        for (int k = 0; k < AT_ONCE; k++)
            x[k] = times(x[k], x_rest[k], x[k], x_rest[k], &x_rest[k]);
    for (int k = 0; k < AT_ONCE; k++) {
        r[k] = x[k];
        rest[k] = x_rest[k];
    }
    while ((n /= 2) > 0) {
        for (int k = 0; k < AT_ONCE; k++)
            x[k] = times(x[k], x_rest[k], x[k], x_rest[k], &x_rest[k]);
        for (int k = 0; k < AT_ONCE && n % 2 == 1; k++)
            r[k] = times(r[k], rest[k], x[k], x_rest[k], &rest[k]);
    }
    vdi all = ~(vdi){0};
    for (int k = 0; k < AT_ONCE; k++) {
        vdi usual;
        x[k] = end_product(r[k], rest[k], inverse, &usual);
        all &= usual;
    }
    const vdi odd = ~all;
    return !ANY(odd);
}

#endif
