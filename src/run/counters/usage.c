/* What each device did: tasks, their measured and predicted time, the time that it was up, the most memory
 * in use. Workers' threads count at the ends of tasks, without a lock; counts survive shut-downs. Entry
 * points: heddle_usage_get; counters.h. */
#include "base/user_function.h"
#include "run/backend.h"
#include "run/cost.h"
#include "run/counters/counters.h"
#include "run/life.h"

#include <stdio.h>

enum { N_ENTRIES = HEDDLE_MAX_TEAMS + HEDDLE_MAX_GPUS }; /* CPU teams, then GPUs, by number */

static struct entry {
    atomic_llong tasks, busy_ns, predicted_ns, peak_bytes; /* peak: GPUs only */
    /* under the evaluation lock */
    bool is_known;
    double since_us; /* up since then; 0: it is down */
    double up_us;    /* up before that */
} entries[N_ENTRIES];
static atomic_llong host_peak_bytes;

/* NULL: there are more than are counted. */
static struct entry *entry_of(const struct heddle_worker *w)
{
    if (w->team < 0 || w->team >= (w->is_gpu ? (int)HEDDLE_MAX_GPUS : (int)HEDDLE_MAX_TEAMS))
        return NULL;
    return &entries[w->team + (w->is_gpu ? (int)HEDDLE_MAX_TEAMS : 0)];
}

/* ---- Counting --------------------------------------------------------------------------------------- */

static void raise_peak(atomic_llong *peak, long long now)
{
    long long before = atomic_load_explicit(peak, memory_order_relaxed);
    while (before < now && !atomic_compare_exchange_weak_explicit(
                               peak, &before, now, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void sample_host(void)
{
    raise_peak(&host_peak_bytes,
               (long long)(heddle__backend->memory_used(-1) + heddle__storage_bytes_held()));
}

void heddle__count_task(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                        const struct heddle_worker *worker, double measured_us, bool untypical)
{
    struct entry *e = entry_of(worker);
    if (e) {
        heddle__count(&e->tasks, 1);
        heddle__count(&e->busy_ns, (long long)(measured_us * 1e3));
        heddle__count(&e->predicted_ns, (long long)(heddle__predict_us(plan, task, worker) * 1e3));
        if (worker->is_gpu)
            raise_peak(&e->peak_bytes, (long long)heddle__backend->memory_used(worker->number));
        sample_host();
    }
    if (!untypical) heddle__learn_us(plan, task, worker, measured_us);
}

void heddle__count_busy(const struct heddle_worker *worker, double us)
{
    struct entry *e = entry_of(worker);
    if (e) heddle__count(&e->busy_ns, (long long)(us * 1e3));
}

/* ---- Up and down --------------------------------------------------------------------------------------- */

void heddle__usage_open(void)
{
    for (int i = 0; i < heddle__n_workers(); i++) {
        struct entry *e = entry_of(heddle__worker(i));
        if (!e) continue;
        e->is_known = true;
        e->since_us = heddle__now_us();
    }
}

void heddle__usage_close(void)
{
    for (int i = 0; i < N_ENTRIES; i++) {
        if (entries[i].since_us > 0) entries[i].up_us += heddle__now_us() - entries[i].since_us;
        entries[i].since_us = 0;
    }
}

void heddle__usage_reset(void)
{
    const double now = heddle__now_us();
    for (int i = 0; i < N_ENTRIES; i++) {
        struct entry *e = &entries[i];
        atomic_store(&e->tasks, 0);
        atomic_store(&e->busy_ns, 0);
        atomic_store(&e->predicted_ns, 0);
        atomic_store(&e->peak_bytes, 0);
        e->is_known = e->since_us > 0;
        if (e->since_us > 0) e->since_us = now;
        e->up_us = 0;
    }
    atomic_store(&host_peak_bytes, 0);
}

/* ---- Asking ---------------------------------------------------------------------------------------------- */

static double seconds_of(atomic_llong *ns)
{
    return (double)atomic_load_explicit(ns, memory_order_relaxed) * 1e-9;
}

static struct heddle_usage usage_of(int i)
{
    struct entry *e = &entries[i];
    const bool is_gpu = i >= HEDDLE_MAX_TEAMS;
    const int number = is_gpu ? i - HEDDLE_MAX_TEAMS : i;
    const double up_us = e->up_us + (e->since_us > 0 ? heddle__now_us() - e->since_us : 0);
    struct heddle_usage u = {
        .place = (is_gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU) + number,
        .tasks = atomic_load(&e->tasks),
        .busy_seconds = seconds_of(&e->busy_ns),
        .predicted_seconds = seconds_of(&e->predicted_ns),
        .peak_bytes = atomic_load(is_gpu ? &e->peak_bytes : &host_peak_bytes),
    };
    const double idle = up_us * 1e-6 - u.busy_seconds;
    u.idle_seconds = idle > 0 ? idle : 0; /* a task may have begun before the reset */
    snprintf(u.name, sizeof u.name, "%s:%d", is_gpu ? "gpu" : "cpu", number);
    return u;
}

enum heddle_status heddle_usage_get(int room, struct heddle_usage *usage, int *n)
{
    HEDDLE_REQUIRE(n && room >= 0 && (usage || room == 0), HEDDLE_EARG,
                   "heddle_usage_get: n is NULL, or room = %d devices at NULL", room);
    *n = 0;
    const enum heddle_status status = heddle__refuse_in_function("usage_get");
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock();
    for (int i = 0; i < N_ENTRIES; i++) {
        if (!entries[i].is_known) continue;
        if (*n < room) usage[*n] = usage_of(i);
        (*n)++;
    }
    heddle__evaluation_unlock();
    return HEDDLE_OK;
}
