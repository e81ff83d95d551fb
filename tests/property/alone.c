/* The library without its runtime: storages are plain memory, plans run one task after the other on
 * this thread. So planner and CPU kernels are tested with neither StarPU nor a device. */
#include "base/memory.h"
#include "runtime/storage.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

struct heddle_storage {
    atomic_int refs;
    struct heddle_grid *grid; /* NULL: whole[] is all of it, not partitioned yet */
    char *whole;
    char **parts;
    int64_t n_parts;
    struct heddle_storage *base; /* whose parts these are, under another shape */
    void (*deleter)(void *user);
    void *user;
};

static struct heddle_policy policy;

struct heddle_storage *heddle__storage_wrap(const void *data, int64_t size_bytes,
                                            void (*deleter)(void *user), void *user)
{
    struct heddle_storage *s = calloc(1, sizeof *s);
    (void)size_bytes;
    s->refs = 1;
    s->whole = (char *)(uintptr_t)data;
    s->deleter = deleter;
    s->user = user;
    return s;
}

struct heddle_storage *heddle__storage_copy(const void *data, int64_t size_bytes)
{
    char *copy = malloc((size_t)size_bytes + 1);
    memcpy(copy, data, (size_t)size_bytes);
    return heddle__storage_wrap(copy, size_bytes, free, copy);
}

struct heddle_storage *heddle__storage_retain(struct heddle_storage *s)
{
    atomic_fetch_add(&s->refs, 1);
    return s;
}

void heddle__storage_release(struct heddle_storage *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1) return;
    for (int64_t i = 0; i < s->n_parts && !s->base; i++) free(s->parts[i]);
    if (!s->base) free(s->parts);
    heddle__storage_release(s->base);
    if (s->deleter) s->deleter(s->user);
    heddle__grid_release(s->grid);
    free(s);
}

struct heddle_grid *heddle__storage_grid(const struct heddle_storage *s)
{
    return s->grid;
}

bool heddle__storage_on_host(const struct heddle_storage *s)
{
    return s->grid == NULL || s->n_parts <= 1;
}

/* Copies one part to or from C order. */
static void move_part(const struct heddle_grid *grid, int64_t part, size_t size, char *whole,
                      char *compact, bool to_part)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    const int64_t n = heddle__box_size(&box, grid->ndim);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0, along = 1, rest = i;
        for (int d = grid->ndim - 1; d >= 0; d--) {
            const int64_t extent = box.hi[d] - box.lo[d];
            at += (box.lo[d] + rest % extent) * along;
            rest /= extent;
            along *= grid->shape[d];
        }
        if (to_part)
            memcpy(compact + (size_t)i * size, whole + (size_t)at * size, size);
        else
            memcpy(whole + (size_t)at * size, compact + (size_t)i * size, size);
    }
}

static void make_parts(struct heddle_storage *s, struct heddle_grid *grid, size_t size)
{
    s->grid = heddle__grid_retain(grid);
    s->n_parts = grid->n_parts;
    s->parts = calloc((size_t)grid->n_parts, sizeof *s->parts);
    for (int64_t i = 0; i < grid->n_parts; i++) {
        const size_t bytes = (size_t)heddle__grid_part_size(grid, i) * size;
        s->parts[i] = malloc(bytes + 16);
        memset(s->parts[i], 0xa5, bytes + 16); /* unwritten elements show */
        if (s->whole) move_part(grid, i, size, s->whole, s->parts[i], true);
    }
}

static enum heddle_status call_function(const struct heddle_part_call *c, void *const buffers[],
                                        const union heddle_scalar *constants)
{
    const struct heddle_function *f = heddle__function_of(constants[c->function]);
    struct heddle_part_view view = {.data = buffers[c->in], .part = c->part};
    memcpy(view.lo, c->lo, sizeof view.lo);
    memcpy(view.shape, c->shape, sizeof view.shape);
    memcpy(view.before, c->before, sizeof view.before);
    memcpy(view.after, c->after, sizeof view.after);
    return f->cpu(&view, buffers[c->out], f->user);
}

static struct heddle_storage *same_as(struct heddle_storage *base, struct heddle_grid *grid)
{
    struct heddle_storage *s = heddle__storage_wrap(NULL, 0, NULL, NULL);
    s->base = heddle__storage_retain(base);
    s->grid = heddle__grid_retain(grid);
    s->parts = base->parts;
    s->n_parts = base->n_parts;
    return s;
}

static enum heddle_status run_task(const struct heddle_plan *plan, int64_t i,
                                   struct heddle_storage **storages,
                                   const union heddle_scalar *constants)
{
    const struct heddle_plan_task *task = &plan->tasks[i];
    void *buffers[64];
    void **at = task->n_uses <= 64 ? buffers : malloc((size_t)task->n_uses * sizeof *at);
    for (int u = 0; u < task->n_uses; u++) {
        const struct heddle_plan_use *use = &plan->uses[task->first_use + u];
        at[u] = storages[use->array]->parts[use->part];
    }
    const struct heddle_cpu_team team = {1};
    enum heddle_status status = HEDDLE_OK;
    for (int c = 0; c < task->n_calls && status == HEDDLE_OK; c++) {
        const struct heddle_kernel_call *call = &plan->calls[task->first_call + c];
        switch (call->family) {
        case HEDDLE_FAMILY_PROGRAM:
            status = heddle__cpu_program(&call->program, at, constants, &team);
            break;
        case HEDDLE_FAMILY_MATMUL: status = heddle__cpu_matmul(&call->matmul, at, &team); break;
        case HEDDLE_FAMILY_MAP_PARTS: status = call_function(call->part, at, constants); break;
        }
    }
    if (at != buffers) free(at);
    return status;
}

enum heddle_status heddle__execute(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                   const union heddle_scalar constants[],
                                   struct heddle_storage *results[])
{
    struct heddle_storage **storages = calloc((size_t)plan->n_arrays + 1, sizeof *storages);
    union heddle_scalar *values =
        calloc((size_t)(plan->n_constants + plan->n_literals) + 1, sizeof *values);
    memcpy(values, constants, (size_t)plan->n_constants * sizeof *values);
    if (plan->n_literals)
        memcpy(values + plan->n_constants, plan->literals,
               (size_t)plan->n_literals * sizeof *values);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->same_as >= 0) continue;
        storages[i] = a->role == HEDDLE_ROLE_INPUT ? heddle__storage_retain(inputs[a->index])
                                                   : heddle__storage_wrap(NULL, 0, NULL, NULL);
        if (!storages[i]->grid) make_parts(storages[i], a->grid, (size_t)a->element_bytes);
    }
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->arrays[i].same_as >= 0)
            storages[i] = same_as(storages[plan->arrays[i].same_as], plan->arrays[i].grid);
    enum heddle_status status = HEDDLE_OK;
    for (int64_t i = 0; i < plan->n_tasks && status == HEDDLE_OK; i++)
        status = run_task(plan, i, storages, values);
    for (int32_t i = 0; i < plan->n_results && status == HEDDLE_OK; i++)
        results[i] = heddle__storage_retain(storages[plan->results[i]]);
    for (int32_t i = 0; i < plan->n_arrays; i++) heddle__storage_release(storages[i]);
    free(storages);
    free(values);
    return status;
}

/* ---- The public functions of the runtime ----------------------------------------------------------- */

enum heddle_status heddle_configure(const struct heddle_config *config)
{
    /* GPUs so slow that small products and arrays are worth sharing among them. */
    policy = (struct heddle_policy){.n_gpus = 3,
                                    .n_places = 4,
                                    .n_teams = 1,
                                    .places = {{HEDDLE_PLACE_GPU, 3e3, 3e4, 1e3, 0},
                                               {HEDDLE_PLACE_GPU + 1, 2e3, 1e4, 1e3, 0},
                                               {HEDDLE_PLACE_GPU + 2, 3e3, 3e4, 4e2, 0},
                                               {HEDDLE_PLACE_CPU, 1e3, 1e4, 0, 0}},
                                    .part_bytes = config->part_bytes ? config->part_bytes : 1 << 20,
                                    .inline_bytes = config->inline_bytes,
                                    .fusion = !config->no_fusion};
    heddle__policy_finish(&policy);
    for (const char *at = config->partition; at && *at; at += *at == 'x')
        policy.force[policy.force_n++] = (int32_t)strtol(at, (char **)(uintptr_t)&at, 10);
    return HEDDLE_OK;
}

enum heddle_status heddle_shutdown(void)
{
    heddle__plan_cache_clear();
    return HEDDLE_OK;
}

void heddle_statistics_get(struct heddle_statistics *out)
{
    *out = (struct heddle_statistics){0};
}

enum heddle_status heddle_eval_all(int n, heddle_array *const arrays[])
{
    struct heddle_walk walk = {0};
    struct heddle_plan *plan = NULL;
    bool cached;
    enum heddle_status status = heddle__walk(&walk, n, arrays);
    if (status == HEDDLE_OK && walk.n_results) {
        plan = heddle__plan_get(&walk, &policy, &cached);
        status = plan ? HEDDLE_OK : heddle__last_code();
    }
    if (plan) {
        struct heddle_storage **inputs = calloc((size_t)walk.n_leaves + 1, sizeof *inputs);
        struct heddle_storage **results = calloc((size_t)walk.n_results, sizeof *results);
        union heddle_scalar *constants = calloc((size_t)walk.n_constants + 1, sizeof *constants);
        for (int i = 0; i < walk.n_leaves; i++) inputs[i] = walk.leaves[i]->storage;
        for (int i = 0; i < walk.n_constants; i++) constants[i] = walk.constants[i]->value;
        status = heddle__execute(plan, inputs, constants, results);
        for (int i = 0; i < walk.n_results && status == HEDDLE_OK; i++)
            heddle__node_become_data(walk.results[i], results[i]);
        free(inputs);
        free(results);
        free(constants);
        heddle__plan_release(plan);
    }
    heddle__walk_free(&walk);
    return status;
}

enum heddle_status heddle_eval(heddle_array *a)
{
    return heddle_eval_all(1, &a);
}

enum heddle_status heddle_wait(heddle_array *a)
{
    return heddle_eval(a);
}

enum heddle_status heddle_read(heddle_array *a, void *out, int64_t size_bytes)
{
    const enum heddle_status status = heddle_eval(a);
    if (status != HEDDLE_OK) return status;
    const struct heddle_storage *s = a->storage;
    if (!s->grid)
        memcpy(out, s->whole, (size_t)size_bytes);
    else if (s->n_parts == 1)
        memcpy(out, s->parts[0], (size_t)size_bytes);
    else
        for (int64_t i = 0; i < s->n_parts; i++)
            move_part(s->grid, i, heddle_dtype_size(a->dtype), out, s->parts[i], false);
    return HEDDLE_OK;
}

void heddle__evaluation_lock(void) {}
void heddle__evaluation_unlock(void) {}
const struct heddle_policy *heddle__policy(void);
const struct heddle_policy *heddle__policy(void)
{
    return &policy;
}

enum heddle_status heddle__check_places(const char *name, int n, const heddle_place *places)
{
    (void)name, (void)n, (void)places;
    return HEDDLE_OK;
}

enum heddle_status heddle__explain_run(heddle_array *a, char **text);
enum heddle_status heddle__explain_run(heddle_array *a, char **text)
{
    (void)a, (void)text;
    return HEDDLE_EUNSUPPORTED;
}

enum heddle_status heddle_count_places(int *n_cpus, int *n_gpus)
{
    *n_cpus = 3;
    *n_gpus = 0;
    return HEDDLE_OK;
}
