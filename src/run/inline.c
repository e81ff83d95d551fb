/* Inline execution: runs a small plan on the caller's thread, kernel by kernel; every plan, if nothing
 * drives devices. No StarPU; no system call and no allocation in the steady state. Entry
 * points: heddle__execute_inline, heddle__inline_close. */
#include "array/file_pages.h"
#include "array/large_buffers.h"
#include "base/memory.h"
#include "base/team.h"
#include "run/data.h"
#include "run/execute.h"
#include "run/life.h"
#include "run/counters/counters.h"

#include <string.h>

enum {
    STACK_SLOTS = 48,
    STACK_CONSTANTS = 32,
    ARENA_MAX = 4 << 20, /* bytes that are kept; more come from the recycled buffers */
    MEMOS_MAX = 32,      /* a plan with more calls keeps nothing: it would take much memory */
};

/* Under the evaluation lock. */
static char *arena; /* of temporaries */
static int64_t arena_bytes;

static char *get_temporaries(int64_t size_bytes)
{
    if (size_bytes > ARENA_MAX) return heddle__large_buffer_get((size_t)size_bytes, false);
    if (size_bytes <= arena_bytes) return arena;
    heddle__free(arena);
    arena = heddle__alloc_aligned((size_t)size_bytes * 2);
    arena_bytes = arena ? size_bytes * 2 : 0;
    return arena;
}

static void put_temporaries(char *at, int64_t size_bytes)
{
    if (at && size_bytes > ARENA_MAX) heddle__large_buffer_put(at, (size_t)size_bytes, false);
}

void heddle__inline_close(void)
{
    heddle__free(arena);
    arena = NULL;
    arena_bytes = 0;
}

/* An execution, and where each slot of the plan is. */
struct execution {
    const struct heddle_plan *plan;
    const struct heddle_bindings *bindings;
    struct heddle_storage **results;
    void **at; /* [n_slots] */
    char *temporaries;
    int32_t n_placed; /* how many arrays have theirs */
    struct heddle_team *team;
};

/* ---- Memory ---------------------------------------------------------------------------------------- */

static enum heddle_status place_input(const struct execution *e, const struct heddle_plan_array *a)
{
    struct heddle_storage *s = e->bindings->inputs[a->index];
    const int64_t n = a->grid->n_parts;
    void **at = e->at + a->first_slot;
    if (s->data && n == 1) {
        at[0] = s->data;
        return HEDDLE_OK;
    }
    const enum heddle_status status = heddle__storage_cut(s, a->grid, a->element_bytes);
    if (status != HEDDLE_OK) return status;
    for (int64_t p = 0; p < n; p++) {
        at[p] = NULL;
        if (e->plan->slots[a->first_slot + p].bytes == 0) continue;
        if ((at[p] = (void *)(uintptr_t)heddle__part_acquire(s, p))) continue;
        while (p-- > 0)
            if (at[p]) heddle__part_release(s, p);
        return heddle__fail(HEDDLE_EINTERNAL, "runtime: an input is not in host memory");
    }
    return HEDDLE_OK;
}

static void release_inputs(const struct execution *e)
{
    for (int32_t i = 0; i < e->n_placed; i++) {
        const struct heddle_plan_array *a = &e->plan->arrays[i];
        if (a->role != HEDDLE_ROLE_INPUT || a->owner != i) continue;
        struct heddle_storage *s = e->bindings->inputs[a->index];
        if (s->data && a->grid->n_parts == 1) continue;
        for (int64_t p = 0; p < a->grid->n_parts; p++)
            if (e->at[a->first_slot + p]) heddle__part_release(s, p);
    }
}

static int64_t padded(int64_t size_bytes)
{
    return (size_bytes + 63) / 64 * 64;
}

/* Host memory for a result: whole or, if it is cut, in compact parts one after the other. */
static struct heddle_storage *new_result(const struct heddle_plan_array *a)
{
    if (a->grid->n_parts == 1 && !a->grid->place) {
        struct heddle_storage *s = heddle__storage_new(heddle__plan_array_bytes(a));
        if (s) s->element_bytes = a->element_bytes;
        return s;
    }
    struct heddle_storage *s = heddle__storage_parted(a->grid, a->element_bytes);
    if (!s) return NULL;
    int64_t total = 0;
    for (int64_t p = 0; p < s->n_parts; p++) total += padded(heddle__part_bytes(s, p));
    char *at = heddle__storage_make_copies(s, total);
    if (!at) {
        heddle__storage_release(s);
        return NULL;
    }
    for (int64_t p = 0; p < s->n_parts; p++) {
        s->parts[p].host = at;
        at += padded(heddle__part_bytes(s, p));
    }
    return s;
}

static enum heddle_status place_result(const struct execution *e, const struct heddle_plan_array *a)
{
    const struct heddle_plan_array *named = &e->plan->arrays[e->plan->results[a->kept_as]];
    const struct heddle_given *given = heddle__given_memory(e->plan, a->kept_as, e->bindings);
    struct heddle_storage *s = e->results[a->kept_as] =
        given
            ? heddle__storage_in_file(named->grid, named->element_bytes, given->at, given->mapping)
            : new_result(named);
    HEDDLE_REQUIRE(s, HEDDLE_ENOMEM, "heddle_eval: no memory for a result of %lld bytes",
                   (long long)heddle__plan_array_bytes(a));
    for (int64_t p = 0; p < s->n_parts; p++)
        e->at[a->first_slot + p] = s->parts ? s->parts[p].host : s->data;
    return HEDDLE_OK;
}

/* Fills what tasks must write with a pattern, so that what none writes shows. */
static void fill(const struct execution *e, const struct heddle_plan_array *a)
{
    if (a->role == HEDDLE_ROLE_INPUT) return;
    for (int64_t s = a->first_slot; s < a->first_slot + a->grid->n_parts; s++)
        if (e->at[s]) memset(e->at[s], 0xa5, (size_t)e->plan->slots[s].bytes);
}

static enum heddle_status place_all(struct execution *e)
{
    const struct heddle_plan *plan = e->plan;
    if (plan->temporary_bytes) e->temporaries = get_temporaries(plan->temporary_bytes);
    if (plan->temporary_bytes && !e->temporaries)
        return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
    enum heddle_status status = HEDDLE_OK;
    for (int32_t i = 0; i < plan->n_arrays && status == HEDDLE_OK; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->owner != i) {
            e->n_placed++;
            continue;
        }
        if (a->role == HEDDLE_ROLE_INPUT)
            status = place_input(e, a);
        else if (a->kept_as >= 0)
            status = place_result(e, a);
        else
            for (int64_t s = a->first_slot; s < a->first_slot + a->grid->n_parts; s++)
                e->at[s] = plan->slots[s].first_task < 0 /* no task makes it */
                               ? NULL
                               : e->temporaries + plan->slots[s].offset;
        if (status == HEDDLE_OK) e->n_placed++;
        if (status == HEDDLE_OK && heddle__invented_machine()) fill(e, a);
    }
    return status;
}

/* ---- Tasks ------------------------------------------------------------------------------------------ */

static enum heddle_status run_task(const struct execution *e, const struct heddle_plan_task *task,
                                   const union heddle_scalar constants[])
{
    const struct heddle_plan *plan = e->plan;
    void *room[STACK_SLOTS];
    void **buffers = room;
    if (task->n_uses > STACK_SLOTS) {
        buffers = heddle__alloc((size_t)task->n_uses * sizeof *buffers);
        if (!buffers) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
    }
    const struct heddle_plan_use *uses = plan->uses + task->first_use;
    for (int32_t i = 0; i < task->n_uses; i++) buffers[i] = e->at[uses[i].slot];
    struct heddle_kernel_context k = {.buffers = buffers,
                                      .constants = constants,
                                      .objects = e->bindings->objects,
                                      .place = HEDDLE_PLACE_CPU,
                                      .team = e->team};
    enum heddle_status status = HEDDLE_OK;
    heddle__expect_task_pages(plan, task, buffers);
    for (int64_t c = task->first_call; c < task->first_call + task->n_calls; c++) {
        k.memo = plan->memos ? &plan->memos[c] : NULL;
        status = heddle__call_cpu(&plan->calls[c], &k);
        if (status != HEDDLE_OK) break;
    }
    heddle__drop_task_pages(plan, task, buffers);
    if (buffers != room) heddle__free(buffers);
    return status;
}

static enum heddle_status run_all(struct execution *e, const union heddle_scalar constants[])
{
    const struct heddle_plan *plan = e->plan;
    enum heddle_status status = place_all(e);
    heddle__pages_begin();
    for (int64_t t = 0; t < plan->n_tasks && status == HEDDLE_OK; t++)
        status = run_task(e, &plan->tasks[heddle__plan_task_at(plan, t)], constants);
    heddle__pages_end();
    for (int32_t i = 0; i < plan->n_results && status == HEDDLE_OK; i++) {
        if (e->results[i]) continue;
        e->results[i] = heddle__result_storage(plan, i, e->bindings, e->results);
        if (!e->results[i]) status = heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
    }
    put_temporaries(e->temporaries, plan->temporary_bytes);
    release_inputs(e);
    return status;
}

enum heddle_status heddle__execute_inline(struct heddle_plan *plan,
                                          const struct heddle_bindings *bindings,
                                          struct heddle_storage *results[])
{
    void *at_room[STACK_SLOTS];
    union heddle_scalar constants_room[STACK_CONSTANTS];
    struct execution e = {plan, bindings, results, at_room, NULL, 0, NULL};
    void *memory = NULL;

    if (!plan->memos && plan->n_calls <= MEMOS_MAX) /* without memory: none */
        plan->memos = heddle__calloc((size_t)plan->n_calls, sizeof *plan->memos);

    /* small tables are on the stack */
    const int32_t n_constants = plan->n_constants + plan->n_literals;
    const union heddle_scalar *constants = bindings->constants;
    union heddle_scalar *all = constants_room;
    if (plan->n_slots > STACK_SLOTS || (plan->n_literals > 0 && n_constants > STACK_CONSTANTS)) {
        const size_t bytes_constants = (size_t)n_constants * sizeof *all;
        memory = heddle__alloc(bytes_constants + (size_t)(plan->n_slots + 1) * sizeof *e.at);
        if (!memory) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
        all = memory;
        e.at = (void **)(void *)((char *)memory + bytes_constants);
    }
    if (plan->n_literals > 0) {
        heddle__all_constants(plan, constants, all);
        constants = all;
    }
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;

    if (plan->uses_team) heddle__want_team();
    e.team = plan->uses_team ? heddle__team_borrow() : NULL;
    const enum heddle_status status = run_all(&e, constants);
    heddle__team_give_back(e.team);
    heddle__free(memory);
    heddle__count_locked(&heddle__counters.inline_programs, plan->n_tasks);
    for (int32_t i = 0; i < plan->n_inputs && plan->wears; i++)
        heddle__storage_wear(bindings->inputs[i]);
    if (status == HEDDLE_OK) return HEDDLE_OK;
    for (int32_t i = 0; i < plan->n_results; i++) {
        heddle__storage_release(results[i]);
        results[i] = NULL;
    }
    return status;
}
