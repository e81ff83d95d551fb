/* Functions that sort. */
#include "expr/functions/functions.h"

#include <heddle/manipulate.h>
#include <heddle/sort.h>

/* axis=None sorts all elements in C order, as NumPy does; without axis it is the last. */
CALL(call_sort)
{
    int axes[HEDDLE_MAX_NDIM], n;
    bool stable = true;
    heddle_array *a;
    struct heddle_sort_options options = {.size = sizeof options};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], axes, &n) ||
        !heddle__expr_to_bool(run, &args[2], "descending", &options.descending) ||
        !heddle__expr_to_bool(run, &args[3], "stable", &stable)) /* it always is */
        return false;
    if (n > 1) return heddle__expr_fail(run, HEDDLE_EARG, args[1].at, "axis must be an integer");
    if (args[1].kind == VALUE_NONE) a = heddle_reshape(a, 1, (const int64_t[]){-1});
    options.has_axis = n == 1;
    if (n == 1) options.axis = axes[0];
    return heddle__expr_from_array(run, f->sort(a, &options), at, out);
}

static const struct function rows[] = {
    {"sort", "a/x axis= | descending= stable=", call_sort, {.sort = heddle_sort_with}},
    {"argsort", "a/x axis= | descending= stable=", call_sort, {.sort = heddle_argsort_with}},
};

TABLE(sorting);
