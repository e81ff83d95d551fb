/* Functions that move, add and turn axes. */
#include "expr/functions/functions.h"

#include <heddle/assemble.h>

CALL(call_moveaxis)
{
    (void)f;
    heddle_array *a;
    int from[HEDDLE_MAX_NDIM], to[HEDDLE_MAX_NDIM], n, n_to;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], from, &n) ||
        !heddle__expr_to_axes(run, &args[2], to, &n_to))
        return false;
    if (n != n_to || n < 0)
        return heddle__expr_fail(run, HEDDLE_EARG, args[2].at,
                                 "source and destination are as many axes");
    return heddle__expr_from_array(run, heddle_moveaxis(a, n, from, to), at, out);
}

CALL(call_swapaxes)
{
    (void)f;
    heddle_array *a;
    int axes[2];
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_one_axis(run, &args[1], &axes[0]) &&
           heddle__expr_to_one_axis(run, &args[2], &axes[1]) &&
           heddle__expr_from_array(run, heddle_swapaxes(a, axes[0], axes[1]), at, out);
}

/* rollaxis(a, axis, start=0): the axis goes before `start`. */
CALL(call_rollaxis)
{
    (void)f;
    heddle_array *a;
    int axis;
    int64_t start = 0;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_one_axis(run, &args[1], &axis) ||
        !heddle__expr_to_optional_int(run, &args[2], "start", &start))
        return false;
    const int ndim = heddle_ndim(a);
    if (axis < 0) axis += ndim;
    if (start < 0) start += ndim;
    if (start < 0 || start > ndim)
        return heddle__expr_fail(run, HEDDLE_EAXIS, args[2].at, "start is out of range for %d axes",
                                 ndim);
    int to = (int)start - (axis < start);
    return heddle__expr_from_array(run, heddle_moveaxis(a, 1, &axis, &to), at, out);
}

CALL(call_rot90)
{
    (void)f;
    heddle_array *a;
    int64_t k = 1;
    int axes[HEDDLE_MAX_NDIM] = {0, 1}, n = 2;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_optional_int(run, &args[1], "k", &k) ||
        (heddle__expr_given(&args[2]) && !heddle__expr_to_axes(run, &args[2], axes, &n)))
        return false;
    if (n != 2) return heddle__expr_fail(run, HEDDLE_EARG, args[2].at, "axes are two");
    return heddle__expr_from_array(run, heddle_rot90(a, (int)(k % 4), axes[0], axes[1]), at, out);
}

/* flipud, fliplr: flip along axis f->number. */
CALL(call_flip_axis)
{
    heddle_array *a;
    const struct heddle_flip_options o = {
        .size = sizeof o, .axis = (int)f->number, .has_axis = true};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, heddle_flip_with(a, &o), at, out);
}

/* atleast_1d, ...: of several arrays a tuple. */
CALL(call_atleast)
{
    heddle_array **arrays = NULL;
    int n = 0;
    if (!heddle__expr_to_arrays(run, &args[0], true, &arrays, &n)) return false;
    for (int i = 0; i < n; i++) arrays[i] = heddle_atleast(arrays[i], (int)f->number);
    if (n == 1) return heddle__expr_from_array(run, arrays[0], at, out);
    return heddle__expr_from_arrays(run, HEDDLE_OK, n, arrays, VALUE_TUPLE, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define ATLEAST(ndim)                                                                              \
    {                                                                                              \
        "atleast_" #ndim "d", "+arrays", call_atleast,                                             \
        {                                                                                          \
            .number = ndim                                                                         \
        }                                                                                          \
    }

static const struct function rows[] = {
    PLAIN(moveaxis, "a/x source destination", call_moveaxis),
    PLAIN(swapaxes, "a/x axis1 axis2", call_swapaxes),
    PLAIN(rollaxis, "a/x axis start=", call_rollaxis),
    PLAIN(rot90, "m/a k= axes=", call_rot90),
    {"flipud", "m/a", call_flip_axis, {.number = 0}},
    {"fliplr", "m/a", call_flip_axis, {.number = 1}},
    ATLEAST(1),
    ATLEAST(2),
    ATLEAST(3),
};

TABLE(axes);
