/* Scans to tasks. If the axis is not cut: part by part. If it is cut, at multiples of chunks: each part goes
 * on where the one before ended, if one place has them all; else tasks make the totals of chunks, then
 * their prefixes, then the scan with these (kernel.h). Entry point: heddle__scan_cut. */
#include "families/scan/scan.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

#include "reduce_tree.h"
#include "rows.h"

#include <string.h>

struct cut {
    const struct heddle_scan_params *params;
    enum heddle_dtype dtype; /* of the kernel */
    int32_t in, out;
    const struct heddle_program *rows; /* NULL: calls can be no stages of chains */
    int32_t states;                    /* state between parts that follow each other; -1: none */
    struct heddle_along along;
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* Adds a call over the elements of a part of `grid`. */
static struct heddle_scan *add_call(struct heddle_planner *p, const struct cut *s,
                                    const struct heddle_grid *grid, int64_t part,
                                    enum heddle_scan_phase phase)
{
    const int axis = s->params->axis;
    const struct heddle_box box = heddle__grid_part(grid, part);
    const double size = (double)heddle__box_size(&box, grid->ndim);
    const double moved = phase == HEDDLE_SCAN_TOTALS ? 1 : 2;
    struct heddle_scan *call =
        heddle__task_call(p, &heddle__scan_family, sizeof *call, 2 * size,
                          moved * size * (double)heddle_dtype_size((enum heddle_dtype)s->dtype));
    if (!call) return NULL;
    *call = (struct heddle_scan){.dtype = (uint8_t)s->dtype,
                                 .operation = (uint8_t)s->params->operation,
                                 .phase = (uint8_t)phase,
                                 .columns = s->params->columns != 0,
                                 .outer = 1,
                                 .n = box.hi[axis] - box.lo[axis],
                                 .inner = 1};
    for (int d = 0; d < grid->ndim; d++)
        *(d < axis ? &call->outer : &call->inner) *= d == axis ? 1 : box.hi[d] - box.lo[d];
    call->first_chunk = box.lo[axis] / heddle__scan_chunk(call->columns);
    call->n_chunks = heddle__scan_chunks(grid->shape[axis], call->columns);
    call->initial = s->params->initial && box.lo[axis] == 0;
    return call;
}

/* ---- As a stage of a chain ------------------------------------------------------------------------- */

/* The program of all calls whose rows can be stages of chains. NULL: there are none, or memory is gone. */
static const struct heddle_program *rows_program(struct heddle_planner *p, const struct cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    const int64_t n = grid->shape[s->params->axis];
    const enum heddle_dtype dtype = (enum heddle_dtype)p->plan->arrays[s->in].dtype;
    struct heddle_builder b;
    if (!p->policy->fusion || s->params->initial || grid->n[s->params->axis] > 1 || n < 2 ||
        n > heddle__scan_most(s->params->columns != 0))
        return NULL;
    const struct heddle_map map = heddle__map_identity(grid->ndim);
    heddle__build_start(&b);
    const uint16_t value = heddle__build_load(&b, s->in, dtype, &map);
    heddle__build_store(&b, value, s->out, dtype, &map);
    b.program.scan = (uint16_t)(1 + s->params->operation);
    b.program.sequential = s->params->columns != 0;
    return heddle__plan_program(p, &b);
}

/* The strides of a part, kept axes first. */
static void walk_part(struct heddle_planner *p, int32_t array, int64_t part,
                      const struct heddle_box *box, int axis, struct heddle_access *out)
{
    const struct heddle_grid *grid = grid_of(p, array);
    const struct heddle_map map = heddle__map_identity(grid->ndim);
    const struct heddle_access a =
        heddle__array_access(&p->plan->arrays[array], part, &map, box->lo);
    out->offset = a.offset;
    for (int d = 0, e = 0; d < grid->ndim; d++)
        out->stride[d == axis ? grid->ndim - 1 : e++] = a.stride[d];
}

/* Gives a call the launch that does the same. */
static bool add_rows(struct heddle_planner *p, const struct cut *s, struct heddle_scan *call,
                     int64_t part)
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    const struct heddle_box box = heddle__grid_part(grid, part);
    const int axis = s->params->axis, last = grid->ndim - 1;
    struct heddle_launch *launch = heddle__arena_alloc(p->plan->arena, sizeof *launch);
    struct heddle_access *access = heddle__arena_alloc(p->plan->arena, 2 * sizeof *access);
    uint32_t *buffer = heddle__arena_alloc(p->plan->arena, 2 * sizeof *buffer);
    if (!launch || !access || !buffer) return !(p->failed = true);
    memset(access, 0, 2 * sizeof *access);
    *launch = (struct heddle_launch){.program = s->rows, .access = access, .buffer = buffer};
    struct heddle_geometry *g = &launch->geometry;
    g->ndim = grid->ndim;
    g->n_kept = last;
    g->phase = HEDDLE_PHASE_WHOLE;
    g->reduced = (uint16_t)(1u << axis);
    for (int d = 0, e = 0; d < grid->ndim; d++) {
        const int at = d == axis ? last : e++;
        g->extent[at] = box.hi[d] - box.lo[d];
        g->origin[at] = box.lo[d];
        g->whole[at] = grid->shape[d];
    }
    heddle__reduce_chunks(g, s->rows->sequential);
    walk_part(p, s->in, part, &box, axis, &access[s->rows->instrs[0].a]);
    walk_part(p, s->out, part, &box, axis, &access[s->rows->stores[0].operand]);
    buffer[s->rows->instrs[0].a] = call->in;
    buffer[s->rows->stores[0].operand] = call->out;
    call->rows = launch;
    return true;
}

/* ---- Part by part, or one after the other ---------------------------------------------------------- */

static bool whole(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->in);
    const int axis = s->params->axis;
    struct heddle_scan *call = add_call(p, s, grid, part, HEDDLE_SCAN_WHOLE);
    if (!call) return false;
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    if (s->rows && !add_rows(p, s, call, part)) return false;
    if (s->states < 0) return true;
    int64_t step = 1; /* to the next part along the axis */
    for (int d = axis + 1; d < grid->ndim; d++) step *= grid->n[d];
    const struct heddle_box box = heddle__grid_part(grid, part);
    call->has_in = box.lo[axis] > 0;
    call->has_out = box.hi[axis] < grid->shape[axis];
    if (call->has_in) call->state_in = heddle__task_use(p, s->states, part - step, HEDDLE_READ);
    if (call->has_out) call->state_out = heddle__task_use(p, s->states, part, HEDDLE_WRITE);
    return true;
}

/* ---- At the same time -------------------------------------------------------------------------------- */

static bool totals(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    struct heddle_scan *call = add_call(p, s, grid_of(p, s->in), part, HEDDLE_SCAN_TOTALS);
    if (!call) return false;
    call->initial = 0;
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->along.partial, part, HEDDLE_WRITE);
    return true;
}

static bool combine(void *context, struct heddle_planner *p, int64_t line)
{
    const struct cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->along.combined);
    struct heddle_scan *call = add_call(p, s, grid, line, HEDDLE_SCAN_COMBINE);
    if (!call) return false;
    call->initial = 0;
    call->n_chunks = call->n;
    call->out = heddle__task_use(p, s->along.combined, line, HEDDLE_READ_WRITE);
    return true;
}

static bool apply(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->in);
    struct heddle_scan *call = add_call(p, s, grid, part, HEDDLE_SCAN_APPLY);
    if (!call) return false;
    const int64_t line = heddle__line_of(grid, s->params->axis, part);
    call->has_in = 1;
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->state_in = heddle__task_use(p, s->along.combined, line, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* ---- All ---------------------------------------------------------------------------------------------- */

/* The partition beside the operand's in which bound i of the axis, `at`, becomes f(s, at, i). */
static struct heddle_grid *beside(struct heddle_planner *p, const struct cut *s,
                                  int64_t (*f)(const struct cut *s, int64_t at, int64_t i))
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    const int axis = s->params->axis;
    int64_t *bounds =
        heddle__arena_alloc(&p->scratch, (size_t)(grid->n[axis] + 1) * sizeof *bounds);
    if (!bounds) return NULL;
    for (int64_t i = 0; i <= grid->n[axis]; i++) bounds[i] = f(s, grid->bound[axis][i], i);
    return heddle__grid_beside(grid, axis, bounds);
}

static int64_t result_bound(const struct cut *s, int64_t at, int64_t i)
{
    return at + (i > 0 && s->params->initial);
}

static int64_t chunk_bound(const struct cut *s, int64_t at, int64_t i)
{
    (void)i;
    return heddle__scan_chunks(at, s->params->columns);
}

static int64_t state_bound(const struct cut *s, int64_t at, int64_t i)
{
    (void)at;
    return i * heddle__scan_state(s->params->columns);
}

static bool cut_all(struct heddle_planner *p, struct cut *s)
{
    const struct heddle_grid *grid = grid_of(p, s->in);
    const int axis = s->params->axis;
    if (grid->n[axis] == 1)
        return heddle__cut_parts(p, &heddle__scan_family, "scan", 1, grid, whole, s);
    if (heddle__parts_follow(p, grid, axis)) {
        s->states = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, s->dtype,
                                           beside(p, s, state_bound));
        return s->states >= 0 &&
               heddle__cut_parts(p, &heddle__scan_family, "scan", 1, grid, whole, s);
    }
    s->along = (struct heddle_along){
        .family = &heddle__scan_family,
        .name = "scan",
        .n_nodes = 1,
        .grid = grid,
        .axis = axis,
        .partial = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1, s->dtype,
                                          beside(p, s, chunk_bound)),
        .partials = totals,
        .combine = combine,
        .apply = apply,
        .context = s,
    };
    return s->along.partial >= 0 && heddle__cut_along(p, &s->along);
}

bool heddle__scan_cut(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    const struct heddle_map *map;
    struct cut s = {.params = heddle__params_of(v->node),
                    .dtype = (enum heddle_dtype)v->node->dtype,
                    .states = -1};
    if (s.params->operation <= HEDDLE_SCAN_MULTIPLY) { /* the same bits */
        if (s.dtype == HEDDLE_UINT32) s.dtype = HEDDLE_INT32;
        if (s.dtype == HEDDLE_UINT64) s.dtype = HEDDLE_INT64;
    }
    s.in = heddle__array_of(p, heddle__whole_input(p, v, 0, &map));
    if (s.in < 0) return false;
    const bool asked = grid_of(p, s.in)->asked; /* so the result is the user's, too */
    s.in = heddle__cut_in_units(p, s.in, s.params->axis, heddle__scan_chunk(s.params->columns));
    if (s.in < 0) return false;
    struct heddle_grid *grid = beside(p, &s, result_bound);
    if (!grid) return false;
    grid->asked = asked;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    s.rows = rows_program(p, &s);
    return !p->failed && cut_all(p, &s);
}
