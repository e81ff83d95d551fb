/* The oracle's reductions, written by hand from the public descriptions: what two values combine to. It
 * uses no expression of reductions.def, and without a case for each row it does not compile. Entry
 * point: oracle_combine. */
#include "oracle.h"

#include <math.h>

typedef long double real;

/* Sums and products are rounded to the dtype, each operation by itself. */
static real add(enum heddle_dtype dtype, real x, real y)
{
    return oracle_is_single(dtype) ? (real)((float)x + (float)y) : (real)((double)x + (double)y);
}

static real multiply(enum heddle_dtype dtype, real x, real y)
{
    return oracle_is_single(dtype) ? (real)((float)x * (float)y) : (real)((double)x * (double)y);
}

static bool is_floating(enum heddle_dtype dtype)
{
    return dtype >= HEDDLE_FLOAT32;
}

/* As an element of the dtype. */
static struct number wrapped(enum heddle_dtype dtype, uint64_t i)
{
    uint64_t element[2] = {0, 0};
    oracle_set(dtype, element, 0, (struct number){(__int128)i, 0, 0});
    return oracle_get(dtype, element, 0);
}

static struct number sum(enum heddle_dtype dtype, struct number x, struct number y)
{
    if (!is_floating(dtype)) return wrapped(dtype, (uint64_t)x.i + (uint64_t)y.i);
    return (struct number){0, add(dtype, x.re, y.re), add(dtype, x.im, y.im)};
}

static struct number product(enum heddle_dtype dtype, struct number x, struct number y)
{
    if (!is_floating(dtype)) return wrapped(dtype, (uint64_t)x.i * (uint64_t)y.i);
    struct number r = {0, multiply(dtype, x.re, y.re), 0};
    if (heddle_dtype_kind(dtype) != 'C') return r;
    r.re = add(dtype, r.re, -multiply(dtype, x.im, y.im));
    r.im = add(dtype, multiply(dtype, x.re, y.im), multiply(dtype, x.im, y.re));
    return r;
}

/* -1, 0 or 1 as x is less than y, equal, or greater. NaN is beyond all, and equal to NaN. */
static int order(enum heddle_dtype dtype, struct number x, struct number y)
{
    if (heddle_dtype_kind(dtype) != 'F') return (x.i > y.i) - (x.i < y.i);
    if (isnan(x.re) || isnan(y.re)) return (isnan(x.re) != 0) - (isnan(y.re) != 0);
    return (x.re > y.re) - (x.re < y.re);
}

static bool is_nan(enum heddle_dtype dtype, struct number x)
{
    return heddle_dtype_kind(dtype) == 'F' && isnan(x.re);
}

/* Whether y comes before x among the smallest: NaN does. */
static bool is_below(enum heddle_dtype dtype, struct number y, struct number x)
{
    if (is_nan(dtype, x) || is_nan(dtype, y)) return !is_nan(dtype, x);
    return order(dtype, y, x) < 0;
}

/* The element that y replaces x by is the first of those equal, wherever the two were found. */
static bool takes_place(bool y_wins, bool x_wins, const struct oracle_partial *x,
                        const struct oracle_partial *y)
{
    return y_wins || (!x_wins && y->index < x->index);
}

void oracle_combine(enum heddle_reduction op, enum heddle_dtype dtype, struct oracle_partial *x,
                    const struct oracle_partial *y)
{
    const struct number a = x->value, b = y->value;
    bool take = false;
    switch (op) {
    case HEDDLE_REDUCE_SUM: x->value = sum(dtype, a, b); break;
    case HEDDLE_REDUCE_PROD: x->value = product(dtype, a, b); break;
    case HEDDLE_REDUCE_ANY: x->value.i = a.i != 0 || b.i != 0; break;
    case HEDDLE_REDUCE_ALL: x->value.i = a.i != 0 && b.i != 0; break;
    case HEDDLE_REDUCE_MAX: take = order(dtype, b, a) > 0; break;
    case HEDDLE_REDUCE_MIN: take = is_below(dtype, b, a); break;
    case HEDDLE_REDUCE_NANMAX:
        take = is_nan(dtype, a) || (!is_nan(dtype, b) && order(dtype, b, a) > 0);
        break;
    case HEDDLE_REDUCE_NANMIN:
        take = is_nan(dtype, a) || (!is_nan(dtype, b) && order(dtype, b, a) < 0);
        break;
    case HEDDLE_REDUCE_ARGMAX:
        take = takes_place(order(dtype, b, a) > 0, order(dtype, a, b) > 0, x, y);
        break;
    case HEDDLE_REDUCE_ARGMIN:
        take = takes_place(is_below(dtype, b, a), is_below(dtype, a, b), x, y);
        break;
    case HEDDLE_N_REDUCTIONS: break;
    } /* a new reduction: teach the oracle */
    if (take) *x = *y;
}
