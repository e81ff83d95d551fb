/* Arrays with elements around them: constants are a background that the array lands on, others are
 * assembled from views, all axes at once, or gathered if there are many. Entry point: heddle_pad_with. */
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

/* ---- Runs: what lies along a padded axis ------------------------------------------------------------ */

/* Elements first, first + step, ... of an axis; step -1 mirrors, 0 repeats one. */
struct run {
    int64_t first, step, extent;
};

enum {
    MOST_RUNS = 17, /* of an axis: the array, and parts of up to 8 periods on each side */
    MOST_BOXES = 81 /* of an array that is assembled: four axes of three runs */
};

struct runs {
    int n;
    struct run run[MOST_RUNS];
};

static void add_run(struct runs *r, int64_t first, int64_t step, int64_t extent)
{
    if (extent > 0) r->run[r->n++] = (struct run){first, step, extent};
}

/* `width` elements, at most a period of them, beside the array or what `turn` whole periods added to it. */
static void add_border(struct runs *r, enum heddle_pad_mode mode, int64_t n, int64_t turn,
                       int64_t width, bool after)
{
    const int64_t skip = mode == HEDDLE_PAD_REFLECT,
                  period = n - skip; /* skip: the border itself */
    if (mode == HEDDLE_PAD_WRAP)
        add_run(r, after ? 0 : n - width, 1, width);
    else if (turn % 2 == 0) /* there, mirrored */
        add_run(r, after ? period - 1 : skip + width - 1, -1, width);
    else /* and back */
        add_run(r, after ? skip : period - width, 1, width);
}

/* The periods of an axis that are not whole: how many elements beside them. */
static int64_t part_of(int64_t width, int64_t period, int64_t turn)
{
    const int64_t left = width - turn * period;
    return left < period ? left : period;
}

static struct runs runs_of(enum heddle_pad_mode mode, int64_t n, int64_t period, int64_t before,
                           int64_t after)
{
    struct runs r = {.n = 0};
    if (mode == HEDDLE_PAD_EDGE || period == 0) { /* a mirrored single element is the edge */
        add_run(&r, 0, 0, before);
        add_run(&r, 0, 1, n);
        add_run(&r, n - 1, 0, after);
        return r;
    }
    for (int64_t turn = (before + period - 1) / period - 1; turn >= 0; turn--)
        add_border(&r, mode, n, turn, part_of(before, period, turn), false);
    add_run(&r, 0, 1, n);
    for (int64_t turn = 0; turn * period < after; turn++)
        add_border(&r, mode, n, turn, part_of(after, period, turn), true);
    return r;
}

/* One array, of a box for each run of one axis and each of the others: corners are boxes too. */
static heddle_array *assembled(heddle_array *a, const struct runs *runs)
{
    heddle_array *in[MOST_BOXES + 1] = {NULL}; /* no background */
    struct heddle_landing landings[MOST_BOXES + 1] = {{{0}, {0}}};
    struct heddle_shape shape = {.ndim = a->ndim};
    int at[HEDDLE_MAX_NDIM] = {0}, n = 1, d;
    do {
        struct heddle_map map = heddle__map_identity(a->ndim);
        struct heddle_shape box = {.ndim = a->ndim};
        for (d = 0; d < a->ndim; d++) {
            const struct run run = runs[d].run[at[d]];
            map.offset[d] = run.first;
            map.step[d] = run.step;
            if (run.step == 0) map.axis[d] = -1; /* one element for all */
            box.extent[d] = run.extent;
            landings[n].start[d] = 0;
            landings[n].step[d] = 1;
            for (int i = 0; i < at[d]; i++) landings[n].start[d] += runs[d].run[i].extent;
            shape.extent[d] = landings[n].start[d] + run.extent; /* the last one ends all */
        }
        in[n] = heddle__hand_out(heddle__make_view(a, &map, box.ndim, box.extent));
        if (heddle_status_of(in[n]) != HEDDLE_OK) return in[n];
        n++;
        for (d = a->ndim - 1; d >= 0 && ++at[d] == runs[d].n; d--) at[d] = 0;
    } while (d >= 0);
    return heddle__hand_out(
        heddle__make_assemble((enum heddle_dtype)a->dtype, a->ndim, shape.extent, n, in, landings));
}

/* All axes in one pass, if there are not too many boxes: else some in a pass of their own. */
static heddle_array *padded(heddle_array *a, enum heddle_pad_mode mode, const struct widths *w)
{
    struct runs runs[HEDDLE_MAX_NDIM];
    int n_boxes = 1;
    bool none = true;
    for (int d = 0; d < a->ndim; d++) runs[d] = (struct runs){1, {{0, 1, a->shape[d]}}};
    for (int d = 0; d < a->ndim && heddle_status_of(a) == HEDDLE_OK; d++) {
        const int64_t n = a->shape[d], before = w->before[d], after = w->after[d];
        const int64_t period = mode == HEDDLE_PAD_REFLECT ? n - 1 : n;
        if (before + after == 0) continue;
        if (mode != HEDDLE_PAD_EDGE && period > 0 &&
            (before / 8 >= period || after / 8 >= period)) {
            a = gathered(a, d, mode, period, before, before + n + after);
            runs[d].run[0].extent = before + n + after;
            continue;
        }
        runs[d] = runs_of(mode, n, period, before, after);
        none = false;
        if (n_boxes * runs[d].n > MOST_BOXES) {
            struct runs own = runs[d];
            runs[d] = (struct runs){1, {{0, 1, n}}};
            a = assembled(a, runs);
            for (int k = 0; k < d; k++) runs[k] = (struct runs){1, {{0, 1, a->shape[k]}}};
            runs[d] = own;
            n_boxes = 1;
            if (heddle_status_of(a) != HEDDLE_OK) return a;
        }
        n_boxes *= runs[d].n;
    }
    return none || heddle_status_of(a) != HEDDLE_OK ? a : assembled(a, runs);
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
    if (o.mode == HEDDLE_PAD_CONSTANT)
        return heddle__scope_leave(&scope, constant(a, &w, &shape, o.value));
    return heddle__scope_leave(&scope, padded(a, o.mode, &w));
}
