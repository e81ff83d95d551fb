/* Indices that are sums of numbers along axes. Entry points: lines.h. */
#include "families/gather/lines.h"
#include "graph/make.h"

enum { DEPTH = 12 };            /* of nodes that are looked at */
#define MOST (INT64_C(1) << 61) /* beyond it nothing is asked */

/* Numbers of a line over these axes, the least and the most. False: one is beyond MOST. */
static bool bounds(const struct heddle_line *line, int ndim, const int64_t *shape, int64_t *least,
                   int64_t *most)
{
    *least = *most = line->first;
    for (int d = 0; d < ndim; d++) {
        int64_t along;
        if (__builtin_mul_overflow(line->step[d], shape[d] - 1, &along) || along > MOST ||
            along < -MOST)
            return false;
        *(along < 0 ? least : most) += along;
        if (*least < -MOST || *most > MOST) return false;
    }
    return true;
}

/* Along an axis of one element any step is right, also one that does not fit. */
static int64_t times(int64_t step, int64_t by)
{
    return (int64_t)((uint64_t)step * (uint64_t)by);
}

struct heddle_line heddle__line_through(const struct heddle_line *of, const struct heddle_map *map)
{
    struct heddle_line line = {.first = of->first};
    for (int d = 0; d < map->n; d++) {
        line.first += of->step[d] * map->offset[d];
        if (map->axis[d] >= 0) line.step[map->axis[d]] += times(of->step[d], map->step[d]);
    }
    return line;
}

/* Whether the source's elements in C order are one line, which is that of a reshape to these axes. */
static bool reshape(const heddle_array *source, int ndim, const int64_t *shape,
                    struct heddle_line *line)
{
    int64_t next = 0, extent = 1, step = 0;
    for (int d = source->ndim - 1; d >= 0; d--) {
        if (source->shape[d] == 1) continue;
        if (extent > 1 && line->step[d] != next) return false;
        if (extent == 1) step = line->step[d];
        extent = source->shape[d];
        next = line->step[d] * extent;
    }
    *line = (struct heddle_line){.first = line->first};
    for (int d = ndim - 1; d >= 0; step *= shape[d--]) line->step[d] = step;
    return true;
}

static bool is_still(const struct heddle_line *line)
{
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
        if (line->step[d] != 0) return false;
    return true;
}

/* line = x (op) y, of which neither number is beyond MOST. */
static bool combine(enum heddle_op op, const struct heddle_line *x, const struct heddle_line *y,
                    bool by_values, struct heddle_line *line)
{
    const int64_t sign = op == HEDDLE_OP_SUBTRACT ? -1 : 1;
    *line = *x;
    switch (op) {
    case HEDDLE_OP_ADD:
    case HEDDLE_OP_SUBTRACT:
        line->first += sign * y->first;
        for (int d = 0; d < HEDDLE_MAX_NDIM; d++) line->step[d] += sign * y->step[d];
        return true;
    case HEDDLE_OP_MULTIPLY: {
        const bool is_second = is_still(y);
        const int64_t by = is_second ? y->first : x->first;
        if (!by_values || (!is_second && !is_still(x))) return false;
        if (!is_second) *line = *y;
        bool overflows = __builtin_mul_overflow(line->first, by, &line->first);
        for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
            overflows |= __builtin_mul_overflow(line->step[d], by, &line->step[d]);
        return !overflows && line->first <= MOST && line->first >= -MOST;
    }
    default: return false;
    }
}

static bool find(heddle_array *a, int depth, bool by_values, struct heddle_line *line);

static bool find_operation(heddle_array *a, int depth, bool by_values, struct heddle_line *line)
{
    heddle_array *in[3];
    struct heddle_line of[3];
    const int n = heddle__node_operands(a, in);
    bool ok = n > 0;
    for (int i = 0; i < n; i++) {
        ok = ok && i < 2 && find(in[i], depth + 1, by_values, &of[i]);
        heddle__release(in[i]);
    }
    if (!ok) return false;
    if (n == 2) return combine((enum heddle_op)a->op, &of[0], &of[1], by_values, line);
    *line = of[0];
    if (a->kind == HEDDLE_NODE_CAST) return true;
    of[1] = (struct heddle_line){.first = 0};
    return a->op == HEDDLE_OP_NEGATIVE &&
           combine(HEDDLE_OP_SUBTRACT, &of[1], &of[0], by_values, line);
}

static bool find_source(heddle_array *a, enum heddle_node_kind kind, int depth, bool by_values,
                        struct heddle_line *line)
{
    struct heddle_map map;
    struct heddle_line of;
    heddle_array *source = heddle__node_source(a, kind, &map);
    bool ok = source && find(source, depth + 1, by_values, &of);
    if (ok && kind == HEDDLE_NODE_RESHAPE) {
        *line = of;
        ok = reshape(source, a->ndim, a->shape, line);
    } else if (ok) {
        *line = heddle__line_through(&of, &map);
    }
    heddle__release(source);
    return ok;
}

static bool find(heddle_array *a, int depth, bool by_values, struct heddle_line *line)
{
    int64_t least, most;
    bool ok;
    *line = (struct heddle_line){.first = 0};
    if (depth == DEPTH || a->size == 0 || (a->dtype != HEDDLE_INT64 && a->dtype != HEDDLE_INT32))
        return false;
    if (heddle__is_constant(a)) {
        line->first = a->dtype == HEDDLE_INT64 ? a->value.i64 : a->value.i32;
        return by_values && line->first <= MOST && line->first >= -MOST;
    }
    const enum heddle_node_kind kind = (enum heddle_node_kind)a->kind;
    if (kind == HEDDLE_NODE_INDEX)
        line->step[0] = ok = 1;
    else if (kind == HEDDLE_NODE_VIEW || kind == HEDDLE_NODE_RESHAPE)
        ok = find_source(a, kind, depth, by_values, line);
    else
        ok = find_operation(a, depth, by_values, line);
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 1) line->step[d] = 0;
    return ok && bounds(line, a->ndim, a->shape, &least, &most) &&
           (a->dtype == HEDDLE_INT64 || (least >= INT32_MIN && most <= INT32_MAX));
}

bool heddle__find_indices(heddle_array *a, int64_t n, bool by_values, struct heddle_line *line)
{
    int64_t least, most;
    if (!find(a, 0, by_values, line) || !bounds(line, a->ndim, a->shape, &least, &most))
        return false;
    if (by_values && most < 0) {
        line->first += n;
        least += n;
        most += n;
    }
    return least >= 0 && most < n;
}

int heddle__line_axis(const struct heddle_line *line, int ndim, const int64_t *shape)
{
    int axis = -1;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1 || line->step[d] == 0) continue;
        if (axis >= 0) return HEDDLE_MAX_NDIM;
        axis = d;
    }
    return axis;
}

/* The numbers along axis d of `ndim` axes, from `first` on. */
static heddle_array *along(int64_t first, int64_t step, int d, int ndim, int64_t extent)
{
    const int64_t length = step * (extent - 1);
    heddle_array *index = heddle__make_index(first + (length > 0 ? length : 0) + 1);
    int64_t shape[HEDDLE_MAX_NDIM];
    for (int i = 0; i < ndim; i++) shape[i] = i == d ? extent : 1;
    const struct heddle_map map = {
        .n = 1, .axis = {(int8_t)(extent > 1 ? d : -1)}, .offset = {first}, .step = {step}};
    heddle_array *r = index ? heddle__make_view(index, &map, ndim, shape) : NULL;
    heddle__release(index);
    return r;
}

heddle_array *heddle__make_line_of(const struct heddle_line *line, int ndim, const int64_t *shape)
{
    const enum heddle_dtype dtypes[2] = {HEDDLE_INT64, HEDDLE_INT64};
    struct heddle_shape all = {.ndim = ndim};
    heddle_array *sum = NULL;
    int64_t first = line->first; /* of what is left: the first summand has no number below 0 */
    int n = 0;
    for (int d = 0; d < ndim; d++) {
        all.extent[d] = shape[d];
        if (line->step[d] < 0) first += line->step[d] * (shape[d] - 1);
    }
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1 || line->step[d] == 0) continue;
        const int64_t back = line->step[d] < 0 ? -line->step[d] * (shape[d] - 1) : 0;
        heddle_array *const next =
            along(back + (n++ ? 0 : first), line->step[d], d, ndim, shape[d]);
        if (!next) goto fail;
        if (!sum) {
            sum = next;
            continue;
        }
        heddle_array *const in[2] = {sum, next};
        heddle_array *const both =
            heddle__make_map(HEDDLE_OP_ADD, HEDDLE_INT64, HEDDLE_INT64, &all, 2, in, dtypes);
        heddle__release(next);
        heddle__release(sum);
        sum = both;
        if (!sum) return NULL;
    }
    if (!sum) sum = along(first, 0, 0, ndim, 1);
    if (!sum) return NULL;
    heddle_array *const r = heddle__make_broadcast(sum, ndim, shape);
    heddle__release(sum);
    return r;
fail:
    heddle__release(sum);
    return NULL;
}
