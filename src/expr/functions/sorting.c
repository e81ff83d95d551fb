/* Functions that sort and that search in what is sorted. */
#include "expr/functions/functions.h"

#include <heddle/search.h>
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
    PLAIN(searchsorted, "a/x1 v/x2 side= sorter=", call_searchsorted),
};

TABLE(sorting);
