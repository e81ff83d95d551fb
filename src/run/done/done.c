/* What is done and what is not. Tasks signal; direct launches on GPUs, which nobody is told of, are polled.
 * Entry points: heddle_is_done, heddle_wait_any; done.h. */
#include "run/done/done.h"

#include "array/devices.h"
#include "base/at_fork.h"
#include "base/user_function.h"
#include "graph/check.h"
#include "run/backend.h"
#include "run/data.h"
#include "run/evaluate.h"
#include "run/life.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* ---- Watching ------------------------------------------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static atomic_int n_watchers;
static uint64_t n_signals; /* under the mutex */

static void in_child(void)
{
    pthread_cond_init(&signalled, NULL);
    atomic_store(&n_watchers, 0);
}

HEDDLE_AT_FORK(.mutex = &mutex, .in_child = in_child)

/* One of the two sees the other: a task counts down what is unwritten, then looks for watchers; a watcher
 * counts itself, then looks at what is unwritten. */
void heddle__signal_done(void)
{
    if (atomic_load(&n_watchers) == 0) return;
    pthread_mutex_lock(&mutex);
    n_signals++;
    pthread_cond_broadcast(&signalled);
    pthread_mutex_unlock(&mutex);
}

void heddle__watch_begin(uint64_t *seen)
{
    atomic_fetch_add(&n_watchers, 1);
    pthread_mutex_lock(&mutex);
    *seen = n_signals;
    pthread_mutex_unlock(&mutex);
}

void heddle__watch_wait(uint64_t *seen, bool polls)
{
    const struct timespec pause = {0, 50000};
    if (polls) nanosleep(&pause, NULL);
    pthread_mutex_lock(&mutex);
    while (!polls && n_signals == *seen) pthread_cond_wait(&signalled, &mutex);
    *seen = n_signals;
    pthread_mutex_unlock(&mutex);
}

void heddle__watch_end(void)
{
    atomic_fetch_sub(&n_watchers, 1);
}

/* ---- Progress -------------------------------------------------------------------------------------------- */

static bool is_written(struct heddle_storage *s, bool *polls)
{
    s = heddle__storage_root(s);
    if (atomic_load(&s->unwritten) != 0) return false;
    if (heddle__is_forked()) return !s->is_direct;
    if (heddle__n_gpus() == 0) return true;
    bool written = false;
    if (heddle__enter_if_up()) { /* else it goes down, and all will be done */
        written = !s->is_direct || heddle__backend->is_done(s);
        heddle__leave();
    }
    if (!written) *polls = true;
    return written;
}

enum heddle_progress heddle__progress(const heddle_array *a, bool *polls)
{
    if (a->kind == HEDDLE_NODE_ERROR) return HEDDLE_DONE;
    struct heddle_storage *s = heddle__node_storage(a);
    if (!s) return a->kind == HEDDLE_NODE_ERROR ? HEDDLE_DONE : HEDDLE_LAZY;
    const bool written = is_written(s, polls);
    heddle__storage_release(s);
    return written ? HEDDLE_DONE : HEDDLE_IN_FLIGHT;
}

bool heddle_is_done(const heddle_array *a)
{
    bool polls = false;
    if (!a || (heddle__checking() && !heddle__check_use("is_done", a))) return false;
    return heddle__progress(a, &polls) == HEDDLE_DONE;
}

/* ---- One of several -------------------------------------------------------------------------------------- */

/* The first that is done; -1: none is. *in_flight: one that is being computed; -1: none. */
static int first_done(int n, heddle_array *const arrays[], int *in_flight, bool *polls)
{
    *in_flight = -1;
    *polls = false;
    for (int i = 0; i < n; i++) {
        const enum heddle_progress progress = heddle__progress(arrays[i], polls);
        if (progress == HEDDLE_DONE) return i;
        if (progress == HEDDLE_IN_FLIGHT && *in_flight < 0) *in_flight = i;
    }
    return -1;
}

enum heddle_status heddle_wait_any(int n, heddle_array *const arrays[], int *which)
{
    HEDDLE_REQUIRE(n > 0 && arrays && which, HEDDLE_EARG,
                   "heddle_wait_any: n = %d arrays, or a pointer is NULL", n);
    for (int i = 0; i < n; i++)
        HEDDLE_REQUIRE(arrays[i], HEDDLE_EARG, "heddle_wait_any: array %d is NULL", i);
    enum heddle_status status = heddle__refuse_in_function("wait_any");
    if (status != HEDDLE_OK) return status;
    status = heddle__start("wait_any", n, arrays);

    uint64_t seen;
    int found, in_flight;
    bool polls;
    heddle__watch_begin(&seen);
    while ((found = first_done(n, arrays, &in_flight, &polls)) < 0 && in_flight >= 0 &&
           !heddle__is_forked())
        heddle__watch_wait(&seen, polls);
    heddle__watch_end();
    if (found < 0 && in_flight < 0) return status; /* nothing has begun */
    if (found < 0) return heddle__check_fork();
    status = heddle_wait(arrays[found]);
    *which = found;
    return status;
}
