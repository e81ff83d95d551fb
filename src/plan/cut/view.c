/* Gathers what a reduction reads of an array through a view, in the partition of the reduction: less than all of
 * the array. A file is read in pieces of bounded size, one after the other. Entry point: heddle__cut_view. */
#include "plan/cut/cut.h"
#include "plan/partition/choose.h"
#include "plan/partition/derive.h"

/* The view: an array over the axes of the reduction's space that it depends on. */
struct view {
    int32_t from, to;
    int ndim;
    int axis[HEDDLE_MAX_NDIM]; /* of the space, for each of its own */
    struct heddle_map map;     /* from its own axes to the array */
};

static void find_axes(struct view *v, const struct heddle_map *map)
{
    v->map = *map;
    for (int axis = 0; axis < HEDDLE_MAX_NDIM; axis++) {
        bool used = false;
        for (int d = 0; d < map->n; d++)
            if (map->axis[d] == axis) {
                v->map.axis[d] = (int8_t)v->ndim;
                used = true;
            }
        if (used) v->axis[v->ndim++] = axis;
    }
}

static struct heddle_grid *grid_of(struct heddle_planner *p, const struct view *v,
                                   const struct heddle_grid *iteration)
{
    struct heddle_map back = {.n = (int8_t)iteration->ndim};
    int64_t shape[HEDDLE_MAX_NDIM], n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < iteration->ndim; d++) back.axis[d] = -1;
    for (int d = 0; d < v->ndim; d++) {
        back.axis[v->axis[d]] = (int8_t)d;
        back.step[v->axis[d]] = 1;
        shape[d] = iteration->shape[v->axis[d]];
        n[d] = iteration->n[v->axis[d]];
        bounds[d] = iteration->bound[v->axis[d]];
    }
    return heddle__grid_placed_as(p, heddle__grid_make(v->ndim, shape, n, bounds), iteration,
                                  &back);
}

/* What the tasks that gather are made of. */
struct gathering {
    struct heddle_builder *b;
    const struct heddle_program *program;
    const uint32_t *constants;
    struct heddle_space space;
};

static double bytes_of_box(const struct heddle_planner *p, const struct view *v,
                           const struct heddle_box *box)
{
    const struct heddle_plan_array *a = &p->plan->arrays[v->from];
    int64_t extent[HEDDLE_MAX_NDIM];
    for (int d = 0; d < v->ndim; d++) extent[d] = box->hi[d] - box->lo[d];
    return heddle__map_file_bytes(&v->map, a->grid->shape, a->element_bytes, extent);
}

/* The tasks of one part, in pieces along its longest axis. */
static bool gather_part(struct heddle_planner *p, const struct view *v, const struct gathering *g,
                        int64_t part)
{
    const struct heddle_box box = heddle__grid_part(p->plan->arrays[v->to].grid, part);
    int longest = 0;
    for (int d = 1; d < v->ndim; d++)
        if (box.hi[d] - box.lo[d] > box.hi[longest] - box.lo[longest]) longest = d;
    const int64_t extent = v->ndim > 0 ? box.hi[longest] - box.lo[longest] : 1;
    int64_t n = (int64_t)(bytes_of_box(p, v, &box) / (double)p->policy->part_bytes) + 1;
    if (n > extent) n = extent;
    for (int64_t i = 0; i < n; i++) {
        struct heddle_box piece = box;
        if (v->ndim > 0) {
            piece.lo[longest] = box.lo[longest] + extent * i / n;
            piece.hi[longest] = box.lo[longest] + extent * (i + 1) / n;
        }
        if (!heddle__task_begin(p) ||
            !heddle__call_program(p, g->b, g->program, &g->space, g->constants, &piece, part,
                                  HEDDLE_PHASE_WHOLE))
            return false;
        if (i > 0) heddle__task_updates(p);
        heddle__task_end(p);
    }
    return true;
}

static bool gather_file(struct heddle_planner *p, const struct view *v, struct gathering *g)
{
    const struct heddle_grid *grid = p->plan->arrays[v->to].grid;
    g->constants = heddle__call_constants(p, g->b);
    if (!g->constants ||
        !heddle__step_begin(p, &heddle__program_family, g->program, g->space.name, 0))
        return false;
    for (int64_t part = 0; part < grid->n_parts; part++)
        if (!gather_part(p, v, g, part)) return false;
    return !p->failed;
}

bool heddle__cut_view(struct heddle_planner *p, struct heddle_operand *o,
                      const struct heddle_grid *iteration)
{
    struct view v = {.from = o->array};
    find_axes(&v, &o->map);
    struct heddle_grid *grid = grid_of(p, &v, iteration);
    v.to = heddle__plan_add_like(p, v.from, grid);
    if (v.to < 0) return false;

    /* the program of a copy */
    struct gathering g = {.space = {v.ndim, v.ndim, grid->shape, 0, "collect"}};
    g.b = heddle__arena_alloc(&p->scratch, sizeof *g.b);
    if (!g.b) return false;
    heddle__build_start(g.b);
    const enum heddle_dtype dtype = heddle__moved_as(&p->plan->arrays[v.from]);
    const struct heddle_map identity = heddle__map_identity(v.ndim);
    const uint16_t value = heddle__build_load(g.b, v.from, dtype, &v.map);
    heddle__build_store(g.b, value, v.to, dtype, &identity);
    g.program = heddle__plan_program(p, g.b);
    if (!g.program) return false;
    const bool in_place = p->plan->arrays[v.from].grid->n_parts == 1;
    if (!(in_place ? gather_file(p, &v, &g) : heddle__cut_map(p, g.b, g.program, &g.space, grid)))
        return false;

    o->array = v.to;
    o->map = (struct heddle_map){.n = (int8_t)v.ndim};
    for (int d = 0; d < v.ndim; d++) {
        o->map.axis[d] = (int8_t)v.axis[d];
        o->map.step[d] = 1;
    }
    return true;
}
