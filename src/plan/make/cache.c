/* The cache of plans, by the signature of what is evaluated. Entry points: heddle__plan_get,
 * heddle__plan_cache_clear. */
#include "base/hash.h"
#include "base/memory.h"
#include "plan/make/make.h"
#include "plan/programs.h"

#include <string.h>

enum {
    CACHE_SETS = 256, /* by hash */
    WAYS = 4,         /* plans of a set, the last used first; a new one replaces the oldest */
    LARGEST_CACHED = 1 << 16, /* words of signature */
};

static struct slot {
    struct heddle_plan *plan;
    uint64_t *signature;
    int64_t n;
    uint64_t hash;
} sets[CACHE_SETS][WAYS];

static uint64_t policy_hash(const struct heddle_policy *policy)
{
    uint64_t h = heddle__hash_word((uint64_t)policy->n_workers, (uint64_t)policy->part_bytes);
    h = heddle__hash_word(h, (uint64_t)policy->inline_bytes * 2 + policy->fusion);
    h = heddle__hash_word(h, (uint64_t)policy->stream_bytes ^ policy->rates_hash);
    for (int i = 0; i < policy->force_n; i++) h = heddle__hash_word(h, (uint64_t)policy->force[i]);
    return h;
}

static void clear_slot(struct slot *slot)
{
    heddle__plan_release(slot->plan);
    heddle__free(slot->signature);
    *slot = (struct slot){0};
}

/* Makes way `w` the first. */
static void put_first(struct slot *set, int w)
{
    const struct slot used = set[w];
    for (; w > 0; w--) set[w] = set[w - 1];
    set[0] = used;
}

/* The plan of the signature, which becomes the first of its set; NULL: there is none. */
static struct heddle_plan *find_cached(struct slot *set, uint64_t hash,
                                       const struct heddle_walk *walk)
{
    const int64_t n = walk->n_signature;
    for (int w = 0; w < WAYS && set[w].plan; w++) {
        if (set[w].hash != hash || set[w].n != n ||
            memcmp(set[w].signature, walk->signature, (size_t)n * sizeof *walk->signature) != 0)
            continue;
        if (w > 0) put_first(set, w);
        return set[0].plan;
    }
    return NULL;
}

struct heddle_plan *heddle__plan_get(const struct heddle_walk *walk,
                                     const struct heddle_policy *policy, bool *was_cached)
{
    const int64_t n = walk->n_signature;
    const size_t size = (size_t)n * sizeof *walk->signature;
    const uint64_t hash = heddle__hash_words(policy_hash(policy), walk->signature, n);
    struct slot *set = sets[hash % CACHE_SETS];
    struct heddle_plan *plan = find_cached(set, hash, walk);
    *was_cached = plan != NULL;
    if (plan) return heddle__plan_retain(plan);

    plan = heddle__plan_make(walk, policy);
    if (!plan) return NULL;
    plan->hash = hash;
    if (n > LARGEST_CACHED) return plan;
    uint64_t *signature = heddle__alloc(size);
    if (!signature) return plan; /* it works, but is not cached */
    memcpy(signature, walk->signature, size);
    clear_slot(&set[WAYS - 1]);
    set[WAYS - 1] = (struct slot){heddle__plan_retain(plan), signature, n, hash};
    put_first(set, WAYS - 1);
    return plan;
}

void heddle__plan_cache_clear(void)
{
    for (int i = 0; i < CACHE_SETS; i++)
        for (int w = 0; w < WAYS; w++) clear_slot(&sets[i][w]);
    heddle__programs_trim();
}
