/* Where a plan runs, and the policy that plans are made with. Entry points: heddle__policy,
 * heddle__execute. */
#include "run/execute.h"

#include "array/devices.h"
#include "array/host_memory.h"
#include "run/backend.h"
#include "run/life.h"

#include <string.h>

/* Work that takes as long as a trip through StarPU and back, 0.1 ms of a thread; and 1.2 ms, for each thread of the only
 * team. */
#define INLINE_BYTES_DEFAULT (2LL << 20)
#define INLINE_BYTES_WORN (1LL << 20) /* as long as a direct launch on a GPU, 0.02 ms */
#define INLINE_BYTES_TEAM (24LL << 20)
enum { INLINE_THREADS = 16 };

const struct heddle_backend *heddle__backend;
bool (*heddle__direct)(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                       struct heddle_storage *results[], enum heddle_status *status);
void (*heddle__direct_forget)(struct heddle_storage *storage);

/* ---- The policy ------------------------------------------------------------------------------------- */

static struct heddle_policy policy;
static uint64_t policy_generation; /* for which it was made; 0: none */
static bool is_invented;

void heddle__invent_machine(const struct heddle_policy *invented)
{
    heddle__evaluation_lock();
    heddle__new_generation();
    is_invented = invented != NULL;
    if (invented) policy = *invented;
    heddle__evaluation_unlock();
}

const struct heddle_policy *heddle__invented_machine(void)
{
    return is_invented ? &policy : NULL;
}

/* A forced partition is meant to be run by tasks. GPUs get data that are to stay there. Without any the caller's thread
 * has the team as StarPU's worker would have it, and sooner: nothing would run beside it. */
static int64_t inline_bytes(const struct heddle_settings *s, const struct heddle_policy *p)
{
    if (s->inline_bytes > 0) return s->inline_bytes;
    if (s->inline_bytes < 0 || s->force_n > 0) return 0;
    if (heddle__n_workers() != 1 || p->n_gpus > 0) return INLINE_BYTES_DEFAULT;
    const int n_threads = heddle__worker(0)->n_threads;
    return INLINE_BYTES_TEAM * (n_threads < INLINE_THREADS ? n_threads : INLINE_THREADS);
}

const struct heddle_policy *heddle__policy(void)
{
    const uint64_t now = heddle__generation();
    if (is_invented || policy_generation == now) return &policy;
    const struct heddle_settings *s = heddle__settings();
    if (!s) return NULL;

    policy = (struct heddle_policy){
        .n_teams = heddle__plan_teams(s, 0),
        .peer_link = heddle__peer_link(),
        .host_link = heddle__host_link(),
        .force_n = s->force_n,
        .part_bytes = s->part_bytes,
        .host_bytes = heddle__host_limit(),
        .fusion = s->fusion,
        /* a forced partition is meant to be run by tasks */
    };
    memcpy(policy.force, s->force, sizeof policy.force);
    for (int gpu = 1; gpu >= 0; gpu--) /* GPUs first */
        for (int i = 0; i < heddle__n_workers(); i++) {
            const struct heddle_worker *w = heddle__worker(i);
            if (w->is_gpu != (gpu == 1) || policy.n_places == HEDDLE_POLICY_PLACES) continue;
            policy.places[policy.n_places++] = (struct heddle_policy_place){
                w->place, w->bandwidth, w->flops, w->link, w->memory_bytes};
            policy.n_gpus += gpu;
        }
    policy.inline_bytes = inline_bytes(s, &policy);
    if (policy.n_gpus > 0 && s->inline_bytes == 0 && s->direct)
        policy.worn_bytes = INLINE_BYTES_WORN;
    heddle__policy_finish(&policy);
    policy_generation = now;
    return &policy;
}

/* ---- Plans ------------------------------------------------------------------------------------------- */

void heddle__all_constants(const struct heddle_plan *plan, const union heddle_scalar *constants,
                           union heddle_scalar *room)
{
    if (plan->n_constants > 0) memcpy(room, constants, (size_t)plan->n_constants * sizeof *room);
    if (plan->n_literals > 0)
        memcpy(room + plan->n_constants, plan->literals, (size_t)plan->n_literals * sizeof *room);
}

struct heddle_storage *heddle__result_storage(const struct heddle_plan *plan, int32_t i,
                                              const struct heddle_bindings *bindings,
                                              struct heddle_storage *const results[])
{
    const struct heddle_plan_array *a = &plan->arrays[plan->results[i]];
    const struct heddle_plan_array *owner = &plan->arrays[a->owner];
    if (a->kept_as < 0)
        return heddle__storage_same(bindings->inputs[owner->index], owner->grid, a->grid);
    const struct heddle_plan_array *kept = &plan->arrays[plan->results[a->kept_as]];
    return heddle__storage_same(results[a->kept_as], kept->grid, a->grid);
}

const struct heddle_given *heddle__given_memory(const struct heddle_plan *plan, int32_t i,
                                                const struct heddle_bindings *bindings)
{
    const struct heddle_given *given = bindings->given ? &bindings->given[i] : NULL;
    const struct heddle_plan_array *a = &plan->arrays[plan->results[i]];
    /* with GPUs, what the host has of a part is not always the latest */
    const bool fits = given && given->at && a->kept_as == i && heddle__n_gpus() == 0;
    return fits && heddle__grid_is_contiguous(a->grid) ? given : NULL;
}

bool heddle__runs_here(const struct heddle_plan *plan)
{
    return plan->run_inline || is_invented || !heddle__backend;
}

enum heddle_status heddle__execute(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                   struct heddle_storage *results[])
{
    if (heddle__runs_here(plan)) return heddle__execute_inline(plan, bindings, results);
    enum heddle_status status = heddle__need_runtime();
    if (status != HEDDLE_OK) return status;
    if (heddle__direct && heddle__settings()->direct && policy.force_n == 0 &&
        heddle__direct(plan, bindings, results, &status))
        return status;
    return heddle__backend->submit(plan, bindings, results);
}
