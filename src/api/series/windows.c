/* Sums over windows: each element times those of a shorter array. Entry points: heddle_convolve_with,
 * heddle_correlate_with. */
#include "api/compose/compose.h"

#include "base/options.h"
#include "families/window/window.h"

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

/* Of so many windows with so many elements each is a reduction: others have a thread for each result. */
enum { FEW = 4, LONG = 4096 };

/* Windows that are all there, from element `first` of the longer one on: sums, in their order, which is divided among threads. */
static heddle_array *sums(heddle_array *longer, heddle_array *shorter, int64_t first, int64_t n)
{
    heddle_array *const both[2] = {longer, shorter};
    const enum heddle_dtype dtype = heddle__promote(2, both);
    const int64_t one = 1;
    heddle_array *x = heddle_astype(longer, heddle__computed_in(dtype)), *r[FEW],
                 *turned = heddle_flip_with(shorter, NULL);
    for (int64_t i = 0; i < n; i++) {
        heddle_array *window = heddle__slice(x, 0, first + i, first + i + shorter->size);
        heddle_array *terms = heddle_multiply(window, turned);
        r[i] = heddle_astype(heddle_reshape(heddle_sum(terms), 1, &one), dtype);
    }
    return heddle_concat((int)n, r, 0);
}

/* `n` places from `from` on of the whole convolution: the shorter one, turned round, slides over the longer one. */
static heddle_array *convolved(heddle_array *longer, heddle_array *shorter, int64_t from, int64_t n)
{
    const bool logical = longer->dtype == HEDDLE_BOOL && shorter->dtype == HEDDLE_BOOL;
    const int64_t first = from - (shorter->size - 1); /* element of the first window */
    const bool whole = first >= 0 && from + n <= longer->size;
    if (n <= FEW && shorter->size >= LONG && whole && !logical)
        return sums(longer, shorter, first, n);
    return heddle__windows(longer, shorter, true, first, n);
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
