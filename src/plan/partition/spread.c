/* How arrays without a partition of their own are spread over the machine. Entry point:
 * heddle__choose_spread. */
#include "array/storage.h"
#include "plan/partition/choose.h"
#include "plan/policy/thresholds.h"

#include <string.h>

/* Whether several maps read `leaf`, and a result has its shape: a step of an iteration. */
static bool is_iterated(const struct heddle_walk *walk, const heddle_array *leaf)
{
    const struct heddle_map *first = NULL;
    bool several = false, again = false;
    for (int64_t i = 0; i < walk->n && !several; i++) {
        const heddle_array *a = walk->nodes[i];
        if (a->kind != HEDDLE_NODE_VIEW || a->in[0] != leaf || a->size < leaf->size / 2) continue;
        if (!first) first = a->map;
        several = !heddle__map_equal(first, a->map);
    }
    for (int32_t i = 0; i < walk->n_results && several && !again; i++) {
        const heddle_array *r = walk->results[i].node;
        again = r->ndim == leaf->ndim &&
                memcmp(r->shape, leaf->shape, leaf->ndim * sizeof *leaf->shape) == 0;
    }
    return again;
}

/* Host data are streamed, or sent whole if they are few, or settle if an iteration will read them again; others stay where they are. */
void heddle__choose_spread(struct heddle_planner *p)
{
    const struct heddle_walk *walk = p->walk;
    const heddle_array *largest = NULL;
    double host = 0, all = 0;
    for (int32_t i = 0; i < walk->n_leaves; i++) {
        const heddle_array *a = walk->leaves[i];
        const double bytes = (double)a->size * (double)heddle_dtype_size(a->dtype);
        all += bytes;
        if (!heddle__storage_on_host(a->storage)) continue;
        host += bytes;
        if (!largest || a->size > largest->size) largest = a;
    }
    if (!largest || host <= 0 || host < all / 2) return;
    p->spread = host < (double)p->policy->stream_bytes ? HEDDLE_SPREAD_SENT : HEDDLE_SPREAD_STREAM;
    if (p->policy->n_gpus == 0 || !is_iterated(walk, largest)) return;
    const struct heddle_work work = {
        .bytes = 2 * host, .in = host, .again = heddle__thresholds.settle_again};
    heddle__policy_shares(p->policy, &work, p->share);
    for (int i = 0; i < p->policy->n_gpus; i++) { /* data without room cannot stay */
        const double room = (double)p->policy->places[i].memory_bytes;
        if (room > 0 && p->share[i] * work.bytes > heddle__thresholds.settle_room * room) return;
    }
    p->spread = HEDDLE_SPREAD_SETTLE;
}
