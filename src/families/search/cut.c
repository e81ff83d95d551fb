/* Searches to tasks: part by part of the values, each with the whole sorted array. Entry point:
 * heddle__search_cut. */
#include "families/search/search.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    enum heddle_search_what what;
    enum heddle_dtype dtype;
    int32_t sorted, values, heights, out; /* heights: -1: there are none */
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
    *call = (struct heddle_search){
        .dtype = (uint8_t)s->dtype, .what = (uint8_t)s->what, .n = n, .size = size};
    call->sorted = heddle__task_use(p, s->sorted, 0, HEDDLE_READ);
    call->values = heddle__task_use(p, s->values, part, HEDDLE_READ);
    if (s->heights >= 0) call->heights = heddle__task_use(p, s->heights, 0, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* The array of a row that each task reads as a whole; -1: failed. */
static int32_t whole_row(struct heddle_planner *p, int32_t at, int32_t values)
{
    if (at != values && heddle__is_uncut(p, at)) {
        const heddle_array *a = p->values[at].node;
        if (heddle__cut_leaf(p, at, heddle__grid_one(a->ndim, a->shape)) < 0) return -1;
    }
    return heddle__array_of(p, at);
}

bool heddle__search_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    const struct heddle_search_params *params = heddle__params_of(node);
    const struct heddle_map *map;
    struct cut s = {.what = (enum heddle_search_what)params->what,
                    .dtype = (enum heddle_dtype)node->in[0]->dtype,
                    .heights = -1};
    const bool has_heights = node->n_in > 2;
    const int32_t sorted = heddle__whole_input(p, &p->values[at], 0, &map),
                  values = heddle__whole_input(p, &p->values[at], 1, &map),
                  heights = has_heights ? heddle__whole_input(p, &p->values[at], 2, &map) : -1;
    s.sorted = whole_row(p, sorted, values);
    if (has_heights) s.heights = whole_row(p, heights, values);
    s.values = heddle__array_of(p, values);
    if (s.values < 0 || s.sorted < 0 || (has_heights && s.heights < 0)) return false;
    s.sorted = heddle__cut_one_part(p, s.sorted);
    if (has_heights) s.heights = heddle__cut_one_part(p, s.heights);
    if (s.sorted < 0 || (has_heights && s.heights < 0)) return false;
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
