/* np.mgrid, np.ogrid, np.r_ and np.c_: arrays written as indices; np.s_ and np.index_exp: indices themselves. Entry point: heddle__expr_build. */
#include "expr/functions/functions.h"
#include "expr/value.h"

#include <heddle/elementwise.h>

#include <math.h>

/* start:stop:step as an array; a step like 5j: so many numbers, the last one is `stop`. */
static bool range_of(struct run *run, const struct subscript *s, heddle_array **out)
{
    heddle_array *start, *stop, *step = NULL;
    const struct value zero = {.kind = VALUE_INT, .at = s->value.at};
    if (s->stop.kind == VALUE_NONE)
        return heddle__expr_fail(run, HEDDLE_EINDEX, s->value.at, "the range has no end");
    if (!heddle__expr_to_array(run, s->value.kind == VALUE_NONE ? &zero : &s->value, false,
                               &start) ||
        !heddle__expr_to_array(run, &s->stop, false, &stop))
        return false;
    struct value made;
    if (s->step.kind == VALUE_COMPLEX) {
        const double n = floor(hypot(s->step.re, s->step.im));
        if (!(n <= 1e9)) return heddle__expr_fail(run, HEDDLE_ERANGE, s->step.at, "%g numbers", n);
        if (!heddle__expr_from_array(run, heddle_linspace_with(start, stop, (int64_t)n, NULL),
                                     s->value.at, &made))
            return false;
    } else {
        if (s->step.kind != VALUE_NONE && !heddle__expr_to_array(run, &s->step, false, &step))
            return false;
        if (!heddle__expr_from_array(run, heddle_arange_with(start, stop, step, NULL), s->value.at,
                                     &made))
            return false;
    }
    *out = made.array;
    return true;
}

/* Item i as an array of one axis or more. */
static bool item_of(struct run *run, const struct subscript *s, heddle_array **out)
{
    if (s->slice) return range_of(run, s, out);
    if (!heddle__expr_to_array(run, &s->value, true, out)) return false;
    if (heddle_ndim(*out) == 0) *out = heddle__expr_flat(*out);
    return true;
}

/* mgrid, ogrid: range d along axis d. */
static bool grid(struct run *run, bool open, size_t at, const struct subscript *s, int n,
                 struct value *out)
{
    heddle_array *ranges[HEDDLE_MAX_NDIM] = {NULL};
    int64_t shape[HEDDLE_MAX_NDIM];
    if (n > HEDDLE_MAX_NDIM - !open)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, at, "a grid of %d axes", n);
    for (int d = 0; d < n; d++) {
        if (!s[d].slice)
            return heddle__expr_fail(run, HEDDLE_EINDEX, s[d].value.at, "a grid is made of ranges");
        if (!range_of(run, &s[d], &ranges[d])) return false;
        shape[d] = heddle_size(ranges[d]);
    }
    if (n == 1) return heddle__expr_from_array(run, ranges[0], at, out);
    for (int d = 0; d < n; d++) {
        int64_t line[HEDDLE_MAX_NDIM];
        for (int k = 0; k < n; k++) line[k] = k == d ? shape[d] : 1;
        ranges[d] = heddle_reshape(ranges[d], n, line);
        if (!open) ranges[d] = heddle_broadcast_to(ranges[d], n, shape);
    }
    if (open) return heddle__expr_from_arrays(run, HEDDLE_OK, n, ranges, VALUE_TUPLE, at, out);
    enum heddle_dtype dtype = heddle_dtype_of(ranges[0]);
    for (int d = 1; d < n; d++)
        if (heddle_dtype_of(ranges[d]) == HEDDLE_FLOAT64) dtype = HEDDLE_FLOAT64;
    for (int d = 0; d < n; d++) ranges[d] = heddle_astype(ranges[d], dtype);
    return heddle__expr_from_array(run, heddle_stack(n, ranges, 0), at, out);
}

/* The indices as values: a tuple, or one alone if `single`. */
static bool indices_of(struct run *run, bool single, size_t at, const struct subscript *s, int n,
                       struct value *out)
{
    const int64_t base = run->n_stack;
    for (int i = 0; i < n; i++) {
        const int64_t parts = run->n_stack;
        struct value item = s[i].value;
        if (s[i].slice &&
            (!heddle__expr_push(run, s[i].value) || !heddle__expr_push(run, s[i].stop) ||
             !heddle__expr_push(run, s[i].step) ||
             !heddle__expr_take(run, parts, VALUE_SLICE, at, &item)))
            return false;
        if (!heddle__expr_push(run, item)) return false;
    }
    if (!heddle__expr_take(run, base, VALUE_TUPLE, at, out)) return false;
    if (single && n == 1) *out = out->items[0];
    return true;
}

bool heddle__expr_build(struct run *run, const struct value *builder, size_t at,
                        const struct subscript *s, int n, struct value *out)
{
    if (builder->builder == BUILDER_MGRID || builder->builder == BUILDER_OGRID)
        return grid(run, builder->builder == BUILDER_OGRID, at, s, n, out);
    if (builder->builder == BUILDER_INDEX || builder->builder == BUILDER_INDEX_TUPLE)
        return indices_of(run, builder->builder == BUILDER_INDEX, at, s, n, out);
    const bool columns = builder->builder == BUILDER_COLUMNS;
    heddle_array **items = heddle__expr_room(run, n);
    if (!items) return false;
    for (int i = 0; i < n; i++) {
        if (!item_of(run, &s[i], &items[i])) return false;
        if (columns && heddle_ndim(items[i]) == 1) items[i] = heddle_expand_dims(items[i], 1);
    }
    return heddle__expr_from_array(run, heddle_concat(n, items, columns ? -1 : 0), at, out);
}
