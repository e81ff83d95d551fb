/* Functions that rearrange and repeat elements, and join arrays. */
#include "expr/functions/functions.h"

#include <heddle/assemble.h>

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
    const bool pairs = heddle__expr_is_list(v) && v->n > 0 && heddle__expr_is_list(v->items);
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
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap", "symmetric"};
    heddle_array *a;
    int64_t widths[2 * HEDDLE_MAX_NDIM];
    int n, mode = 0;
    struct heddle_pad_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_widths(run, &args[1], widths, &n) ||
        !heddle__expr_to_word(run, &args[2], "mode is", 5, modes, &mode))
        return false;
    o.mode = (enum heddle_pad_mode)mode;
    return heddle__expr_to_optional_array(run, &args[3], false, &o.value) &&
           heddle__expr_from_array(run, heddle_pad_with(a, n, widths, &o), at, out);
}

CALL(call_sliding)
{
    (void)f;
    heddle_array *a;
    int64_t window[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM], n, n_axes;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_ints(run, &args[1], "a window", HEDDLE_MAX_NDIM, window, &n) ||
        !heddle__expr_to_axes(run, &args[2], axes, &n_axes))
        return false;
    if (n_axes >= 0 && n_axes != n)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[2].at, "%d extents for %d axes", n,
                                 n_axes);
    return heddle__expr_from_array(
        run, heddle_sliding_window_view(a, n, window, n_axes < 0 ? NULL : axes), at, out);
}

CALL(call_stack)
{
    heddle_array **arrays = NULL;
    int n = 0;
    return heddle__expr_to_arrays(run, &args[0], true, &arrays, &n) &&
           heddle__expr_from_array(run, f->joined(n, arrays), at, out);
}

CALL(call_resize)
{
    (void)f;
    heddle_array *a;
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_shape(run, &args[1], shape, &ndim) &&
           heddle__expr_from_array(run, heddle_resize(a, ndim, shape), at, out);
}

/* How deep lists are nested, by their first items. */
static int depth_of(const struct value *v)
{
    return heddle__expr_is_list(v) ? 1 + (v->n > 0 ? depth_of(v->items) : 0) : 0;
}

/* Arrays in lists that are nested `depth` deep: those of one list joined along the axis that many from the end, each
 * with `ndim` axes. Without lists: brings *ndim to what the array has. */
static bool blocks(struct run *run, const struct value *v, int depth, bool joins, int *ndim,
                   heddle_array **out)
{
    if (heddle__expr_is_list(v) != (depth > 0) || (depth > 0 && v->n == 0))
        return heddle__expr_fail(run, HEDDLE_ESHAPE, v->at, "the lists are not equally deep");
    if (depth == 0) {
        if (!heddle__expr_to_array(run, v, true, out)) return false;
        if (!joins && heddle_ndim(*out) > *ndim) *ndim = heddle_ndim(*out);
        while (joins && heddle_ndim(*out) < *ndim && heddle_status_of(*out) == HEDDLE_OK)
            *out = heddle_expand_dims(*out, 0);
        return true;
    }
    heddle_array **items = heddle__expr_room(run, v->n);
    if (!items) return false;
    for (int64_t i = 0; i < v->n; i++)
        if (!blocks(run, &v->items[i], depth - 1, joins, ndim, &items[i])) return false;
    if (joins) *out = heddle_concat((int)v->n, items, *ndim - depth);
    return true;
}

CALL(call_block)
{
    (void)f;
    const int depth = depth_of(&args[0]);
    int ndim = depth;
    heddle_array *a;
    if (depth > HEDDLE_MAX_NDIM)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "lists %d deep", depth);
    return blocks(run, &args[0], depth, false, &ndim, &a) &&
           blocks(run, &args[0], depth, true, &ndim, &a) &&
           heddle__expr_from_array(run, a, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define STACK(name, function)                                                                      \
    {                                                                                              \
#name, "tup/arrays", call_stack,                                                           \
        {                                                                                          \
            .joined = heddle_##function                                                            \
        }                                                                                          \
    }

static const struct function rows[] = {
    PLAIN(roll, "a/x shift axis=", call_roll),
    PLAIN(tile, "A/a/x reps/repetitions", call_tile),
    PLAIN(repeat, "a/x repeats axis=", call_repeat),
    PLAIN(append, "arr/a values axis=", call_append),
    PLAIN(sliding_window_view, "x window_shape axis=", call_sliding),
    PLAIN(resize, "a new_shape", call_resize),
    PLAIN(block, "arrays", call_block),
    PLAIN(pad, "array/a pad_width mode= | constant_values=", call_pad),
    STACK(vstack, vstack),
    STACK(row_stack, vstack),
    STACK(hstack, hstack),
    STACK(dstack, dstack),
    STACK(column_stack, column_stack),
};

TABLE(assembly);
