/* Searching in a sorted array: an operation over it and the values, in their common dtype. Entry points:
 * heddle_searchsorted_with, heddle__search. */
#include "base/options.h"
#include "families/search/search.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/gather.h>
#include <heddle/search.h>

static enum heddle_status check(heddle_array *const x[2],
                                const struct heddle_searchsorted_options *o)
{
    HEDDLE_REQUIRE(x[0]->ndim == 1, HEDDLE_ESHAPE,
                   "heddle_searchsorted: the sorted array has shape %s; it has one axis",
                   HEDDLE_SHAPE_OF(x[0]));
    for (int i = 0; i < 2; i++)
        HEDDLE_REQUIRE(heddle_dtype_kind((enum heddle_dtype)x[i]->dtype) != 'C', HEDDLE_EDTYPE,
                       "heddle_searchsorted: dtype %s has no order",
                       heddle_dtype_name((enum heddle_dtype)x[i]->dtype));
    HEDDLE_REQUIRE(o->side == HEDDLE_SIDE_LEFT || o->side == HEDDLE_SIDE_RIGHT, HEDDLE_EARG,
                   "heddle_searchsorted: .side is %d", (int)o->side);
    HEDDLE_REQUIRE(!o->sorter || (o->sorter->ndim == 1 && o->sorter->size == x[0]->size),
                   HEDDLE_ESHAPE, "heddle_searchsorted: .sorter has shape %s, the array %s",
                   HEDDLE_SHAPE_OF(o->sorter), HEDDLE_SHAPE_OF(x[0]));
    return heddle__check_range("searchsorted", 2, x, heddle__promote(2, x));
}

heddle_array *heddle__search(enum heddle_search_what what, enum heddle_dtype dtype,
                             heddle_array *sorted, heddle_array *values, heddle_array *heights)
{
    heddle_array *const given[3] = {sorted, values, heights};
    const struct heddle_search_params params = {.what = what};
    const int n = heights ? 3 : 2;
    heddle_array *in[3] = {NULL}, *r = NULL;
    for (int i = 0; i < n; i++)
        if (heddle_status_of(given[i]) != HEDDLE_OK) return given[i];
    bool made = true;
    for (int i = 0; i < n; i++) {
        in[i] = heddle__make_cast(given[i], heddle__computed_in(dtype));
        made = made && in[i];
    }
    const enum heddle_dtype result = what == HEDDLE_SEARCH_MEMBER ? HEDDLE_BOOL
                                     : what == HEDDLE_SEARCH_LINE ? HEDDLE_FLOAT64
                                                                  : HEDDLE_INT64;
    if (made)
        r = heddle__make_operation(&heddle__search_family, result, values->ndim, values->shape, n,
                                   in, &params, NULL);
    for (int i = 0; i < n; i++) heddle__release(in[i]);
    return heddle__hand_out(r);
}

heddle_array *heddle_searchsorted_with(heddle_array *a, heddle_array *values,
                                       const struct heddle_searchsorted_options *options)
{
    /* check */
    heddle_array *const x[2] = {a, values};
    heddle_array *bad = heddle__bad_operand("searchsorted", 2, x);
    if (bad) return bad;
    struct heddle_searchsorted_options o;
    if (heddle__options("searchsorted", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    if (o.sorter && (bad = heddle__bad_operand("searchsorted", 1, &o.sorter))) return bad;
    if (check(x, &o) != HEDDLE_OK) return heddle__error_last();
    if (a->size == 0 || values->size == 0)
        return heddle__hand_out(heddle__make_zeros(HEDDLE_INT64, values->ndim, values->shape));

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *sorted = o.sorter ? heddle_take(a, o.sorter) : a;
    return heddle__scope_leave(
        &scope,
        heddle__search(o.side == HEDDLE_SIDE_RIGHT ? HEDDLE_SEARCH_RIGHT : HEDDLE_SEARCH_LEFT,
                       heddle__promote(2, x), sorted, values, NULL));
}
