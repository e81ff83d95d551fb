/* What evaluations compute again and again, since each needs only a part of it: an element is set and one is
 * read, in turns, and each reading goes through all that was set. Entry point: walk.h. */
#include "base/memory.h"
#include "plan/policy/thresholds.h"
#include "plan/walk.h"

/* Whether keeping it is worth a pass over its elements: data, constants and views need none. */
static bool is_computed(const heddle_array *a)
{
    return a->kind == HEDDLE_NODE_MAP || a->kind == HEDDLE_NODE_CAST ||
           a->kind == HEDDLE_NODE_REDUCE || a->kind == HEDDLE_NODE_ASSEMBLE ||
           (a->kind == HEDDLE_NODE_FAMILY && heddle__n_outputs(heddle__family_of(a)) == 1);
}

heddle_array *heddle__walk_find_repeated(struct heddle_walk *w, int64_t host_bytes)
{
    /* Planning a long chain takes longer for each of its nodes. */
    const struct heddle_thresholds *t = &heddle__thresholds;
    const int64_t cost = w->repeated * (1 + w->n / t->nodes_planned_fast);
    if (cost < t->worth_keeping) return NULL;
    if (!heddle__grow(&w->held, sizeof *w->held, w->n, &w->held_room)) return NULL;

    /* the last one that somebody beside the walk refers to */
    for (int64_t i = 0; i < w->n; i++) w->held[i] = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const heddle_array *a = w->nodes[i];
        for (int k = 0; k < a->n_in; k++)
            if (a->in[k]) w->held[a->in[k]->mark_slot]++;
    }
    for (int32_t i = 0; i < w->n_results; i++) w->held[w->results[i].node->mark_slot] = INT32_MAX;
    for (int64_t i = w->n - 1; i >= 0; i--) {
        heddle_array *a = w->nodes[i];
        if (atomic_load_explicit(&a->refs, memory_order_acquire) <= w->held[i] || !is_computed(a))
            continue;
        const int64_t bytes = a->size * (int64_t)heddle_dtype_size((enum heddle_dtype)a->dtype);
        const bool fits = host_bytes == 0 || bytes <= host_bytes / t->kept_of_memory;
        return fits && cost >= t->worth_keeping + bytes / t->bytes_for_node ? a : NULL;
    }
    return NULL;
}
