/* The walk: from the arrays asked for to what must be computed, operands first, with a signature of
 * the structure. Iterative and linear; reads no data. Entry points: plan.h. */
#include "base/hash.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "runtime/storage.h"

static uint64_t walk_number; /* under the evaluation lock */

static bool push_word(struct heddle_walk *w, uint64_t word)
{
    if (w->n_signature == w->signature_room &&
        !heddle__grow(&w->signature, sizeof *w->signature, w->n_signature + 1, &w->signature_room))
        return false;
    w->signature[w->n_signature++] = word;
    return true;
}

static bool push_array(heddle_array ***list, int32_t *n, int64_t *room, heddle_array *a)
{
    if (*n == *room && !heddle__grow(list, sizeof **list, *n + 1, room)) return false;
    (*list)[(*n)++] = a;
    return true;
}

/* What a node's kind adds to the signature. */
static bool push_details(struct heddle_walk *w, const heddle_array *a)
{
    if (a->kind == HEDDLE_NODE_DATA) {
        const struct heddle_grid *grid = heddle__storage_grid(a->storage);
        return push_word(w, grid ? grid->hash : 0) &&
               push_word(w, heddle__storage_on_host(a->storage));
    }
    if (a->kind == HEDDLE_NODE_DISTRIBUTE) return push_word(w, a->grid ? a->grid->hash : 0);
    if (a->kind == HEDDLE_NODE_VIEW) {
        for (int d = 0; d < a->map->n; d++)
            if (!push_word(w, (uint64_t)(int64_t)a->map->axis[d]) ||
                !push_word(w, (uint64_t)a->map->offset[d]) ||
                !push_word(w, (uint64_t)a->map->step[d]))
                return false;
    }
    if (a->kind == HEDDLE_NODE_ASSEMBLE) {
        for (int i = 1; i < a->n_in; i++)
            for (int d = 0; d < a->ndim; d++)
                if (!push_word(w, (uint64_t)a->places[i].start[d]) ||
                    !push_word(w, (uint64_t)a->places[i].step[d]))
                    return false;
    }
    return true;
}

/* Appends a node whose operands are all in. */
static bool finish(struct heddle_walk *w, heddle_array *a)
{
    a->mark_slot = (int32_t)w->n;
    if (w->n == w->capacity && !heddle__grow(&w->nodes, sizeof *w->nodes, w->n + 1, &w->capacity))
        return false;
    w->nodes[w->n++] = a;
    if (a->kind == HEDDLE_NODE_DATA && !push_array(&w->leaves, &w->n_leaves, &w->leaf_room, a))
        return false;
    if (a->kind == HEDDLE_NODE_CONSTANT &&
        !push_array(&w->constants, &w->n_constants, &w->constant_room, a))
        return false;

    const uint64_t head = (uint64_t)a->kind | (uint64_t)a->op << 8 | (uint64_t)a->dtype << 16 |
                          (uint64_t)a->in_dtype << 24 | (uint64_t)a->ndim << 32 |
                          (uint64_t)a->axes << 40;
    if (!push_word(w, head) || !push_word(w, (uint64_t)a->n_in)) return false;
    for (int i = 0; i < a->n_in; i++)
        if (!push_word(w, a->in[i] ? (uint64_t)a->in[i]->mark_slot : UINT64_MAX)) return false;
    for (int d = 0; d < a->ndim; d++)
        if (!push_word(w, (uint64_t)a->shape[d])) return false;
    return push_details(w, a);
}

static bool push_frame(struct heddle_walk *w, int64_t depth, heddle_array *a)
{
    if (depth == w->stack_room) {
        int64_t room = w->stack_room;
        if (!heddle__grow(&w->stack_next, sizeof *w->stack_next, depth + 1, &room)) return false;
        room = w->stack_room;
        if (!heddle__grow(&w->stack, sizeof *w->stack, depth + 1, &room)) return false;
        w->stack_room = room;
    }
    a->mark = walk_number;
    w->stack[depth] = a;
    w->stack_next[depth] = 0;
    return true;
}

/* Depth first from one root; NULL, or the node in error that was met. *ok: memory sufficed. */
static heddle_array *visit(struct heddle_walk *w, heddle_array *root, bool *ok)
{
    int64_t depth = 0;
    if (root->mark == walk_number) return NULL;
    if (!(*ok = push_frame(w, depth, root))) return NULL;
    while (depth >= 0) {
        heddle_array *a = w->stack[depth];
        if (a->kind == HEDDLE_NODE_ERROR) return a;
        if (w->stack_next[depth] < a->n_in) {
            heddle_array *in = a->in[w->stack_next[depth]++];
            if (!in || in->mark == walk_number) continue;
            if (!(*ok = push_frame(w, ++depth, in))) return NULL;
        } else {
            if (!(*ok = finish(w, a))) return NULL;
            depth--;
        }
    }
    return NULL;
}

static bool is_result(const struct heddle_walk *w, const heddle_array *a)
{
    for (int i = 0; i < w->n_results; i++)
        if (w->results[i] == a) return true;
    return false;
}

enum heddle_status heddle__walk(struct heddle_walk *w, int n, heddle_array *const roots[])
{
    walk_number++;
    w->n = w->n_signature = 0;
    w->n_leaves = w->n_constants = w->n_results = 0;
    for (int i = 0; i < n; i++) {
        heddle_array *root = roots[i];
        if (root->kind == HEDDLE_NODE_DATA || is_result(w, root)) continue;
        bool ok = true;
        const heddle_array *bad = visit(w, root, &ok);
        if (bad) return heddle__fail(heddle_status_of(bad), "%s", heddle_error(bad));
        if (!ok || !push_array(&w->results, &w->n_results, &w->result_room, root))
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to walk %lld operations",
                                (long long)w->n);
    }
    for (int i = 0; i < w->n_results; i++)
        if (!push_word(w, (uint64_t)w->results[i]->mark_slot))
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
    return HEDDLE_OK;
}

void heddle__walk_free(struct heddle_walk *w)
{
    heddle__free(w->nodes);
    heddle__free(w->leaves);
    heddle__free(w->constants);
    heddle__free(w->results);
    heddle__free(w->signature);
    heddle__free(w->stack);
    heddle__free(w->stack_next);
    *w = (struct heddle_walk){0};
}
