/* Sorting to tasks: part by part, along an axis that is not cut. Entry point: heddle__sort_cut. */
#include "families/sort/sort.h"
#include "plan/cut/patterns.h"

struct cut {
    const struct heddle_sort_params *params;
    enum heddle_dtype dtype;
    int32_t in, out;
};

static const struct heddle_grid *grid_of(const struct heddle_planner *p, int32_t array)
{
    return p->plan->arrays[array].grid;
}

static bool sort_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_grid *grid = grid_of(p, s->in);
    const struct heddle_box box = heddle__grid_part(grid, part);
    const int last = grid->ndim - 1;
    const double size = (double)heddle__box_size(&box, grid->ndim);
    const size_t bytes = heddle_dtype_size(s->dtype);
    /* a pass for each digit of eight bits reads and writes */
    struct heddle_sort *call =
        heddle__task_call(p, &heddle__sort_family, sizeof *call, size * (double)(8 * bytes),
                          size * (double)(bytes * (2 * bytes + (s->params->positions ? 8 : 1))));
    if (!call) return false;
    *call = (struct heddle_sort){.dtype = (uint8_t)s->dtype,
                                 .element_bytes = (uint8_t)bytes,
                                 .descending = s->params->descending != 0,
                                 .positions = s->params->positions != 0,
                                 .rows = 1,
                                 .n = box.hi[last] - box.lo[last]};
    for (int d = 0; d < last; d++) call->rows *= box.hi[d] - box.lo[d];
    call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

bool heddle__sort_cut(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    const struct heddle_map *map;
    struct cut s = {.params = heddle__params_of(v->node),
                    .dtype = (enum heddle_dtype)v->node->in[0]->dtype};
    s.in = heddle__array_of(p, heddle__whole_input(p, v, 0, &map));
    if (s.in < 0) return false;
    const bool asked = grid_of(p, s.in)->asked; /* so the result is the user's, too */
    s.in = heddle__cut_in_units(p, s.in, v->node->ndim - 1, 0);
    if (s.in < 0) return false;
    const struct heddle_grid *in = grid_of(p, s.in);
    struct heddle_grid *grid = heddle__grid_beside(in, in->ndim - 1, in->bound[in->ndim - 1]);
    if (!grid) return false;
    grid->asked = asked;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    return !p->failed &&
           heddle__cut_parts(p, &heddle__sort_family, "sort", 1, grid_of(p, s.out), sort_part, &s);
}
