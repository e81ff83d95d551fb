/* Each index becomes a line for each axis that it takes: what it may be there. An element of the result says by its
 * axes which of these it is. */
#include "families/random_index.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, LINES = 2 * RANDOM_INDICES };

/* What one line selects along an axis of the array (-1: none). A slice: start, step, n. An array: `values` in the
 * shape of `array`, its axes at the end of those of all arrays. */
struct line {
    int axis;
    bool picks, gap; /* integers and arrays; gap: an ellipsis */
    int64_t start, step, n;
    int64_t *values;
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM];
};

struct lines {
    int n;
    struct line of[LINES];
};

static struct line *next(struct lines *s, int axis)
{
    s->of[s->n] = (struct line){.axis = axis};
    return &s->of[s->n++];
}

static void add_integer(struct random *r, int axis, int64_t extent, struct lines *s,
                        struct heddle_index *x)
{
    const int64_t i = random_below(r, 2 * extent) - extent;
    *x = (struct heddle_index)HEDDLE_AT(i);
    struct line *line = next(s, axis);
    line->picks = true;
    line->start = i < 0 ? i + extent : i;
}

static void add_slice(struct random *r, int axis, int64_t extent, struct lines *s,
                      struct heddle_index *x)
{
    static const int64_t steps[] = {1, 1, 2, -1, -3};
    struct line *line = next(s, axis);
    line->step = steps[random_below(r, 5)];
    line->start = random_below(r, extent);
    const int64_t stop = random_below(r, extent + 1); /* by counting */
    for (int64_t k = line->start; line->step > 0 ? k < stop : k >= stop; k += line->step) line->n++;
    *x = (struct heddle_index)HEDDLE_SLICE_STEP(line->start, stop - (line->step < 0), line->step);
    if (line->step < 0 && stop == 0) x->has_stop = false;
    if (random_below(r, 2)) return;
    *x = (struct heddle_index)HEDDLE_ALL;
    line->start = 0, line->step = 1, line->n = extent;
}

/* Of a shape that broadcasts to `common`, which has one axis, or two. */
static void add_array(struct random *r, int axis, int64_t extent, const int64_t common[2],
                      int n_common, struct lines *s, struct heddle_index *x)
{
    struct line *line = next(s, axis);
    line->picks = true;
    line->ndim = (int)random_below(r, n_common + 1);
    int64_t size = 1;
    for (int d = 0; d < line->ndim; d++) {
        const int64_t n = common[n_common - line->ndim + d];
        size *= line->shape[d] = random_below(r, 4) ? n : 1;
    }
    line->values = calloc((size_t)size + 1, sizeof *line->values);
    for (int64_t i = 0; i < size; i++) line->values[i] = random_below(r, 2 * extent) - extent;
    heddle_array *a = heddle_asarray(line->values, HEDDLE_INT64, line->ndim, line->shape);
    for (int64_t i = 0; i < size; i++) line->values[i] += line->values[i] < 0 ? extent : 0;
    if (random_below(r, 3) == 0) a = heddle_astype(a, extent < 100 ? HEDDLE_INT8 : HEDDLE_INT32);
    *x = (struct heddle_index)HEDDLE_BY(a);
}

/* Over one axis or two; as many lines, which have the positions of what is true. Or, over none, a new axis. */
static int add_mask(struct random *r, int axis, int n_axes, const int64_t *shape, struct lines *s,
                    struct heddle_index *x)
{
    int64_t size = 1, n = 0;
    for (int d = 0; d < n_axes; d++) size *= shape[axis + d];
    bool *is = calloc((size_t)size + 1, sizeof *is);
    const int64_t one_of = 1 + random_below(r, 4);
    for (int64_t i = 0; i < size; i++) n += is[i] = random_below(r, one_of) == 0;
    *x = (struct heddle_index)HEDDLE_BY(heddle_asarray(is, HEDDLE_BOOL, n_axes, shape + axis));
    for (int d = 0; d < (n_axes ? n_axes : 1); d++) {
        struct line *line = next(s, n_axes ? axis + d : -1);
        line->picks = true;
        line->ndim = 1;
        line->shape[0] = n;
        line->values = calloc((size_t)n + 1, sizeof *line->values);
        const int64_t below = n_axes == 2 && d == 0 ? shape[axis + 1] : 1;
        const int64_t extent = n_axes ? shape[axis + d] : 1;
        for (int64_t i = 0, k = 0; i < size; i++)
            if (is[i]) line->values[k++] = i / below % extent;
    }
    free(is);
    return n_axes;
}

/* The common shape of all arrays, at the end of `shape`; false: they do not broadcast. */
static bool broadcast(const struct lines *s, int *ndim, int64_t *shape)
{
    *ndim = 0;
    for (int i = 0; i < s->n; i++)
        if (s->of[i].values && s->of[i].ndim > *ndim) *ndim = s->of[i].ndim;
    for (int d = 0; d < *ndim; d++) shape[d] = 1;
    for (int i = 0; i < s->n; i++) {
        const struct line *line = &s->of[i];
        for (int d = 0; d < line->ndim; d++) {
            int64_t *common = &shape[*ndim - line->ndim + d];
            if (*common != 1 && line->shape[d] != 1 && *common != line->shape[d]) return false;
            if (line->shape[d] != 1) *common = line->shape[d];
        }
    }
    return true;
}

/* Where the elements are: counts through the result's axes. */
static bool find(const struct lines *s, int ndim, const int64_t *shape, struct random_index *out)
{
    int n_common, where = -1, first = -1, last = -1, axis_of[LINES];
    int64_t common[HEDDLE_MAX_NDIM];
    bool together = true, arrays = false;
    if (!broadcast(s, &n_common, common)) return false;
    for (int i = 0; i < s->n; i++) {
        arrays |= s->of[i].values != NULL;
        if (!s->of[i].picks) continue;
        if (first < 0) first = i;
        last = i;
    }
    for (int i = first; i >= 0 && i <= last; i++) together &= s->of[i].picks;
    int n_axes =
        0; /* with those that arrays index: all together are not more than an array may have */
    for (int i = 0; i < s->n; i++) n_axes += !s->of[i].gap && (!s->of[i].picks || s->of[i].values);
    if (n_axes > HEDDLE_MAX_NDIM) return false;
    out->ndim = 0;
    for (int i = -1; i < s->n; i++) {
        if (arrays && where < 0 && (i < 0 ? !together : i == first)) {
            where = out->ndim;
            if (where + n_common > HEDDLE_MAX_NDIM) return false;
            for (int d = 0; d < n_common; d++) out->shape[out->ndim++] = common[d];
        }
        if (i < 0 || s->of[i].picks || s->of[i].gap) continue;
        if (out->ndim == HEDDLE_MAX_NDIM) return false;
        axis_of[i] = out->ndim;
        out->shape[out->ndim++] = s->of[i].n;
    }
    out->size = 1;
    for (int d = 0; d < out->ndim; d++)
        if ((out->size *= out->shape[d]) > MOST) return false;
    out->at = calloc((size_t)out->size + 1, sizeof *out->at);
    for (int64_t e = 0; e < out->size; e++) {
        int64_t i[HEDDLE_MAX_NDIM], rest = e, source[HEDDLE_MAX_NDIM] = {0};
        for (int d = out->ndim - 1; d >= 0; rest /= out->shape[d--]) i[d] = rest % out->shape[d];
        for (int k = 0; k < s->n; k++) {
            const struct line *line = &s->of[k];
            if (line->axis < 0) continue;
            if (line->values) {
                int64_t at = 0;
                for (int d = 0; d < line->ndim; d++)
                    at = at * line->shape[d] +
                         (line->shape[d] == 1 ? 0 : i[where + n_common - line->ndim + d]);
                source[line->axis] = line->values[at];
            } else {
                source[line->axis] = line->start + (line->picks ? 0 : i[axis_of[k]] * line->step);
            }
        }
        for (int d = 0; d < ndim; d++) out->at[e] = out->at[e] * shape[d] + source[d];
    }
    return true;
}

bool random_index(struct random *r, int ndim, const int64_t *shape, struct random_index *out)
{
    struct lines s = {.n = 0};
    const int n_common = 1 + (int)random_below(r, 2);
    const int64_t common[2] = {random_below(r, 20), random_below(r, 20)};
    bool ellipsis = false;
    *out = (struct random_index){.n = 0};
    for (int axis = 0; axis < ndim || random_below(r, 6) == 0;) {
        if (out->n == RANDOM_INDICES - 1) break;
        struct heddle_index *x = &out->index[out->n++];
        const int64_t kind = random_below(r, 12);
        if (kind == 0 || axis == ndim) {
            *x = (struct heddle_index)HEDDLE_NEWAXIS;
            next(&s, -1)->n = 1;
        } else if (kind == 1 && !ellipsis) {
            ellipsis = true;
            *x = (struct heddle_index)HEDDLE_ELLIPSIS;
            next(&s, -1)->gap = true;
            /* the rest of the axes but for one, or none, are its */
            for (const int end = ndim - (int)random_below(r, 2); axis < end; axis++) {
                struct line *line = next(&s, axis);
                line->step = 1, line->n = shape[axis];
            }
        } else if (kind < 4) {
            add_integer(r, axis, shape[axis], &s, x);
            axis++;
        } else if (kind < 7) {
            add_slice(r, axis, shape[axis], &s, x);
            axis++;
        } else if (kind < 9) {
            const int n_axes = axis + 1 < ndim ? (int)random_below(r, 3) : (int)random_below(r, 2);
            out->mask_alone = out->n == 1 && n_axes == ndim;
            axis += add_mask(r, axis, n_axes, shape, &s, x);
        } else {
            add_array(r, axis, shape[axis], common, n_common, &s, x);
            axis++;
        }
    }
    out->mask_alone &= out->n == 1;
    const bool fits = find(&s, ndim, shape, out);
    for (int i = 0; i < s.n; i++) free(s.of[i].values);
    return fits;
}
