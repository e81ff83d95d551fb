/* Evaluations done again. An entry says of what kind its inputs are, as far as recording, plan and the choice of what is
 * overwritten depend on them; it holds the plan, and where each of the plan's arrays comes from. Entry points: replay.h. */
#include "run/replay.h"

#include "base/dtype.h"
#include "base/memory.h"
#include "base/user_function.h"
#include "graph/check.h"
#include "run/counters/counters.h"
#include "run/evaluate.h"
#include "run/execute.h"
#include "run/life.h"

#include <string.h>

/* What an input must be like. */
struct input {
    uint8_t kind; /* DATA or CONSTANT */
    uint8_t dtype, ndim;
    bool weak, is_leaf;
    int8_t same; /* the first input that is the same array */
    uint64_t leaf[HEDDLE_LEAF_WORDS];
    int64_t shape[HEDDLE_MAX_NDIM];
    union heddle_scalar value; /* CONSTANT */
};

/* Where an output comes from: a result of the plan, or an input. */
struct output {
    bool is_input;
    uint8_t dtype, ndim;
    int32_t index;
    int64_t shape[HEDDLE_MAX_NDIM];
};

struct heddle_replay {
    uint64_t generation;
    struct heddle_plan *plan; /* NULL: not noted yet */
    int n_inputs, n_outputs;
    uint64_t overwritable, overwritten; /* bit i: input i could be overwritten; the plan does */
    int32_t n_leaves, n_constants, n_results;
    int8_t leaves[HEDDLE_REPLAY_ARRAYS]; /* the input that each leaf is */
    struct input inputs[HEDDLE_REPLAY_ARRAYS];
    struct output outputs[HEDDLE_REPLAY_ARRAYS];
    union heddle_scalar constants[]; /* [n_constants] */
};

static void free_replay(struct heddle_replay *r)
{
    if (!r) return;
    heddle__plan_release(r->plan);
    heddle__free(r);
}

void heddle__replays_clear(struct heddle_replays *replays)
{
    heddle__evaluation_lock();
    for (int i = 0; i < HEDDLE_REPLAYS; i++) free_replay(replays->at[i]);
    *replays = (struct heddle_replays){0};
    heddle__evaluation_unlock();
}

void heddle__replay_drop(struct heddle_replay_call *call)
{
    free_replay(call->draft); /* which has no plan */
    call->draft = NULL;
}

/* ---- Kinds of inputs -------------------------------------------------------------------------------- */

/* Which inputs nobody else has, so that a plan may write there. */
static uint64_t find_overwritable(const struct heddle_replay_call *call)
{
    uint64_t bits = 0;
    for (int i = 0; i < call->n_inputs; i++) {
        const heddle_array *a = call->inputs[i];
        if (call->given >> i & 1 && a->kind == HEDDLE_NODE_DATA &&
            atomic_load_explicit(&a->refs, memory_order_acquire) == 1 &&
            heddle__storage_is_private(a->storage))
            bits |= UINT64_C(1) << i;
    }
    return bits;
}

static int8_t first_same(const struct heddle_replay_call *call, int i)
{
    for (int k = 0; k < i; k++)
        if (call->inputs[k] == call->inputs[i]) return (int8_t)k;
    return (int8_t)i;
}

static bool describe(const struct heddle_replay_call *call, int i, struct input *out)
{
    heddle_array *a = call->inputs[i];
    heddle__node_settle_output(a);
    if (a->kind != HEDDLE_NODE_DATA && a->kind != HEDDLE_NODE_CONSTANT) return false;
    *out = (struct input){.kind = a->kind, .dtype = a->dtype, .ndim = a->ndim, .weak = a->weak};
    out->same = first_same(call, i);
    memcpy(out->shape, a->shape, sizeof a->shape[0] * a->ndim);
    if (a->kind == HEDDLE_NODE_CONSTANT)
        out->value = a->value;
    else
        heddle__leaf_words(a, out->leaf);
    return true;
}

static bool is_like(const struct input *e, const struct heddle_replay_call *call, int i)
{
    heddle_array *a = call->inputs[i];
    if (a->kind == HEDDLE_NODE_OUTPUT) heddle__node_settle_output(a);
    if (a->kind != e->kind || a->dtype != e->dtype || a->ndim != e->ndim || a->weak != e->weak)
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] != e->shape[d]) return false;
    if (e->kind == HEDDLE_NODE_CONSTANT)
        return memcmp(&a->value, &e->value, heddle_dtype_size((enum heddle_dtype)e->dtype)) == 0;
    uint64_t leaf[HEDDLE_LEAF_WORDS];
    heddle__leaf_words(a, leaf);
    return (!e->is_leaf || memcmp(leaf, e->leaf, sizeof leaf) == 0) &&
           first_same(call, i) == e->same && heddle__settle(a) == HEDDLE_OK;
}

static bool fits(const struct heddle_replay *r, const struct heddle_replay_call *call,
                 uint64_t overwritable)
{
    if (r->generation != heddle__generation() || r->overwritable != overwritable) return false;
    for (int i = 0; i < r->n_inputs; i++)
        if (!is_like(&r->inputs[i], call, i)) return false;
    return true;
}

/* ---- Noting ------------------------------------------------------------------------------------------ */

/* The draft of a call whose inputs can be told by their kinds. */
static struct heddle_replay *draft(const struct heddle_replay_call *call, uint64_t overwritable)
{
    struct heddle_replay *r = heddle__calloc(1, sizeof *r);
    if (!r) return NULL;
    r->n_inputs = call->n_inputs;
    r->n_outputs = call->n_outputs;
    r->overwritable = overwritable;
    for (int i = 0; i < call->n_inputs; i++)
        if (!describe(call, i, &r->inputs[i])) {
            heddle__free(r);
            return NULL;
        }
    return r;
}

static int find_input(const struct heddle_replay_call *call, const heddle_array *a)
{
    for (int i = 0; i < call->n_inputs; i++)
        if (call->inputs[i] == a) return i; /* perhaps one that was released: its address alone */
    return -1;
}

/* Whether each leaf is an input. */
static bool note_leaves(struct heddle_replay *r, const struct heddle_replay_call *call,
                        const struct heddle_walk *walk)
{
    r->n_leaves = walk->n_leaves;
    for (int32_t k = 0; k < walk->n_leaves; k++) {
        const int i = find_input(call, walk->leaves[k]);
        if (i < 0 || r->inputs[i].kind != HEDDLE_NODE_DATA) return false;
        r->leaves[k] = (int8_t)i;
        r->inputs[i].is_leaf = true;
        if (walk->gives && walk->reusable[k]) r->overwritten |= UINT64_C(1) << i;
    }
    return (r->overwritten & ~r->overwritable) == 0;
}

/* Whether each output is a result or an input. */
static bool note_outputs(struct heddle_replay *r, const struct heddle_replay_call *call,
                         const struct heddle_walk *walk)
{
    r->n_results = walk->n_results;
    for (int k = 0; k < call->n_outputs; k++) {
        const heddle_array *a = call->outputs[k];
        struct output *o = &r->outputs[k];
        o->dtype = a->dtype;
        o->ndim = a->ndim;
        memcpy(o->shape, a->shape, sizeof a->shape[0] * a->ndim);
        int32_t i = 0;
        while (i < walk->n_results && walk->results[i].node != a) i++;
        o->is_input = i == walk->n_results;
        o->index = o->is_input ? find_input(call, a) : i;
        if (o->index < 0) return false;
    }
    for (int32_t i = 0; i < walk->n_results; i++)
        if (walk->results[i].output >= 0) return false; /* one of several of an operation */
    return true;
}

void heddle__replay_note(struct heddle_replay_call *call, const struct heddle_walk *walk,
                         struct heddle_plan *plan)
{
    struct heddle_replay *r = call->draft;
    if (!r || r->plan) return;
    const size_t bytes = (size_t)walk->n_constants * sizeof *r->constants;
    const bool fit = walk->n_objects == 0 && walk->n_leaves <= HEDDLE_REPLAY_ARRAYS &&
                     note_leaves(r, call, walk) && note_outputs(r, call, walk);
    struct heddle_replay *whole = fit ? heddle__alloc(sizeof *r + bytes) : NULL;
    if (whole) {
        *whole = *r;
        whole->generation = heddle__generation();
        whole->plan = heddle__plan_retain(plan);
        whole->n_constants = walk->n_constants;
        for (int32_t i = 0; i < walk->n_constants; i++)
            whole->constants[i] = walk->constants[i]->value;
    }
    heddle__free(r);
    call->draft = whole;
}

static void keep(struct heddle_replays *replays, struct heddle_replay *r)
{
    free_replay(replays->at[HEDDLE_REPLAYS - 1]);
    memmove(replays->at + 1, replays->at, sizeof replays->at - sizeof replays->at[0]);
    replays->at[0] = r;
}

/* ---- Again -------------------------------------------------------------------------------------------- */

/* Data of the plan's results for the outputs: a node for each result, and a reference for each output. When memory is gone
 * no output is made. */
static enum heddle_status make_outputs(const struct heddle_replay *r,
                                       const struct heddle_replay_call *call,
                                       struct heddle_storage *storages[])
{
    heddle_array *made[HEDDLE_REPLAY_ARRAYS] = {NULL};
    bool ok = true;
    for (int k = 0; k < r->n_outputs; k++) {
        const struct output *o = &r->outputs[k];
        if (o->is_input || made[o->index]) continue;
        heddle_array *a = made[o->index] =
            heddle__node_new(HEDDLE_NODE_DATA, (enum heddle_dtype)o->dtype, o->ndim, o->shape);
        if (!a) {
            ok = false;
            break;
        }
        a->storage = storages[o->index];
        storages[o->index] = NULL;
    }
    for (int k = 0; k < r->n_outputs && ok; k++) {
        const struct output *o = &r->outputs[k];
        call->outputs[k] = heddle__retain(o->is_input ? call->inputs[o->index] : made[o->index]);
    }
    for (int32_t i = 0; i < r->n_results; i++) {
        if (made[i]) heddle__release(made[i]);
        heddle__storage_release(storages[i]);
    }
    return ok ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "heddle_%s: out of memory", call->name);
}

static enum heddle_status run_again(const struct heddle_replay *r,
                                    const struct heddle_replay_call *call)
{
    struct heddle_storage *inputs[HEDDLE_REPLAY_ARRAYS], *results[HEDDLE_REPLAY_ARRAYS];
    for (int32_t k = 0; k < r->n_leaves; k++) inputs[k] = call->inputs[r->leaves[k]]->storage;
    const struct heddle_bindings bindings = {inputs, r->constants, NULL, NULL};
    const enum heddle_status status = heddle__execute(r->plan, &bindings, results);
    if (status != HEDDLE_OK) return status;
    heddle__count_locked(&heddle__counters.evaluations, 1);
    heddle__count_locked(&heddle__counters.runs_again, 1);
    return make_outputs(r, call, results);
}

/* With this thread's last error. */
static void fail_outputs(const struct heddle_replay_call *call)
{
    for (int k = 0; k < call->n_outputs; k++) call->outputs[k] = heddle_keep(heddle__error_last());
}

bool heddle__replay(struct heddle_replays *replays, struct heddle_replay_call *call,
                    enum heddle_status *status)
{
    call->draft = NULL;
    *status = heddle__refuse_in_function(call->name);
    for (int i = 0; i < call->n_inputs && heddle__checking() && *status == HEDDLE_OK; i++)
        *status = heddle__check_array(call->name, i + 1, call->inputs[i]);
    if (*status == HEDDLE_OK) *status = heddle__check_stack();
    if (*status != HEDDLE_OK) {
        fail_outputs(call);
        return true;
    }
    heddle__evaluation_lock();
    const uint64_t overwritable = find_overwritable(call);
    int i = 0;
    while (i < HEDDLE_REPLAYS && replays->at[i] && !fits(replays->at[i], call, overwritable)) i++;
    struct heddle_replay *r = i < HEDDLE_REPLAYS ? replays->at[i] : NULL;
    bool is_done = r != NULL;
    if (r) {
        memmove(replays->at + 1, replays->at, (size_t)i * sizeof r);
        replays->at[0] = r;
        *status = run_again(r, call);
        /* else recording it anew may do, or says what is wrong with which output */
        is_done = *status == HEDDLE_OK || r->overwritten;
    } else {
        call->draft = draft(call, overwritable);
    }
    heddle__evaluation_unlock();
    if (is_done && *status != HEDDLE_OK) fail_outputs(call);
    return is_done;
}

enum heddle_status heddle__replay_evaluate(struct heddle_replays *replays,
                                           struct heddle_replay_call *call)
{
    const enum heddle_status status = heddle__start_noting(call);
    heddle__evaluation_lock();
    if (call->draft && call->draft->plan && status == HEDDLE_OK)
        keep(replays, call->draft);
    else
        free_replay(call->draft);
    call->draft = NULL;
    heddle__evaluation_unlock();
    return status;
}
