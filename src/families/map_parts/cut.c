/* Functions over parts to tasks: one for each part, where it lives. Entry point: heddle__map_parts_cut. */
#include "families/map_parts/map_parts.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    int32_t in, out, function;
};

static bool call_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const struct heddle_plan_array *to = &p->plan->arrays[s->out], *from = &p->plan->arrays[s->in];
    const struct heddle_grid *grid = to->grid;
    const struct heddle_box own = heddle__grid_part(grid, part);
    const struct heddle_box wide = heddle__grid_wide_part(grid, part);
    const double bytes = (double)heddle__box_size(&own, grid->ndim) * to->element_bytes +
                         (double)heddle__grid_part_size(from->grid, part) * from->element_bytes;
    struct heddle_part_call *c =
        heddle__task_call(p, &heddle__map_parts_family, sizeof *c, 0, bytes);
    if (!c) return false;
    c->function = s->function;
    c->part = part;
    c->in_bytes = heddle__box_size(&wide, grid->ndim) * from->element_bytes;
    for (int d = 0; d < grid->ndim; d++) {
        c->lo[d] = wide.lo[d];
        c->shape[d] = wide.hi[d] - wide.lo[d];
        c->before[d] = own.lo[d] - wide.lo[d];
        c->after[d] = wide.hi[d] - own.hi[d];
    }
    c->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    c->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

bool heddle__map_parts_cut(struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    const struct heddle_map *map;
    struct cut s = {.function = v->object};
    const int32_t from = heddle__array_of(p, heddle__whole_input(p, v, 0, &map));
    if (from < 0) return false;
    struct heddle_grid *const grid = p->plan->arrays[from].grid;
    heddle__make_array(p, at, grid);
    s.out = v->array;
    s.in = p->failed ? -1 : heddle__cut_overlap(p, from, grid);
    return s.in >= 0 &&
           heddle__cut_parts(p, &heddle__map_parts_family, "map_parts", 1, grid, call_part, &s);
}
