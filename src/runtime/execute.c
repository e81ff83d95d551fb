/* Where a plan runs, and the policy that plans are made with. Entry points: heddle__execute,
 * heddle__policy. */
#include "runtime/internal.h"

#include <string.h>

#define INLINE_BYTES_DEFAULT (2LL << 20) /* takes about as long as through StarPU on two cores */

static struct heddle_policy policy;
static uint64_t policy_generation; /* that it is of; 0: none */

const struct heddle_policy *heddle__policy(void)
{
    const uint64_t now = heddle__generation();
    if (policy_generation == now) return &policy;
    const struct heddle_settings *s = heddle__settings();
    if (!s) return NULL;

    policy = (struct heddle_policy){
        .n_teams = heddle__plan_teams(s, 0),
        .peer_link = heddle__peer_link(),
        .force_n = s->force_n,
        .part_bytes = s->part_bytes,
        .fusion = s->fusion,
        /* A forced partition is there to be seen at work. */
        .inline_bytes = s->inline_bytes > 0                     ? s->inline_bytes
                        : s->inline_bytes < 0 || s->force_n > 0 ? 0
                                                                : INLINE_BYTES_DEFAULT,
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
    heddle__policy_finish(&policy);
    policy_generation = now;
    return &policy;
}

enum heddle_status heddle__execute(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                   const union heddle_scalar constants[],
                                   struct heddle_storage *results[])
{
    if (plan->run_inline) return heddle__execute_inline(plan, inputs, constants, results);
    enum heddle_status status = heddle__need_runtime();
    if (status != HEDDLE_OK) return status;
    if (policy.inline_bytes > 0 && heddle__direct(plan, inputs, constants, results, &status))
        return status;
    return heddle__submit(plan, inputs, constants, results);
}
