/* Which leaves of a walk nobody can see once it is evaluated: their storage may become a result's.
 * Entry points: walk.h. */
#include "base/memory.h"
#include "plan/walk.h"

/* Whether `a` is one of the results, which become data and drop what they were made of. */
static bool becomes_data(const struct heddle_walk *w, const heddle_array *a)
{
    for (int32_t i = 0; i < w->n_results; i++)
        if (w->results[i].node == a) return true;
    return false;
}

/* Whether it may be that only some results are made: then the others would be computed again, of what is overwritten. */
static bool may_end_early(const struct heddle_walk *w)
{
    enum { FEW = 16 }; /* which becomes_data goes through for each node */
    if (w->n_results > 1 && (w->may_fail || w->n_results > FEW)) return true;
    for (int32_t i = 0; i < w->n_results; i++)
        if (w->results[i].output >= 0)
            return true; /* operations become data only if there is memory */
    return false;
}

bool heddle__walk_find_reusable(struct heddle_walk *w)
{
    if (!w->updates || may_end_early(w)) return false;
    if (!heddle__grow(&w->held, sizeof *w->held, w->n, &w->held_room) ||
        !heddle__grow(&w->reusable, sizeof *w->reusable, w->n_leaves, &w->reusable_room))
        return false; /* nothing is reused then */
    /* References from nodes that drop them: results, which become data, and nodes that nobody else refers to. Users
     * come after what they use. */
    for (int64_t i = 0; i < w->n; i++) w->held[i] = 0;
    for (int64_t i = w->n - 1; i >= 0; i--) {
        const heddle_array *a = w->nodes[i];
        if (atomic_load_explicit(&a->refs, memory_order_acquire) != w->held[i] &&
            !becomes_data(w, a))
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
