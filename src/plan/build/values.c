/* What passes ask of values: inputs through views, and maps in the planner's memory. Entry points:
 * planner.h, "Values". */
#include "plan/build/planner.h"

bool heddle__is_elementwise(const heddle_array *a)
{
    return a->kind == HEDDLE_NODE_MAP || a->kind == HEDDLE_NODE_CAST;
}

struct heddle_room heddle__room_of(const struct heddle_value *v)
{
    if (heddle__is_elementwise(v->node)) return v->room;
    if (v->node->kind == HEDDLE_NODE_CONSTANT) return (struct heddle_room){1, 0, 1};
    if (v->node->kind == HEDDLE_NODE_INDEX) return (struct heddle_room){5, 0, 2};
    return (struct heddle_room){1, 1, 0};
}

struct heddle_map *heddle__scratch_map(struct heddle_planner *p, const struct heddle_map *map)
{
    struct heddle_map *copy = heddle__arena_alloc(&p->scratch, sizeof *copy);
    if (copy)
        *copy = *map;
    else
        p->failed = true;
    return copy;
}

const struct heddle_map *heddle__compose(struct heddle_planner *p, const struct heddle_map *inner,
                                         const struct heddle_map *outer)
{
    if (!inner) return outer;
    if (!outer) return inner;
    const struct heddle_map m = heddle__map_compose(inner, outer);
    return heddle__scratch_map(p, &m);
}

bool heddle__maps_equal(const struct heddle_map *a, const struct heddle_map *b)
{
    if (a == b) return true;
    if (a && b) return heddle__map_equal(a, b);
    return heddle__map_is_identity(a ? a : b, (a ? a : b)->n);
}

int32_t heddle__input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                      const struct heddle_map **map)
{
    const struct heddle_value *in = &p->values[p->values[v->node->in[i]->mark_slot].canonical];
    *map = in->view;
    return p->values[in->base].canonical;
}

int32_t heddle__whole_input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                            const struct heddle_map **map)
{
    const int32_t base = heddle__input(p, v, i, map);
    const int32_t view = p->values[v->node->in[i]->mark_slot].canonical;
    if (!*map || !p->values[view].materialised || p->values[view].array < 0) return base;
    *map = NULL;
    return view;
}

struct heddle_map heddle__reduce_order(const struct heddle_group *group)
{
    struct heddle_map order = {.n = (int8_t)group->ndim};
    int8_t n = 0;
    for (int reduced = 0; reduced < 2; reduced++)
        for (int d = 0; d < group->ndim; d++) {
            if ((group->axes >> d & 1) != reduced) continue;
            order.axis[d] = n++;
            order.step[d] = 1;
        }
    return order;
}
