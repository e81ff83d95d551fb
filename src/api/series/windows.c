/* Sums over windows: each element times those of a shorter array. Entry points: heddle_convolve_with,
 * heddle_correlate_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/series.h>

static enum heddle_status check_windows(const char *name, heddle_array *const both[2],
                                        enum heddle_convolution mode)
{
    HEDDLE_REQUIRE((unsigned)mode <= HEDDLE_CONVOLUTION_VALID, HEDDLE_EARG, "heddle_%s: mode %d",
                   name, (int)mode);
    for (int i = 0; i < 2; i++)
        HEDDLE_REQUIRE(both[i]->ndim <= 1 && both[i]->size > 0, HEDDLE_ESHAPE,
                       "heddle_%s: argument %d of shape %s has not one axis with elements", name,
                       i + 1, HEDDLE_SHAPE_OF(both[i]));
    return HEDDLE_OK;
}

/* `n` places from `from` on of the whole convolution: a sum of slices of the longer one with zeros around it, each
 * times an element of the shorter one. */
static heddle_array *convolved(heddle_array *longer, heddle_array *shorter, int64_t from, int64_t n)
{
    const int64_t m = shorter->size;
    struct heddle_shape ends = {.ndim = 1, .extent = {m - 1}};
    heddle_array *zeros = heddle__zeros((enum heddle_dtype)longer->dtype, &ends);
    heddle_array *const parts[3] = {zeros, longer, zeros};
    heddle_array *padded = m > 1 ? heddle_concat(3, parts, 0) : longer, *r = NULL;
    /* what is beyond the ends is nothing, not 0 times an element that may be infinite */
    const bool beyond = from < m - 1 || from + n > longer->size;
    heddle_array *none = heddle__zeros(HEDDLE_BOOL, &ends);
    heddle_array *all = heddle_broadcast_to(heddle__constant(1, HEDDLE_BOOL), 1, &longer->size);
    heddle_array *const there[3] = {none, all, none};
    heddle_array *inside = beyond ? heddle_concat(3, there, 0) : NULL;
    const bool logical = longer->dtype == HEDDLE_BOOL && shorter->dtype == HEDDLE_BOOL;
    for (int64_t i = m - 1; i >= 0; i--) { /* in the order of the longer one's elements */
        const int64_t at = from + m - 1 - i;
        heddle_array *x = heddle__slice(padded, 0, at, at + n), *y = heddle__item(shorter, 0, i);
        heddle_array *product = logical ? heddle_logical_and(x, y) : heddle_multiply(x, y);
        if (inside && !logical)
            product =
                heddle_where(heddle__slice(inside, 0, at, at + n), product, heddle_scalar_int(0));
        r = !r ? product : logical ? heddle_logical_or(r, product) : heddle_add(r, product);
    }
    return r;
}

static heddle_array *convolve(heddle_array *a, heddle_array *v, enum heddle_convolution mode)
{
    const int64_t n = a->size > v->size ? a->size : v->size;
    const int64_t m = a->size > v->size ? v->size : a->size;
    const int64_t from = mode == HEDDLE_CONVOLUTION_FULL   ? 0
                         : mode == HEDDLE_CONVOLUTION_SAME ? (m - 1) / 2
                                                           : m - 1;
    const int64_t count = mode == HEDDLE_CONVOLUTION_FULL   ? n + m - 1
                          : mode == HEDDLE_CONVOLUTION_SAME ? n
                                                            : n - m + 1;
    return v->size > a->size ? convolved(v, a, from, count) : convolved(a, v, from, count);
}

/* A convolution with `v` turned round. */
static heddle_array *correlate(heddle_array *a, heddle_array *v, enum heddle_convolution mode)
{
    heddle_array *turned = heddle_flip_with(v, NULL);
    if (heddle__kind_rank((enum heddle_dtype)v->dtype) == 3) turned = heddle_conj(turned);
    if (heddle_status_of(turned) != HEDDLE_OK) return turned;
    /* the middle of an even window is on the other side when `v` is the longer one */
    if (mode == HEDDLE_CONVOLUTION_SAME && v->size > a->size)
        return convolved(turned, a, a->size - 1 - (a->size - 1) / 2, v->size);
    return convolve(a, turned, mode);
}

typedef heddle_array *windows(heddle_array *a, heddle_array *v, enum heddle_convolution mode);

static heddle_array *over_windows(const char *name, windows *f, enum heddle_convolution otherwise,
                                  heddle_array *a, heddle_array *v,
                                  const struct heddle_convolve_options *options)
{
    heddle_array *both[2] = {a, v};
    heddle_array *const bad = heddle__bad_operand(name, 2, both);
    if (bad) return bad;
    struct heddle_convolve_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK ||
        check_windows(name, both, o.mode) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    for (int i = 0; i < 2; i++) {
        both[i] = heddle__flat(both[i]);
        if (heddle_status_of(both[i]) != HEDDLE_OK) return heddle__scope_leave(&scope, both[i]);
    }
    return heddle__scope_leave(&scope, f(both[0], both[1], o.mode ? o.mode : otherwise));
}

heddle_array *heddle_convolve_with(heddle_array *a, heddle_array *v,
                                   const struct heddle_convolve_options *o)
{
    return over_windows("convolve", convolve, HEDDLE_CONVOLUTION_FULL, a, v, o);
}

heddle_array *heddle_correlate_with(heddle_array *a, heddle_array *v,
                                    const struct heddle_convolve_options *o)
{
    return over_windows("correlate", correlate, HEDDLE_CONVOLUTION_VALID, a, v, o);
}
