/* Nodes: made, linked, released, and turned into data. Release is iterative: a chain of a million
 * nodes is an ordinary input. Knows nothing of operations, shapes or scopes.
 * Entry points: node.h; errors are in error_array.c, memory in pool.c. */
#include "graph/node.h"

#include "array/grid.h"
#include "array/storage.h"
#include "base/at_fork.h"
#include "base/memory.h"
#include "graph/check.h"
#include "graph/family.h"
#include "graph/pool.h"
#include "graph/print.h"
#include "graph/scope.h"

#include <sched.h>
#include <string.h>

/* ---- Locks of what a transition changes: one for many nodes, held for a few instructions ---------- */

enum { N_LOCKS = 64 };
static atomic_bool locks[N_LOCKS];

static atomic_bool *lock_of(const heddle_array *a)
{
    return &locks[((uintptr_t)a >> 6) % N_LOCKS];
}

static void acquire(atomic_bool *lock)
{
    while (atomic_exchange_explicit(lock, true, memory_order_acquire)) sched_yield();
}

static void give_up(atomic_bool *lock)
{
    atomic_store_explicit(lock, false, memory_order_release);
}

/* Transitions are under the evaluation lock, which the forking thread had; others only looked. */
static void in_child(void)
{
    for (int i = 0; i < N_LOCKS; i++) give_up(&locks[i]);
}

HEDDLE_AT_FORK(.in_child = in_child)

/* ---- Making ------------------------------------------------------------------------------------- */

heddle_array *heddle__node_new(enum heddle_node_kind kind, enum heddle_dtype dtype, int ndim,
                               const int64_t *shape)
{
    heddle_array *a = heddle__pool_get();
    if (!a) return NULL;
    memset(a, 0, sizeof *a);
    atomic_init(&a->refs, 1);
    atomic_init(&a->kind, (uint8_t)kind);
    a->dtype = (uint8_t)dtype;
    a->ndim = (uint8_t)ndim;
    a->in = a->in_own;
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= a->shape[d] = shape[d];
    a->size = size;
    if (heddle__checking() && !heddle__check_born(a)) {
        heddle__pool_put(a);
        return NULL;
    }
    return a;
}

bool heddle__node_inputs(heddle_array *node, int n, heddle_array *const inputs[])
{
    const int n_own = (int)(sizeof node->in_own / sizeof node->in_own[0]);
    if (n > n_own) {
        heddle_array **in = heddle__alloc((size_t)n * sizeof(heddle_array *));
        if (!in) return false;
        node->in = in;
    }
    for (int i = 0; i < n; i++) {
        node->in[i] = inputs[i];
        if (inputs[i]) heddle__retain(inputs[i]);
    }
    node->n_in = n;
    return true;
}

heddle_array *heddle__node_data(struct heddle_storage *storage, enum heddle_dtype dtype, int ndim,
                                const int64_t *shape)
{
    heddle_array *a = heddle__node_new(HEDDLE_NODE_DATA, dtype, ndim, shape);
    if (a)
        a->storage = storage;
    else
        heddle__storage_release(storage);
    return heddle__adopt(a);
}

heddle_array *heddle__node_source(heddle_array *a, enum heddle_node_kind kind,
                                  struct heddle_map *map)
{
    if (a->kind != kind) return NULL;
    heddle_array *source = NULL;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    if (a->kind == kind) {
        source = heddle__retain(a->in[0]);
        if (kind == HEDDLE_NODE_VIEW) *map = *a->map;
    }
    give_up(lock);
    return source;
}

/* The box from the first to the last element of a part. Whether it has all of the box. */
static bool part_box(const heddle_array *part, const struct heddle_landing *landing,
                     struct heddle_box *box)
{
    bool all = true;
    for (int d = 0; d < part->ndim; d++) {
        box->lo[d] = landing->start[d];
        box->hi[d] = landing->start[d] + (part->shape[d] - 1) * landing->step[d] + 1;
        all &= landing->step[d] == 1 || part->shape[d] == 1;
    }
    return all;
}

heddle_array *heddle__node_part(heddle_array *a, const struct heddle_box *region,
                                struct heddle_landing *landing)
{
    if (a->kind != HEDDLE_NODE_ASSEMBLE) return NULL;
    heddle_array *part = NULL;
    int at = 0; /* which part; -1: none */
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    for (int i = a->kind == HEDDLE_NODE_ASSEMBLE ? a->n_in - 1 : 0; i > 0; i--) {
        struct heddle_box box, common;
        const bool has_all = part_box(a->in[i], &a->landings[i], &box);
        if (!heddle__box_intersect(&box, region, a->ndim, &common)) continue;
        at = has_all && heddle__box_contains(&box, region, a->ndim) ? i : -1;
        break;
    }
    if (at > 0) *landing = a->landings[at];
    if (at == 0) *landing = (struct heddle_landing){{0}, {0}};
    if (at >= 0 && a->kind == HEDDLE_NODE_ASSEMBLE && a->in[at] &&
        (at > 0 || a->in[0]->kind != HEDDLE_NODE_DATA))
        part = heddle__retain(a->in[at]);
    give_up(lock);
    return part;
}

int heddle__node_parts(heddle_array *a, int most, struct heddle_box boxes[])
{
    int n = 0;
    if (a->kind != HEDDLE_NODE_ASSEMBLE) return 0;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    const int n_parts = a->kind == HEDDLE_NODE_ASSEMBLE ? a->n_in - 1 : 0;
    if (n_parts <= most)
        while (n < n_parts && part_box(a->in[n + 1], &a->landings[n + 1], &boxes[n])) n++;
    give_up(lock);
    return n == n_parts ? n : 0;
}

int heddle__node_operands(heddle_array *a, heddle_array *in[3])
{
    if (a->kind != HEDDLE_NODE_MAP && a->kind != HEDDLE_NODE_CAST) return 0;
    int n = 0;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    if (a->kind == HEDDLE_NODE_MAP || a->kind == HEDDLE_NODE_CAST)
        for (; n < a->n_in; n++) in[n] = heddle__retain(a->in[n]);
    give_up(lock);
    return n;
}

int heddle__node_inputs_of(heddle_array *a, const struct heddle_family_info *family,
                           heddle_array *in[3])
{
    if (a->kind != HEDDLE_NODE_FAMILY) return 0;
    int n = 0;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    if (a->kind == HEDDLE_NODE_FAMILY && a->operation->family == family && a->n_in <= 3)
        for (; n < a->n_in; n++) in[n] = heddle__retain(a->in[n]);
    give_up(lock);
    return n;
}

bool heddle__node_has_data(const heddle_array *a)
{
    if (a->kind != HEDDLE_NODE_OUTPUT) return a->kind == HEDDLE_NODE_DATA;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    const bool has_data = a->kind == HEDDLE_NODE_DATA ||
                          (a->kind == HEDDLE_NODE_OUTPUT && a->in[0]->kind == HEDDLE_NODE_TUPLE);
    give_up(lock);
    return has_data;
}

struct heddle_storage *heddle__node_storage(const heddle_array *a)
{
    struct heddle_storage *storage = NULL;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    if (a->kind == HEDDLE_NODE_DATA)
        storage = a->storage;
    else if (a->kind == HEDDLE_NODE_OUTPUT && a->in[0]->kind == HEDDLE_NODE_TUPLE)
        storage = a->in[0]->storages[a->op];
    if (storage) heddle__storage_retain(storage);
    give_up(lock);
    return storage;
}

/* ---- Life --------------------------------------------------------------------------------------- */

heddle_array *heddle__retain(heddle_array *a)
{
    if (a != heddle__error_memory()) atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
    return a;
}

/* Whether this was the last reference. Nobody else can add one to the last, so a load is enough. */
static bool drop(heddle_array *a)
{
    if (atomic_load_explicit(&a->refs, memory_order_acquire) == 1) return true;
    return atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) == 1;
}

static void free_storages(struct heddle_storage **storages)
{
    for (struct heddle_storage **s = storages; *s; s++) heddle__storage_release(*s);
    heddle__free(storages);
}

static void free_operation(struct heddle_operation *operation)
{
    heddle__object_release(operation->object);
    heddle__free(operation);
}

/* What a node of its kind owns beside its inputs. */
struct payload {
    enum heddle_node_kind kind;
    void *owned;
};

/* All members of the union are pointers. */
static bool has_payload(enum heddle_node_kind kind)
{
    switch (kind) {
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_DISTRIBUTE:
    case HEDDLE_NODE_DATA:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_FAMILY: return true;
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_REDUCE:
    case HEDDLE_NODE_OUTPUT: break;
    }
    return false;
}

static inline struct payload payload_of(const heddle_array *a)
{
    const enum heddle_node_kind kind = (enum heddle_node_kind)a->kind;
    return (struct payload){kind, has_payload(kind) ? (void *)a->storage : NULL};
}

static void free_payload(struct payload p)
{
    if (!p.owned) return;
    switch (p.kind) {
    case HEDDLE_NODE_DISTRIBUTE: heddle__grid_release(p.owned); break;
    case HEDDLE_NODE_DATA: heddle__storage_release(p.owned); break;
    case HEDDLE_NODE_TUPLE: free_storages(p.owned); break;
    case HEDDLE_NODE_FAMILY: free_operation(p.owned); break;
    case HEDDLE_NODE_VIEW:
    case HEDDLE_NODE_ASSEMBLE:
    case HEDDLE_NODE_ERROR:
    case HEDDLE_NODE_CONSTANT:
    case HEDDLE_NODE_INDEX:
    case HEDDLE_NODE_MAP:
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_RESHAPE:
    case HEDDLE_NODE_REDUCE:
    case HEDDLE_NODE_OUTPUT: heddle__free(p.owned); break;
    }
}

void heddle__release(heddle_array *a)
{
    if (!a || a == heddle__error_memory() || !drop(a)) return;
    a->next = NULL;
    for (heddle_array *list = a; list;) {
        heddle_array *node = list;
        list = node->next;
        for (int i = 0; i < node->n_in; i++) {
            heddle_array *in = node->in[i];
            if (!in || in == heddle__error_memory() || !drop(in)) continue;
            in->next = list;
            list = in;
        }
        const char *name = heddle__checking() ? heddle__node_name(node) : NULL;
        if (node->in != node->in_own) heddle__free(node->in);
        if (has_payload((enum heddle_node_kind)node->kind)) free_payload(payload_of(node));
        if (!name || !heddle__check_bury(node, name, heddle__closing_scope()))
            heddle__pool_put(node);
    }
}

/* ---- Transitions -------------------------------------------------------------------------------- */

/* What a node held before it changed, to be dropped after the lock. */
struct held {
    heddle_array *own[3], **in;
    int n;
    struct payload payload;
};

/* Takes inputs and payload out of a node, under its lock. */
static void strip(heddle_array *a, struct held *held)
{
    memset(held, 0, sizeof *held);
    held->n = a->n_in;
    if (a->in != a->in_own)
        held->in = a->in;
    else
        memcpy(held->own, a->in_own, sizeof held->own);
    held->payload = payload_of(a);
    a->n_in = 0;
    a->in = a->in_own;
}

static void drop_held(struct held *held)
{
    heddle_array **in = held->in ? held->in : held->own;
    for (int i = 0; i < held->n; i++) heddle__release(in[i]);
    heddle__free(held->in);
    free_payload(held->payload);
}

/* Changes to a kind that owns `payload`: all members of the union are pointers. */
static void become(heddle_array *a, enum heddle_node_kind kind, void *payload)
{
    struct held held;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    strip(a, &held);
    memcpy(&a->storage, &payload, sizeof payload);
    a->kind = kind;
    give_up(lock);
    drop_held(&held);
}

void heddle__node_become_data(heddle_array *a, struct heddle_storage *storage)
{
    become(a, HEDDLE_NODE_DATA, storage);
}

void heddle__node_become_tuple(heddle_array *a, struct heddle_storage **storages)
{
    become(a, HEDDLE_NODE_TUPLE, storages);
}

void heddle__node_settle_output(heddle_array *a)
{
    if (a->kind == HEDDLE_NODE_OUTPUT && a->in[0]->kind == HEDDLE_NODE_TUPLE)
        heddle__node_become_data(a, heddle__storage_retain(a->in[0]->storages[a->op]));
}

void heddle__node_narrow_output(heddle_array *a)
{
    heddle_array *const whole = a->kind == HEDDLE_NODE_OUTPUT ? a->in[0] : NULL;
    if (!whole || whole->kind != HEDDLE_NODE_FAMILY || !heddle__family_of(whole)->alone ||
        atomic_load_explicit(&whole->refs, memory_order_acquire) > 1)
        return;
    heddle_array *const alone = heddle__family_of(whole)->alone(whole, a->op);
    if (!alone) return;
    HEDDLE_ASSERT(alone->n_in == 1 && alone->dtype == a->dtype && alone->ndim == a->ndim);
    struct held held;
    atomic_bool *lock = lock_of(a);
    acquire(lock);
    strip(a, &held);
    a->in_own[0] = heddle__retain(alone->in[0]);
    a->n_in = 1;
    a->in_dtype = alone->in_dtype;
    a->op = alone->op;
    a->operation = alone->operation;
    a->kind = HEDDLE_NODE_FAMILY;
    give_up(lock);
    alone->operation = NULL;
    drop_held(&held);
    heddle__release(alone);
}

void heddle__node_become_error(heddle_array *a, enum heddle_status code, const char *text)
{
    if (a->kind == HEDDLE_NODE_ERROR) return;
    become(a, HEDDLE_NODE_ERROR, heddle__error_new(code, text));
}
