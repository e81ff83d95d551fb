/* Arrays with elements around them: constants are a background that the array lands on, others are joined
 * from views, axis by axis, or gathered if there are many. Entry point: heddle_pad_with. */
#include "api/compose/compose.h"

#include "base/options.h"
#include "families/gather/gather.h"

#include <heddle/assemble.h>

struct widths {
    int64_t before[HEDDLE_MAX_NDIM], after[HEDDLE_MAX_NDIM];
};

static enum heddle_status read_widths(const heddle_array *a, int n, const int64_t *given,
                                      struct widths *w)
{
    HEDDLE_REQUIRE((n == 2 || n == 2 * a->ndim) && (given || n == 0), HEDDLE_EARG,
                   "heddle_pad: %d widths for shape %s: two, or two for each axis", n,
                   HEDDLE_SHAPE_OF(a));
    static const int64_t none[2 * HEDDLE_MAX_NDIM];
    if (n == 0) given = none;
    for (int d = 0; d < a->ndim; d++) {
        const int64_t *pair = n == 2 ? given : given + 2 * (ptrdiff_t)d;
        HEDDLE_REQUIRE(pair[0] >= 0 && pair[1] >= 0, HEDDLE_EARG,
                       "heddle_pad: widths %lld and %lld are negative", (long long)pair[0],
                       (long long)pair[1]);
        HEDDLE_REQUIRE(pair[0] < HEDDLE_MAX_SIZE && pair[1] < HEDDLE_MAX_SIZE, HEDDLE_ESHAPE,
                       "heddle_pad: too many elements");
        w->before[d] = pair[0];
        w->after[d] = pair[1];
    }
    return HEDDLE_OK;
}

/* ---- Modes ---------------------------------------------------------------------------------------- */

/* A constant for each side of each axis, one axis after the other, so that the last one has the corners. */
static heddle_array *sides(heddle_array *a, const struct widths *w, heddle_array *value)
{
    heddle_array *r = a;
    value = heddle_astype(value, (enum heddle_dtype)a->dtype);
    value = heddle_broadcast_to(value, 2, (const int64_t[]){a->ndim, 2});
    for (int d = 0; d < a->ndim && heddle_status_of(r) == HEDDLE_OK; d++) {
        heddle_array *const axis = heddle__item(value, 0, d);
        const struct heddle_shape before = heddle__with_extent(r, d, w->before[d]);
        const struct heddle_shape after = heddle__with_extent(r, d, w->after[d]);
        heddle_array *const parts[3] = {
            heddle_broadcast_to(heddle__item(axis, 0, 0), before.ndim, before.extent), r,
            heddle_broadcast_to(heddle__item(axis, 0, 1), after.ndim, after.extent)};
        r = heddle_concat(3, parts, d);
    }
    return r;
}

static heddle_array *constant(heddle_array *a, const struct widths *w,
                              const struct heddle_shape *shape, heddle_array *value)
{
    if (value && value->ndim > 0) return sides(a, w, value);
    struct heddle_index index[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++)
        index[d] = (struct heddle_index)HEDDLE_SLICE(w->before[d], w->before[d] + a->shape[d]);
    heddle_array *ground = value ? heddle_astype(value, (enum heddle_dtype)a->dtype)
                                 : heddle__constant(0, (enum heddle_dtype)a->dtype);
    ground = heddle_broadcast_to(ground, shape->ndim, shape->extent);
    return heddle_set_item(ground, a->ndim, index, a);
}

static heddle_array *edge(heddle_array *a, int axis, int64_t at, int64_t width)
{
    const struct heddle_shape s = heddle__with_extent(a, axis, width);
    return heddle_broadcast_to(heddle__slice(a, axis, at, at + 1), s.ndim, s.extent);
}

static heddle_array *mirrored(heddle_array *a, int axis, int64_t from, int64_t to)
{
    const struct heddle_flip_options o = {.size = sizeof o, .axis = axis, .has_axis = true};
    return heddle_flip_with(heddle__slice(a, axis, from, to), &o);
}

/* `width` elements, at most a period of them, to join before or after `a`, which repeats with the `period`. */
static heddle_array *border(heddle_array *a, int axis, enum heddle_pad_mode mode, int64_t period,
                            int64_t width, bool after)
{
    const int64_t n = a->shape[axis];
    if (mode == HEDDLE_PAD_WRAP)
        return after ? heddle__slice(a, axis, n - period, n - period + width)
                     : heddle__slice(a, axis, period - width, period);
    const int64_t skip = mode == HEDDLE_PAD_REFLECT; /* the border itself */
    return after ? mirrored(a, axis, n - skip - width, n - skip)
                 : mirrored(a, axis, skip, skip + width);
}

/* Many periods: by index. */
static heddle_array *gathered(heddle_array *a, int axis, enum heddle_pad_mode mode, int64_t period,
                              int64_t before, int64_t total)
{
    const bool wrap = mode == HEDDLE_PAD_WRAP;
    const int64_t skip = mode == HEDDLE_PAD_REFLECT;
    heddle_array *i = heddle__index_along(total, 0, 1);
    heddle_array *turn = heddle_scalar_int(wrap ? period : 2 * period); /* there and back */
    heddle_array *last = heddle_scalar_int(2 * period - 1 + skip);
    i = heddle_remainder(heddle_subtract(i, heddle_scalar_int(before)), turn);
    if (!wrap) {
        heddle_array *const back = heddle_subtract(last, i);
        i = heddle_where(heddle_less(back, i), back, i);
    }
    return heddle__take(a, i, axis);
}

static heddle_array *pad_axis(heddle_array *a, int axis, enum heddle_pad_mode mode, int64_t before,
                              int64_t after)
{
    const int64_t n = a->shape[axis], width[2] = {before, after};
    const int64_t period = mode == HEDDLE_PAD_REFLECT ? n - 1 : n;
    if (mode == HEDDLE_PAD_EDGE || period == 0) { /* a mirrored single element is the edge */
        heddle_array *const parts[3] = {edge(a, axis, 0, before), a, edge(a, axis, n - 1, after)};
        return heddle_concat(3, parts, axis);
    }
    if (before / 8 >= period || after / 8 >= period)
        return gathered(a, axis, mode, period, before, before + n + after);
    for (int side = 0; side < 2; side++)
        for (int64_t left = width[side]; left > 0 && heddle_status_of(a) == HEDDLE_OK;) {
            const int64_t step = left < period ? left : period;
            heddle_array *piece = border(a, axis, mode, period, step, side == 1);
            heddle_array *const parts[2] = {side ? a : piece, side ? piece : a};
            a = heddle_concat(2, parts, axis);
            left -= step;
        }
    return a;
}

/* Whether there is a value for each side. */
static bool are_sides(const heddle_array *value, const heddle_array *a)
{
    const int n = value->ndim;
    return n == 0 || (n <= 2 && (value->shape[n - 1] == 2 || value->shape[n - 1] == 1) &&
                      (n == 1 || value->shape[0] == a->ndim || value->shape[0] == 1));
}

/* ---- The function ----------------------------------------------------------------------------------- */

heddle_array *heddle_pad_with(heddle_array *a, int n, const int64_t *given,
                              const struct heddle_pad_options *options)
{
    /* check */
    heddle_array *bad = heddle__bad_operand("pad", 1, &a);
    if (bad) return bad;
    struct heddle_pad_options o;
    struct widths w;
    if (heddle__options("pad", options, &o, sizeof o) != HEDDLE_OK ||
        read_widths(a, n, given, &w) != HEDDLE_OK)
        return heddle__error_last();
    if ((unsigned)o.mode > HEDDLE_PAD_SYMMETRIC)
        return heddle__error_array(HEDDLE_EARG, "heddle_pad: there is no mode %d", (int)o.mode);
    if (o.value) bad = heddle__bad_operand("pad", 1, &o.value);
    if (bad) return bad;
    if (o.value && o.mode != HEDDLE_PAD_CONSTANT)
        return heddle__error_array(HEDDLE_EARG, "heddle_pad: .value in mode %d: constants have it",
                                   (int)o.mode);
    if (o.value && !are_sides(o.value, a))
        return heddle__error_array(
            HEDDLE_ESHAPE,
            "heddle_pad: .value of shape %s for shape %s: it is one scalar, or "
            "two, or two for each axis",
            HEDDLE_SHAPE_OF(o.value), HEDDLE_SHAPE_OF(a));
    if (o.value && heddle__check_value("pad", o.value, (enum heddle_dtype)a->dtype) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_shape shape = {.ndim = a->ndim};
    for (int d = 0; d < a->ndim; d++) {
        shape.extent[d] = w.before[d] + a->shape[d] + w.after[d];
        if (o.mode != HEDDLE_PAD_CONSTANT && a->shape[d] == 0 && shape.extent[d] > 0)
            return heddle__error_array(HEDDLE_ESHAPE, "heddle_pad: axis %d of shape %s is empty", d,
                                       HEDDLE_SHAPE_OF(a));
    }
    if (heddle__check_shape("pad", shape.ndim, shape.extent) != HEDDLE_OK)
        return heddle__error_last();

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = a;
    if (o.mode == HEDDLE_PAD_CONSTANT)
        return heddle__scope_leave(&scope, constant(a, &w, &shape, o.value));
    for (int d = 0; d < shape.ndim && heddle_status_of(r) == HEDDLE_OK; d++)
        if (w.before[d] + w.after[d] > 0) r = pad_axis(r, d, o.mode, w.before[d], w.after[d]);
    return heddle__scope_leave(&scope, r);
}
