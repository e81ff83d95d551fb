/* The walk: from the arrays asked for to what must be computed, operands first, with a signature of
 * the structure. Iterative and linear; reads no data. Entry points: walk.h. */
#include "plan/walk.h"

#include "array/storage.h"
#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

/* Under the evaluation lock. A node is marked with it when this walk has met it, and with one more when it is a
 * result too. */
static uint64_t walk_number;

/* Room for `n` more words of signature; NULL when memory is gone. */
static uint64_t *signature_room(struct heddle_walk *w, int64_t n)
{
    n += w->n_signature;
    if (n > w->signature_room &&
        !heddle__grow(&w->signature, sizeof *w->signature, n, &w->signature_room))
        return NULL;
    return w->signature + w->n_signature;
}

static bool push_array(heddle_array ***list, int32_t *n, int64_t *room, heddle_array *a)
{
    if (*n == *room && !heddle__grow(list, sizeof **list, *n + 1, room)) return false;
    (*list)[(*n)++] = a;
    return true;
}

static bool are_equal_constants(const heddle_array *a, const heddle_array *b)
{
    if (a->dtype != b->dtype || a->ndim != b->ndim) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d]) return false;
    return memcmp(&a->value, &b->value, heddle_dtype_size((enum heddle_dtype)a->dtype)) == 0;
}

/* Adds a constant, and which of those before it is the first that is equal, of the last ones; else itself. */
static bool add_constant(struct heddle_walk *w, heddle_array *a)
{
    enum { MOST_COMPARED = 64 };
    const int32_t n = w->n_constants;
    int32_t first = n > MOST_COMPARED ? n - MOST_COMPARED : 0;
    if (n == w->equal_room &&
        !heddle__grow(&w->equal_constant, sizeof *w->equal_constant, n + 1, &w->equal_room))
        return false;
    while (first < n && !are_equal_constants(w->constants[first], a)) first++;
    w->equal_constant[n] = first < n ? w->equal_constant[first] : n;
    return push_array(&w->constants, &w->n_constants, &w->constant_room, a);
}

/* Words that a node adds to the signature, at most. */
static int64_t signature_words(const heddle_array *a, enum heddle_node_kind kind)
{
    int64_t n = 3 + a->n_in + a->ndim;
    if (kind == HEDDLE_NODE_VIEW) n += 3 * a->map->n;
    if (kind == HEDDLE_NODE_ASSEMBLE) n += 2 * (int64_t)a->n_in * a->ndim;
    if (kind == HEDDLE_NODE_FAMILY) n += 3 + (int64_t)heddle__family_of(a)->params_bytes / 8;
    return n;
}

void heddle__leaf_words(const heddle_array *leaf, uint64_t words[HEDDLE_LEAF_WORDS])
{
    const struct heddle_grid *grid = heddle__storage_grid(leaf->storage);
    words[0] = grid ? grid->hash : 0;
    words[1] = (uint64_t)heddle__storage_on_host(leaf->storage) |
               (uint64_t)(grid && grid->asked) << 1 |
               (uint64_t)heddle__storage_is_file(leaf->storage) << 2 |
               (uint64_t)heddle__storage_is_worn(leaf->storage) << 3;
}

/* What a node's kind adds beside inputs and shape. */
static uint64_t *put_details(uint64_t *at, const heddle_array *a, enum heddle_node_kind kind)
{
    switch (kind) {
    case HEDDLE_NODE_DATA:
        heddle__leaf_words(a, at);
        at += HEDDLE_LEAF_WORDS;
        break;
    case HEDDLE_NODE_DISTRIBUTE: *at++ = a->grid ? a->grid->hash : 0; break;
    case HEDDLE_NODE_FAMILY: {
        const size_t bytes = heddle__family_of(a)->params_bytes, words = (bytes + 7) / 8;
        *at++ = (uint64_t)(uintptr_t)heddle__family_of(a);
        *at++ = a->operation->object != NULL;
        if (words > 0) memcpy(at, heddle__params_of(a), words * 8); /* padded with zeros */
        at += words;
        break;
    }
    case HEDDLE_NODE_VIEW:
        for (int d = 0; d < a->map->n; d++) {
            *at++ = (uint64_t)(int64_t)a->map->axis[d];
            *at++ = (uint64_t)a->map->offset[d];
            *at++ = (uint64_t)a->map->step[d];
        }
        break;
    case HEDDLE_NODE_ASSEMBLE:
        for (int i = 1; i < a->n_in; i++)
            for (int d = 0; d < a->ndim; d++) {
                *at++ = (uint64_t)a->landings[i].start[d];
                *at++ = (uint64_t)a->landings[i].step[d];
            }
        break;
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_REDUCE:
    case HEDDLE_NODE_OUTPUT:
    case HEDDLE_NODE_TUPLE: break;
    }
    return at;
}

static bool add_result(struct heddle_walk *w, heddle_array *node, int32_t output)
{
    const int64_t n = w->n_results;
    if (n == w->result_room &&
        !heddle__grow(&w->results, sizeof *w->results, n + 1, &w->result_room))
        return false;
    w->results[w->n_results++] = (struct heddle_walk_result){node, output};
    return true;
}

/* An operation of several outputs computes all of them: whoever asks for one will ask for others, if anybody can (settle). */
static bool finish_operation(struct heddle_walk *w, heddle_array *a)
{
    const int n = heddle__n_outputs(heddle__family_of(a));
    if (a->operation->object && !push_array(&w->objects, &w->n_objects, &w->object_room, a))
        return false;
    for (int i = 0; i < n && n > 1; i++)
        if (!add_result(w, a, i)) return false;
    return true;
}

/* Appends a node; all its operands have been appended. */
static bool finish(struct heddle_walk *w, heddle_array *a)
{
    const enum heddle_node_kind kind = (enum heddle_node_kind)a->kind;
    if (w->n == INT32_MAX) return false; /* their numbers are 32 bits wide */
    a->mark_slot = (int32_t)w->n;
    if (w->n == w->capacity && !heddle__grow(&w->nodes, sizeof *w->nodes, w->n + 1, &w->capacity))
        return false;
    w->nodes[w->n++] = a;
    if (a->n_in > 0) {
        w->repeated += a->walked;
        a->walked += a->walked < INT32_MAX;
    }
    if (kind == HEDDLE_NODE_DATA && !push_array(&w->leaves, &w->n_leaves, &w->leaf_room, a))
        return false;
    if (kind == HEDDLE_NODE_CONSTANT && !add_constant(w, a)) return false;
    if (kind == HEDDLE_NODE_FAMILY && !finish_operation(w, a)) return false;

    uint64_t *const words = signature_room(w, signature_words(a, kind)), *at = words;
    if (!words) return false;
    *at++ = (uint64_t)kind | (uint64_t)a->op << 8 | (uint64_t)a->dtype << 16 |
            (uint64_t)a->in_dtype << 24 | (uint64_t)a->ndim << 32 | (uint64_t)a->axes << 40;
    if (kind == HEDDLE_NODE_ASSEMBLE || kind == HEDDLE_NODE_FAMILY)
        *at++ = (uint64_t)a->n_in; /* it follows from the kind of others */
    if (kind == HEDDLE_NODE_ASSEMBLE) w->updates = w->updates || a->in[0];
    if (kind == HEDDLE_NODE_FAMILY) {
        w->updates = w->updates || heddle__family_of(a)->flags & HEDDLE_FAMILY_UPDATES;
        w->may_fail = w->may_fail || heddle__family_of(a)->flags & HEDDLE_FAMILY_MAY_FAIL;
    }
    for (int i = 0; i < a->n_in; i++) *at++ = a->in[i] ? (uint64_t)a->in[i]->mark_slot : UINT64_MAX;
    for (int d = 0; d < a->ndim; d++) *at++ = (uint64_t)a->shape[d];
    at = put_details(at, a, kind);
    if (kind == HEDDLE_NODE_CONSTANT) *at++ = (uint64_t)w->equal_constant[w->n_constants - 1];
    w->n_signature += at - words;
    return true;
}

static bool is_met(const heddle_array *a)
{
    return a->mark >= walk_number;
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

/* What an output is by now: data, or all that is wanted of its operation. */
static void settle(heddle_array *output)
{
    heddle__node_settle_output(output);
    heddle__node_narrow_output(output);
}

/* Goes depth first from one root. NULL, or a node in error that it met. *ok: memory sufficed. */
static heddle_array *visit(struct heddle_walk *w, heddle_array *root, bool *ok)
{
    int64_t depth = 0;
    if (is_met(root)) return NULL;
    if (!(*ok = push_frame(w, depth, root))) return NULL;
    while (depth >= 0) {
        heddle_array *a = w->stack[depth];
        if (a->kind == HEDDLE_NODE_ERROR) return a;
        if (w->stack_next[depth] < a->n_in) {
            heddle_array *in = a->in[w->stack_next[depth]++];
            if (!in || is_met(in)) continue;
            if (in->kind == HEDDLE_NODE_OUTPUT) settle(in);
            if (in->n_in == 0 && in->kind != HEDDLE_NODE_ERROR) { /* nothing below it */
                in->mark = walk_number;
                if (!(*ok = finish(w, in))) return NULL;
            } else if (!(*ok = push_frame(w, ++depth, in))) {
                return NULL;
            }
        } else {
            if (!(*ok = finish(w, a))) return NULL;
            depth--;
        }
    }
    return NULL;
}

enum heddle_status heddle__walk(struct heddle_walk *w, int n, heddle_array *const roots[])
{
    walk_number += 2;
    w->n = w->n_signature = 0;
    w->n_leaves = w->n_constants = w->n_objects = w->n_results = 0;
    w->updates = w->may_fail = w->gives = false;
    w->repeated = 0;
    for (int i = 0; i < n; i++) {
        heddle_array *root = roots[i];
        settle(root);
        if (root->kind == HEDDLE_NODE_DATA || root->mark == walk_number + 1) continue;
        bool ok = true;
        const heddle_array *bad = visit(w, root, &ok);
        if (bad) return heddle__fail(heddle_status_of(bad), "%s", heddle_error(bad));
        if (!ok || !add_result(w, root, -1))
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to walk %lld operations",
                                (long long)w->n);
        root->mark = walk_number + 1;
    }
    if (w->n_results == 0) return HEDDLE_OK;
    uint64_t *at = signature_room(w, w->n_results);
    HEDDLE_REQUIRE(at, HEDDLE_ENOMEM, "heddle_eval: no memory");
    for (int i = 0; i < w->n_results; i++)
        *at++ = (uint64_t)w->results[i].node->mark_slot | (uint64_t)(w->results[i].output + 1)
                                                              << 32;
    w->n_signature += w->n_results;
    return HEDDLE_OK;
}

void heddle__walk_free(struct heddle_walk *w)
{
    heddle__free(w->nodes);
    heddle__free(w->leaves);
    heddle__free(w->constants);
    heddle__free(w->equal_constant);
    heddle__free(w->objects);
    heddle__free(w->results);
    heddle__free(w->signature);
    heddle__free(w->stack);
    heddle__free(w->stack_next);
    heddle__free(w->reusable);
    heddle__free(w->held);
    *w = (struct heddle_walk){0};
}
