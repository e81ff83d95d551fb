/* Evaluation: walk, plan and execute under one lock; then wait outside of it. A failure makes the arrays
 * that were asked for errors. Entry points: heddle_eval, heddle_eval_all, heddle_wait. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/user_function.h"
#include "graph/check.h"
#include "graph/evaluator.h"
#include "plan/make/make.h"
#include "run/counters/counters.h"
#include "run/data.h"
#include "run/evaluate.h"
#include "run/execute.h"
#include "run/life.h"
#include "run/parts.h"
#include "run/replay.h"
#include "run/settings.h"

#include <stdio.h>
#include <string.h>

enum { STACK_ARRAYS = 32, STACK_OBJECTS = 8 };

static struct heddle_walk walk; /* reused; under the evaluation lock */

/* Memory for arrays that are being evaluated; under the evaluation lock. */
static struct {
    int n;
    heddle_array *const *arrays;
    const struct heddle_given *given;
} into;

static struct heddle_replay_call
    *noting; /* the evaluation of its outputs; under the evaluation lock */

void heddle__evaluate_close(void)
{
    heddle__walk_free(&walk);
    memset(&walk, 0, sizeof walk);
}

enum heddle_status heddle__settle(heddle_array *a)
{
    if (a->kind == HEDDLE_NODE_ERROR)
        return heddle__fail(heddle_status_of(a), "%s", heddle_error(a));
    if (a->kind != HEDDLE_NODE_DATA) return HEDDLE_OK;
    const char *text;
    struct heddle_fault *fault = a->storage->fault;
    const enum heddle_status status = heddle__fault_get(fault, &text);
    if (status == HEDDLE_OK) return HEDDLE_OK;
    heddle__fail(status, "%s", text);
    heddle__node_become_error(a, status, heddle_last_error());
    return status;
}

/* Lets the plan overwrite leaves that nobody will see any more, if the storage is theirs alone and Heddle's.
 * (Storages that StarPU knows only tasks may write, others only the inline path: emit.c sees to that.) */
static void give_leaves(void)
{
    if (!heddle__walk_find_reusable(&walk)) return;
    for (int32_t i = 0; i < walk.n_leaves; i++)
        walk.reusable[i] = walk.reusable[i] && heddle__storage_is_private(walk.leaves[i]->storage);
    heddle__walk_give_reusable(&walk);
}

static bool
    keeping; /* under the evaluation lock: what is computed again and again is being evaluated */

static enum heddle_status evaluate(int n, heddle_array *const roots[]);

/* Evaluates what the walk computes again and again. True: it did, or tried to; walk again. */
static bool keep_repeated(const struct heddle_policy *policy)
{
    heddle_array *a = keeping ? NULL : heddle__walk_find_repeated(&walk, policy->host_bytes);
    if (!a) return false;
    keeping = true;
    evaluate(1, &a);
    keeping = false;
    return true;
}

/* Makes the walk's plan; starts the runtime if the plan needs it. */
static enum heddle_status plan_walk(int n, heddle_array *const roots[], struct heddle_plan **out)
{
    *out = NULL;
    for (bool kept = false;;) {
        const struct heddle_policy *policy = heddle__policy();
        if (!policy) return heddle__last_code();
        enum heddle_status status = heddle__walk(&walk, n, roots);
        if (status != HEDDLE_OK || walk.n_results == 0) return status;
        for (int32_t i = 0; i < walk.n_leaves; i++)
            if ((status = heddle__settle(walk.leaves[i])) != HEDDLE_OK) return status;
        if (!kept && (kept = keep_repeated(policy))) continue;
        give_leaves();

        bool cached = false;
        struct heddle_plan *plan = heddle__plan_get(&walk, policy, &cached);
        if (!plan) return heddle__last_code();
        if (!cached) heddle__count_locked(&heddle__counters.plans_made, 1);
        if (heddle__runs_here(plan) || heddle__is_started()) {
            *out = plan;
            return HEDDLE_OK;
        }
        heddle__plan_release(plan); /* the devices were not known: plan again for them */
        status = heddle__need_runtime();
        if (status != HEDDLE_OK) return status;
    }
}

/* What a plan reads and what it makes, on the stack if that has room. */
struct arrays {
    struct heddle_storage *stack_storages[STACK_ARRAYS];
    union heddle_scalar stack_constants[STACK_ARRAYS];
    struct heddle_object *stack_objects[STACK_OBJECTS];
    struct heddle_storage **inputs, **results; /* results follow the inputs */
    union heddle_scalar *constants;
    struct heddle_object **objects;
    struct heddle_given *given; /* NULL: none */
};

/* Finds the memory given for the results of the walk. False when memory is gone. */
static bool find_given(struct arrays *a)
{
    a->given = NULL;
    if (into.n == 0) return true;
    a->given = heddle__calloc((size_t)walk.n_results, sizeof *a->given);
    for (int32_t i = 0; i < walk.n_results && a->given; i++)
        for (int k = 0; k < into.n && !a->given[i].at; k++)
            if (walk.results[i].output < 0 && walk.results[i].node == into.arrays[k])
                a->given[i] = into.given[k];
    return a->given;
}

static bool arrays_open(struct arrays *a)
{
    const int32_t n_storages = walk.n_leaves + walk.n_results;
    a->inputs = a->stack_storages;
    a->constants = a->stack_constants;
    a->objects = a->stack_objects;
    if (n_storages > STACK_ARRAYS)
        a->inputs = heddle__alloc((size_t)n_storages * sizeof(struct heddle_storage *));
    if (walk.n_constants > STACK_ARRAYS)
        a->constants = heddle__alloc((size_t)walk.n_constants * sizeof *a->constants);
    if (walk.n_objects > STACK_OBJECTS)
        a->objects = heddle__alloc((size_t)walk.n_objects * sizeof(struct heddle_object *));
    if (!find_given(a) || !a->inputs || !a->constants || !a->objects) return false;
    a->results = a->inputs + walk.n_leaves;
    for (int32_t i = 0; i < walk.n_leaves; i++) a->inputs[i] = walk.leaves[i]->storage;
    for (int32_t i = 0; i < walk.n_constants; i++) a->constants[i] = walk.constants[i]->value;
    for (int32_t i = 0; i < walk.n_objects; i++) a->objects[i] = walk.objects[i]->operation->object;
    return true;
}

static void arrays_close(struct arrays *a)
{
    if (a->inputs != a->stack_storages) heddle__free(a->inputs);
    if (a->constants != a->stack_constants) heddle__free(a->constants);
    if (a->objects != a->stack_objects) heddle__free(a->objects);
    heddle__free(a->given);
}

/* Gives the results from `i` on, all outputs of one operation, to the operation, and tells how many they
 * are. When memory is gone the operation stays as it is, and is computed again. */
static int32_t keep_outputs(struct heddle_storage *results[], int32_t i)
{
    heddle_array *node = walk.results[i].node;
    const int32_t n = heddle__n_outputs(heddle__family_of(node));
    struct heddle_storage **kept = heddle__calloc((size_t)n + 1, sizeof(struct heddle_storage *));
    for (int32_t k = 0; k < n; k++) {
        if (kept)
            kept[k] = results[i + k];
        else
            heddle__storage_release(results[i + k]);
    }
    if (kept) heddle__node_become_tuple(node, kept);
    return n;
}

static enum heddle_status execute_walk(struct heddle_plan *plan)
{
    struct arrays a;
    enum heddle_status status;
    if (arrays_open(&a)) {
        const struct heddle_bindings bindings = {a.inputs, a.constants, a.objects, a.given};
        status = heddle__execute(plan, &bindings, a.results);
    } else {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for %d arrays",
                              walk.n_leaves + walk.n_results);
    }
    for (int32_t i = 0; i < walk.n_results && status == HEDDLE_OK;) {
        if (walk.results[i].output >= 0) {
            i += keep_outputs(a.results, i);
            continue;
        }
        heddle__node_become_data(walk.results[i].node, a.results[i]);
        i++;
    }
    arrays_close(&a);
    return status;
}

/* Under the lock. */
static enum heddle_status evaluate(int n, heddle_array *const roots[])
{
    struct heddle_plan *plan;
    const int64_t refused = heddle__n_refused;
    enum heddle_status status = plan_walk(n, roots, &plan);
    const bool overwrites = plan && walk.gives;
    if (noting && !keeping && status == HEDDLE_OK && plan) heddle__replay_note(noting, &walk, plan);
    if (status == HEDDLE_OK && plan) {
        status = execute_walk(plan);
        heddle__plan_release(plan);
        heddle__count_locked(&heddle__counters.evaluations, 1);
    }
    if (status == HEDDLE_OK || heddle__n_refused != refused) return status; /* nothing has begun */
    if (n > 1 && !overwrites) { /* those that do not need what failed still work */
        for (int i = 0; i < n; i++) evaluate(1, &roots[i]);
        for (int i = 0; i < n; i++)
            if (roots[i]->kind == HEDDLE_NODE_ERROR) return heddle__settle(roots[i]);
        return HEDDLE_OK;
    }
    char text[HEDDLE_ERROR_TEXT_MAX];
    snprintf(text, sizeof text, "%s", heddle_last_error()); /* of this thread */
    for (int i = 0; i < n; i++)
        if (roots[i]->kind != HEDDLE_NODE_ERROR && roots[i]->kind != HEDDLE_NODE_DATA)
            heddle__node_become_error(roots[i], status, text);
    return status;
}

/* Whether an array is data; outputs of operations that were computed become data here. Under the lock. */
static bool is_settled(heddle_array *a)
{
    if (a->kind == HEDDLE_NODE_OUTPUT) heddle__node_settle_output(a);
    return a->kind == HEDDLE_NODE_DATA;
}

enum heddle_status heddle__check_stack(void)
{
    int64_t left;
    HEDDLE_REQUIRE(heddle__stack_has_room(&left), HEDDLE_ENOMEM,
                   "heddle_eval: the thread's stack has %lld KB left, too few for kernels (ulimit "
                   "-s, or the size that the thread was made with)",
                   (long long)(left >> 10));
    return HEDDLE_OK;
}

/* Under the lock. */
static enum heddle_status start_locked(int n, heddle_array *const arrays[])
{
    enum heddle_status status = HEDDLE_OK;
    bool needed = false;
    for (int i = 0; i < n; i++) {
        if (arrays[i]->kind == HEDDLE_NODE_ERROR) {
            if (status == HEDDLE_OK) status = heddle__settle(arrays[i]);
        } else if (!is_settled(arrays[i])) {
            needed = true;
        }
    }
    if (needed) {
        const enum heddle_status room = heddle__check_stack();
        if (room != HEDDLE_OK) return room;
    }
    if (needed && status == HEDDLE_OK) {
        status = evaluate(n, arrays);
    } else if (needed) { /* one is an error: evaluate the others one by one */
        for (int i = 0; i < n; i++)
            if (arrays[i]->kind != HEDDLE_NODE_ERROR && arrays[i]->kind != HEDDLE_NODE_DATA)
                evaluate(1, &arrays[i]);
    }
    return status;
}

_Thread_local int64_t heddle__n_asked;

static enum heddle_status start(const char *name, int n, heddle_array *const arrays[],
                                const struct heddle_given *given)
{
    heddle__n_asked++;
    enum heddle_status status = heddle__refuse_in_function(name);
    for (int i = 0; i < n && heddle__checking() && status == HEDDLE_OK; i++)
        status = heddle__check_array(name, n > 1 ? i + 1 : 0, arrays[i]);
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock();
    into.n = given ? n : 0;
    into.arrays = arrays;
    into.given = given;
    status = start_locked(n, arrays);
    into.n = 0;
    heddle__evaluation_unlock();
    return status;
}

enum heddle_status heddle__start(const char *name, int n, heddle_array *const arrays[])
{
    return start(name, n, arrays, NULL);
}

enum heddle_status heddle__start_noting(struct heddle_replay_call *call)
{
    heddle__evaluation_lock();
    noting = call;
    const enum heddle_status status = start_locked(call->n_outputs, call->outputs);
    noting = NULL;
    heddle__evaluation_unlock();
    return status;
}

enum heddle_status heddle__evaluate_into(int n, heddle_array *const arrays[],
                                         const struct heddle_given *given)
{
    return start("save", n, arrays, given);
}

enum heddle_status heddle_eval(heddle_array *a)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_eval: the array is NULL");
    return start("eval", 1, &a, NULL);
}

enum heddle_status heddle_eval_all(int n, heddle_array *const arrays[])
{
    HEDDLE_REQUIRE(n >= 0 && (n == 0 || arrays), HEDDLE_EARG,
                   "heddle_eval_all: n = %d arrays at NULL or n < 0", n);
    for (int i = 0; i < n; i++)
        HEDDLE_REQUIRE(arrays[i], HEDDLE_EARG, "heddle_eval_all: array %d is NULL", i);
    return n == 0 ? HEDDLE_OK : start("eval_all", n, arrays, NULL);
}

/* Under the lock. */
static void open_data(heddle_array *a, struct heddle_data *out)
{
    out->storage = heddle__storage_retain(a->storage);
    out->is_inside = heddle__storage_root(a->storage)->parts != NULL;
    if (out->is_inside) heddle__enter_locked();
}

void heddle__data_stay(struct heddle_data *data)
{
    if (!data->is_inside) heddle__enter();
    data->is_inside = true;
}

void heddle__data_close(struct heddle_data *data)
{
    heddle__storage_release(data->storage);
    if (data->is_inside) heddle__leave();
    *data = (struct heddle_data){0};
}

enum heddle_status heddle__data_open(const char *name, heddle_array *a, struct heddle_data *out)
{
    *out = (struct heddle_data){0};
    enum heddle_status status = heddle__refuse_in_function(name);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE_ALIVE(name, a);
    heddle__n_asked += a->kind != HEDDLE_NODE_CONSTANT;
    heddle__evaluation_lock();
    status = start_locked(1, &a);
    if (status == HEDDLE_OK && a->kind == HEDDLE_NODE_DATA) open_data(a, out);
    heddle__evaluation_unlock();
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(out->storage, HEDDLE_EINTERNAL, "heddle_%s: no data", name);

    const char *text;
    if (!heddle__storage_wait(out->storage)) {
        status = heddle__no_data(name, out->storage, 0);
    } else if (heddle__fault_get(out->storage->fault, &text) == HEDDLE_OK) {
        return HEDDLE_OK;
    } else {
        heddle__evaluation_lock();
        status = heddle__settle(a);
        heddle__evaluation_unlock();
    }
    heddle__data_close(out);
    return status;
}

enum heddle_status heddle_wait(heddle_array *a)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_wait: the array is NULL");
    struct heddle_data data;
    const enum heddle_status status = heddle__data_open("wait", a, &data);
    if (status == HEDDLE_OK) heddle__data_close(&data);
    return status;
}

/* ---- The graph's port -------------------------------------------------------------------------------- */

static const struct heddle_evaluator evaluator = {
    .read = heddle_read, .evaluate = heddle_eval_all, .check_places = heddle__check_known_places};

__attribute__((constructor)) static void fill_port(void)
{
    heddle__evaluator = &evaluator;
}
