/* What the machine contributes to plans: defaults, and how unlike places share work. Entry points:
 * policy.h. */
#include "plan/policy/policy.h"

#include "base/hash.h"
#include "plan/policy/thresholds.h"

#include <math.h>

const struct heddle_thresholds heddle__thresholds = {
    .part_bytes_gpu = 2LL << 30,
    .part_bytes_cpu = 1LL << 30,
    .part_bytes_least = 4096,
    .parts_of_memory = 16,
    .temporaries_of_memory = 4,
    .stream_bytes = 32LL << 20,
    .worth_sharing = 4 << 20,
    .worth_computing = 1 << 30,
    .parts_each = 8,
    .parts_to_settle = 16,
    .smallest_share = 0.1,
    .settle_room = 0.8,
    .settle_again = 4,
    .pieces_of_memory = 3,
    .visits_for_partition = 64,
    .most_parts = 1 << 16,
    .most_parts_cut = 1 << 18,

    .call_bytes_gpu = 8 << 20,
    .call_bytes_cpu = 64 << 10,
    .slab_bytes = 10 << 10,
    .cached_bytes = 256 << 10,

    .worth_keeping = 64,
    .bytes_for_node = 4096,
    .nodes_planned_fast = 16,
    .kept_of_memory = 8,

    .flops_for_byte_gpu = 3,
    .flops_for_byte_cpu = 1,
    .flops_for_byte_cpu_at_most = 0.5,
    .worth_joining = 4 << 20,
    .worth_appending = 256 << 10,

    .worth_a_task = 1 << 16,
    .remote_in_one = 4,
    .sends_tasks = 16,
    .combined_by_each = 4 << 20,
    .combining_gpus = 4,
    .most_turns = 4096,

    .worth_adding = 5e-6,
    .partials_of_moved = 4,
};

void heddle__policy_finish(struct heddle_policy *policy)
{
    const struct heddle_thresholds *at = &heddle__thresholds;
    double links = 0;
    for (int i = 0; i < policy->n_gpus; i++) links += policy->places[i].link;
    if (policy->host_link > 0 && policy->host_link < links)
        for (int i = 0; i < policy->n_gpus; i++)
            policy->places[i].link *= policy->host_link / links;
    const bool by_default = policy->part_bytes <= 0;
    policy->n_workers = policy->n_gpus ? policy->n_gpus : policy->n_teams;
    if (policy->n_workers < 1) policy->n_workers = 1;
    policy->stream_bytes = !by_default          ? policy->part_bytes
                           : policy->n_gpus > 0 ? at->stream_bytes
                                                : 0;
    if (by_default) {
        policy->part_bytes = policy->n_gpus > 0 ? at->part_bytes_gpu : at->part_bytes_cpu;
        for (int i = 0; i < policy->n_gpus; i++) {
            const int64_t most = policy->places[i].memory_bytes / at->parts_of_memory;
            if (most > 0 && most < policy->part_bytes) policy->part_bytes = most;
        }
        const int64_t most = policy->host_bytes / at->parts_of_memory;
        if (most > 0 && most < policy->part_bytes) policy->part_bytes = most;
    }
    if (policy->part_bytes < at->part_bytes_least) policy->part_bytes = at->part_bytes_least;
    const struct heddle_work pass = {.bytes = 1e9, .gpus_only = true};
    heddle__policy_shares(policy, &pass, policy->memory_share);
    policy->rates_hash = (uint64_t)policy->n_places;
    for (int i = 0; i < policy->n_places; i++) {
        const struct heddle_policy_place *p = &policy->places[i];
        const double rates[] = {p->bandwidth, p->flops, p->link, (double)p->memory_bytes};
        policy->rates_hash = heddle__hash_word(policy->rates_hash, (uint64_t)p->place);
        for (int k = 0; k < 4; k++)
            policy->rates_hash = heddle__hash_word(policy->rates_hash, (uint64_t)(rates[k] * 1e-6));
    }
}

/* ---- Shares -------------------------------------------------------------------------------------- */

/* The problem. `alone`: seconds of all the work on each place, with the data there; 0: it takes no part. */
struct sharing {
    const struct heddle_policy *policy;
    const struct heddle_work *work;
    double alone[HEDDLE_POLICY_PLACES];
};

/* The sum of the shares that places can do in `t` seconds, each no larger than what it does again in
 * `ratio` * `t`. */
static double share_after(const struct sharing *s, double t, double ratio, double share[])
{
    double sum = 0;
    for (int i = 0; i < s->policy->n_places; i++) {
        share[i] = 0;
        if (s->alone[i] <= 0) continue;
        share[i] = t * fmin(ratio, 1) / s->alone[i];
        const double link = i < s->policy->n_gpus ? s->policy->places[i].link : INFINITY;
        const double after = t - s->work->everywhere / fmax(link, s->policy->peer_link);
        if (after * link < share[i] * s->work->in) share[i] = after * link / s->work->in;
        if (after < 0) share[i] = 0;
        sum += share[i];
    }
    return sum;
}

/* Seconds until all the work is done; finds them by bisection. */
static double finish(const struct sharing *s, double ratio, double share[])
{
    double low = 0, high = 1e-6;
    while (share_after(s, high, ratio, share) < 1 && high < 1e9) high *= 2;
    for (int i = 0; i < 50; i++) {
        const double t = (low + high) / 2;
        *(share_after(s, t, ratio, share) < 1 ? &low : &high) = t;
    }
    share_after(s, high, ratio, share);
    return high;
}

/* Data that come once are best shared by the rates of links, work that is done again by those of the
 * places. `ratio` is the time of work again to that of work with transfers; the total is least where the
 * limit of one place changes from the one to the other, so only those ratios are tried. */
static double best_finish(const struct sharing *s, double share[])
{
    const int n = s->policy->n_places;
    double best_ratio = 1, best = INFINITY;
    for (int i = s->work->again > 0 ? 0 : n; i <= n; i++) {
        double ratio = 1;
        if (i < n) {
            const double link = i < s->policy->n_gpus ? s->work->in / s->policy->places[i].link : 0;
            if (s->alone[i] <= 0) continue;
            ratio = s->alone[i] / fmax(link, s->alone[i]);
        }
        const double t = finish(s, ratio, share) * (1 + s->work->again * ratio);
        if (t >= best) continue;
        best = t;
        best_ratio = ratio;
    }
    return finish(s, best_ratio, share);
}

double heddle__policy_shares(const struct heddle_policy *policy, const struct heddle_work *work,
                             double share[HEDDLE_POLICY_PLACES])
{
    struct sharing s = {.policy = policy, .work = work};
    for (int i = 0; i < policy->n_places; i++) {
        const struct heddle_policy_place *p = &policy->places[i];
        if (i >= policy->n_gpus && policy->n_gpus > 0 && work->gpus_only) continue;
        s.alone[i] = fmax(fmax(work->flops / p->flops, work->bytes / p->bandwidth), 1e-12);
    }
    double seconds = best_finish(&s, share), largest = 0, teams = 0;
    for (int i = 0; i < policy->n_places; i++) {
        largest = fmax(largest, share[i]);
        if (i >= policy->n_gpus) teams += share[i];
    }
    const double smallest = heddle__thresholds.smallest_share;
    const bool few = policy->n_gpus > 0 && work->again > 0 && teams < smallest;
    bool dropped = false;
    for (int i = 0; i < policy->n_places; i++)
        if (s.alone[i] > 0 && (share[i] < largest * smallest || (few && i >= policy->n_gpus))) {
            s.alone[i] = 0;
            dropped = true;
        }
    if (dropped) seconds = best_finish(&s, share);
    double sum = 0;
    for (int i = 0; i < policy->n_places; i++) sum += share[i];
    for (int i = 0; i < policy->n_places && sum > 0; i++) share[i] /= sum;
    return seconds;
}
