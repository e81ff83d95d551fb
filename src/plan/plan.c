/* Making, caching and freeing plans. Entry points: plan.h. Everything here but retain and release is
 * under the evaluation lock. */
#include "base/hash.h"
#include "base/memory.h"
#include "plan/planner.h"
#include "runtime/storage.h"

/* ---- Making -------------------------------------------------------------------------------------------- */

/* Work of the whole graph in bytes moved, to tell what is small: an addition counts as two bytes. */
static double work_bytes(const struct heddle_walk *walk)
{
    double bytes = 0;
    for (int64_t i = 0; i < walk->n; i++) {
        const heddle_array *a = walk->nodes[i];
        const double n = (double)a->size;
        switch ((enum heddle_node_kind)a->kind) {
        case HEDDLE_NODE_MAP: bytes += 2 * n * (double)heddle__ops[a->op].flops; break;
        case HEDDLE_NODE_CAST: bytes += 2 * n; break;
        case HEDDLE_NODE_REDUCE: bytes += 2 * (double)a->in[0]->size; break;
        case HEDDLE_NODE_MATMUL: bytes += n * (double)a->in[0]->shape[a->in[0]->ndim - 1]; break;
        case HEDDLE_NODE_DATA:
        case HEDDLE_NODE_ASSEMBLE:
        case HEDDLE_NODE_RESHAPE: bytes += n * (double)heddle_dtype_size(a->dtype); break;
        default: break;
        }
        bytes += 64; /* a node's own overhead */
    }
    for (int32_t i = 0; i < walk->n_results; i++)
        bytes +=
            (double)walk->results[i]->size * (double)heddle_dtype_size(walk->results[i]->dtype);
    return bytes;
}

static bool can_run_inline(const struct heddle_walk *walk, const struct heddle_policy *policy)
{
    if (policy->force_n > 0 && policy->inline_bytes <= 0) return false;
    for (int32_t i = 0; i < walk->n_leaves; i++) {
        const struct heddle_storage *storage = walk->leaves[i]->storage;
        const struct heddle_grid *grid = heddle__storage_grid(storage);
        if ((grid && grid->n_parts > 1) || !heddle__storage_on_host(storage)) return false;
    }
    for (int64_t i = 0; i < walk->n; i++) { /* parts are there to be seen */
        if (walk->nodes[i]->kind == HEDDLE_NODE_DISTRIBUTE && walk->nodes[i]->grid) return false;
        if (walk->nodes[i]->kind == HEDDLE_NODE_MAP_PARTS) return false; /* nobody knows its cost */
    }
    return policy->inline_bytes > 0 && work_bytes(walk) <= (double)policy->inline_bytes;
}

/* Whether `leaf` is read by several maps, and a result has its shape: the step of an iteration. */
static bool is_iterated(const struct heddle_walk *walk, const heddle_array *leaf)
{
    const struct heddle_map *first = NULL;
    bool several = false, again = false;
    for (int64_t i = 0; i < walk->n && !several; i++) {
        const heddle_array *a = walk->nodes[i];
        if (a->kind != HEDDLE_NODE_VIEW || a->in[0] != leaf || a->size < leaf->size / 2) continue;
        if (!first) first = a->map;
        several = !heddle__map_equal(first, a->map);
    }
    for (int32_t i = 0; i < walk->n_results && several && !again; i++) {
        const heddle_array *r = walk->results[i];
        again = r->ndim == leaf->ndim &&
                memcmp(r->shape, leaf->shape, leaf->ndim * sizeof *leaf->shape) == 0;
    }
    return again;
}

/* How what has no partition is spread: by where most of what is read is. */
static void choose_spread(struct heddle_planner *p)
{
    const struct heddle_walk *walk = p->walk;
    const heddle_array *largest = NULL;
    double host = 0, all = 0;
    for (int32_t i = 0; i < walk->n_leaves; i++) {
        const heddle_array *a = walk->leaves[i];
        const double bytes = (double)a->size * (double)heddle_dtype_size(a->dtype);
        all += bytes;
        if (!heddle__storage_on_host(a->storage)) continue;
        host += bytes;
        if (!largest || a->size > largest->size) largest = a;
    }
    if (!largest || host <= 0 || host < all / 2) return;
    p->spread = HEDDLE_SPREAD_STREAM;
    if (p->policy->n_gpus == 0 || !is_iterated(walk, largest)) return;
    enum { AGAIN = 4 }; /* as if: with fewer, streaming is no gain; with more, little changes */
    const struct heddle_work work = {.bytes = 2 * host, .in = host, .again = AGAIN};
    heddle__policy_shares(p->policy, &work, p->share);
    for (int i = 0; i < p->policy->n_gpus; i++) { /* what has no room cannot stay */
        const double room = (double)p->policy->places[i].memory_bytes;
        if (room > 0 && p->share[i] * work.bytes > 0.8 * room) return;
    }
    p->spread = HEDDLE_SPREAD_SETTLE;
}

static void planner_free(struct heddle_planner *p)
{
    heddle__free(p->groups);
    heddle__free(p->one_part);
    heddle__free(p->halos);
    heddle__arena_free(&p->scratch);
}

struct heddle_plan *heddle__plan_make(const struct heddle_walk *walk,
                                      const struct heddle_policy *policy)
{
    struct heddle_planner p = {.walk = walk, .policy = policy, .n = walk->n};
    struct heddle_plan *plan = heddle__calloc(1, sizeof *plan);
    if (!plan) goto fail;
    atomic_init(&plan->refs, 1);
    p.plan = plan;
    plan->n_inputs = walk->n_leaves;
    plan->n_results = walk->n_results;
    plan->n_constants = walk->n_constants;
    plan->arena = heddle__calloc(1, sizeof *plan->arena);
    plan->results = heddle__calloc((size_t)walk->n_results, sizeof *plan->results);
    if (!plan->arena || !plan->results) goto fail;
    plan->run_inline = p.run_inline = can_run_inline(walk, policy);
    if (!p.run_inline) choose_spread(&p);

    const bool ok =
        heddle__simplify(&p) && heddle__fuse(&p) && heddle__emit(&p) && heddle__note_sends(&p);
    plan->programs = p.programs;
    plan->n_programs = p.n_programs;
    if (!ok) goto fail;
    planner_free(&p);
    return plan;

fail:
    planner_free(&p);
    heddle__plan_release(plan);
    heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to plan %lld operations",
                 (long long)walk->n);
    return NULL;
}

struct heddle_plan *heddle__plan_retain(struct heddle_plan *plan)
{
    atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
    return plan;
}

void heddle__plan_release(struct heddle_plan *plan)
{
    if (!plan || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1) return;
    for (int32_t i = 0; i < plan->n_arrays; i++) heddle__grid_release(plan->arrays[i].grid);
    for (int64_t i = 0; i < plan->n_programs; i++) heddle__program_release(plan->programs[i]);
    if (plan->arena) heddle__arena_free(plan->arena);
    heddle__free(plan->arena);
    heddle__free((void *)(uintptr_t)plan->programs);
    heddle__free(plan->literals);
    heddle__free(plan->arrays);
    heddle__free(plan->results);
    heddle__free(plan->steps);
    heddle__free(plan->tasks);
    heddle__free(plan->uses);
    for (int64_t i = 0; plan->memos && i < plan->n_calls; i++) heddle__free(plan->memos[i]);
    heddle__free(plan->memos);
    heddle__free(plan->calls);
    heddle__free(plan);
}

/* ---- The cache ------------------------------------------------------------------------------------------- */

enum {
    CACHE_SETS = 256, /* by hash */
    WAYS = 4, /* plans of a set, the last used first: a new one takes the place of the last */
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

/* Way `w` becomes the first. */
static void put_first(struct slot *set, int w)
{
    const struct slot used = set[w];
    for (; w > 0; w--) set[w] = set[w - 1];
    set[0] = used;
}

/* The one of the signature, now the first of the set; NULL. */
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
    if (!signature) return plan; /* works, but is not remembered */
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
