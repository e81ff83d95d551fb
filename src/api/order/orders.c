/* Orders by several keys, and the first of an order. Entry points: heddle_lexsort_with, heddle_topk_with. */
#include "api/compose/compose.h"

#include "base/options.h"
#include "families/gather/gather.h"

#include <heddle/sort.h>

static heddle_array *argsort(heddle_array *a, int axis, bool descending)
{
    const struct heddle_sort_options o = {
        .size = sizeof o, .axis = axis, .has_axis = true, .descending = descending};
    return heddle_argsort_with(a, &o);
}

heddle_array *heddle_lexsort_with(int n, heddle_array *const keys[],
                                  const struct heddle_along_options *options)
{
    /* check */
    int axis = 0;
    heddle_array *const bad = heddle__bad_list("lexsort", n, keys);
    if (bad) return bad;
    if (heddle__along("lexsort", options, -1, keys[0], &axis) != HEDDLE_OK)
        return heddle__error_last();
    for (int i = 1; i < n; i++)
        if (!heddle__same_shape(keys[i]->ndim, keys[i]->shape, keys[0]->ndim, keys[0]->shape))
            return heddle__error_array(HEDDLE_ESHAPE,
                                       "heddle_lexsort: keys of shapes %s and %s; all have one",
                                       HEDDLE_SHAPE_OF(keys[0]), HEDDLE_SHAPE_OF(keys[i]));

    /* build: each key in the order of those before it */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = argsort(keys[0], axis, false);
    for (int i = 1; i < n; i++)
        r = heddle__take_along(r, argsort(heddle__take_along(keys[i], r, axis), axis, false), axis);
    return heddle__scope_leave(&scope, r);
}

enum heddle_status heddle_topk_with(heddle_array *a, int64_t k, heddle_array **values,
                                    heddle_array **indices,
                                    const struct heddle_topk_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("topk", 1, &a);
    if (bad) return heddle__failed(bad);
    struct heddle_topk_options o;
    int axis = 0;
    enum heddle_status status = heddle__options("topk", options, &o, sizeof o);
    if (status == HEDDLE_OK) status = heddle__axis_option("topk", o.has_axis, o.axis, -1, a, &axis);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(k >= 0 && k <= a->shape[axis], HEDDLE_ERANGE,
                   "heddle_topk: %lld elements of %lld along axis %d", (long long)k,
                   (long long)a->shape[axis], axis);

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *first = heddle__slice(argsort(a, axis, !o.smallest), axis, 0, k);
    heddle_array *found[2] = {heddle__take_along(a, first, axis), first};
    return heddle__leave_with(&scope, 2, found, (heddle_array * *const[]){values, indices});
}
