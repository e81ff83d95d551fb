/* The partition of a reduction's iteration space: cut like what it reads, but only where chunks of the
 * tree end (reduce_tree.h). Entry point: heddle__reduce_grid. */
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"
#include "plan/policy/automatic.h"
#include "reduce_tree.h"

/* Whether some operand is in several parts: then one in one part, as a mean is, does not say where all is reduced. */
static bool reads_parts(const struct heddle_planner *p, const struct heddle_builder *b)
{
    bool parts = false;
    for (int k = 0; k < b->program.n_operands; k++)
        parts = parts || (!b->operands[k].store && !b->operands[k].after &&
                          p->plan->arrays[b->operands[k].array].grid->n_parts > 1);
    return parts;
}

/* The operand like which the iteration space is cut: one that covers it, else one that the user cut. */
static const struct heddle_operand *leader(const struct heddle_planner *p,
                                           const struct heddle_builder *b,
                                           const struct heddle_group *group)
{
    const bool parts = reads_parts(p, b);
    for (int covers = 1; covers >= 0; covers--)
        for (int k = 0; k < b->program.n_operands; k++) {
            const struct heddle_operand *o = &b->operands[k];
            const struct heddle_grid *grid = p->plan->arrays[o->array].grid;
            if (grid->n_parts == 1 && (parts || !grid->place)) continue;
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

/* The automatic partition, in the order of the iteration's axes. What is `generated` takes no memory: it has a part for each
 * worker. Several one after the other would each have few of the chunks and leave a part of a GPU idle. */
static struct heddle_grid *automatic_grid(struct heddle_planner *p,
                                          const struct heddle_group *group,
                                          const struct heddle_demand *demand, bool generated)
{
    struct heddle_policy policy = *p->policy;
    if (generated) policy.part_bytes = policy.stream_bytes = INT64_MAX / HEDDLE_POLICY_PLACES;
    int64_t shape[HEDDLE_MAX_NDIM];
    const struct heddle_map order = heddle__reduce_order(group);
    for (int d = 0; d < group->ndim; d++) shape[d] = group->extent[order.axis[d]];
    struct heddle_grid *automatic =
        p->run_inline ? heddle__grid_one(group->ndim, shape)
                      : heddle__grid_auto(group->ndim, shape, &policy, p->spread, p->share, demand);
    if (!automatic) return NULL;
    struct heddle_grid *grid = heddle__grid_over(p, automatic, &order, group->ndim, group->extent);
    heddle__grid_release(automatic);
    return grid;
}

/* `grid`, whose reference it takes over, cut only where chunks end: of the reduced axes, the first. */
static struct heddle_grid *fit_chunks(struct heddle_planner *p, struct heddle_grid *grid,
                                      const struct heddle_geometry *g)
{
    int64_t unit[HEDDLE_MAX_NDIM];
    for (int axis = 0; axis < g->ndim; axis++)
        unit[axis] = axis < g->n_kept                           ? 1
                     : axis > g->n_kept || axis > g->split_axis ? 0
                     : axis < g->split_axis                     ? 1
                                                                : g->split_rows;
    return grid ? heddle__grid_rounded(p, grid, unit) : NULL;
}

/* Cuts the longest kept axis too, if chunks are so long that parts read far more of files than they should.
 * Takes over the reference of `grid`. */
static struct heddle_grid *cut_kept(struct heddle_planner *p, struct heddle_grid *grid,
                                    const struct heddle_group *group, double file_bytes)
{
    enum { LEAST = 1 << 16 }; /* elements in a row of a part */
    int axis = 0;
    if (!grid || group->n_kept == 0) return grid;
    for (int d = 1; d < group->n_kept; d++)
        if (group->extent[d] > group->extent[axis]) axis = d;
    const double pieces = file_bytes / ((double)grid->n_parts * (double)p->policy->part_bytes);
    if (pieces < 2 || group->extent[axis] < 2 * LEAST) return grid;
    int64_t block[HEDDLE_MAX_NDIM];
    for (int d = 0; d < group->ndim; d++) block[d] = group->extent[d];
    block[axis] = (int64_t)((double)block[axis] / ((double)grid->n[axis] * pieces));
    if (block[axis] < LEAST) block[axis] = LEAST;
    struct heddle_grid *kept = heddle__grid_blocks(group->ndim, group->extent, block);
    const struct heddle_map identity = heddle__map_identity(group->ndim);
    struct heddle_grid *both = kept ? heddle__grid_over_both(p, grid, &identity, kept, &identity,
                                                             group->ndim, group->extent)
                                    : NULL;
    heddle__grid_release(kept);
    heddle__grid_release(grid);
    return both;
}

static double operations(const struct heddle_builder *b, const struct heddle_group *group)
{
    double n = heddle__program_flops(&b->program);
    for (int d = 0; d < group->ndim; d++) n *= (double)group->extent[d];
    return n;
}

struct heddle_grid *heddle__reduce_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                        const struct heddle_group *group)
{
    const struct heddle_geometry g =
        heddle__reduce_geometry(group->ndim, group->n_kept, group->extent, group->sequential);
    const struct heddle_operand *o = leader(p, b, group);
    struct heddle_grid *grid;
    double file_bytes = 0;
    if (o) {
        grid = heddle__grid_over(p, p->plan->arrays[o->array].grid, &o->map, group->ndim,
                                 group->extent);
    } else {
        const struct heddle_demand demand = {.file_bytes = heddle__file_bytes(p, b, group->extent),
                                             .flops = operations(b, group)};
        const bool generated = b->program.n_operands == 0;
        bool cut = generated || demand.file_bytes > (double)p->policy->part_bytes ||
                   heddle__is_worth_computing(p->policy, &demand);
        file_bytes = demand.file_bytes;
        for (int k = 0; k < b->program.n_operands; k++)
            cut = cut || p->plan->arrays[b->operands[k].array].grid->n_parts > 1;
        grid = cut ? automatic_grid(p, group, &demand, generated)
                   : heddle__grid_one(group->ndim, group->extent);
    }
    grid = fit_chunks(p, grid, &g);
    return p->run_inline ? grid : cut_kept(p, grid, group, file_bytes);
}
