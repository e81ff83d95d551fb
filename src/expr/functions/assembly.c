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
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
    heddle_array *a;
    int64_t widths[2 * HEDDLE_MAX_NDIM];
    int n, mode = 0;
    struct heddle_pad_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_widths(run, &args[1], widths, &n) ||
        !heddle__expr_to_word(run, &args[2], "mode is", 4, modes, &mode))
        return false;
    o.mode = (enum heddle_pad_mode)mode;
    return heddle__expr_to_optional_array(run, &args[3], false, &o.value) &&
           heddle__expr_from_array(run, heddle_pad_with(a, n, widths, &o), at, out);
}

CALL(call_stack)
{
    heddle_array **arrays = NULL;
    int n = 0;
    return heddle__expr_to_arrays(run, &args[0], true, &arrays, &n) &&
           heddle__expr_from_array(run, f->joined(n, arrays), at, out);
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
    PLAIN(pad, "array/a pad_width mode= | constant_values=", call_pad),
    STACK(vstack, vstack),
    STACK(row_stack, vstack),
    STACK(hstack, hstack),
    STACK(dstack, dstack),
    STACK(column_stack, column_stack),
};

TABLE(assembly);
