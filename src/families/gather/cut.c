/* Elements by index to tasks: part by part, cut like the arrays of indices and, along the other axes, like the array. If
 * the array is cut along an axis that is indexed, it is brought together where one place has it; else each part of the
 * result takes from each part of the array in turn. Entry points: heddle__gather_reads_view, heddle__gather_cut. */
#include "families/gather/gather.h"
#include "families/gather/strides.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"
#include "plan/policy/thresholds.h"

struct cut {
    const heddle_array *node;
    const struct heddle_at_indices *params;
    int n_by;
    int32_t in, out, indices[HEDDLE_MAX_NDIM];
    struct heddle_map in_map;                     /* the result's axes to the array's; from none to
                                                      those that are indexed */
    struct heddle_map index_map[HEDDLE_MAX_NDIM]; /* and to those of the indices */
    int axis[HEDDLE_MAX_NDIM]; /* of the array, that each one indexes; -1: none */
    int64_t first[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM]; /* index k: first + k * step */
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

/* A view of data that are there, whose axes are the array's, each at most once, and walk it one by one: then it is cut
 * as the array is. */
bool heddle__gather_reads_view(const heddle_array *node, int i, const struct heddle_map *map,
                               const int64_t *shape)
{
    (void)shape;
    const struct heddle_at_indices *params = heddle__params_of(node);
    if (i > 0 || node->in[0]->kind != HEDDLE_NODE_VIEW ||
        node->in[0]->in[0]->kind != HEDDLE_NODE_DATA)
        return false;
    unsigned seen = 0, indexed = 0;
    for (int k = 0; k < node->n_in - 1; k++) indexed |= 1u << params->axis[k];
    for (int d = 0; d < map->n; d++) {
        if (map->axis[d] < 0) continue;
        const unsigned bit = 1u << map->axis[d];
        if ((seen & bit) || (!(indexed & bit) && map->step[d] != 1)) return false;
        seen |= bit;
    }
    return true;
}

/* `view`: how the array is read; NULL: as it is. */
static void find_maps(struct cut *s, const struct heddle_map *view)
{
    const heddle_array *node = s->node, *in = node->in[0];
    const struct heddle_map all = heddle__map_identity(in->ndim);
    struct heddle_map walk = {.n = (int8_t)in->ndim};
    if (!view) view = &all;
    for (int d = 0; d < in->ndim; d++) {
        walk.axis[d] = s->params->from[d];
        walk.step[d] = 1;
    }
    s->in_map = heddle__map_compose(view, &walk);
    for (int k = 0; k < s->n_by; k++) {
        const heddle_array *indices = node->in[1 + k];
        s->index_map[k] = (struct heddle_map){.n = (int8_t)indices->ndim};
        for (int d = 0; d < indices->ndim; d++) {
            s->index_map[k].axis[d] = s->params->by[k][d];
            s->index_map[k].step[d] = 1;
        }
        s->axis[k] = -1;
        s->first[k] = 0;
        s->step[k] = 1;
        for (int d = 0; d < view->n; d++) {
            if (view->axis[d] != s->params->axis[k]) continue;
            s->axis[k] = d;
            s->first[k] = view->offset[d];
            s->step[k] = view->step[d];
        }
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------- */

/* How many parts of the array have what the indices may mean; 1 if it is not cut there. */
static int64_t n_sources(const struct heddle_planner *p, const struct cut *s)
{
    int64_t n = 1;
    for (int k = 0; k < s->n_by; k++)
        if (s->axis[k] >= 0) n *= grid_of(p, s->in)->n[s->axis[k]];
    return n;
}

/* The part of the array from which a part of the result takes: the i-th along the indexed axes. */
static int64_t source_of(const struct heddle_planner *p, const struct cut *s, int64_t part,
                         int64_t i)
{
    const struct heddle_grid *in = grid_of(p, s->in);
    const struct heddle_box box = heddle__grid_part(grid_of(p, s->out), part);
    struct heddle_map map = s->in_map;
    for (int k = 0; k < s->n_by; k++) {
        const int axis = s->axis[k];
        if (axis < 0) continue;
        map.offset[axis] = in->bound[axis][i % in->n[axis]];
        i /= in->n[axis];
    }
    return heddle__part_at(in, &map, box.lo);
}

/* How array k of a call indexes the part `from`, whose elements along an axis are `along` apart. */
static struct heddle_gather_by by_of(struct heddle_planner *p, const struct cut *s, int k,
                                     const struct heddle_box *box, const struct heddle_box *from,
                                     const int64_t *along)
{
    const struct heddle_grid *grid = grid_of(p, s->indices[k]);
    const int64_t part = heddle__part_at(grid, &s->index_map[k], box->lo);
    const struct heddle_access access = heddle__part_access(grid, part, &s->index_map[k], box->lo);
    const int axis = s->axis[k];
    const int64_t n = s->node->in[0]->shape[s->params->axis[k]];
    struct heddle_gather_by by = {.offset = access.offset,
                                  .n = n,
                                  .first = s->first[k],
                                  .step = s->step[k],
                                  .lo = axis < 0 ? 0 : from->lo[axis],
                                  .hi = axis < 0 ? n : from->hi[axis],
                                  .in_stride = axis < 0 ? 0 : along[axis]};
    for (int d = 0; d < s->node->ndim; d++) by.stride[d] = access.stride[d];
    by.buffer = heddle__task_use(p, s->indices[k], part, HEDDLE_READ);
    return by;
}

static bool take_from(void *context, struct heddle_planner *p, int64_t part, int64_t i)
{
    const struct cut *s = context;
    const struct heddle_grid *in = grid_of(p, s->in), *out = grid_of(p, s->out);
    const struct heddle_box box = heddle__grid_part(out, part);
    const int64_t source = source_of(p, s, part, i);
    const struct heddle_box from = heddle__grid_part(in, source);
    if (heddle__box_size(&from, in->ndim) == 0) return true;
    int64_t along[HEDDLE_MAX_NDIM], next = 1;
    for (int d = in->ndim - 1; d >= 0; d--) {
        along[d] = next;
        next *= from.hi[d] - from.lo[d];
    }
    struct heddle_map in_map = s->in_map;
    for (int k = 0; k < s->n_by; k++)
        if (s->axis[k] >= 0) in_map.offset[s->axis[k]] = from.lo[s->axis[k]];
    const struct heddle_map identity = heddle__map_identity(out->ndim);
    const struct heddle_access access = heddle__part_access(in, source, &in_map, box.lo),
                               to = heddle__part_access(out, part, &identity, box.lo);

    const int32_t size = p->plan->arrays[s->in].element_bytes,
                  index_size = p->plan->arrays[s->indices[0]].element_bytes;
    const double n = (double)heddle__box_size(&box, out->ndim);
    struct heddle_gather *g =
        heddle__task_call(p, &heddle__gather_family, sizeof *g, 0,
                          n * index_size * s->n_by + 2 * n * size / (double)n_sources(p, s));
    if (!g) return false;
    *g = (struct heddle_gather){.element_bytes = (uint8_t)size,
                                .index_bytes = (uint8_t)index_size,
                                .name = (uint8_t)s->params->name,
                                .n_by = (uint8_t)s->n_by,
                                .ndim = out->ndim,
                                .in_offset = access.offset,
                                .out_offset = to.offset};
    for (int d = 0; d < out->ndim; d++) {
        g->extent[d] = box.hi[d] - box.lo[d];
        g->in_stride[d] = access.stride[d];
        g->out_stride[d] = to.stride[d];
    }
    g->in = heddle__task_use(p, s->in, source, HEDDLE_READ);
    for (int k = 0; k < s->n_by; k++) g->by[k] = by_of(p, s, k, &box, &from, along);
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

/* The array's partition along the axes that the result walks. */
static struct heddle_grid *walked_grid(struct heddle_planner *p, const struct cut *s)
{
    const struct heddle_grid *in = grid_of(p, s->in);
    int64_t n[HEDDLE_MAX_NDIM], whole[HEDDLE_MAX_NDIM][2];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < in->ndim; d++) {
        const bool walked = s->in_map.axis[d] >= 0;
        whole[d][0] = 0;
        whole[d][1] = in->shape[d];
        n[d] = walked ? in->n[d] : 1;
        bounds[d] = walked ? in->bound[d] : whole[d];
    }
    const struct heddle_map identity = heddle__map_identity(in->ndim);
    return heddle__grid_placed_as(p, heddle__grid_make(in->ndim, in->shape, n, bounds), in,
                                  &identity);
}

static struct heddle_grid *result_grid(struct heddle_planner *p, const struct cut *s)
{
    const heddle_array *node = s->node;
    const struct heddle_grid *in = grid_of(p, s->in);
    bool divided = heddle__grid_is_divided(in), asked = in->asked;
    for (int k = 0; k < s->n_by; k++) {
        divided |= heddle__grid_is_divided(grid_of(p, s->indices[k]));
        asked |= grid_of(p, s->indices[k])->asked;
    }
    if (!divided) return heddle__auto_grid(p, node->ndim, node->shape);
    struct heddle_grid *grid = walked_grid(p, s);
    struct heddle_map map = s->in_map;
    for (int k = 0; k < s->n_by && grid; k++) {
        struct heddle_grid *both = heddle__grid_over_both(
            p, grid_of(p, s->indices[k]), &s->index_map[k], grid, &map, node->ndim, node->shape);
        heddle__grid_release(grid);
        grid = both;
        map = heddle__map_identity(node->ndim);
    }
    if (grid) grid->asked = asked;
    return grid;
}

/* Makes an array that is cut one part, if that is better than turns, or if the result, which is cut as the
 * array and the indices are, would have too many. */
static bool bring_together(struct heddle_planner *p, struct cut *s)
{
    const struct heddle_grid *in = grid_of(p, s->in);
    const int64_t sources = n_sources(p, s);
    int64_t n_indices = 1;
    for (int k = 0; k < s->n_by && n_indices <= HEDDLE_MAX_PARTS; k++)
        n_indices *= grid_of(p, s->indices[k])->n_parts;
    if (n_indices * (in->n_parts / sources) <= HEDDLE_MAX_PARTS) {
        if (sources == 1) return true;
        if (!is_together(in) && n_indices * in->n_parts <= heddle__thresholds.most_turns)
            return true;
    }
    s->in = heddle__cut_one_part(p, s->in);
    for (int k = 0; k < s->n_by && s->in >= 0 && n_indices > HEDDLE_MAX_PARTS; k++)
        if ((s->indices[k] = heddle__cut_one_part(p, s->indices[k])) < 0) return false;
    return s->in >= 0;
}

/* Whether strides say what the indices mean, which then need not be looked at. */
static bool find_strides(const struct cut *s, struct heddle_gather_strides *out)
{
    *out = (struct heddle_gather_strides){
        .in = s->in, .out = s->out, .in_map = &s->in_map, .n = s->n_by};
    for (int k = 0; k < s->n_by; k++) {
        const int64_t n = s->node->in[0]->shape[s->params->axis[k]];
        if (!heddle__find_indices(s->node->in[1 + k], n, false, &out->line[k])) return false;
        out->by[k] = s->index_map[k];
        out->axis[k] = s->axis[k];
        out->step[k] = s->step[k];
    }
    return true;
}

/* Whether the result may be elements of the array that are seen where they are. Several GPUs divide what is read of host memory. */
static bool is_seen(struct heddle_planner *p, int32_t at, int32_t in)
{
    const struct heddle_plan_array *a = &p->plan->arrays[in];
    return a->grid->n_parts == 1 && !a->is_file && !a->seen && p->policy->fusion &&
           (p->policy->n_gpus <= 1 || a->grid->place) && heddle__only_programs_read(p, at);
}

bool heddle__gather_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut s = {.node = node, .params = heddle__params_of(node), .n_by = node->n_in - 1};
    const struct heddle_map *view, *map;
    const int32_t from = heddle__whole_input(p, &p->values[at], 0, &view);
    bool same = false;
    for (int k = 0; k < s.n_by; k++)
        same |= heddle__whole_input(p, &p->values[at], 1 + k, &map) == from;
    if (!same && heddle__is_uncut(p, from)) {
        const heddle_array *a = p->values[from].node;
        if (heddle__cut_leaf(p, from, heddle__grid_one(a->ndim, a->shape)) < 0) return false;
    }
    s.in = heddle__array_of(p, from);
    if (s.in < 0) return false;
    for (int k = 0; k < s.n_by; k++) {
        s.indices[k] = heddle__array_of(p, heddle__whole_input(p, &p->values[at], 1 + k, &map));
        if (s.indices[k] < 0) return false;
    }
    find_maps(&s, view);
    for (int k = 0; k < s.n_by;
         k++) { /* an axis of one element that is broadcast may be cut, too */
        if (heddle__grid_carries_over(grid_of(p, s.indices[k]), &s.index_map[k])) continue;
        if ((s.indices[k] = heddle__cut_one_part(p, s.indices[k])) < 0) return false;
    }
    if (!bring_together(p, &s)) return false;

    struct heddle_gather_strides strides;
    if (is_seen(p, at, s.in) && n_sources(p, &s) == 1 && find_strides(&s, &strides))
        return heddle__gather_see(p, at, &strides);
    struct heddle_grid *grid = result_grid(p, &s);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    if (p->failed) return false;
    const int64_t sources = n_sources(p, &s);
    if (sources == 1 && find_strides(&s, &strides)) return heddle__gather_cut_strides(p, &strides);
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
