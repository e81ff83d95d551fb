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

/* The operand that the iteration space is cut like: one that covers it, else one that the user cut. */
static const struct heddle_operand *leader(const struct heddle_planner *p,
                                           const struct heddle_builder *b,
                                           const struct heddle_group *group)
{
    for (int covers = 1; covers >= 0; covers--)
        for (int k = 0; k < b->program.n_operands; k++) {
            const struct heddle_operand *o = &b->operands[k];
            const struct heddle_grid *grid = p->plan->arrays[o->array].grid;
            if (grid->n_parts == 1 && !grid->place) continue;
            if (!heddle__grid_carries_over(grid, &o->map) || !(covers || grid->asked)) continue;
            bool all = true;
            for (int d = 0; d < grid->ndim; d++)
                if (grid->n[d] > 1 &&
                    (o->map.offset[d] != 0 || group->extent[o->map.axis[d]] != grid->shape[d]))
                    all = false;
            if (all || !covers) return o;
        }
    return NULL;
}

/* The automatic partition, in the order of the iteration's axes. */
static struct heddle_grid *automatic_grid(struct heddle_planner *p,
                                          const struct heddle_group *group)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    const struct heddle_map order = heddle__reduce_order(group);
    for (int d = 0; d < group->ndim; d++) shape[d] = group->extent[order.axis[d]];
    struct heddle_grid *automatic = heddle__auto_grid(p, group->ndim, shape);
    if (!automatic) return NULL;
    struct heddle_grid *grid = heddle__grid_over(p, automatic, &order, group->ndim, group->extent);
    heddle__grid_release(automatic);
    return grid;
}

/* `grid`, whose reference is taken over, cut only where chunks end. */
static struct heddle_grid *fit_chunks(struct heddle_planner *p, struct heddle_grid *grid,
                                      const struct heddle_geometry *g)
{
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    bool fits = true;
    if (!grid) return NULL;
    for (int axis = 0; axis < g->ndim; axis++) {
        n[axis] = grid->n[axis];
        bounds[axis] = grid->bound[axis];
        bool may = true;
        for (int64_t i = 1; i < n[axis]; i++) may = may && may_cut(g, axis, bounds[axis][i]);
        if (may) continue;
        fits = false;
        int64_t *to = heddle__arena_alloc(&p->scratch, (size_t)(n[axis] + 1) * sizeof *to);
        if (!to) {
            heddle__grid_release(grid);
            return NULL;
        }
        const int64_t unit = axis == g->n_kept && axis == g->split_axis ? g->split_rows : 0;
        int64_t count = 0;
        to[0] = 0;
        for (int64_t i = 1; i < n[axis] && unit; i++) {
            const int64_t at = (bounds[axis][i] + unit / 2) / unit * unit;
            if (at > to[count] && at < g->extent[axis]) to[++count] = at;
        }
        to[++count] = g->extent[axis];
        n[axis] = count;
        bounds[axis] = to;
    }
    if (fits) return grid;
    const struct heddle_map identity = heddle__map_identity(g->ndim);
    struct heddle_grid *fitted = heddle__grid_placed_as(
        p, heddle__grid_make(g->ndim, g->extent, n, bounds), grid, &identity);
    heddle__grid_release(grid);
    return fitted;
}

struct heddle_grid *heddle__reduce_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                        const struct heddle_group *group)
{
    const struct heddle_space space = {group->ndim, group->n_kept, group->extent, 0, NULL};
    const struct heddle_geometry g = whole_geometry(&space, group->sequential);
    const struct heddle_operand *o = leader(p, b, group);
    struct heddle_grid *grid;
    if (o) {
        grid = heddle__grid_over(p, p->plan->arrays[o->array].grid, &o->map, group->ndim,
                                 group->extent);
    } else {
        bool cut = b->program.n_operands == 0;
        for (int k = 0; k < b->program.n_operands; k++)
            cut = cut || p->plan->arrays[b->operands[k].array].grid->n_parts > 1;
        grid = cut ? automatic_grid(p, group) : heddle__grid_one(group->ndim, group->extent);
    }
    return fit_chunks(p, grid, &g);
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

/* What does not fit the iteration's parts is cut anew first, or gathered. */
static bool gather_reads(struct heddle_planner *p, struct heddle_builder *b,
                         const struct heddle_grid *iteration)
{
    for (int k = 0; k < b->program.n_operands; k++) {
        struct heddle_operand *o = &b->operands[k];
        if (o->store || o->after || reads_one_part(p, o, iteration)) continue;
        const int32_t array = o->array;
        o->array = heddle__cut_copy(
            p, array,
            heddle__grid_under(p, iteration, &o->map, p->plan->arrays[array].grid->shape));
        if (o->array < 0) return false;
        if (reads_one_part(p, o, iteration)) continue;
        o->array = heddle__cut_one_part(p, array);
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

/* Parts of partials are numbered as those of the iteration space. */
static struct heddle_grid *placed_like(const struct heddle_grid *iteration, int ndim,
                                       const int64_t *shape, const int64_t *n,
                                       const int64_t *const *bounds)
{
    struct heddle_grid *grid = heddle__grid_make(ndim, shape, n, bounds);
    if (!grid || !iteration->place) return grid;
    struct heddle_grid *placed = heddle__grid_place(grid, iteration->n_parts, iteration->place);
    heddle__grid_release(grid);
    return placed;
}

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
        const bool arg = heddle__is_arg(in);
        s->array[r] = heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1,
                                             arg ? HEDDLE_COMPLEX128 : (enum heddle_dtype)in->dtype,
                                             placed_like(iteration, kept + 1, shape, n, bounds));
        if (s->array[r] < 0) return false;
        p->plan->arrays[s->array[r]].partial = true;
    }
    return true;
}

static bool cut_partial(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration, const uint32_t *constants,
                        const struct partials *s, int64_t part)
{
    const struct heddle_box box = heddle__grid_part(iteration, part);
    if (heddle__box_size(&box, space->ndim) == 0) return true;
    if (!heddle__task_begin(p)) return false;
    heddle__task_place(p, heddle__grid_place_of(iteration, part));
    struct heddle_launch *launch =
        heddle__call_program(p, b, program, space, constants, &box, 0, HEDDLE_PHASE_PARTIAL);
    for (int r = 0; launch && r < program->n_reductions; r++)
        launch->buffer[program->n_operands + r] =
            heddle__task_use(p, s->array[r], part, HEDDLE_WRITE);
    if (!launch || p->failed) return false;
    heddle__task_end(p);
    return true;
}

/* First those that must travel to where they are combined: the others are computed meanwhile. */
static bool cut_partials(struct heddle_planner *p, struct heddle_builder *b,
                         const struct heddle_program *program, const struct heddle_space *space,
                         const struct heddle_grid *iteration, const uint32_t *constants,
                         const struct partials *s, const struct heddle_grid *result)
{
    for (int travels = 1; travels >= 0; travels--)
        for (int64_t part = 0; part < iteration->n_parts; part++) {
            const struct heddle_box box = heddle__grid_part(iteration, part);
            const heddle_place to =
                heddle__grid_place_of(result, heddle__grid_locate(result, box.lo));
            if ((heddle__grid_place_of(iteration, part) != to) == travels &&
                !cut_partial(p, b, program, space, iteration, constants, s, part))
                return false;
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
        heddle__task_place(p, heddle__grid_place_of(kept, part));
        for (int r = 0; r < program->n_reductions; r++)
            if (!heddle__call_gather(p, s->array[r], s->whole[r], part)) return false;
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
    struct heddle_grid *result = heddle__grid_kept(p, iteration, kept);
    bool ok = result && make_partials(p, program, space, iteration, &s) &&
              heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, program, space->name, space->n_nodes) &&
              cut_partials(p, b, program, space, iteration, constants, &s, result);
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
        struct heddle_grid *whole = heddle__grid_make(kept + 1, cut->shape, n, bounds);
        if (whole && result->place) { /* together where they are combined */
            struct heddle_grid *placed = heddle__grid_place(whole, result->n_parts, result->place);
            heddle__grid_release(whole);
            whole = placed;
        }
        s.whole[r] =
            heddle__plan_add_array(p, HEDDLE_ROLE_TEMPORARY, -1,
                                   (enum heddle_dtype)p->plan->arrays[s.array[r]].dtype, whole);
        ok = s.whole[r] >= 0;
    }
    ok = ok && heddle__step_begin(p, HEDDLE_FAMILY_PROGRAM, program, "combine", 0) &&
         cut_combine(p, b, program, space, result, constants, &s);
    heddle__grid_release(result);
    return ok;
}
