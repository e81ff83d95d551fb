/* The cache of plans, by the signature of what is evaluated, bounded in plans and in bytes: the plan that was
 * used least recently, of the set or of all, goes first. Entry points: heddle__plan_get,
 * heddle__plan_cache_clear, heddle__plan_cache_size. */
#include "base/hash.h"
#include "base/memory.h"
#include "plan/make/make.h"
#include "plan/programs.h"

#include <string.h>

enum {
    CACHE_SETS = 256, /* by hash */
    WAYS = 4,         /* plans of a set, the last used first; a new one replaces the oldest */
    OF_MEMORY = 64,   /* all plans take at most this fraction of host memory, ... */
    MOST_BYTES = 64 << 20,
    LEAST_BYTES = 256 << 10,
    OF_ALL = 4,        /* ... and one at most this fraction of them, or it is not cached */
    MEMO_BYTES = 3072, /* about what a call of a plan that runs inline keeps */
};

static struct slot {
    struct heddle_plan *plan;
    uint64_t *signature;
    int64_t n;
    uint64_t hash;
    int64_t bytes;
    uint64_t used; /* when: a count of uses */
} sets[CACHE_SETS][WAYS];

static int64_t n_plans, n_bytes;
static uint64_t n_uses;

static uint64_t policy_hash(const struct heddle_policy *policy)
{
    uint64_t h = heddle__hash_word((uint64_t)policy->n_workers, (uint64_t)policy->part_bytes);
    h = heddle__hash_word(h, (uint64_t)policy->inline_bytes * 2 + policy->fusion);
    h = heddle__hash_word(h, (uint64_t)policy->stream_bytes ^ policy->rates_hash);
    for (int i = 0; i < policy->force_n; i++) h = heddle__hash_word(h, (uint64_t)policy->force[i]);
    return h;
}

/* Bytes of a plan, its signature and what belongs to it. What plans share counts for each. */
static int64_t bytes_of(const struct heddle_plan *plan, int64_t n_words)
{
    int64_t bytes = heddle__plan_bytes(plan) + n_words * (int64_t)sizeof(uint64_t);
    bytes += plan->n_programs * (int64_t)sizeof(struct heddle_program);
    if (plan->run_inline) bytes += plan->n_calls * MEMO_BYTES;
    for (int32_t i = 0; i < plan->n_arrays; i++) bytes += heddle__grid_bytes(plan->arrays[i].grid);
    return bytes;
}

static void clear_slot(struct slot *slot)
{
    if (!slot->plan) return;
    n_plans--;
    n_bytes -= slot->bytes;
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

/* Forgets plans until all take `most` bytes. */
static void shrink(int64_t most)
{
    while (n_bytes > most) {
        struct slot *oldest = NULL;
        int w = 0; /* its way: the last of its set that is in use, which is the oldest of it */
        for (int i = 0; i < CACHE_SETS; i++) {
            int last = WAYS - 1;
            while (last >= 0 && !sets[i][last].plan) last--;
            if (last < 0 || (oldest && sets[i][last].used >= oldest[w].used)) continue;
            oldest = sets[i];
            w = last;
        }
        if (!oldest) return;
        clear_slot(&oldest[w]);
    }
}

static int64_t most_bytes(const struct heddle_policy *policy)
{
    const int64_t most = policy->host_bytes / OF_MEMORY;
    if (policy->host_bytes <= 0 || most > MOST_BYTES) return MOST_BYTES;
    return most > LEAST_BYTES ? most : LEAST_BYTES;
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
        set[0].used = ++n_uses;
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
    const int64_t bytes = bytes_of(plan, n), most = most_bytes(policy);
    if (bytes > most / OF_ALL) return plan;
    uint64_t *signature = heddle__alloc(size);
    if (!signature) return plan; /* it works, but is not cached */
    memcpy(signature, walk->signature, size);
    clear_slot(&set[WAYS - 1]);
    shrink(most - bytes);
    set[WAYS - 1] = (struct slot){heddle__plan_retain(plan), signature, n, hash, bytes, ++n_uses};
    put_first(set, WAYS - 1);
    n_plans++;
    n_bytes += bytes;
    return plan;
}

void heddle__plan_cache_size(int64_t *plans, int64_t *bytes)
{
    *plans = n_plans;
    *bytes = n_bytes;
}

void heddle__plan_cache_clear(void)
{
    for (int i = 0; i < CACHE_SETS; i++)
        for (int w = 0; w < WAYS; w++) clear_slot(&sets[i][w]);
    heddle__programs_trim();
}
