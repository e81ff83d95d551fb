/* Functions that sort and that search in what is sorted. */
#include "expr/functions/functions.h"

#include <heddle/search.h>

#include <limits.h>
#include <heddle/sort.h>

/* axis=None sorts all elements in C order, as NumPy does; without axis it is the last. */
CALL(call_sort)
{
    bool stable = true;
    heddle_array *a;
    struct heddle_sort_options options = {.size = sizeof options};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axis(run, &args[1], &options.axis, &options.has_axis) ||
        !heddle__expr_to_bool(run, &args[2], "descending", &options.descending) ||
        !heddle__expr_to_bool(run, &args[3], "stable", &stable)) /* it always is */
        return false;
    if (args[1].kind == VALUE_NONE) a = heddle__expr_flat(a);
    return heddle__expr_from_array(run, f->sort(a, &options), at, out);
}

/* What is sorted is partitioned, at any place. */
CALL(call_partition)
{
    int64_t places[HEDDLE_EXPR_MAX_ARGS];
    int n = 0;
    heddle_array *a;
    struct heddle_sort_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_ints(run, &args[1], "kth", HEDDLE_EXPR_MAX_ARGS, places, &n) ||
        !heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis))
        return false;
    if (args[2].kind == VALUE_NONE) a = heddle__expr_flat(a);
    heddle_array *r = f->sort(a, &o);
    const int axis =
        o.has_axis && o.axis >= 0 ? o.axis : heddle_ndim(r) + (o.has_axis ? o.axis : -1);
    for (int i = 0; i < n && heddle_status_of(r) == HEDDLE_OK; i++) {
        const int64_t extent = heddle_shape(r)[axis];
        if (places[i] < -extent || places[i] >= extent)
            return heddle__expr_fail(run, HEDDLE_ERANGE, args[1].at, "place %lld of %lld elements",
                                     (long long)places[i], (long long)extent);
    }
    return heddle__expr_from_array(run, r, at, out);
}

/* The rows of an array are keys, too. */
CALL(call_lexsort)
{
    (void)f;
    int n = 0;
    heddle_array *a, **keys;
    struct heddle_along_options o;
    if (!heddle__expr_to_along(run, &args[1], &o)) return false;
    if (heddle__expr_is_list(&args[0])) {
        if (!heddle__expr_to_arrays(run, &args[0], true, &keys, &n)) return false;
    } else {
        if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
        if (heddle_ndim(a) < 1)
            return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "keys are rows, or a list");
        if (heddle_shape(a)[0] > INT_MAX)
            return heddle__expr_fail(run, HEDDLE_ERANGE, args[0].at, "%lld keys",
                                     (long long)heddle_shape(a)[0]);
        n = (int)heddle_shape(a)[0];
        keys = heddle__expr_room(run, n);
        if (!keys) return false;
        const enum heddle_status status = n > 0 ? heddle_unstack(a, n, keys) : HEDDLE_OK;
        if (status != HEDDLE_OK)
            return heddle__expr_fail(run, status, args[0].at, "%s", heddle_last_error());
    }
    return heddle__expr_from_array(run, heddle_lexsort_with(n, keys, &o), at, out);
}

/* The values and their positions. */
CALL(call_topk)
{
    (void)f;
    int64_t k = 0;
    heddle_array *a, *found[2] = {NULL, NULL};
    struct heddle_topk_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_int(run, &args[1], "k", &k) ||
        !heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis))
        return false;
    const enum heddle_status status = heddle_topk_with(a, k, &found[0], &found[1], &o);
    return heddle__expr_from_arrays(run, status, 2, found, VALUE_TUPLE, at, out);
}

CALL(call_searchsorted)
{
    (void)f;
    static const char *const sides[] = {"left", "right"};
    heddle_array *a, *values;
    int side = 0;
    struct heddle_searchsorted_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &values) ||
        !heddle__expr_to_word(run, &args[2], "side is", 2, sides, &side) ||
        !heddle__expr_to_optional_array(run, &args[3], true, &o.sorter))
        return false;
    o.side = side ? HEDDLE_SIDE_RIGHT : HEDDLE_SIDE_LEFT;
    return heddle__expr_from_array(run, heddle_searchsorted_with(a, values, &o), at, out);
}

static const struct function rows[] = {
    {"sort", "a/x axis= | descending= stable=", call_sort, {.sort = heddle_sort_with}},
    {"argsort", "a/x axis= | descending= stable=", call_sort, {.sort = heddle_argsort_with}},
    {"partition", "a/x kth axis=", call_partition, {.sort = heddle_sort_with}},
    {"argpartition", "a/x kth axis=", call_partition, {.sort = heddle_argsort_with}},
    PLAIN(lexsort, "keys axis=", call_lexsort),
    PLAIN(topk, "a/x k axis=", call_topk),
    PLAIN(searchsorted, "a/x1 v/x2 side= sorter=", call_searchsorted),
};

TABLE(sorting);
