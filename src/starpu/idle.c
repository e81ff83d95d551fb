/* A small thread that pauses StarPU's workers when there is nothing to do, since they spin, and frees
 * host memory that StarPU let go of. It sleeps while the workers are paused. Entry points: idle.h. */
#include "starpu/idle.h"

#include "array/large_buffers.h"
#include "starpu/gpu_blocks.h"
#include "starpu/handles.h"

#include <starpu.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
    IDLE_NS = 10000000,  /* workers pause after one to two times that: waking them costs 0.1 ms */
    TRIM_NS = 1000000000 /* after so long a pause cached memory is freed */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static pthread_t thread;
static bool running, stop, may_pause;
static atomic_bool paused;
static atomic_int holds;     /* callers that need the workers now */
static atomic_uint activity; /* how many holds there were */

/* Under the mutex. A holder raises `holds`, then looks at `paused`; this sets `paused`, then looks at
 * `holds`. So one of the two sees the other. */
static void try_pause(void)
{
    atomic_store(&paused, true);
    if (atomic_load(&holds) == 0 && starpu_task_nsubmitted() == 0)
        starpu_pause();
    else
        atomic_store(&paused, false);
}

/* Under the mutex. True: the time is over. */
static bool wait_ns(long ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (until.tv_nsec + ns) / 1000000000;
    until.tv_nsec = (until.tv_nsec + ns) % 1000000000;
    return pthread_cond_timedwait(&wake, &mutex, &until) == ETIMEDOUT;
}

static void *watch(void *unused)
{
    (void)unused;
    unsigned seen = 0;
    bool trimmed = false;
    pthread_mutex_lock(&mutex);
    while (!stop) {
        if (heddle__reap_pending()) {
            pthread_mutex_unlock(&mutex);
            heddle__workers_hold();
            heddle__reap();
            heddle__workers_release();
            pthread_mutex_lock(&mutex);
            continue;
        }
        if (!may_pause || (atomic_load(&paused) && trimmed)) {
            pthread_cond_wait(&wake, &mutex);
            continue;
        }
        if (atomic_load(&paused)) {
            if (wait_ns(TRIM_NS) && atomic_load(&paused)) {
                heddle__large_buffers_trim(false);
                heddle__gpu_blocks_trim();
                trimmed = true;
            }
            continue;
        }
        trimmed = false;
        wait_ns(IDLE_NS);
        const unsigned now = atomic_load(&activity);
        if (now == seen && !stop && !heddle__reap_pending()) try_pause();
        seen = now;
        pthread_mutex_unlock(&mutex);
        heddle__let_go();
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

bool heddle__idle_start(bool pause_allowed)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &attributes);
    pthread_condattr_destroy(&attributes);
    stop = false;
    may_pause = pause_allowed;
    atomic_store(&paused, false);
    running = pthread_create(&thread, NULL, watch, NULL) == 0;
    return running;
}

void heddle__idle_stop(void)
{
    if (!running) return;
    heddle__workers_hold();
    pthread_mutex_lock(&mutex);
    stop = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    running = false;
    heddle__reap();
    heddle__workers_release();
    pthread_cond_destroy(&wake);
}

bool heddle__idle_ticks(void)
{
    return may_pause && !atomic_load(&paused);
}

void heddle__idle_wake(void)
{
    pthread_mutex_lock(&mutex);
    if (running) pthread_cond_signal(&wake);
    pthread_mutex_unlock(&mutex);
}

void heddle__workers_hold(void)
{
    heddle__workers_stay();
    heddle__workers_resume();
}

void heddle__workers_stay(void)
{
    atomic_fetch_add(&holds, 1);
}

void heddle__workers_resume(void)
{
    atomic_fetch_add(&activity, 1);
    if (!atomic_load(&paused)) return;
    pthread_mutex_lock(&mutex);
    if (atomic_load(&paused)) {
        starpu_resume();
        atomic_store(&paused, false);
        pthread_cond_signal(&wake);
    }
    pthread_mutex_unlock(&mutex);
}

void heddle__workers_release(void)
{
    atomic_fetch_sub(&holds, 1);
}
