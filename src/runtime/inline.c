/* Inline execution: a small plan, kernel by kernel, on the caller's thread. No StarPU, no system
 * call and no allocation in the steady state. Entry points: heddle__execute_inline. */
#include "runtime/internal.h"

#include "base/memory.h"
#include "kernels.h"

#include <string.h>

enum {
    STACK_SLOTS = 48,
    STACK_CONSTANTS = 32,
    MEMOS_MAX = 32, /* calls of a plan that are remembered; of more the memory would count */
};

/* All under the evaluation lock. */
static char *arena; /* temporaries */
static int64_t arena_bytes;

static char *arena_of(int64_t size_bytes)
{
    if (size_bytes <= arena_bytes) return arena;
    heddle__free(arena);
    arena = heddle__alloc_aligned((size_t)size_bytes * 2);
    arena_bytes = arena ? size_bytes * 2 : 0;
    return arena;
}

void heddle__inline_close(void)
{
    heddle__free(arena);
    arena = NULL;
    arena_bytes = 0;
}

/* Where each part of each array of the plan is. */
struct slots {
    int32_t *first; /* [n_arrays + 1]: of an array's parts in `at` */
    void **at;
};

static int64_t part_bytes(const struct heddle_plan_array *a, int64_t part)
{
    const struct heddle_grid *g = a->grid;
    int64_t n = a->element_bytes;
    if (g->n_parts > 1) return heddle__grid_part_size(g, part) * n;
    for (int d = 0; d < g->ndim; d++) n *= g->shape[d];
    return n;
}

static int64_t padded(int64_t size_bytes)
{
    return (size_bytes + 63) / 64 * 64;
}

/* Host memory for a result: whole, or compact parts in a row when it is cut. */
static struct heddle_storage *new_result(const struct heddle_plan_array *a)
{
    if (a->grid->n_parts == 1) {
        struct heddle_storage *s = heddle__storage_new(part_bytes(a, 0));
        if (s) s->element_bytes = a->element_bytes;
        return s;
    }
    struct heddle_storage *s = heddle__storage_parted(a->grid, a->element_bytes);
    if (!s) return NULL;
    int64_t total = 0;
    for (int64_t p = 0; p < s->n_parts; p++) total += padded(part_bytes(a, p));
    char *at = heddle__storage_make_copies(s, total);
    if (!at) {
        heddle__storage_release(s);
        return NULL;
    }
    for (int64_t p = 0; p < s->n_parts; p++) {
        s->parts[p].host = at;
        at += padded(part_bytes(a, p));
    }
    return s;
}

static bool place_input(struct heddle_storage *s, void **at, int64_t n_parts)
{
    if (s->data && n_parts == 1) {
        at[0] = s->data;
        return true;
    }
    if (s->n_parts != n_parts) return false;
    for (int64_t p = 0; p < n_parts; p++)
        if (!(at[p] = (void *)(uintptr_t)heddle__part_acquire(s, p))) {
            while (p-- > 0) heddle__part_release(s, p);
            return false;
        }
    return true;
}

static void release_inputs(const struct heddle_plan *plan, struct heddle_storage *const inputs[],
                           int32_t n_placed)
{
    for (int32_t i = 0; i < n_placed; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->role != HEDDLE_ROLE_INPUT || a->same_as >= 0) continue;
        struct heddle_storage *s = inputs[a->index];
        if (s->data && a->grid->n_parts == 1) continue;
        for (int64_t p = 0; p < a->grid->n_parts; p++) heddle__part_release(s, p);
    }
}

/* The result that array `i`, a temporary, is under another shape; -1: none. */
static int32_t result_of(const struct heddle_plan *plan, int32_t i)
{
    for (int32_t k = 0; k < plan->n_results; k++) {
        const int32_t r = plan->results[k];
        if (plan->arrays[r].same_as >= 0 && heddle__owner_of(plan, r) == i) return r;
    }
    return -1;
}

/* Sets `slots`; makes the results. *n_placed arrays are done. */
static enum heddle_status place(const struct heddle_plan *plan,
                                struct heddle_storage *const inputs[],
                                struct heddle_storage *results[], struct slots *slots,
                                int32_t *n_placed)
{
    int64_t temporary = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->role == HEDDLE_ROLE_TEMPORARY && a->same_as < 0)
            for (int64_t p = 0; p < a->grid->n_parts; p++) temporary += padded(part_bytes(a, p));
    }
    char *at = temporary ? arena_of(temporary) : NULL;
    if (temporary && !at) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");

    for (int32_t i = 0; i < plan->n_arrays; i++, ++*n_placed) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        void **part = slots->at + slots->first[i];
        if (a->same_as >= 0) continue; /* second round */
        if (a->role == HEDDLE_ROLE_INPUT) {
            if (!place_input(inputs[a->index], part, a->grid->n_parts))
                return heddle__fail(HEDDLE_EINTERNAL, "runtime: an input is not in host memory");
        } else if (a->role == HEDDLE_ROLE_TEMPORARY && result_of(plan, i) < 0) {
            for (int64_t p = 0; p < a->grid->n_parts; at += padded(part_bytes(a, p)), p++)
                part[p] = at;
        } else {
            const int32_t r = a->role == HEDDLE_ROLE_RESULT ? i : result_of(plan, i);
            const int32_t index = plan->arrays[r].index;
            struct heddle_storage *s = results[index] = new_result(&plan->arrays[r]);
            if (!s)
                return heddle__fail(HEDDLE_ENOMEM,
                                    "heddle_eval: no memory for a result of %lld "
                                    "bytes",
                                    (long long)part_bytes(a, 0));
            for (int64_t p = 0; p < s->n_parts; p++) part[p] = s->data ? s->data : s->parts[p].host;
        }
    }
    return HEDDLE_OK;
}

/* Arrays that are another one's data. */
static enum heddle_status place_same(const struct heddle_plan *plan,
                                     struct heddle_storage *const inputs[],
                                     struct heddle_storage *results[], struct slots *slots)
{
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->same_as < 0) continue;
        const int32_t owner = heddle__owner_of(plan, i);
        const struct heddle_plan_array *o = &plan->arrays[owner];
        for (int64_t p = 0; p < a->grid->n_parts; p++)
            slots->at[slots->first[i] + p] = slots->at[slots->first[owner] + p];
        if (a->role != HEDDLE_ROLE_RESULT || results[a->index]) continue;
        const int32_t r = o->role == HEDDLE_ROLE_TEMPORARY ? result_of(plan, owner) : owner;
        struct heddle_storage *of =
            o->role == HEDDLE_ROLE_INPUT ? inputs[o->index] : results[plan->arrays[r].index];
        results[a->index] = heddle__storage_same(of, plan->arrays[r].grid, a->grid);
        if (!results[a->index])
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
    }
    return HEDDLE_OK;
}

static enum heddle_status run_task(const struct heddle_plan *plan,
                                   const struct heddle_plan_task *task, const struct slots *slots,
                                   const union heddle_scalar constants[])
{
    static const struct heddle_cpu_team alone = {1};
    void *room[STACK_SLOTS];
    void **buffers = room;
    if (task->n_uses > STACK_SLOTS) {
        buffers = heddle__alloc((size_t)task->n_uses * sizeof *buffers);
        if (!buffers) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
    }
    const struct heddle_plan_use *uses = plan->uses + task->first_use;
    for (int32_t i = 0; i < task->n_uses; i++)
        buffers[i] = slots->at[slots->first[uses[i].array] + uses[i].part];
    enum heddle_status status = HEDDLE_OK;
    for (int32_t i = 0; i < task->n_calls && status == HEDDLE_OK; i++) {
        const struct heddle_kernel_call *call = &plan->calls[task->first_call + i];
        if (call->family == HEDDLE_FAMILY_MATMUL)
            status = heddle__cpu_matmul(&call->matmul, buffers, &alone);
        else if (plan->memos)
            status = heddle__cpu_program_again(&call->program, buffers, constants, &alone,
                                               &plan->memos[task->first_call + i]);
        else
            status = heddle__cpu_program(&call->program, buffers, constants, &alone);
    }
    if (buffers != room) heddle__free(buffers);
    return status;
}

enum heddle_status heddle__execute_inline(struct heddle_plan *plan,
                                          struct heddle_storage *const inputs[],
                                          const union heddle_scalar constants[],
                                          struct heddle_storage *results[])
{
    int32_t first_room[STACK_SLOTS + 1];
    void *at_room[STACK_SLOTS];
    union heddle_scalar constants_room[STACK_CONSTANTS];
    struct slots slots = {first_room, at_room};
    void *memory = NULL;
    int64_t n_slots = 0;
    const int32_t n_constants = plan->n_constants + plan->n_literals;

    if (!plan->memos && plan->n_calls <= MEMOS_MAX) /* if there is no memory, without */
        plan->memos = heddle__calloc((size_t)plan->n_calls, sizeof *plan->memos);

    /* Tables: on the stack when they are small. */
    for (int32_t i = 0; i < plan->n_arrays; i++) n_slots += plan->arrays[i].grid->n_parts;
    const bool small = n_slots <= STACK_SLOTS && plan->n_arrays <= STACK_SLOTS &&
                       (plan->n_literals == 0 || n_constants <= STACK_CONSTANTS);
    union heddle_scalar *all = constants_room;
    if (!small) {
        const size_t bytes_constants = (size_t)n_constants * sizeof *all;
        const size_t bytes_slots = (size_t)n_slots * sizeof *slots.at;
        memory = heddle__alloc(bytes_constants + bytes_slots +
                               (size_t)(plan->n_arrays + 1) * sizeof *slots.first);
        if (!memory) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
        all = memory;
        slots.at = (void **)(void *)((char *)memory + bytes_constants);
        slots.first = (int32_t *)(void *)((char *)slots.at + bytes_slots);
    }
    slots.first[0] = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        slots.first[i + 1] = slots.first[i] + (int32_t)plan->arrays[i].grid->n_parts;
    if (plan->n_literals > 0) {
        if (plan->n_constants > 0) memcpy(all, constants, (size_t)plan->n_constants * sizeof *all);
        memcpy(all + plan->n_constants, plan->literals, (size_t)plan->n_literals * sizeof *all);
        constants = all;
    }
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;

    int32_t n_placed = 0;
    enum heddle_status status = place(plan, inputs, results, &slots, &n_placed);
    if (status == HEDDLE_OK) status = place_same(plan, inputs, results, &slots);
    for (int64_t t = 0; t < plan->n_tasks && status == HEDDLE_OK; t++)
        status = run_task(plan, &plan->tasks[t], &slots, constants);

    release_inputs(plan, inputs, n_placed);
    heddle__free(memory);
    heddle__count_locked(&heddle__counters.inline_programs, plan->n_tasks);
    if (status == HEDDLE_OK) return HEDDLE_OK;
    for (int32_t i = 0; i < plan->n_results; i++) {
        heddle__storage_release(results[i]);
        results[i] = NULL;
    }
    return status;
}
