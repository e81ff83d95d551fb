/* Which partition an array gets. What is computed elementwise follows, in this order: the partition
 * that the user asked for; that of the first operand of its shape that is cut; one that the user
 * gave an operand, where axes correspond one to one (slices, transposes, broadcasts), or that Heddle
 * gave one over several GPUs, if none is left idle; the automatic one. Products: product.c. Entry
 * points: planner.h. */
#include "base/memory.h"
#include "plan/planner.h"

struct heddle_grid *heddle__auto_grid(struct heddle_planner *p, int ndim, const int64_t *shape)
{
    return p->run_inline ? heddle__grid_one(ndim, shape)
                         : heddle__grid_auto(ndim, shape, p->policy, p->spread, p->share);
}

/* ---- Derived from another array's ------------------------------------------------------------------- */

/* Bounds of every axis of a grid in the making. */
struct bounds {
    int64_t n[HEDDLE_MAX_NDIM], *at[HEDDLE_MAX_NDIM];
};

static bool start_bounds(struct heddle_planner *p, struct bounds *b, int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim; d++) {
        b->n[d] = 1;
        b->at[d] = heddle__arena_alloc(&p->scratch, 2 * sizeof(int64_t));
        if (!b->at[d]) return false;
        b->at[d][0] = 0;
        b->at[d][1] = shape[d];
    }
    return true;
}

/* Cuts axis d at bound[1..n-1] + shift, where that is inside. */
static bool cut_axis(struct heddle_planner *p, struct bounds *b, int d, int64_t extent, int64_t n,
                     const int64_t *bound, int64_t shift)
{
    int64_t *to = heddle__arena_alloc(&p->scratch, (size_t)(n + 1) * sizeof *to);
    if (!to) return false;
    int64_t count = 0;
    to[0] = 0;
    for (int64_t i = 1; i < n; i++) {
        const int64_t at = bound[i] + shift;
        if (at > to[count] && at < extent) to[++count] = at;
    }
    to[++count] = extent;
    b->at[d] = to;
    b->n[d] = count;
    return true;
}

struct heddle_grid *heddle__grid_placed_as(struct heddle_planner *p, struct heddle_grid *cut,
                                           const struct heddle_grid *like,
                                           const struct heddle_map *map)
{
    if (!cut || !like->place) return cut;
    heddle_place *places = heddle__arena_alloc(&p->scratch, (size_t)cut->n_parts * sizeof *places);
    for (int64_t part = 0; places && part < cut->n_parts; part++) {
        const struct heddle_box box = heddle__grid_part(cut, part);
        int64_t index[HEDDLE_MAX_NDIM];
        for (int d = 0; d < like->ndim; d++) {
            index[d] = map->offset[d];
            if (map->axis[d] >= 0) index[d] += map->step[d] * box.lo[map->axis[d]];
            if (index[d] >= like->shape[d]) index[d] = like->shape[d] - 1;
            if (index[d] < 0) index[d] = 0;
        }
        places[part] = like->place[heddle__grid_locate(like, index)];
    }
    struct heddle_grid *placed = places ? heddle__grid_place(cut, cut->n_parts, places) : NULL;
    heddle__grid_release(cut);
    return placed;
}

static struct heddle_grid *finish(struct heddle_planner *p, const struct bounds *b, int ndim,
                                  const int64_t *shape, const struct heddle_grid *like,
                                  const struct heddle_map *map)
{
    return heddle__grid_placed_as(
        p, heddle__grid_make(ndim, shape, b->n, (const int64_t *const *)b->at), like, map);
}

struct heddle_grid *heddle__grid_over(struct heddle_planner *p, const struct heddle_grid *like,
                                      const struct heddle_map *map, int ndim, const int64_t *extent)
{
    struct bounds b;
    if (!start_bounds(p, &b, ndim, extent)) return NULL;
    for (int d = 0; d < like->ndim; d++) {
        if (like->n[d] == 1) continue;
        if (!cut_axis(p, &b, map->axis[d], extent[map->axis[d]], like->n[d], like->bound[d],
                      -map->offset[d]))
            return NULL;
    }
    return finish(p, &b, ndim, extent, like, map);
}

struct heddle_grid *heddle__grid_under(struct heddle_planner *p, const struct heddle_grid *like,
                                       const struct heddle_map *map, const int64_t *shape)
{
    struct bounds b;
    struct heddle_map back = {.n = (int8_t)like->ndim};
    for (int e = 0; e < like->ndim; e++) back.axis[e] = -1;
    if (!start_bounds(p, &b, map->n, shape)) return NULL;
    for (int d = 0; d < map->n; d++) {
        const int e = map->axis[d];
        if (e < 0 || map->step[d] != 1 || back.axis[e] >= 0) continue;
        back.axis[e] = (int8_t)d;
        back.step[e] = 1;
        back.offset[e] = -map->offset[d];
        if (!cut_axis(p, &b, d, shape[d], like->n[e], like->bound[e], map->offset[d])) return NULL;
    }
    return finish(p, &b, map->n, shape, like, &back);
}

struct heddle_grid *heddle__grid_kept(struct heddle_planner *p, const struct heddle_grid *iteration,
                                      int n_kept)
{
    struct heddle_map first = {.n = (int8_t)iteration->ndim};
    for (int d = 0; d < iteration->ndim; d++) {
        first.axis[d] = (int8_t)(d < n_kept ? d : -1);
        first.step[d] = 1;
    }
    return heddle__grid_placed_as(p,
                                  heddle__grid_make(n_kept, iteration->shape, iteration->n,
                                                    (const int64_t *const *)iteration->bound),
                                  iteration, &first);
}

struct heddle_grid *heddle__grid_reshaped(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int ndim, const int64_t *shape)
{
    int axis = 0;
    int64_t inner = 1, n[HEDDLE_MAX_NDIM], end = 0;
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    while (axis < ndim - 1 && shape[axis] == 1) axis++;
    for (int d = axis + 1; d < ndim; d++) inner *= shape[d];
    int64_t *cut =
        heddle__arena_alloc(&p->scratch, (size_t)(grid->n_parts + 1 + 2 * ndim) * sizeof *cut);
    if (!cut || ndim == 0) return NULL;
    cut[0] = 0;
    for (int64_t part = 0; part < grid->n_parts; part++) { /* runs of whole rows, in order */
        int64_t first;
        if (!heddle__grid_part_contiguous(grid, part, &first) || first != end) return NULL;
        end += heddle__grid_part_size(grid, part);
        if (end % inner != 0) return NULL;
        cut[part + 1] = end / inner;
    }
    for (int d = 0; d < ndim; d++) {
        int64_t *ends = cut + grid->n_parts + 1 + 2 * d;
        ends[0] = 0;
        ends[1] = shape[d];
        n[d] = d == axis ? grid->n_parts : 1;
        bounds[d] = d == axis ? cut : ends;
    }
    struct heddle_grid *reshaped = heddle__grid_make(ndim, shape, n, bounds);
    if (!reshaped || !grid->place) return reshaped;
    struct heddle_grid *placed = heddle__grid_place(reshaped, grid->n_parts, grid->place);
    heddle__grid_release(reshaped);
    return placed;
}

/* ---- Chosen ------------------------------------------------------------------------------------------- */

static bool same_shape(const struct heddle_grid *grid, int ndim, const int64_t *extent)
{
    if (grid->ndim != ndim) return false;
    for (int d = 0; d < ndim; d++)
        if (grid->shape[d] != extent[d]) return false;
    return true;
}

bool heddle__grid_carries_over(const struct heddle_grid *grid, const struct heddle_map *map)
{
    unsigned seen = 0;
    for (int d = 0; d < grid->ndim; d++) {
        if (grid->n[d] == 1) continue;
        if (map->axis[d] < 0 || map->step[d] != 1 || (seen >> map->axis[d] & 1)) return false;
        seen |= 1u << map->axis[d];
    }
    return true;
}

/* The operand with most parts that may be followed: the user's, or else one that Heddle has placed. */
static const struct heddle_operand *find_like(const struct heddle_planner *p,
                                              const struct heddle_builder *b, bool asked)
{
    const struct heddle_operand *most = NULL;
    for (int k = 0; k < b->program.n_operands; k++) {
        const struct heddle_operand *o = &b->operands[k];
        const struct heddle_grid *grid = p->plan->arrays[o->array].grid;
        if (o->store || !(asked ? grid->asked : grid->place != NULL) ||
            !heddle__grid_is_divided(grid) || !heddle__grid_carries_over(grid, &o->map))
            continue;
        if (!most || p->plan->arrays[most->array].grid->n_parts < grid->n_parts) most = o;
    }
    return most;
}

/* Whether no place has more than twice its share of the elements. */
static bool is_balanced(const struct heddle_planner *p, const struct heddle_grid *grid)
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

struct heddle_grid *heddle__map_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                     int ndim, const int64_t *extent)
{
    for (int asked = 1; asked >= 0; asked--) /* what the user asked for comes first */
        for (int k = 0; k < b->program.n_operands; k++) {
            const struct heddle_operand *o = &b->operands[k];
            struct heddle_grid *grid = p->plan->arrays[o->array].grid;
            if (!o->store && (grid->asked || !asked) && heddle__grid_is_divided(grid) &&
                heddle__map_is_identity(&o->map, ndim) && same_shape(grid, ndim, extent))
                return heddle__grid_retain(grid);
        }
    const struct heddle_operand *like = find_like(p, b, true);
    const bool asked = like;
    if (!like && p->policy->n_gpus > 1 && p->spread == HEDDLE_SPREAD_RESIDENT)
        like = find_like(p, b, false);
    if (!like) return heddle__auto_grid(p, ndim, extent);
    struct heddle_grid *grid =
        heddle__grid_over(p, p->plan->arrays[like->array].grid, &like->map, ndim, extent);
    if (!grid) return NULL;
    grid->asked = asked;
    if (asked || is_balanced(p, grid)) return grid;
    heddle__grid_release(grid);
    return heddle__auto_grid(p, ndim, extent);
}
