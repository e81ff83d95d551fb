/* Distinct elements, members, sets of two arrays. */
#include "expr/functions/functions.h"

#include <heddle/sets.h>

CALL(call_isin)
{
    (void)f;
    heddle_array *x, *among;
    struct heddle_isin_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_array(run, &args[1], true, &among) &&
           heddle__expr_to_bool(run, &args[2], "invert", &o.invert) &&
           heddle__expr_from_array(run, heddle_isin_with(x, among, &o), at, out);
}

/* NumPy's: what is asked for is in this order, alone or as a tuple. */
CALL(call_unique)
{
    (void)f;
    enum { MOST = 4 };
    static const char *const names[MOST] = {NULL, "return_index", "return_inverse",
                                            "return_counts"};
    heddle_array *x, *found[MOST];
    bool asked[MOST] = {true};
    int n = 0;
    struct heddle_unique all = {.values = NULL};
    struct heddle_unique_options o = {.size = sizeof o, .equal_nan = true};
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_bool(run, &args[5], "equal_nan", &o.equal_nan) ||
        !heddle__expr_to_axis(run, &args[4], &o.axis, &o.has_axis))
        return false;
    for (int i = 1; i < MOST; i++)
        if (!heddle__expr_to_bool(run, &args[i], names[i], &asked[i])) return false;
    if (!asked[1] && !asked[2] && !asked[3])
        return heddle__expr_from_array(run, heddle_unique_values_with(x, &o), at, out);
    const enum heddle_status status =
        !asked[1] && !asked[2] ? heddle_unique_counts_with(x, &all.values, &all.counts, &o)
                               : heddle_unique_all_with(x, &all, &o);
    heddle_array *const parts[MOST] = {all.values, all.indices, all.inverse, all.counts};
    for (int i = 0; i < MOST; i++)
        if (asked[i]) found[n++] = parts[i];
    return heddle__expr_from_arrays(run, status, n, found, VALUE_TUPLE, at, out);
}

CALL(call_unique_values)
{
    (void)f;
    heddle_array *x;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_from_array(run, heddle_unique_values_with(x, NULL), at, out);
}

CALL(call_unique_two)
{
    heddle_array *x, *found[2] = {NULL, NULL};
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    const enum heddle_status status = f->unique(x, &found[0], &found[1], NULL);
    return heddle__expr_from_arrays(run, status, 2, found, VALUE_TUPLE, at, out);
}

CALL(call_unique_all)
{
    (void)f;
    heddle_array *x;
    struct heddle_unique all = {.values = NULL};
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    const enum heddle_status status = heddle_unique_all_with(x, &all, NULL);
    heddle_array *const found[4] = {all.values, all.indices, all.inverse, all.counts};
    return heddle__expr_from_arrays(run, status, 4, found, VALUE_TUPLE, at, out);
}

#define SETS(name)                                                                                 \
    {                                                                                              \
#name, "ar1/a ar2/b", heddle__expr_call_binary,                                            \
        {                                                                                          \
            .binary = heddle_##name                                                                \
        }                                                                                          \
    }

static const struct function rows[] = {
    PLAIN(isin, "element/x1 test_elements/x2 | invert=", call_isin),
    PLAIN(unique,
          "ar/x return_index= return_inverse= return_counts= axis= | equal_nan=", call_unique),
    PLAIN(unique_values, "x", call_unique_values),
    {"unique_counts", "x", call_unique_two, {.unique = heddle_unique_counts_with}},
    {"unique_inverse", "x", call_unique_two, {.unique = heddle_unique_inverse_with}},
    PLAIN(unique_all, "x", call_unique_all),
    SETS(union1d),
    SETS(intersect1d),
    SETS(setdiff1d),
    SETS(setxor1d),
};

TABLE(sets);
