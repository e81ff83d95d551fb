/* Elements by a mask to tasks: one, since where an element lands depends on all before it; or one for each part of the mask, where
 * several GPUs have it and it is known how many each selects. Entry point: heddle__compact_cut. */
#include "families/compact/compact.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"
#include "plan/partition/derive.h"

struct cut {
    const heddle_array *node;
    const struct heddle_compact_params *params;
    int32_t mask, in, out; /* in -1: positions */
    int64_t part_of
        [HEDDLE_COMPACT_PARTS]; /* of the mask, for each of the result: those that select something */
};

static struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static bool compact_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const heddle_array *node = s->node;
    const int64_t row = node->size / node->shape[0], of = s->part_of[part];
    const int64_t size = heddle__grid_part_size(grid_of(p, s->mask), of),
                  n = heddle__grid_part_size(grid_of(p, s->out), part) / row;
    const double bytes = (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
    struct heddle_compact *call =
        heddle__task_call(p, &heddle__compact_family, sizeof *call, 0,
                          2 * (double)size + 2 * (double)(n * row) * bytes);
    if (!call) return false;
    *call = (struct heddle_compact){.element_bytes = (uint8_t)p->plan->arrays[s->out].element_bytes,
                                    .positions = s->in < 0,
                                    .size = size,
                                    .row = row,
                                    .n = n,
                                    .first = s->params->bound[of]};
    call->mask = heddle__task_use(p, s->mask, of, HEDDLE_READ);
    if (s->in >= 0) call->in = heddle__task_use(p, s->in, of, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* ---- Parts ----------------------------------------------------------------------------------------- */

/* Whether the array, which has `row` elements for each of the mask's, is in the parts that were counted, none of which is empty: what is cut
 * like it has none. */
static bool is_counted(const struct cut *s, const struct heddle_grid *grid, int64_t row)
{
    const struct heddle_compact_params *params = s->params;
    bool is = params->n_parts > 1 && grid->place && grid->n_parts == params->n_parts;
    for (int64_t part = 0; is && part < grid->n_parts; part++) {
        int64_t first;
        is = params->bound[part] < params->bound[part + 1] &&
             heddle__grid_part_contiguous(grid, part, &first) &&
             first == params->bound[part] * row &&
             first + heddle__grid_part_size(grid, part) == params->bound[part + 1] * row;
    }
    return is;
}

/* The array cut as `like` is along the axes that both have, the others whole: itself, or a copy. -1: memory is gone. */
static int32_t cut_like(struct heddle_planner *p, int32_t array, const struct heddle_grid *like)
{
    const struct heddle_grid *grid = grid_of(p, array);
    struct heddle_map map = heddle__map_identity(like->ndim);
    for (int d = grid->ndim; d < like->ndim; d++) map.axis[d] = -1; /* not cut */
    return heddle__cut_as(p, array, heddle__grid_over(p, like, &map, grid->ndim, grid->shape));
}

/* A part for each of the mask that selects something, where that is. */
static struct heddle_grid *grid_of_counts(const struct heddle_planner *p, struct cut *s)
{
    const struct heddle_compact_params *params = s->params;
    const heddle_array *node = s->node;
    const struct heddle_grid *mask = grid_of(p, s->mask);
    int64_t n[HEDDLE_MAX_NDIM], ends[HEDDLE_MAX_NDIM][2], cut[HEDDLE_COMPACT_PARTS + 1] = {0};
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    heddle_place places[HEDDLE_COMPACT_PARTS];
    for (int d = 0; d < node->ndim; d++) {
        ends[d][0] = 0;
        ends[d][1] = node->shape[d];
        n[d] = 1;
        bounds[d] = d == 0 ? cut : ends[d];
    }
    int64_t parts = 0;
    for (int64_t part = 0; part < params->n_parts; part++) {
        if (params->before[part + 1] == params->before[part]) continue;
        s->part_of[parts] = part;
        places[parts] = mask->place[part];
        cut[++parts] = params->before[part + 1];
    }
    n[0] = parts;
    struct heddle_grid *grid = heddle__grid_make(node->ndim, node->shape, n, bounds);
    struct heddle_grid *placed = grid ? heddle__grid_place(grid, parts, places) : NULL;
    heddle__grid_release(grid);
    return placed;
}

/* ---- All ------------------------------------------------------------------------------------------- */

static int32_t operand(struct heddle_planner *p, int32_t at, int i)
{
    const struct heddle_map *map;
    return heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &map));
}

bool heddle__compact_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut s = {.node = node, .params = heddle__params_of(node), .in = -1};
    s.mask = operand(p, at, 0);
    if (s.mask < 0) return false;
    if (node->n_in > 1 && (s.in = operand(p, at, 1)) < 0) return false;
    const int64_t row = node->size / node->shape[0];
    const bool by_mask = is_counted(&s, grid_of(p, s.mask), 1),
               in_parts = by_mask || (s.in >= 0 && is_counted(&s, grid_of(p, s.in), row));
    if (!by_mask)
        s.mask = in_parts ? cut_like(p, s.mask, grid_of(p, s.in)) : heddle__cut_one_part(p, s.mask);
    if (s.mask < 0) return false;
    if (s.in >= 0)
        s.in = in_parts ? cut_like(p, s.in, grid_of(p, s.mask)) : heddle__cut_one_part(p, s.in);
    if (node->n_in > 1 && s.in < 0) return false;
    struct heddle_grid *grid =
        in_parts ? grid_of_counts(p, &s) : heddle__grid_one(node->ndim, node->shape);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    return !p->failed && heddle__cut_parts(p, &heddle__compact_family, "compact", 1,
                                           grid_of(p, s.out), compact_part, &s);
}
