/* Functions that sort. */
#include "expr/functions/functions.h"

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

static const struct function rows[] = {
    {"sort", "a/x axis= | descending= stable=", call_sort, {.sort = heddle_sort_with}},
    {"argsort", "a/x axis= | descending= stable=", call_sort, {.sort = heddle_argsort_with}},
};

TABLE(sorting);
