/* The partition of a reduction's iteration space: cut like what it reads, but only where chunks of the
 * tree end (reduce_tree.h). Entry point: heddle__reduce_grid. */
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"
#include "plan/policy/automatic.h"
#include "reduce_tree.h"

#include <math.h>

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
            const struct heddle_grid *grid = heddle__grid_to_follow(&p->plan->arrays[o->array]);
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

/* Bytes of operand `o` that a part at `place`, of box `box`, reads there and at other places. */
static void bytes_read(const struct heddle_planner *p, const struct heddle_operand *o,
                       const struct heddle_box *box, heddle_place place, double *all,
                       double *elsewhere)
{
    const struct heddle_plan_array *a = &p->plan->arrays[o->array];
    const struct heddle_box region = heddle__map_region(&o->map, box);
    const double element = a->element_bytes;
    *all += (double)heddle__box_size(&region, a->grid->ndim) * element;
    for (int64_t part = 0; part < a->grid->n_parts; part++) {
        struct heddle_box of = heddle__grid_part(a->grid, part);
        if (heddle__grid_place_of(a->grid, part) != place &&
            heddle__box_intersect(&of, &region, a->grid->ndim, &of))
            *elsewhere += (double)heddle__box_size(&of, a->grid->ndim) * element;
    }
}

/* Seconds of a reduction in parts like these, whose operands GPUs have: the busiest place computes, after what comes from other
 * GPUs. */
static double seconds_of(const struct heddle_planner *p, const struct heddle_builder *b,
                         const struct heddle_group *group, const struct heddle_grid *grid)
{
    const struct heddle_policy *policy = p->policy;
    const double flops = heddle__program_flops(&b->program);
    double busy[HEDDLE_POLICY_PLACES] = {0}, moved = 0, most = 0;
    for (int64_t part = 0; part < grid->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(grid, part);
        const heddle_place place = heddle__grid_place_of(grid, part);
        const int i = heddle__policy_number(policy, place);
        double bytes = 0;
        if (i < 0) return INFINITY; /* anywhere: what it will take is not known */
        if (heddle__box_size(&box, group->ndim) == 0) continue;
        for (int k = 0; k < b->program.n_operands; k++)
            if (!b->operands[k].store && !b->operands[k].after)
                bytes_read(p, &b->operands[k], &box, place, &bytes, &moved);
        busy[i] +=
            fmax(bytes / policy->places[i].bandwidth,
                 flops * (double)heddle__box_size(&box, group->ndim) / policy->places[i].flops);
        most = fmax(most, busy[i]);
    }
    return most + moved / (policy->peer_link > 0 ? policy->peer_link : policy->places[0].link);
}

/* `grid`, which shares the work among GPUs, or that of the operand with the most parts, if to compute where these lie takes less
 * than to move them: of a slice that one GPU has. Takes over its reference. */
static struct heddle_grid *stay(struct heddle_planner *p, const struct heddle_builder *b,
                                const struct heddle_group *group, const struct heddle_geometry *g,
                                struct heddle_grid *grid)
{
    enum { MOST_PARTS = 64 };
    const struct heddle_operand *like = heddle__operand_like(p, b, false);
    if (!grid || !like || grid->n_parts > MOST_PARTS ||
        p->plan->arrays[like->array].grid->n_parts > MOST_PARTS)
        return grid;
    struct heddle_grid *there =
        fit_chunks(p,
                   heddle__grid_over(p, heddle__grid_to_follow(&p->plan->arrays[like->array]),
                                     &like->map, group->ndim, group->extent),
                   g);
    if (!there) {
        heddle__grid_release(grid);
        return NULL;
    }
    const bool stays = seconds_of(p, b, group, there) < seconds_of(p, b, group, grid);
    heddle__grid_release(stays ? grid : there);
    return stays ? there : grid;
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
        grid = heddle__grid_over(p, heddle__grid_to_follow(&p->plan->arrays[o->array]), &o->map,
                                 group->ndim, group->extent);
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
    if (!o && !p->run_inline && p->policy->n_gpus > 1) grid = stay(p, b, group, &g, grid);
    return p->run_inline ? grid : cut_kept(p, grid, group, file_bytes);
}
