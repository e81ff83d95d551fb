/* Functions that move axes, rearrange and repeat elements, join arrays, and make triangles and diagonals. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>

#include <limits.h>
#include <string.h>

/* ---- Axes ----------------------------------------------------------------------------------------- */

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

/* Two axes that are required: swapaxes(a, 0, 1). */
static bool to_axis(struct run *run, const struct value *v, int *axis)
{
    bool given = false;
    *axis = 0;
    if (!heddle__expr_to_axis(run, v, axis, &given)) return false;
    return given || heddle__expr_fail(run, HEDDLE_EARG, v->at, "an axis is an integer");
}

CALL(call_swapaxes)
{
    (void)f;
    heddle_array *a;
    int axes[2];
    return heddle__expr_to_array(run, &args[0], true, &a) && to_axis(run, &args[1], &axes[0]) &&
           to_axis(run, &args[2], &axes[1]) &&
           heddle__expr_from_array(run, heddle_swapaxes(a, axes[0], axes[1]), at, out);
}

/* rollaxis(a, axis, start=0): the axis goes before `start`. */
CALL(call_rollaxis)
{
    (void)f;
    heddle_array *a;
    int axis;
    int64_t start = 0;
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_axis(run, &args[1], &axis) ||
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
    if (!heddle__expr_to_arrays(run, &args[0], &arrays, &n)) return false;
    for (int i = 0; i < n; i++) arrays[i] = heddle_atleast(arrays[i], (int)f->number);
    if (n == 1) return heddle__expr_from_array(run, arrays[0], at, out);
    return heddle__expr_from_arrays(run, HEDDLE_OK, n, arrays, VALUE_TUPLE, at, out);
}

/* ---- Elements ------------------------------------------------------------------------------------- */

/* One shift for all axes named, or one for each. */
CALL(call_roll)
{
    (void)f;
    heddle_array *a;
    int64_t shift[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM], n_shift, n;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_ints(run, &args[1], "shift", HEDDLE_MAX_NDIM, shift, &n_shift) ||
        !heddle__expr_to_axes(run, &args[2], axes, &n))
        return false;
    const int each = n < 0 ? 1 : n;
    if (n_shift != each && n_shift != 1 && each != 1)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[1].at, "%d shifts for %d axes", n_shift,
                                 each);
    for (int i = 0; i < each || i < n_shift; i++) {
        const struct heddle_along_options o = {
            .size = sizeof o, .axis = n < 0 ? 0 : axes[n == 1 ? 0 : i], .has_axis = n >= 0};
        a = heddle_roll_with(a, shift[n_shift == 1 ? 0 : i], &o);
    }
    return heddle__expr_from_array(run, a, at, out);
}

CALL(call_tile)
{
    (void)f;
    heddle_array *a;
    int64_t reps[HEDDLE_MAX_NDIM];
    int n;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_ints(run, &args[1], "reps", HEDDLE_MAX_NDIM, reps, &n) &&
           heddle__expr_from_array(run, heddle_tile(a, n, reps), at, out);
}

CALL(call_repeat)
{
    (void)f;
    heddle_array *a, *repeats;
    struct heddle_along_options o;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_array(run, &args[1], false, &repeats) &&
           heddle__expr_to_along(run, &args[2], &o) &&
           heddle__expr_from_array(run, heddle_repeat_with(a, repeats, &o), at, out);
}

CALL(call_append)
{
    (void)f;
    heddle_array *both[2];
    struct heddle_along_options o;
    return heddle__expr_to_array(run, &args[0], true, &both[0]) &&
           heddle__expr_to_array(run, &args[1], true, &both[1]) &&
           heddle__expr_to_along(run, &args[2], &o) &&
           heddle__expr_from_array(
               run, o.has_axis ? heddle_concat(2, both, o.axis) : heddle_concat_flat(2, both), at,
               out);
}

/* pad_width=: a number, (before, after), or a list of these; also ((b, a),) for all axes. */
static bool to_widths(struct run *run, const struct value *v, int64_t *widths, int *n)
{
    const bool list = v->kind == VALUE_TUPLE || v->kind == VALUE_LIST;
    const bool pairs =
        list && v->n > 0 && (v->items->kind == VALUE_TUPLE || v->items->kind == VALUE_LIST);
    if (!pairs) {
        if (!heddle__expr_to_ints(run, v, "pad_width", 2, widths, n)) return false;
        if (*n == 1) widths[1] = widths[0];
        *n = 2;
        return true;
    }
    if (v->n > HEDDLE_MAX_NDIM)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "more pairs than an array has axes");
    for (int64_t i = 0; i < v->n; i++) {
        int each = 0;
        if (!heddle__expr_to_ints(run, &v->items[i], "pad_width", 2, widths + 2 * i, &each))
            return false;
        if (each == 1) widths[2 * i + 1] = widths[2 * i];
    }
    *n = 2 * (int)v->n;
    return true;
}

CALL(call_pad)
{
    (void)f;
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
    heddle_array *a;
    int64_t widths[2 * HEDDLE_MAX_NDIM];
    int n, mode = 0;
    struct heddle_pad_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_widths(run, &args[1], widths, &n))
        return false;
    if (args[2].kind == VALUE_STRING) {
        while (mode < 4 && (strlen(modes[mode]) != args[2].length ||
                            memcmp(modes[mode], args[2].text, args[2].length) != 0))
            mode++;
    } else if (args[2].kind != VALUE_ABSENT) {
        mode = 4;
    }
    if (mode == 4)
        return heddle__expr_fail(run, HEDDLE_EARG, args[2].at,
                                 "mode is 'constant', 'edge', 'reflect' or 'wrap'");
    o.mode = (enum heddle_pad_mode)mode;
    return (!heddle__expr_given(&args[3]) ||
            heddle__expr_to_array(run, &args[3], false, &o.value)) &&
           heddle__expr_from_array(run, heddle_pad_with(a, n, widths, &o), at, out);
}

CALL(call_stack)
{
    heddle_array **arrays = NULL;
    int n = 0;
    return heddle__expr_to_arrays(run, &args[0], &arrays, &n) &&
           heddle__expr_from_array(run, f->joined(n, arrays), at, out);
}

/* ---- Triangles, diagonals, indices ----------------------------------------------------------------- */

CALL(call_triangle)
{
    heddle_array *a;
    int64_t k = 0;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_int(run, &args[1], "k", &k) &&
           heddle__expr_from_array(run, f->triangle(a, k), at, out);
}

/* NumPy's first two axes, where the standard's are the last two. */
static bool to_matrix_axes(struct run *run, const struct value *args, int *axis1, int *axis2)
{
    *axis1 = 0;
    *axis2 = 1;
    return (!heddle__expr_given(&args[0]) || to_axis(run, &args[0], axis1)) &&
           (!heddle__expr_given(&args[1]) || to_axis(run, &args[1], axis2));
}

CALL(call_diagonal)
{
    (void)f;
    heddle_array *a;
    struct heddle_diagonal_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_int(run, &args[1], "offset", &o.offset) &&
           to_matrix_axes(run, &args[2], &o.axis1, &o.axis2) &&
           heddle__expr_from_array(run, heddle_diagonal_with(a, &o), at, out);
}

CALL(call_trace)
{
    (void)f;
    heddle_array *a;
    struct heddle_trace_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_int(run, &args[1], "offset", &o.offset) &&
           to_matrix_axes(run, &args[2], &o.axis1, &o.axis2) &&
           heddle__expr_to_dtype(run, &args[4], &o.dtype) &&
           heddle__expr_from_array(run, heddle_trace_with(a, &o), at, out);
}

CALL(call_indices)
{
    (void)f;
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_shape(run, &args[0], shape, &ndim) ||
        !heddle__expr_to_dtype(run, &args[1], &dtype))
        return false;
    heddle_array *a = heddle_indices(ndim, shape);
    return heddle__expr_from_array(run, dtype ? heddle_astype(a, dtype) : a, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define ATLEAST(ndim)                                                                              \
    {                                                                                              \
        "atleast_" #ndim "d", "+arrays", call_atleast,                                             \
        {                                                                                          \
            .number = ndim                                                                         \
        }                                                                                          \
    }
#define STACK(name, function)                                                                      \
    {                                                                                              \
#name, "tup/arrays", call_stack,                                                           \
        {                                                                                          \
            .joined = heddle_##function                                                            \
        }                                                                                          \
    }
#define TRIANGLE(name)                                                                             \
    {                                                                                              \
#name, "m/v/a/x k=", call_triangle,                                                        \
        {                                                                                          \
            .triangle = heddle_##name                                                              \
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
    PLAIN(roll, "a/x shift axis=", call_roll),
    PLAIN(tile, "A/a/x reps/repetitions", call_tile),
    PLAIN(repeat, "a/x repeats axis=", call_repeat),
    PLAIN(append, "arr/a values axis=", call_append),
    PLAIN(pad, "array/a pad_width mode= | constant_values=", call_pad),
    STACK(vstack, vstack),
    STACK(row_stack, vstack),
    STACK(hstack, hstack),
    STACK(dstack, dstack),
    STACK(column_stack, column_stack),
    TRIANGLE(tril),
    TRIANGLE(triu),
    TRIANGLE(diag),
    PLAIN(diagonal, "a/x offset= axis1= axis2=", call_diagonal),
    PLAIN(trace, "a/x offset= axis1= axis2= dtype=", call_trace),
    PLAIN(indices, "dimensions dtype=", call_indices),
};

TABLE(assembly);
