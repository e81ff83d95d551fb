/* The order of operations in large groups: the operand that takes the most steps first (R. Sethi and J. Ullman, 1970), so
 * that fewer values wait in registers while others are computed. Where a group is cut into several programs, what waits at
 * the cut is stored. Entry point: heddle__schedule. */
#include "plan/fuse/fuse.h"

enum { MANY = 16 }; /* operations */

/* How many operations of the group follow each other up to a member of it: in the planner's scratch, by value. */
struct order {
    struct heddle_planner *p;
    int32_t group;
    int32_t *steps;
};
enum { PLACED = -1 };

/* Takes value `in` for *found if it is a member, not placed, and has more steps behind it; of what is computed again in each
 * reader, the members that it reads: it has few operations (again.c). */
static void look_at(const struct order *o, int32_t in, int32_t *found)
{
    const struct heddle_value *const v = &o->p->values[in];
    if (v->group == o->group && o->steps[in] > (*found < 0 ? PLACED : o->steps[*found]))
        *found = in;
    for (int i = 0; v->again && i < v->node->n_in; i++) {
        const struct heddle_map *map;
        look_at(o, heddle__input(o->p, v, i, &map), found);
    }
}

/* The operand with the most steps behind it that is a member and not placed; -1: none. */
static int32_t deepest(const struct order *o, int32_t at)
{
    const struct heddle_value *const v = &o->p->values[at];
    int32_t found = -1;
    for (int i = 0; i < v->node->n_in; i++) {
        const struct heddle_map *map;
        const bool view = v->node->kind == HEDDLE_NODE_VIEW;
        look_at(o, view ? o->p->values[v->base].canonical : heddle__input(o->p, v, i, &map),
                &found);
    }
    return found;
}

/* Puts a member and what it needs at *into, the end of the list; the new end. */
static int32_t *place(const struct order *o, int32_t member, int32_t *into, int32_t *stack)
{
    struct heddle_group *const g = &o->p->groups[o->group];
    int32_t height = 0;
    if (o->steps[member] != PLACED) stack[height++] = member;
    while (height > 0) {
        const int32_t at = stack[height - 1], in = deepest(o, at);
        if (in >= 0) {
            stack[height++] = in;
            continue;
        }
        o->steps[at] = PLACED;
        g->last = *into = at;
        into = &o->p->next_member[at];
        height--;
    }
    return into;
}

/* The members come in the order of the walk, operands first. False: no memory. */
static bool schedule(const struct order *o)
{
    struct heddle_planner *const p = o->p;
    struct heddle_group *const g = &p->groups[o->group];
    const size_t bytes = (size_t)g->n_members * sizeof(int32_t);
    int32_t *const members = heddle__arena_alloc(&p->scratch, bytes);
    int32_t *const stack = heddle__arena_alloc(&p->scratch, bytes);
    if (!members || !stack) return false;
    int32_t n = 0;
    for (int32_t at = g->first; at >= 0; at = p->next_member[at]) {
        const int32_t in = deepest(o, at);
        o->steps[at] = in < 0 ? 0 : o->steps[in] + 1;
        members[n++] = at;
    }
    int32_t *into = &g->first;
    while (n-- > 0) into = place(o, members[n], into, stack);
    *into = -1;
    return true;
}

bool heddle__schedule(struct heddle_planner *p)
{
    struct order o = {.p = p};
    for (; o.group < (int32_t)p->n_groups; o.group++) {
        const struct heddle_group *const g = &p->groups[o.group];
        if (g->kind != HEDDLE_GROUP_MAP || g->n_members <= MANY) continue;
        if (!o.steps) o.steps = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *o.steps);
        if (!o.steps || !schedule(&o)) return false;
    }
    return true;
}
