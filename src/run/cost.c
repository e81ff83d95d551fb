/* What a task costs on a device: a roofline over measured rates, corrected by what tasks of the same kind
 * took so far (the median of the last 31, so that outliers do not count). Entry points: cost.h. */
#include "run/cost.h"

#include "base/hash.h"
#include "base/median.h"
#include "plan/roofline.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* About as many are kept as a device runs of one step. The last tasks of a CPU run when no link is busy
 * any more; alone they would make it look faster than it is beside GPUs. */
enum { N_ENTRIES = 2048, N_KEPT = 31, PROBES = 8 };
#define TOO_SHORT_US 20 /* shorter ones are noise */

static struct entry {
    atomic_ullong key; /* 0: free */
    _Atomic float factor;
    float kept[N_KEPT];
    unsigned n;
} entries[N_ENTRIES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

double heddle__now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static uint64_t key_of(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                       const struct heddle_worker *worker)
{
    /* the key is that of the last call: those before it only bring its operands together */
    const struct heddle_kernel_call *call = &plan->calls[task->first_call + task->n_calls - 1];
    const struct heddle_family_info *family = call->family;
    uint64_t hash = heddle__hash_word((uint64_t)family->id, (uint64_t)worker->place);
    if (family->cost_key) hash = heddle__hash_word(hash, family->cost_key(call->arguments));
    return hash ? hash : 1;
}

static struct entry *find(uint64_t key, bool make)
{
    for (uint64_t i = 0; i < PROBES; i++) {
        struct entry *e = &entries[(key + i) % N_ENTRIES];
        const uint64_t found = atomic_load_explicit(&e->key, memory_order_acquire);
        if (found == key) return e;
        if (found == 0) {
            if (!make) return NULL;
            atomic_store_explicit(&e->factor, 1.0f, memory_order_relaxed);
            atomic_store_explicit(&e->key, key, memory_order_release);
            return e;
        }
    }
    return NULL;
}

static double roofline_us(const struct heddle_plan_task *task, const struct heddle_worker *worker)
{
    return heddle__roofline_us(task, worker->flops, worker->bandwidth, worker->launch_us);
}

double heddle__predict_us(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                          const struct heddle_worker *worker)
{
    const struct entry *e = find(key_of(plan, task, worker), false);
    const float factor = e ? atomic_load_explicit(&e->factor, memory_order_relaxed) : 1.0f;
    return roofline_us(task, worker) * factor;
}

void heddle__learn_us(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                      const struct heddle_worker *worker, double measured_us)
{
    if (!(measured_us >= TOO_SHORT_US)) return;
    double ratio = measured_us / roofline_us(task, worker);
    ratio = ratio < 0.02 ? 0.02 : ratio > 50 ? 50 : ratio;
    pthread_mutex_lock(&mutex);
    struct entry *e = find(key_of(plan, task, worker), true);
    if (e) {
        e->kept[e->n++ % N_KEPT] = (float)ratio;
        double sorted[N_KEPT];
        const int n = e->n < N_KEPT ? (int)e->n : N_KEPT;
        for (int i = 0; i < n; i++) sorted[i] = e->kept[i];
        atomic_store_explicit(&e->factor, (float)heddle__median(sorted, n), memory_order_relaxed);
    }
    pthread_mutex_unlock(&mutex);
}
