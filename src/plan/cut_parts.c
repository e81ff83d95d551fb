/* Functions of the user's over parts: one task a part, where it lives. Entry point:
 * heddle__cut_map_parts. */
#include "plan/tasks.h"

/* The call for one part, whose task is begun. */
static bool call_part(struct heddle_planner *p, int32_t in, int32_t out, int64_t part,
                      uint32_t constant)
{
    const struct heddle_plan_array *to = &p->plan->arrays[out];
    const struct heddle_grid *grid = to->grid, *from = p->plan->arrays[in].grid;
    const struct heddle_box own = heddle__grid_part(grid, part);
    const struct heddle_box wide = heddle__grid_wide_part(grid, part);
    const double bytes =
        (double)heddle__box_size(&own, grid->ndim) * to->element_bytes +
        (double)heddle__grid_part_size(from, part) * p->plan->arrays[in].element_bytes;
    struct heddle_part_call *c = heddle__arena_alloc(p->plan->arena, sizeof *c);
    if (!c) {
        p->failed = true;
        return false;
    }
    *c = (struct heddle_part_call){.function = constant, .part = part};
    for (int d = 0; d < grid->ndim; d++) {
        c->lo[d] = wide.lo[d];
        c->shape[d] = wide.hi[d] - wide.lo[d];
        c->before[d] = own.lo[d] - wide.lo[d];
        c->after[d] = wide.hi[d] - own.hi[d];
    }
    heddle__task_place(p, heddle__grid_place_of(grid, part));
    c->in = heddle__task_use(p, in, part, HEDDLE_READ);
    c->out = heddle__task_use(p, out, part, HEDDLE_WRITE);
    struct heddle_kernel_call *call = heddle__task_call(p, 0, bytes);
    if (!call) return false;
    call->family = HEDDLE_FAMILY_MAP_PARTS;
    call->part = c;
    return !p->failed;
}

bool heddle__cut_map_parts(struct heddle_planner *p, int32_t in, int32_t out, uint32_t constant)
{
    const struct heddle_grid *grid = p->plan->arrays[out].grid;
    const int32_t wide = heddle__cut_overlap(p, in);
    if (wide < 0 || !heddle__step_begin(p, HEDDLE_FAMILY_MAP_PARTS, NULL, "map_parts", 1))
        return false;
    for (int64_t part = 0; part < grid->n_parts; part++) {
        if (heddle__grid_part_size(grid, part) == 0) continue;
        if (!heddle__task_begin(p) || !call_part(p, wide, out, part, constant)) return false;
        heddle__task_end(p);
    }
    return !p->failed;
}
