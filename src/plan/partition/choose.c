/* The partition of what is computed elementwise. It is, in this order: what the user asked for; that of
 * the first operand of its shape that is cut; that of an operand whose axes correspond one to one
 * (slices, transposes, broadcasts), if the user distributed it, or if Heddle did over several GPUs and
 * none gets too much, or it is the largest and too small to be shared; the automatic one. Entry points: choose.h. */
#include "plan/partition/choose.h"

#include "plan/partition/derive.h"

#include <math.h>

static bool same_shape(const struct heddle_grid *grid, int ndim, const int64_t *extent)
{
    if (grid->ndim != ndim) return false;
    for (int d = 0; d < ndim; d++)
        if (grid->shape[d] != extent[d]) return false;
    return true;
}

/* Whether what reads an array stays where Heddle placed it: not if data are streamed, unless tasks of the same plan make it. */
static bool stays(const struct heddle_planner *p, const struct heddle_plan_array *a)
{
    return a->grid->place && ((p->policy->n_gpus > 1 && p->spread == HEDDLE_SPREAD_RESIDENT) ||
                              a->role == HEDDLE_ROLE_TEMPORARY);
}

const struct heddle_operand *heddle__operand_like(const struct heddle_planner *p,
                                                  const struct heddle_builder *b, bool asked)
{
    const struct heddle_operand *most = NULL;
    for (int k = 0; k < b->program.n_operands; k++) {
        const struct heddle_operand *o = &b->operands[k];
        const struct heddle_plan_array *a = &p->plan->arrays[o->array];
        const struct heddle_grid *grid = heddle__grid_to_follow(a);
        if (o->store || !(asked ? grid->asked : stays(p, a)) || !heddle__grid_is_divided(grid) ||
            !heddle__grid_carries_over(grid, &o->map))
            continue;
        if (!most || heddle__grid_to_follow(&p->plan->arrays[most->array])->n_parts < grid->n_parts)
            most = o;
    }
    return most;
}

static double elements_of(const struct heddle_grid *grid)
{
    double n = 1;
    for (int d = 0; d < grid->ndim; d++) n *= (double)grid->shape[d];
    return n;
}

bool heddle__grid_is_balanced(const struct heddle_planner *p, const struct heddle_grid *grid)
{
    double size = 0, most = 0, at[HEDDLE_POLICY_PLACES] = {0};
    for (int64_t part = 0; part < grid->n_parts; part++) {
        const int i = heddle__policy_number(p->policy, heddle__grid_place_of(grid, part));
        const double n = (double)heddle__grid_part_size(grid, part);
        size += n;
        if (i >= 0 && (at[i] += n) > most) most = at[i];
    }
    return most * p->policy->n_gpus <= 2 * size;
}

/* Whether no operand that is read has more elements. */
static bool is_largest(const struct heddle_planner *p, const struct heddle_builder *b,
                       const struct heddle_operand *like)
{
    const double size = elements_of(p->plan->arrays[like->array].grid);
    for (int k = 0; k < b->program.n_operands; k++)
        if (!b->operands[k].store && elements_of(p->plan->arrays[b->operands[k].array].grid) > size)
            return false;
    return true;
}

/* All between the first and the last byte, or so many pages as there are elements, with those
 * around them that the system brings along. */
double heddle__map_file_bytes(const struct heddle_map *map, const int64_t *shape,
                              int64_t element_bytes, const int64_t *extent)
{
    enum { AROUND_BYTES = 1 << 16 };
    double elements = 1, range = 1, along = 1;
    for (int d = map->n - 1; d >= 0; d--) {
        const int axis = map->axis[d];
        const double n = axis < 0 || map->step[d] == 0 ? 1 : (double)extent[axis];
        elements *= n;
        range += (n - 1) * fabs((double)map->step[d]) * along;
        along *= (double)shape[d];
    }
    return fmin(range * (double)element_bytes, elements * AROUND_BYTES);
}

double heddle__file_bytes(const struct heddle_planner *p, const struct heddle_builder *b,
                          const int64_t *extent)
{
    double bytes = 0;
    for (int k = 0; k < b->program.n_operands; k++) {
        const struct heddle_operand *o = &b->operands[k];
        if (o->store || o->after) continue;
        const struct heddle_plan_array *a = &p->plan->arrays[o->array];
        if (a->is_file)
            bytes += heddle__map_file_bytes(&o->map, a->grid->shape, a->element_bytes, extent);
    }
    return bytes;
}

/* The longest rows that a RESHAPE makes of something that the group stores; 0: none. */
static int64_t longest_row(const struct heddle_planner *p, int32_t group)
{
    int64_t row = 0;
    for (int32_t at = p->groups[group].first; at >= 0; at = p->next_member[at])
        if (p->values[at].row > row) row = p->values[at].row;
    return row;
}

struct heddle_grid *heddle__map_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                     int32_t group, int n_more, struct heddle_grid *const more[])
{
    const int ndim = p->groups[group].ndim;
    const int64_t *const extent = p->groups[group].extent, row = longest_row(p, group);
    for (int asked = 1; asked >= 0; asked--) { /* partitions that the user asked for come first */
        for (int k = 0; k < b->program.n_operands; k++) {
            const struct heddle_operand *o = &b->operands[k];
            struct heddle_grid *grid = heddle__grid_to_follow(&p->plan->arrays[o->array]);
            if (!o->store && (grid->asked || !asked) && heddle__grid_is_divided(grid) &&
                heddle__map_is_identity(&o->map, ndim) && same_shape(grid, ndim, extent))
                return heddle__grid_in_rows(p, heddle__grid_retain(grid), asked ? 0 : row);
        }
        for (int k = 0; k < n_more; k++)
            if ((more[k]->asked || !asked) && heddle__grid_is_divided(more[k]))
                return heddle__grid_retain(more[k]);
    }
    const struct heddle_operand *like = heddle__operand_like(p, b, true);
    const bool asked = like;
    if (!like && p->policy->n_gpus > 0) like = heddle__operand_like(p, b, false);
    if (!like) {
        const struct heddle_demand demand = {.file_bytes = heddle__file_bytes(p, b, extent)};
        return heddle__grid_in_rows(p, heddle__auto_grid_of(p, ndim, extent, &demand), row);
    }
    struct heddle_grid *grid = heddle__grid_over(
        p, heddle__grid_to_follow(&p->plan->arrays[like->array]), &like->map, ndim, extent);
    if (!grid) return NULL;
    grid->asked = asked;
    if (!asked && row > 0 && !heddle__grid_in_runs(grid)) { /* of no use for the RESHAPE */
        heddle__grid_release(grid);
        return heddle__grid_in_rows(p, heddle__auto_grid(p, ndim, extent), row);
    }
    if (asked || heddle__grid_is_balanced(p, grid)) return grid;
    struct heddle_grid *automatic = heddle__auto_grid(p, ndim, extent);
    const bool stays = automatic && !heddle__grid_is_divided(automatic) && is_largest(p, b, like);
    heddle__grid_release(stays ? automatic : grid);
    return stays ? grid : automatic;
}
