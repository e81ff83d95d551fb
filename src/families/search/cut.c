/* Searches to tasks: part by part of the values, each with the whole sorted array. Entry point:
 * heddle__search_cut. */
#include "families/search/search.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    bool right;
    enum heddle_dtype dtype;
    int32_t sorted, values, out;
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static bool search_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->values);
    const struct heddle_box box = heddle__grid_part(grid, part);
    const int64_t size = heddle__box_size(&box, grid->ndim), n = grid_of(p, s->sorted)->shape[0];
    const double bytes = (double)heddle_dtype_size(s->dtype);
    double steps = 1;
    for (int64_t rest = n; rest > 1; rest /= 2) steps++;
    struct heddle_search *call =
        heddle__task_call(p, &heddle__search_family, sizeof *call, 2 * steps * (double)size,
                          (bytes + 8) * (double)size + bytes * (double)n);
    if (!call) return false;
    *call =
        (struct heddle_search){.dtype = (uint8_t)s->dtype, .right = s->right, .n = n, .size = size};
    call->sorted = heddle__task_use(p, s->sorted, 0, HEDDLE_READ);
    call->values = heddle__task_use(p, s->values, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

bool heddle__search_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const struct heddle_search_params *params = heddle__params_of(node);
    const struct heddle_map *map;
    struct cut s = {.right = params->right != 0, .dtype = (enum heddle_dtype)node->in[0]->dtype};
    const int32_t sorted = heddle__whole_input(p, &p->values[at], 0, &map),
                  values = heddle__whole_input(p, &p->values[at], 1, &map);
    if (sorted != values && heddle__is_uncut(p, sorted)) {
        const heddle_array *a = p->values[sorted].node;
        if (heddle__cut_leaf(p, sorted, heddle__grid_one(a->ndim, a->shape)) < 0) return false;
    }
    s.values = heddle__array_of(p, values);
    s.sorted = heddle__array_of(p, sorted);
    if (s.values < 0 || s.sorted < 0) return false;
    s.sorted = heddle__cut_one_part(p, s.sorted);
    if (s.sorted < 0) return false;
    const struct heddle_grid *like = grid_of(p, s.values);
    struct heddle_grid *grid = heddle__grid_beside(like, -1, NULL); /* the same parts */
    if (!grid) return false;
    grid->asked = like->asked;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    return !p->failed && heddle__cut_parts(p, &heddle__search_family, "search", 1,
                                           grid_of(p, s.out), search_part, &s);
}
