/* Plans on the CPU: the least recently used ones go when they are too many, or have too many elements together. A plan
 * that is being used stays until it is given back. Entry points: cpu_plans.h. */
#include "families/fft/cpu_plans.h"

#include "base/at_fork.h"
#include "base/memory.h"

enum {
    PLANS_KEPT = 32,
    ELEMENTS_KEPT =
        1 << 24 /* of all kept plans: as many complex numbers, about, are their tables */
};

struct heddle_fft_plan {
    const struct heddle_fft_engine *engine;
    bool is_real, by_itself;
    int64_t n;
    void *plan;
    int users;                    /* and one while it is in the list */
    struct heddle_fft_plan *next; /* used before this one */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_fft_plan *kept;
HEDDLE_AT_FORK(.mutex = &mutex)

static void drop(struct heddle_fft_plan *plan)
{
    if (--plan->users > 0) return;
    plan->engine->destroy(plan->is_real, plan->plan);
    heddle__free_pooled(plan);
}

static void drop_oldest(void)
{
    int64_t n_plans = 0, n_elements = 0;
    for (struct heddle_fft_plan **at = &kept; *at;) {
        struct heddle_fft_plan *plan = *at;
        if (++n_plans <= PLANS_KEPT && (n_elements += plan->n) <= ELEMENTS_KEPT) {
            at = &plan->next;
            continue;
        }
        *at = plan->next;
        drop(plan);
    }
}

/* The plan, as the first one of the list; NULL: it is not there. */
static struct heddle_fft_plan *find(const struct heddle_fft_engine *engine, bool is_real, int64_t n,
                                    bool by_itself)
{
    for (struct heddle_fft_plan **at = &kept; *at; at = &(*at)->next) {
        struct heddle_fft_plan *plan = *at;
        if (plan->engine != engine || plan->is_real != is_real || plan->n != n ||
            plan->by_itself != by_itself)
            continue;
        *at = plan->next;
        plan->next = kept;
        kept = plan;
        plan->users++;
        return plan;
    }
    return NULL;
}

struct heddle_fft_plan *heddle__fft_plan_take(const struct heddle_fft_engine *engine, bool is_real,
                                              int64_t n, bool by_itself)
{
    pthread_mutex_lock(&mutex);
    struct heddle_fft_plan *plan = find(engine, is_real, n, by_itself);
    pthread_mutex_unlock(&mutex);
    if (plan) return plan;

    /* made without the lock, as it takes long; two threads may make the same one */
    plan = heddle__alloc_pooled(sizeof *plan);
    if (!plan) return NULL;
    *plan = (struct heddle_fft_plan){.engine = engine,
                                     .is_real = is_real,
                                     .by_itself = by_itself,
                                     .n = n,
                                     .plan = engine->make(is_real, n, by_itself),
                                     .users = 2};
    if (!plan->plan) {
        heddle__free_pooled(plan);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    plan->next = kept;
    kept = plan;
    drop_oldest();
    pthread_mutex_unlock(&mutex);
    return plan;
}

const void *heddle__fft_plan_of(const struct heddle_fft_plan *plan)
{
    return plan->plan;
}

void heddle__fft_plan_give_back(struct heddle_fft_plan *plan)
{
    pthread_mutex_lock(&mutex);
    drop(plan);
    pthread_mutex_unlock(&mutex);
}
