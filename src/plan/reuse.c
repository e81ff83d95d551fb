/* Which leaves of a walk nobody can see once it is evaluated: their storage may become the result's.
 * Entry points: walk.h. */
#include "base/memory.h"
#include "plan/walk.h"

bool heddle__walk_find_reusable(struct heddle_walk *w)
{
    if (!w->updates || w->n_results != 1) return false;
    if (!heddle__grow(&w->held, sizeof *w->held, w->n, &w->held_room) ||
        !heddle__grow(&w->reusable, sizeof *w->reusable, w->n_leaves, &w->reusable_room))
        return false; /* nothing is reused then */
    /* References from nodes that drop them: the root's, which becomes data, and those of nodes that
     * nobody else refers to. Users come after what they use. */
    for (int64_t i = 0; i < w->n; i++) w->held[i] = 0;
    for (int64_t i = w->n - 1; i >= 0; i--) {
        const heddle_array *a = w->nodes[i];
        if (a != w->results[0].node &&
            atomic_load_explicit(&a->refs, memory_order_acquire) != w->held[i])
            continue;
        for (int k = 0; k < a->n_in; k++)
            if (a->in[k]) w->held[a->in[k]->mark_slot]++;
    }
    bool any = false;
    for (int32_t i = 0; i < w->n_leaves; i++) {
        const heddle_array *a = w->leaves[i];
        w->reusable[i] =
            atomic_load_explicit(&a->refs, memory_order_acquire) == w->held[a->mark_slot];
        any = any || w->reusable[i];
    }
    return any;
}

bool heddle__walk_give_reusable(struct heddle_walk *w)
{
    int64_t n = 0;
    for (int32_t i = 0; i < w->n_leaves; i++) n += w->reusable[i];
    if (n == 0) return false;
    if (!heddle__grow(&w->signature, sizeof *w->signature, w->n_signature + n, &w->signature_room))
        return false;
    for (int32_t i = 0; i < w->n_leaves; i++) /* with words that are no mark_slot */
        if (w->reusable[i]) w->signature[w->n_signature++] = UINT64_MAX - (uint64_t)i;
    w->gives = true;
    return true;
}
