/* Where a plan runs, and the policy that plans are made with. Entry points: heddle__execute,
 * heddle__policy. */
#include "runtime/internal.h"

#include <string.h>

#define INLINE_BYTES_DEFAULT (2LL << 20) /* takes about as long as through StarPU on two cores */
#define PART_BYTES_GPU (2LL << 30)
#define PART_BYTES_CPU (1LL << 30)
/* Half a millisecond of a link: all but hidden, and not too many tasks. */
#define STREAM_BYTES (32LL << 20)

static struct heddle_policy policy;
static uint64_t policy_generation; /* that it is of; 0: none */

const struct heddle_policy *heddle__policy(void)
{
    const uint64_t now = heddle__generation();
    if (policy_generation == now) return &policy;
    const struct heddle_settings *s = heddle__settings();
    if (!s) return NULL;

    const int n_gpus = heddle__n_gpus();
    int64_t smallest = INT64_MAX;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (w->is_gpu && w->memory_bytes > 0 && w->memory_bytes < smallest)
            smallest = w->memory_bytes;
    }
    policy = (struct heddle_policy){
        .n_workers = n_gpus ? n_gpus : heddle__plan_teams(s, 0),
        .force_n = s->force_n,
        .fusion = s->fusion,
    };
    if (policy.n_workers < 1) policy.n_workers = 1;
    for (int i = 0; i < heddle__n_workers() && n_gpus > 1; i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (w->is_gpu && policy.n_places < HEDDLE_POLICY_PLACES)
            policy.places[policy.n_places++] = (struct heddle_policy_place){w->place, w->bandwidth};
    }
    policy.stream_bytes = s->part_bytes ? s->part_bytes : n_gpus ? STREAM_BYTES : 0;
    memcpy(policy.force, s->force, sizeof policy.force);
    policy.part_bytes = s->part_bytes ? s->part_bytes : n_gpus ? PART_BYTES_GPU : PART_BYTES_CPU;
    if (!s->part_bytes && policy.part_bytes > smallest / 16) policy.part_bytes = smallest / 16;
    if (policy.part_bytes < 4096) policy.part_bytes = 4096;
    /* A forced partition is there to be seen at work. */
    policy.inline_bytes = s->inline_bytes > 0                     ? s->inline_bytes
                          : s->inline_bytes < 0 || s->force_n > 0 ? 0
                                                                  : INLINE_BYTES_DEFAULT;
    policy_generation = now;
    return &policy;
}

enum heddle_status heddle__execute(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                   const union heddle_scalar constants[],
                                   struct heddle_storage *results[])
{
    if (plan->run_inline) return heddle__execute_inline(plan, inputs, constants, results);
    const enum heddle_status status = heddle__need_runtime();
    return status == HEDDLE_OK ? heddle__submit(plan, inputs, constants, results) : status;
}
