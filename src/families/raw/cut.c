/* Kernels of the user's to tasks: a launch for each part of the frame, where it lives. A call of whole arrays has a frame
 * without axes, of one part. Entry point: heddle__raw_cut. */
#include "families/raw/frame.h"
#include "graph/node.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

/* One operand in the plan; -1: it has no elements. */
struct cut_operand {
    int32_t in, out;
    bool updates;             /* `out` is made in the memory of `in` */
    struct heddle_grid *wide; /* READ with a halo: its parts and their overlap; else NULL */
};

struct cut {
    const heddle_array *node;
    const struct heddle_raw_params *params;
    const struct heddle_family_info *family;
    struct heddle_raw_frame frame;
    int32_t at, object;
    struct cut_operand operands[HEDDLE_RAW_ARRAYS];
};

/* ---- Arrays --------------------------------------------------------------------------------------- */

/* The operand's elements, cut as the frame asks; -1: memory is gone. */
static int32_t input(struct heddle_planner *p, const struct cut *c,
                     const struct heddle_raw_operand *o)
{
    const struct heddle_map *map;
    const int32_t from = heddle__whole_input(p, &p->values[c->at], o->input, &map);
    struct heddle_grid *grid = heddle__raw_grid(p, &c->frame, o);
    if (!grid) return -1;
    if (heddle__is_uncut(p, from)) return heddle__cut_leaf(p, from, grid);
    int32_t array = heddle__array_of(p, from);
    if (array < 0 || heddle__grid_same_cuts(p->plan->arrays[array].grid, grid)) {
        heddle__grid_release(grid);
        return array;
    }
    if (grid->n_parts > 1) return heddle__cut_copy(p, array, grid);
    heddle__grid_release(grid);
    return heddle__cut_one_part(p, array);
}

static bool make_output(struct heddle_planner *p, const struct cut *c, int i, int n,
                        const struct heddle_raw_operand *o, struct cut_operand *to)
{
    struct heddle_grid *grid = heddle__raw_grid(p, &c->frame, o);
    if (!grid) return false;
    if (n > 1)
        heddle__make_output_array(p, c->at, i, (enum heddle_dtype)o->dtype, grid);
    else
        heddle__make_array(p, c->at, grid);
    heddle__grid_release(grid);
    if (p->failed) return false;
    to->out = n > 1 ? p->values[c->at].outputs[i] : p->values[c->at].array;
    if (o->role != HEDDLE_RAW_UPDATE) return true;
    const int32_t over = heddle__operand_to_update(p, &p->values[c->at], o->input);
    if (over < 0 || over != to->in) return true; /* it is copied first */
    to->updates = true;
    heddle__share_array(p->plan, to->out, over);
    return true;
}

/* The overlap that the launches see: a copy of each part with it. */
static bool widen(struct heddle_planner *p, const struct cut *c, const struct heddle_raw_operand *o,
                  struct cut_operand *to)
{
    int64_t before[HEDDLE_MAX_NDIM] = {0}, after[HEDDLE_MAX_NDIM] = {0};
    bool any = false;
    for (int d = 0; d < o->ndim; d++) {
        const int f = o->frame[d];
        if (f < 0 || o->shape[d] != c->frame.grid->shape[f]) continue;
        before[d] = c->frame.before[f];
        after[d] = c->frame.after[f];
        any = any || before[d] > 0 || after[d] > 0;
    }
    if (!any) return true;
    to->wide = heddle__grid_overlap(p->plan->arrays[to->in].grid, before, after);
    if (!to->wide) return false;
    to->in = heddle__cut_overlap(p, to->in, to->wide);
    return to->in >= 0;
}

static bool make_arrays(struct heddle_planner *p, struct cut *c)
{
    const int n = heddle__n_outputs(c->family);
    int i_out = 0;
    for (int i = 0; i < c->params->n_arrays; i++) {
        const struct heddle_raw_operand *o = &c->params->operands[i];
        struct cut_operand *to = &c->operands[i];
        if (o->input >= 0 && (to->in = input(p, c, o)) < 0) return false;
        if (heddle__raw_is_result(o) && !make_output(p, c, i_out++, n, o, to)) return false;
        if (o->halo && to->in >= 0 && !widen(p, c, o, to)) return false;
    }
    return !p->failed;
}

/* ---- Tasks ---------------------------------------------------------------------------------------- */

static void set_extents(const struct heddle_raw_operand *o, const struct heddle_grid *grid,
                        bool is_wide, int64_t part, struct heddle_raw_array *to)
{
    const struct heddle_box own = heddle__grid_part(grid, part);
    const struct heddle_box box = is_wide ? heddle__grid_wide_part(grid, part) : own;
    to->n = heddle__box_size(&box, o->ndim);
    for (int d = 0; d < o->ndim; d++) {
        to->extents.shape[d] = box.hi[d] - box.lo[d];
        to->extents.lo[d] = box.lo[d];
        to->extents.before[d] = own.lo[d] - box.lo[d];
        to->extents.after[d] = box.hi[d] - own.hi[d];
    }
}

static bool add_array(struct heddle_planner *p, const struct cut *c, int i, int64_t part,
                      struct heddle_raw_array *to)
{
    const struct heddle_raw_operand *o = &c->params->operands[i];
    const struct cut_operand *from = &c->operands[i];
    *to = (struct heddle_raw_array){.role = o->role, .dtype = o->dtype, .ndim = o->ndim};
    if (heddle__raw_is_empty(o)) {
        for (int d = 0; d < o->ndim; d++) to->extents.shape[d] = o->shape[d];
        return true;
    }
    const struct heddle_plan_array *arrays = p->plan->arrays;
    const struct heddle_grid *grid = from->wide       ? from->wide
                                     : from->out >= 0 ? arrays[from->out].grid
                                                      : arrays[from->in].grid;
    const int64_t at = heddle__raw_part(&c->frame, o, part);
    set_extents(o, grid, from->wide, at, to);
    if (to->n == 0) return true;
    to->updates = from->updates;
    if (from->in >= 0 && !from->updates) to->in = heddle__task_use(p, from->in, at, HEDDLE_READ);
    if (from->out >= 0)
        to->out =
            heddle__task_use(p, from->out, at, from->updates ? HEDDLE_READ_WRITE : HEDDLE_WRITE);
    return !p->failed;
}

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *c = context;
    const int n = c->params->n_arrays;
    struct heddle_raw_call *call;
    call = heddle__task_call(p, c->family, sizeof *call + (size_t)n * sizeof call->arrays[0], 0, 0);
    if (!call) return false;
    call->values = c->object;
    call->n_arrays = n;
    call->part = part;
    call->n_parts = c->frame.grid->n_parts;
    call->hash = c->params->hash;
    double bytes = 0;
    for (int i = 0; i < n; i++) {
        if (!add_array(p, c, i, part, &call->arrays[i])) return false;
        bytes += (double)call->arrays[i].n *
                 (double)heddle_dtype_size((enum heddle_dtype)call->arrays[i].dtype);
    }
    p->plan->tasks[p->plan->n_tasks - 1].bytes += bytes;
    return true;
}

bool heddle__raw_cut(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    const struct heddle_raw_values *values =
        (const struct heddle_raw_values *)v->node->operation->object;
    struct cut *c = heddle__arena_alloc(&p->scratch, sizeof *c);
    if (!c) return false;
    *c = (struct cut){.node = v->node,
                      .params = heddle__params_of(v->node),
                      .family = heddle__family_of(v->node),
                      .at = at,
                      .object = v->object};
    for (int i = 0; i < HEDDLE_RAW_ARRAYS; i++) c->operands[i].in = c->operands[i].out = -1;
    const bool ok = heddle__raw_frame(p, at, c->params, &c->frame) && make_arrays(p, c) &&
                    heddle__cut_parts(p, c->family, values->caller + sizeof "heddle", 1,
                                      c->frame.grid, call_part, c);
    for (int i = 0; i < c->params->n_arrays; i++) heddle__grid_release(c->operands[i].wide);
    heddle__grid_release(c->frame.grid);
    return ok;
}
