/* Transforms to tasks: part by part along axes that are not cut, from the last axis to the first. If the next axis is
 * cut, the array is first brought into a partition that is cut along another one: as each task reads parts of several
 * others, the exchange goes on while transforms do. A line that is cut alone is gathered. Entry point:
 * heddle__fft_cut. */
#include "families/fft/fft.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

#include <math.h>

enum { FEW = 8 }; /* lines: not worth filling vectors with them */

struct cut {
    const struct heddle_fft_params *params;
    bool is_double;
    unsigned alone; /* axes along which the value has few lines */
    unsigned axes;  /* of this step */
    bool is_last;   /* which has the factor */
    int32_t in, out;
};

static struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static bool transform_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->in);
    const struct heddle_box box = heddle__grid_part(grid, part);
    double levels = 0;
    int n_axes = 0;
    for (int d = 0; d < grid->ndim; d++) {
        if (!(s->axes >> d & 1)) continue;
        const int64_t n = s->params->kind == HEDDLE_FFT_C2C ? grid->shape[d] : s->params->n;
        levels += log2((double)n) + 1;
        n_axes++;
    }
    const double size = (double)heddle__box_size(&box, grid->ndim);
    struct heddle_fft *call =
        heddle__task_call(p, &heddle__fft_family, sizeof *call, 5 * size * levels,
                          2 * n_axes * size * (s->is_double ? 16 : 8));
    if (!call) return false;
    *call = (struct heddle_fft){.factor = s->is_last ? s->params->factor : 1,
                                .dtype = s->is_double ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32,
                                .kind = (uint8_t)s->params->kind,
                                .inverse = s->params->inverse != 0,
                                .axes = (uint8_t)s->axes,
                                .alone = (uint8_t)s->alone,
                                .ndim = grid->ndim,
                                .n = s->params->n};
    for (int d = 0; d < grid->ndim; d++) call->shape[d] = box.hi[d] - box.lo[d];
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* ---- Partitions -------------------------------------------------------------------------------------- */

static int last_of(unsigned axes)
{
    int last = 0;
    for (int d = 1; d < HEDDLE_MAX_NDIM; d++)
        if (axes >> d & 1) last = d;
    return last;
}

/* The axis to cut instead of those in `axes`: the longest that is not transformed any more, else the longest of those
 * that come later than the next; -1: there is none. */
static int other_axis(const struct heddle_grid *grid, unsigned axes)
{
    const int next = last_of(axes);
    int best = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++)
        for (int d = 0; d < grid->ndim; d++) {
            if (d == next || grid->shape[d] < 2 || (pass == 0 && axes >> d & 1)) continue;
            if (best < 0 || grid->shape[d] > grid->shape[best]) best = d;
        }
    return best;
}

/* As many parts as `grid` has, at the same places, cut along the axis alone. */
static struct heddle_grid *cut_along(struct heddle_planner *p, const struct heddle_grid *grid,
                                     int axis)
{
    const int64_t extent = grid->shape[axis];
    const int64_t parts = grid->n_parts < extent ? grid->n_parts : extent;
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(parts + 1) * sizeof *bounds);
    if (!bounds) return NULL;
    for (int64_t i = 0; i <= parts; i++) bounds[i] = extent * i / parts;
    return heddle__grid_along(grid->ndim, grid->shape, axis, parts, bounds, grid->place);
}

/* The array in a partition in which the last of `axes` is not cut. -1: memory is gone. */
static int32_t turned(struct heddle_planner *p, int32_t array, unsigned axes)
{
    const struct heddle_grid *grid = grid_of(p, array);
    const int axis = other_axis(grid, axes);
    if (axis < 0) return heddle__cut_one_part(p, array);
    const bool asked = grid->asked;
    struct heddle_grid *to = cut_along(p, grid, axis);
    if (to) to->asked = asked;
    return to ? heddle__cut_copy(p, array, to) : -1;
}

/* Gives an operand that nobody has cut a partition along axes that are not transformed, or one part. */
static bool cut_operand(struct heddle_planner *p, int32_t at, unsigned axes)
{
    const heddle_array *a = p->values[at].node;
    struct heddle_grid *grid = heddle__auto_grid(p, a->ndim, a->shape);
    if (!grid) return false;
    unsigned cut = 0;
    for (int d = 0; d < grid->ndim; d++) cut |= (unsigned)(grid->n[d] > 1) << d;
    if (cut & axes) {
        const int axis = other_axis(grid, axes);
        const bool in_batches =
            axis >= 0 && !(axes >> axis & 1) && grid->shape[axis] >= grid->n_parts;
        struct heddle_grid *better = in_batches     ? cut_along(p, grid, axis)
                                     : !grid->place ? heddle__grid_one(a->ndim, a->shape)
                                                    : heddle__grid_retain(grid);
        heddle__grid_release(grid);
        grid = better;
    }
    return grid && heddle__cut_leaf(p, at, grid) >= 0;
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

/* The axes that the next step can have: the last ones, as far as they are not cut. */
static unsigned next_axes(const struct heddle_grid *grid, unsigned left)
{
    unsigned next = 0;
    for (int d = grid->ndim - 1; d >= 0; d--) {
        if (!(left >> d & 1)) continue;
        if (grid->n[d] > 1) break;
        next |= 1u << d;
    }
    return next;
}

/* The partition of what a step makes of parts of `grid`: their bounds, but along the axis of R2C and C2R. */
static struct heddle_grid *result_grid(const struct cut *s, const struct heddle_grid *grid)
{
    const int axis = s->params->kind == HEDDLE_FFT_C2C ? -1 : last_of(s->axes);
    const int64_t bounds[2] = {
        0, axis < 0 ? 0 : heddle__fft_extent(s->params->kind, grid->shape[axis], s->params->n)};
    return heddle__grid_beside(grid, axis, bounds);
}

static bool step(struct heddle_planner *p, struct cut *s, int32_t at)
{
    const struct heddle_grid *from = grid_of(p, s->in);
    struct heddle_grid *grid = result_grid(s, from);
    if (!grid) return false;
    grid->asked = from->asked;
    if (s->is_last) {
        heddle__make_array(p, at, grid);
        heddle__grid_release(grid);
        s->out = p->values[at].array;
    } else {
        s->out = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1,
                                        s->is_double ? HEDDLE_COMPLEX128 : HEDDLE_COMPLEX64, grid);
    }
    return !p->failed && s->out >= 0 &&
           heddle__cut_parts(p, &heddle__fft_family, "fft", s->is_last, grid_of(p, s->in),
                             transform_part, s);
}

bool heddle__fft_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const struct heddle_fft_params *params = heddle__params_of(node);
    const struct heddle_map *map;
    struct cut s = {.params = params,
                    .is_double = node->dtype == HEDDLE_FLOAT64 || node->dtype == HEDDLE_COMPLEX128};
    const int32_t operand = heddle__whole_input(p, &p->values[at], 0, &map);
    if (heddle__is_uncut(p, operand) && !cut_operand(p, operand, (unsigned)params->axes))
        return false;
    s.in = heddle__array_of(p, operand);
    if (s.in < 0) return false;
    for (int d = 0; d < node->ndim; d++)
        if (params->axes >> d & 1 && node->in[0]->size / node->in[0]->shape[d] < FEW)
            s.alone |= 1u << d;
    for (unsigned left = (unsigned)params->axes; left != 0; left &= ~s.axes) {
        if (grid_of(p, s.in)->n[last_of(left)] > 1) s.in = turned(p, s.in, left);
        if (s.in < 0) return false;
        s.axes = next_axes(grid_of(p, s.in), left);
        s.is_last = s.axes == left;
        if (!step(p, &s, at)) return false;
        s.in = s.out;
    }
    return true;
}
