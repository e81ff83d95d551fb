/* Elements by a mask to tasks: one, since where an element lands depends on all before it. Entry point:
 * heddle__compact_cut. */
#include "families/compact/compact.h"
#include "plan/cut/cut.h"
#include "plan/cut/patterns.h"

struct cut {
    const heddle_array *node;
    int32_t mask, in, out; /* in -1: positions */
};

static bool compact_part(void *context, struct heddle_planner *p, int64_t part)
{
    const struct cut *s = context;
    const heddle_array *node = s->node, *mask = node->in[0];
    const int64_t row = node->size / node->shape[0];
    const double bytes = (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
    struct heddle_compact *call =
        heddle__task_call(p, &heddle__compact_family, sizeof *call, 0,
                          2 * (double)mask->size + 2 * (double)node->size * bytes);
    if (!call) return false;
    *call = (struct heddle_compact){.element_bytes = (uint8_t)p->plan->arrays[s->out].element_bytes,
                                    .positions = s->in < 0,
                                    .size = mask->size,
                                    .row = row,
                                    .n = node->shape[0]};
    call->mask = heddle__task_use(p, s->mask, part, HEDDLE_READ);
    if (s->in >= 0) call->in = heddle__task_use(p, s->in, part, HEDDLE_READ);
    call->out = heddle__task_use(p, s->out, part, HEDDLE_WRITE);
    return true;
}

/* Operand i, in one part; -1: memory is gone. */
static int32_t whole_operand(struct heddle_planner *p, int32_t at, int i)
{
    const struct heddle_map *map;
    const int32_t array = heddle__array_of(p, heddle__whole_input(p, &p->values[at], i, &map));
    return array < 0 ? -1 : heddle__cut_one_part(p, array);
}

bool heddle__compact_cut(struct heddle_planner *p, int32_t at)
{
    const heddle_array *node = p->values[at].node;
    struct cut s = {.node = node, .in = -1};
    s.mask = whole_operand(p, at, 0);
    if (s.mask < 0) return false;
    if (node->n_in > 1 && (s.in = whole_operand(p, at, 1)) < 0) return false;
    struct heddle_grid *grid = heddle__grid_one(node->ndim, node->shape);
    if (!grid) return false;
    heddle__make_array(p, at, grid);
    heddle__grid_release(grid);
    s.out = p->values[at].array;
    return !p->failed && heddle__cut_parts(p, &heddle__compact_family, "compact", 1,
                                           p->plan->arrays[s.out].grid, compact_part, &s);
}
