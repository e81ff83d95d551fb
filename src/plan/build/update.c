/* Updates in place: whether what an operation changes may be overwritten. Entry points: heddle__base_to_update,
 * heddle__may_overwrite. */
#include "array/storage.h"
#include "plan/build/planner.h"

#include <string.h>

/* How many operations of the plan read value `at`; INT32_MAX if it is asked for. */
static int32_t readers_of(struct heddle_planner *p, int32_t at)
{
    if (!p->readers) {
        p->readers = heddle__arena_alloc(&p->scratch, (size_t)p->n * sizeof *p->readers);
        if (!p->readers) return INT32_MAX; /* so nothing is overwritten */
        memset(p->readers, 0, (size_t)p->n * sizeof *p->readers);
        for (int32_t i = 0; i < p->n; i++) {
            const struct heddle_value *v = &p->values[i];
            if (v->canonical != i || !v->used) continue;
            const heddle_array *a = v->node;
            const struct heddle_map *map;
            if (a->kind == HEDDLE_NODE_VIEW) { /* if not materialised, its readers read the base */
                if (v->materialised) p->readers[p->values[v->base].canonical]++;
                continue;
            }
            for (int k = 0; k < a->n_in; k++)
                if (a->in[k]) p->readers[heddle__input(p, v, k, &map)]++;
        }
    }
    return p->values[at].result >= 0 ? INT32_MAX : p->readers[at];
}

bool heddle__may_overwrite(const struct heddle_planner *p, int32_t at)
{
    const struct heddle_value *v = &p->values[at];
    switch ((enum heddle_node_kind)v->node->kind) {
    case HEDDLE_NODE_DATA: {
        const bool starpus = heddle__storage_grid(v->node->storage) != NULL;
        return p->walk->gives && p->walk->reusable[v->leaf] && starpus != p->run_inline;
    }
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_REDUCE: return true;
    case HEDDLE_NODE_FAMILY: return heddle__family_of(v->node)->flags & HEDDLE_FAMILY_IN_PLACE;
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_OUTPUT:
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_DISTRIBUTE: break;
    }
    return false;
}

int32_t heddle__base_to_update(struct heddle_planner *p, const struct heddle_value *v, int i)
{
    const heddle_array *a = v->node;
    const struct heddle_map *map;
    if (!a->in[i] || !p->policy->fusion) return -1;
    const int32_t at = heddle__input(p, v, i, &map);
    if (map || p->values[at].node->size == 0 || readers_of(p, at) != 1 ||
        !heddle__may_overwrite(p, at))
        return -1;
    const int32_t array = heddle__array_of(p, at);
    if (array < 0 || (v->grid && !heddle__grid_equal(v->grid, p->plan->arrays[array].grid)))
        return -1;
    return array;
}
