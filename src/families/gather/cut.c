/* Elements by index to tasks: part by part, cut like the indices and, along the other axes, like the array.
 * If the array is cut along the axis, it is brought together where one place has it; else each part of
 * the result takes from each part of the array in turn. Entry point: heddle__gather_cut. */
#include "families/gather/gather.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"
#include "plan/policy/thresholds.h"

struct cut {
    const struct heddle_gather_params *params;
    int32_t in, indices, out;
    struct heddle_map in_map,
        index_map; /* the result's axes to theirs; the axis itself from none */
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static void find_maps(struct cut *s, const heddle_array *node)
{
    const heddle_array *in = node->in[0], *indices = node->in[1];
    const int axis = s->params->axis;
    s->in_map = (struct heddle_map){.n = (int8_t)in->ndim};
    s->index_map = (struct heddle_map){.n = (int8_t)indices->ndim};
    for (int d = 0; d < in->ndim; d++) {
        const int to = s->params->along || d < axis ? d : d - 1 + indices->ndim;
        s->in_map.axis[d] = (int8_t)(d == axis || in->shape[d] != node->shape[to] ? -1 : to);
        s->in_map.step[d] = 1;
    }
    for (int d = 0; d < indices->ndim; d++) {
        const int to = s->params->along ? d : axis + d;
        s->index_map.axis[d] = (int8_t)(indices->shape[d] != node->shape[to] ? -1 : to);
        s->index_map.step[d] = 1;
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------- */

/* The part of the array from which a part of the result takes: the `i`-th along the axis. */
static int64_t source_of(const struct heddle_planner *p, const struct cut *s, int64_t part,
                         int64_t i)
{
    const struct heddle_grid *in = grid_of(p, s->in);
    const struct heddle_box box = heddle__grid_part(grid_of(p, s->out), part);
    struct heddle_map map = s->in_map;
    map.offset[s->params->axis] = in->bound[s->params->axis][i];
    return heddle__part_at(in, &map, box.lo);
}

static bool take_from(void *context, struct heddle_planner *p, int64_t part, int64_t i)
{
    const struct cut *s = context;
    const int axis = s->params->axis;
    const struct heddle_grid *in = grid_of(p, s->in), *out = grid_of(p, s->out),
                             *indices = grid_of(p, s->indices);
    const struct heddle_box box = heddle__grid_part(out, part);
    if (in->bound[axis][i] == in->bound[axis][i + 1]) return true;
    const int64_t source = source_of(p, s, part, i),
                  index = heddle__part_at(indices, &s->index_map, box.lo);
    const struct heddle_box from = heddle__grid_part(in, source);
    struct heddle_map in_map = s->in_map;
    in_map.offset[axis] = from.lo[axis];
    const struct heddle_map identity = heddle__map_identity(out->ndim);
    const struct heddle_access access = heddle__part_access(in, source, &in_map, box.lo),
                               indexed = heddle__part_access(indices, index, &s->index_map, box.lo),
                               to = heddle__part_access(out, part, &identity, box.lo);

    const int32_t size = p->plan->arrays[s->in].element_bytes,
                  index_size = p->plan->arrays[s->indices].element_bytes;
    const double n = (double)heddle__box_size(&box, out->ndim);
    struct heddle_gather *g =
        heddle__task_call(p, &heddle__gather_family, sizeof *g, 0,
                          n * index_size + 2 * n * size / (double)in->n[axis]);
    if (!g) return false;
    *g = (struct heddle_gather){.element_bytes = (uint8_t)size,
                                .index_bytes = (uint8_t)index_size,
                                .along = (uint8_t)s->params->along,
                                .ndim = out->ndim,
                                .in_offset = access.offset,
                                .index_offset = indexed.offset,
                                .out_offset = to.offset,
                                .axis_stride = 1,
                                .n = in->shape[axis],
                                .lo = from.lo[axis],
                                .hi = from.hi[axis]};
    for (int d = 0; d < out->ndim; d++) {
        g->extent[d] = box.hi[d] - box.lo[d];
        g->in_stride[d] = access.stride[d];
        g->index_stride[d] = indexed.stride[d];
        g->out_stride[d] = to.stride[d];
    }
    for (int d = axis + 1; d < in->ndim; d++) g->axis_stride *= from.hi[d] - from.lo[d];
    g->in = heddle__task_use(p, s->in, source, HEDDLE_READ);
    g->indices = heddle__task_use(p, s->indices, index, HEDDLE_READ);
    g->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return !p->failed;
}

static bool take_whole(void *context, struct heddle_planner *p, int64_t part)
{
    return take_from(context, p, part, 0);
}

static heddle_place place_of_source(void *context, const struct heddle_planner *p, int64_t part,
                                    int64_t i)
{
    const struct cut *s = context;
    return heddle__grid_place_of(grid_of(p, s->in), source_of(p, s, part, i));
}

/* ---- Partitions -------------------------------------------------------------------------------------- */

/* Whether all parts are at one place, or have none. */
static bool is_together(const struct heddle_grid *grid)
{
    for (int64_t part = 1; part < grid->n_parts && grid->place; part++)
        if (grid->place[part] != grid->place[0]) return false;
    return true;
}

static struct heddle_grid *result_grid(struct heddle_planner *p, const struct cut *s,
                                       const heddle_array *node)
{
    const struct heddle_grid *in = grid_of(p, s->in), *indices = grid_of(p, s->indices);
    if (!heddle__grid_is_divided(in) && !heddle__grid_is_divided(indices))
        return heddle__auto_grid(p, node->ndim, node->shape);
    /* the array's cuts along the axis do not matter */
    struct heddle_grid *others = NULL;
    int64_t n[HEDDLE_MAX_NDIM];
    const int64_t *bounds[HEDDLE_MAX_NDIM], whole[2] = {0, in->shape[s->params->axis]};
    for (int d = 0; d < in->ndim; d++) {
        n[d] = d == s->params->axis ? 1 : in->n[d];
        bounds[d] = d == s->params->axis ? whole : in->bound[d];
    }
    const struct heddle_map identity = heddle__map_identity(in->ndim);
    others =
        heddle__grid_placed_as(p, heddle__grid_make(in->ndim, in->shape, n, bounds), in, &identity);
    struct heddle_grid *grid = others ? heddle__grid_over_both(p, indices, &s->index_map, others,
                                                               &s->in_map, node->ndim, node->shape)
                                      : NULL;
    heddle__grid_release(others);
    if (grid) grid->asked = in->asked || indices->asked;
    return grid;
}

/* Makes an array that is cut one part, if that is better than turns, or if the result, which is cut as the
 * array and the indices are, would have too many. */
static bool bring_together(struct heddle_planner *p, struct cut *s)
{
    const struct heddle_grid *in = grid_of(p, s->in);
    const int64_t n_indices = grid_of(p, s->indices)->n_parts, along = in->n[s->params->axis];
    if (n_indices * (in->n_parts / along) <= HEDDLE_MAX_PARTS) {
        if (along == 1) return true;
        if (!is_together(in) && n_indices * in->n_parts <= heddle__thresholds.most_turns)
            return true;
    }
    s->in = heddle__cut_one_part(p, s->in);
    return s->in >= 0;
}

bool heddle__gather_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut s = {.params = heddle__params_of(node)};
    const struct heddle_map *map;
    const int32_t from = heddle__whole_input(p, &p->values[at], 0, &map);
    const int32_t by = heddle__whole_input(p, &p->values[at], 1, &map);
    if (from != by && heddle__is_uncut(p, from)) {
        const heddle_array *a = p->values[from].node;
        if (heddle__cut_leaf(p, from, heddle__grid_one(a->ndim, a->shape)) < 0) return false;
    }
    s.in = heddle__array_of(p, from);
    s.indices = heddle__array_of(p, by);
    if (s.in < 0 || s.indices < 0 || !bring_together(p, &s)) return false;
    find_maps(&s, node);

    struct heddle_grid *grid = result_grid(p, &s, node);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    if (p->failed) return false;
    const int64_t sources = grid_of(p, s.in)->n[s.params->axis];
    if (sources == 1)
        return heddle__cut_parts(p, &heddle__gather_family, "gather", 1, grid_of(p, s.out),
                                 take_whole, &s);
    const struct heddle_exchange exchange = {.family = &heddle__gather_family,
                                             .name = "gather",
                                             .n_nodes = 1,
                                             .grid = grid_of(p, s.out),
                                             .n = sources,
                                             .place = place_of_source,
                                             .calls = take_from,
                                             .context = &s};
    return heddle__cut_exchange(p, &exchange);
}
