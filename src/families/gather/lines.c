/* Indices that are sums of numbers along axes, and runs of such indices. Entry points: lines.h. */
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

/* ---- Runs --------------------------------------------------------------------------------------------- */

static int64_t floor_of(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

static int64_t along_axis(const struct heddle_line *line, int axis)
{
    return axis < 0 ? 0 : line->step[axis];
}

static int64_t at_index(const struct heddle_line *line, int axis, int64_t i)
{
    return line->first + along_axis(line, axis) * i;
}

/* The first index beyond `from` at which the line is in another multiple of m than there, up to `end`. */
static int64_t leaves(const struct heddle_line *line, int axis, int64_t m, int64_t from,
                      int64_t end)
{
    const int64_t step = along_axis(line, axis), first = at_index(line, axis, from);
    const int64_t low = floor_of(first, m) * m;
    if (step == 0) return end;
    const int64_t more = step > 0 ? (low + m - first + step - 1) / step : (first - low) / -step + 1;
    return more < end - from ? from + more : end;
}

/* Adds the run that ends at `end`. False: there are too many. */
static bool add_run(struct heddle_runs *runs, const struct heddle_line *line, int64_t end)
{
    if (runs->n == HEDDLE_MOST_RUNS) return false;
    runs->line[runs->n] = *line;
    runs->end[runs->n++] = end;
    return true;
}

/* The remainders of what a line has from index `from` to `end`. */
static bool add_remainders(struct heddle_runs *runs, const struct heddle_line *line, int64_t m,
                           int64_t from, int64_t end)
{
    while (from < end) {
        struct heddle_line run = *line;
        const int64_t next = leaves(line, runs->axis, m, from, end);
        run.first -= floor_of(at_index(line, runs->axis, from), m) * m;
        if (!add_run(runs, &run, next)) return false;
        from = next;
    }
    return true;
}

static int64_t extent_of(const heddle_array *a, int axis)
{
    return axis < 0 ? 1 : a->shape[axis];
}

static bool find_runs(heddle_array *a, int depth, struct heddle_runs *runs);

static struct heddle_line negative(const struct heddle_line *line)
{
    struct heddle_line r = {.first = -line->first};
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) r.step[d] = -line->step[d];
    return r;
}

/* What a line has from index `from` to `end`, but no less than `least`; of the negative line if `turned`. */
static bool add_least(struct heddle_runs *runs, const struct heddle_line *line, int64_t least,
                      int64_t from, int64_t end, bool turned)
{
    const struct heddle_line still = {.first = turned ? -least : least},
                             own = turned ? negative(line) : *line;
    const int64_t step = along_axis(line, runs->axis), first = at_index(line, runs->axis, from);
    int64_t n = step == 0 || (first >= least) == (step > 0) ? 0 /* indices up to where it is met */
                : step > 0                                  ? (least - first + step - 1) / step
                                                            : (first - least) / -step + 1;
    const bool begins_still = first < least;
    if (n == 0 || n > end - from) n = end - from;
    return add_run(runs, begins_still ? &still : &own, from + n) &&
           (from + n == end || add_run(runs, begins_still ? &own : &still, end));
}

/* What is no less than a number, or no more. */
static bool add_bounded(struct heddle_runs *runs, const struct heddle_line *line, int64_t bound,
                        enum heddle_op op, int64_t from, int64_t end)
{
    const struct heddle_line turned = negative(line);
    return op == HEDDLE_OP_MAXIMUM ? add_least(runs, line, bound, from, end, false)
                                   : add_least(runs, &turned, -bound, from, end, true);
}

static bool find_operation_of_runs(heddle_array *a, int depth, struct heddle_runs *runs)
{
    const enum heddle_op op = (enum heddle_op)a->op;
    heddle_array *in[3];
    struct heddle_runs of = {.axis = -1};
    struct heddle_line by;
    const int n = heddle__node_operands(a, in);
    bool ok = n == 2 && find_runs(in[0], depth + 1, &of) && find(in[1], depth + 1, true, &by) &&
              is_still(&by) && (op != HEDDLE_OP_REMAINDER || by.first > 0);
    *runs = (struct heddle_runs){.axis = of.axis};
    /* axes of the first operand are those of the result, or it would have one element along them */
    ok = ok && in[0]->ndim == a->ndim && in[0]->size == a->size;
    for (int r = 0; ok && r < of.n; r++) {
        const int64_t from = r ? of.end[r - 1] : 0;
        ok = op == HEDDLE_OP_REMAINDER
                 ? add_remainders(runs, &of.line[r], by.first, from, of.end[r])
                 : add_bounded(runs, &of.line[r], by.first, op, from, of.end[r]);
    }
    for (int i = 0; i < n; i++) heddle__release(in[i]);
    return ok;
}

/* Through a view that goes along the axis, or has one index of it. */
static bool find_viewed_runs(heddle_array *a, int depth, struct heddle_runs *runs)
{
    struct heddle_map map;
    struct heddle_runs of;
    heddle_array *source = heddle__node_source(a, HEDDLE_NODE_VIEW, &map);
    bool ok = source && find_runs(source, depth + 1, &of);
    heddle__release(source);
    if (!ok) return false;
    const int axis = of.axis < 0 ? -1 : map.axis[of.axis];
    const int64_t offset = of.axis < 0 ? 0 : map.offset[of.axis],
                  step = axis < 0 ? 1 : map.step[of.axis], n = extent_of(a, axis);
    *runs = (struct heddle_runs){.axis = axis};
    if (step < 1) return false;
    for (int r = 0, begin = 1; ok && r < of.n; r++) {
        if (of.end[r] <= offset) continue;
        const int64_t last = (of.end[r] - offset + step - 1) / step, end = last < n ? last : n;
        const struct heddle_line line = heddle__line_through(&of.line[r], &map);
        if (!begin && end <= runs->end[runs->n - 1]) continue;
        begin = 0;
        ok = add_run(runs, &line, end);
        if (end == n) break;
    }
    return ok && runs->n > 0 && runs->end[runs->n - 1] == n;
}

/* Of numbers of either sign. */
static bool find_runs(heddle_array *a, int depth, struct heddle_runs *runs)
{
    struct heddle_line line;
    *runs = (struct heddle_runs){.axis = -1};
    if (depth == DEPTH || a->size == 0 || (a->dtype != HEDDLE_INT64 && a->dtype != HEDDLE_INT32))
        return false;
    if (find(a, depth, true, &line)) {
        runs->axis = heddle__line_axis(&line, a->ndim, a->shape);
        return runs->axis < HEDDLE_MAX_NDIM && add_run(runs, &line, extent_of(a, runs->axis));
    }
    if (a->kind == HEDDLE_NODE_VIEW) return find_viewed_runs(a, depth, runs);
    const bool is_known =
        a->op == HEDDLE_OP_REMAINDER || a->op == HEDDLE_OP_MAXIMUM || a->op == HEDDLE_OP_MINIMUM;
    return a->kind == HEDDLE_NODE_MAP && is_known && find_operation_of_runs(a, depth, runs);
}

bool heddle__find_runs(heddle_array *a, int64_t n, struct heddle_runs *runs)
{
    struct heddle_runs of;
    if (!find_runs(a, 0, &of)) return false;
    *runs = (struct heddle_runs){.axis = of.axis};
    for (int r = 0; r < of.n; r++) { /* those below 0 and the others, of n each */
        const int64_t from = r ? of.end[r - 1] : 0;
        const int64_t first = at_index(&of.line[r], of.axis, from),
                      last = at_index(&of.line[r], of.axis, of.end[r] - 1);
        if (first < -n || first >= n || last < -n || last >= n ||
            !add_remainders(runs, &of.line[r], n, from, of.end[r]))
            return false;
    }
    return true;
}

/* ---- Axes, arrays ------------------------------------------------------------------------------------- */

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
