/* Replicas: small arrays that several places make each for themselves, since that is done sooner than one of them has made
 * and sent them. Entry points: cut.h, "Replicas". */
#include "base/memory.h"
#include "plan/cut/cut.h"

struct heddle_replica {
    int32_t array, copy;
    heddle_place place;
};

/* The first replica of an array, in the list that is in the arrays' order; where it would be, if there is none. */
static int64_t first_of(const struct heddle_planner *p, int32_t array)
{
    int64_t low = 0, high = p->n_replicas;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (p->replicas[middle].array < array)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t heddle__replica_add(struct heddle_planner *p, int32_t array, heddle_place place)
{
    if (!heddle__grow(&p->replicas, sizeof *p->replicas, p->n_replicas + 1, &p->replica_room)) {
        p->failed = true;
        return -1;
    }
    const int32_t copy =
        heddle__plan_add_like(p, array, heddle__grid_place(p->plan->arrays[array].grid, 1, &place));
    if (copy < 0) return -1;
    int64_t at = p->n_replicas++;
    for (; at > 0 && p->replicas[at - 1].array > array; at--) p->replicas[at] = p->replicas[at - 1];
    p->replicas[at] = (struct heddle_replica){array, copy, place};
    return copy;
}

int32_t heddle__replica_of(const struct heddle_planner *p, int32_t array, heddle_place place)
{
    if (p->n_replicas == 0 || place == HEDDLE_ANYWHERE) return -1;
    for (int64_t i = first_of(p, array); i < p->n_replicas && p->replicas[i].array == array; i++)
        if (p->replicas[i].place == place) return p->replicas[i].copy;
    return -1;
}
