/* Reductions to tasks. One task for each part of the result when no reduced axis is cut; else one a
 * part of what is reduced, which leaves partials of whole chunks, and one that combines them: the
 * tree is that of reduce_tree.h either way. Entry points: heddle__reduce_grid, heddle__cut_reduce. */
#include "base/memory.h"
#include "plan/tasks.h"
#include "reduce_tree.h"

/* ---- The partition of the iteration space --------------------------------------------------------- */

static struct heddle_geometry whole_geometry(const struct heddle_space *space, bool sequential)
{
    struct heddle_geometry g = {.ndim = space->ndim, .n_kept = space->n_kept};
    for (int d = 0; d < space->ndim; d++) g.extent[d] = g.whole[d] = space->extent[d];
    heddle__reduce_chunks(&g, sequential);
    return g;
}

/* Whether the space can be cut along `axis` at `bound`. Of the reduced axes only the first. */
static bool may_cut(const struct heddle_geometry *g, int axis, int64_t bound)
{
    if (axis < g->n_kept) return true;
    if (axis > g->n_kept || axis > g->split_axis) return false;
    return axis < g->split_axis || bound % g->split_rows == 0;
}

/* Cuts iteration axis `axis` where `grid` is cut along `d`. */
static bool take_axis(const struct heddle_geometry *g, int axis, const struct heddle_grid *grid,
                      int d, int64_t *n, int64_t **bounds)
{
    int64_t *to = heddle__alloc((size_t)(grid->n[d] + 1) * sizeof *to);
    if (!to) return false;
    int64_t count = 0;
    to[0] = 0;
    for (int64_t i = 1; i < grid->n[d]; i++)
        if (may_cut(g, axis, grid->bound[d][i])) to[++count] = grid->bound[d][i];
    to[++count] = grid->shape[d];
    heddle__free(bounds[axis]);
    bounds[axis] = to;
    n[axis] = count;
    return true;
}

/* Whether a map only permutes axes of full extent where the grid is cut. */
static bool aligned(const struct heddle_map *m, const struct heddle_grid *grid,
                    const int64_t *extent)
{
    for (int d = 0; d < grid->ndim; d++)
        if (grid->n[d] > 1 && (m->axis[d] < 0 || m->step[d] != 1 || m->offset[d] != 0 ||
                               extent[m->axis[d]] != grid->shape[d]))
            return false;
    return true;
}

struct heddle_grid *heddle__reduce_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                        const struct heddle_group *group)
{
    const struct heddle_space space = {group->ndim, group->n_kept, group->extent, 0, NULL};
    const struct heddle_geometry g = whole_geometry(&space, group->sequential);
    int64_t n[HEDDLE_MAX_NDIM], *bounds[HEDDLE_MAX_NDIM] = {NULL};
    struct heddle_grid *result = NULL, *automatic = NULL;
    const struct heddle_grid *like = NULL;
    struct heddle_map order = {.n = (int8_t)group->ndim};
    const struct heddle_map *map = &order;

    /* what it reads, or the automatic partition when it reads no array */
    for (int k = 0; k < b->program.n_operands && !like; k++) {
        const struct heddle_grid *grid = p->plan->arrays[b->operands[k].array].grid;
        if (grid->n_parts > 1 && aligned(&b->operands[k].map, grid, group->extent)) {
            like = grid;
            map = &b->operands[k].map;
        }
    }
    if (!like && b->program.n_operands == 0 && !p->run_inline) {
        int64_t shape[HEDDLE_MAX_NDIM];
        for (int i = 0; i < group->ndim; i++) {
            shape[group->order[i]] = group->extent[i];
            order.axis[group->order[i]] = (int8_t)i;
            order.step[group->order[i]] = 1;
        }
        like = automatic = heddle__grid_auto(group->ndim, shape, p->policy);
        if (!automatic) return NULL;
    }

    bool ok = true;
    for (int axis = 0; axis < group->ndim && ok; axis++) {
        n[axis] = 1;
        bounds[axis] = heddle__alloc(2 * sizeof(int64_t));
        if (!(ok = bounds[axis] != NULL)) break;
        bounds[axis][0] = 0;
        bounds[axis][1] = group->extent[axis];
    }
    for (int d = 0; like && d < like->ndim && ok; d++)
        if (like->n[d] > 1) ok = take_axis(&g, map->axis[d], like, d, n, bounds);
    if (ok)
        result = heddle__grid_make(group->ndim, group->extent, n, (const int64_t *const *)bounds);
    for (int axis = 0; axis < group->ndim; axis++) heddle__free(bounds[axis]);
    heddle__grid_release(automatic);
    return result;
}

/* ---- Tasks ---------------------------------------------------------------------------------------------- */

/* Whether operand `o` lies in one part for each part of the iteration space. */
static bool reads_one_part(const struct heddle_planner *p, const struct heddle_operand *o,
                           const struct heddle_grid *iteration)
{
    const struct heddle_grid *grid = p->plan->arrays[o->array].grid;
    if (grid->n_parts == 1) return true;
    for (int64_t part = 0; part < iteration->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(iteration, part);
        if (heddle__box_size(&box, iteration->ndim) == 0) continue;
        const struct heddle_box region = heddle__map_region(&o->map, &box);
        const struct heddle_box in = heddle__grid_part(grid, heddle__grid_locate(grid, region.lo));
        if (!heddle__box_contains(&in, &region, grid->ndim)) return false;
    }
    return true;
}

/* What does not fit the iteration's parts is gathered first. */
static bool gather_reads(struct heddle_planner *p, struct heddle_builder *b,
                         const struct heddle_grid *iteration)
{
    for (int k = 0; k < b->program.n_operands; k++) {
        struct heddle_operand *o = &b->operands[k];
        if (o->store || o->after || reads_one_part(p, o, iteration)) continue;
        o->array = heddle__cut_one_part(p, o->array);
        if (o->array < 0) return false;
    }
    return true;
}

static bool cut_whole(struct heddle_planner *p, struct heddle_builder *b,
                      const struct heddle_program *program, const struct heddle_space *space,
                      const struct heddle_grid *iteration, const uint32_t *constants)
{
    for (int64_t part = 0; part < iteration->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(iteration, part);
        if (heddle__box_size(&box, space->n_kept) == 0) continue;
        if (!heddle__task_begin(p) ||
            !heddle__call_program(p, b, program, space, constants, &box, part, HEDDLE_PHASE_WHOLE))
            return false;
        heddle__task_end(p);
    }
    return true;
}

/* Arrays of partials: kept axes, then chunks, cut as the iteration space. */
struct partials {
    int32_t array[HEDDLE_MAX_REDUCTIONS]; /* as computed */
    int32_t whole[HEDDLE_MAX_REDUCTIONS]; /* all chunks of a kept part together */
    int64_t n_chunks;
};

static bool make_partials(struct heddle_planner *p, const struct heddle_program *program,
                          const struct heddle_space *space, const struct heddle_grid *iteration,
                          struct partials *s)
{
    const struct heddle_geometry g = whole_geometry(space, program->sequential);
    const int kept = space->n_kept;
    const int64_t parts = iteration->n[kept];
    int64_t shape[HEDDLE_MAX_NDIM], n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    int64_t *chunk = heddle__arena_alloc(&p->scratch, (size_t)(parts + 1) * sizeof *chunk);
    if (!chunk) return false;
    for (int d = 0; d < kept; d++) {
        shape[d] = iteration->shape[d];
        n[d] = iteration->n[d];
        bounds[d] = iteration->bound[d];
    }
    shape[kept] = s->n_chunks = g.n_chunks;
    n[kept] = parts;
    bounds[kept] = chunk;
    for (int64_t i = 0; i < parts; i++)
        chunk[i] = g.split_axis == kept
                       ? iteration->bound[kept][i] / g.split_rows
                       : iteration->bound[kept][i] * (g.n_chunks / space->extent[kept]);
    chunk[parts] = g.n_chunks;
    for (int r = 0; r < program->n_reductions; r++) {
        const struct heddle_reduce_instr *in = &program->reductions[r];
        const bool arg = in->op == HEDDLE_REDUCE_ARGMAX || in->op == HEDDLE_REDUCE_ARGMIN;
        s->array[r] = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1,
                                             arg ? HEDDLE_COMPLEX128 : (enum heddle_dtype)in->dtype,
                                             heddle__grid_make(kept + 1, shape, n, bounds));
        if (s->array[r] < 0) return false;
    }
    return true;
}

static bool cut_partial(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration, const uint32_t *constants,
                        const struct partials *s)
{
    for (int64_t part = 0; part < iteration->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(iteration, part);
        if (heddle__box_size(&box, space->ndim) == 0) continue;
        if (!heddle__task_begin(p)) return false;
        struct heddle_launch *launch =
            heddle__call_program(p, b, program, space, constants, &box, 0, HEDDLE_PHASE_PARTIAL);
        for (int r = 0; launch && r < program->n_reductions; r++)
            launch->buffer[program->n_operands + r] =
                heddle__task_use(p, s->array[r], part, HEDDLE_WRITE);
        if (!launch || p->failed) return false;
        heddle__task_end(p);
    }
    return true;
}

static bool cut_combine(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *kept, const uint32_t *constants,
                        const struct partials *s)
{
    for (int64_t part = 0; part < kept->n_parts; part++) {
        struct heddle_box box = heddle__grid_part(kept, part);
        if (heddle__box_size(&box, space->n_kept) == 0) continue;
        for (int d = space->n_kept; d < space->ndim; d++) {
            box.lo[d] = 0;
            box.hi[d] = space->extent[d];
        }
        if (!heddle__task_begin(p)) return false;
        struct heddle_launch *launch =
            heddle__call_program(p, b, program, space, constants, &box, part, HEDDLE_PHASE_COMBINE);
        for (int r = 0; launch && r < program->n_reductions; r++)
            launch->buffer[program->n_operands + r] =
                heddle__task_use(p, s->whole[r], part, HEDDLE_READ);
        if (!launch || p->failed) return false;
        launch->geometry.n_chunks = s->n_chunks;
        heddle__task_end(p);
    }
    return true;
}

bool heddle__cut_reduce(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration)
{
    const int kept = space->n_kept;
    const uint32_t *constants = heddle__call_constants(p, b);
    if (!constants || !gather_reads(p, b, iteration)) return false;
    if (kept == space->ndim || iteration->n[kept] == 1)
        return heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, program, space->name, space->n_nodes) &&
               cut_whole(p, b, program, space, iteration, constants);

    /* partials of each part, together for each kept part, combined */
    struct partials s;
    struct heddle_grid *result = heddle__grid_make(kept, iteration->shape, iteration->n,
                                                   (const int64_t *const *)iteration->bound);
    bool ok = result && make_partials(p, program, space, iteration, &s) &&
              heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, program, space->name, space->n_nodes) &&
              cut_partial(p, b, program, space, iteration, constants, &s);
    for (int r = 0; r < program->n_reductions && ok; r++) {
        const struct heddle_grid *cut = p->plan->arrays[s.array[r]].grid;
        int64_t n[HEDDLE_MAX_NDIM];
        const int64_t *bounds[HEDDLE_MAX_NDIM], all[2] = {0, s.n_chunks};
        for (int d = 0; d < kept; d++) {
            n[d] = cut->n[d];
            bounds[d] = cut->bound[d];
        }
        n[kept] = 1;
        bounds[kept] = all;
        s.whole[r] =
            heddle__cut_copy(p, s.array[r], heddle__grid_make(kept + 1, cut->shape, n, bounds));
        ok = s.whole[r] >= 0;
    }
    ok = ok && heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, program, "combine", 0) &&
         cut_combine(p, b, program, space, result, constants, &s);
    heddle__grid_release(result);
    return ok;
}
