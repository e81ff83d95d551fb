/* A machine with a backend that is neither StarPU nor a device: tasks are run as they are submitted, and a
 * thread of its own says somewhat later that they are done. Everything that a backend does outside of locks
 * looks at plain variables, which start and stop change: so the thread sanitizer sees it if the runtime
 * goes down while somebody is inside. */
#include "check.h"
#include "machine/machine.h"

#include "array/devices.h"
#include "run/backend.h"
#include "run/done/done.h"
#include "run/life.h"
#include "run/workers.h"

#include <pthread.h>
#include <time.h>

static bool is_up; /* plain */
static heddle_place first_place;

/* ---- Storages with parts that the backend has: `handle` is their memory ------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_storage *listed; /* by `prev` and `next`; under the mutex */

static void list_add(struct heddle_storage *s)
{
    pthread_mutex_lock(&mutex);
    s->listed = true;
    s->prev = NULL;
    s->next = listed;
    if (listed) listed->prev = s;
    listed = s;
    pthread_mutex_unlock(&mutex);
}

static bool list_remove(struct heddle_storage *s)
{
    const bool was = s->listed;
    s->listed = false;
    if (was) *(s->prev ? &s->prev->next : &listed) = s->next;
    if (was && s->next) s->next->prev = s->prev;
    return was;
}

static void take_over(struct heddle_storage *s)
{
    if (!s->parts || s->data) return;
    for (int64_t p = 0; p < s->n_parts; p++) {
        s->parts[p].handle = s->parts[p].host;
        s->parts[p].host = NULL;
    }
    list_add(s);
}

static void come_home(void)
{
    pthread_mutex_lock(&mutex);
    while (listed) {
        struct heddle_storage *s = listed;
        list_remove(s);
        for (int64_t p = 0; p < s->n_parts; p++) {
            s->parts[p].host = s->parts[p].handle;
            s->parts[p].handle = NULL;
        }
    }
    pthread_mutex_unlock(&mutex);
}

/* ---- The thread that says when tasks are done -------------------------------------------------------- */

enum { MAX_PENDING = 64 };
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* the queue, under the mutex */
static struct heddle_storage *pending[MAX_PENDING];
static int n_pending;
static bool stopping;
static pthread_t thread;

static void *say_done(void *unused)
{
    const struct timespec little = {0, 20000};
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!stopping || n_pending > 0) {
        if (n_pending == 0) {
            pthread_cond_wait(&changed, &mutex);
            continue;
        }
        struct heddle_storage *s = pending[n_pending - 1];
        pthread_mutex_unlock(&mutex);
        nanosleep(&little, NULL);
        if (atomic_fetch_sub(&s->unwritten, 1) == 1) heddle__signal_done();
        heddle__storage_let_go(s);
        pthread_mutex_lock(&mutex);
        /* meanwhile others were added behind it */
        for (int i = 0; i < n_pending; i++)
            if (pending[i] == s) {
                pending[i] = pending[--n_pending];
                break;
            }
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void add_pending(struct heddle_storage *s)
{
    atomic_fetch_add(&s->unwritten, 1);
    heddle__storage_hold(s);
    pthread_mutex_lock(&mutex);
    while (n_pending == MAX_PENDING) pthread_cond_wait(&changed, &mutex);
    pending[n_pending++] = s;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void wait_all(void)
{
    CHECK(is_up);
    pthread_mutex_lock(&mutex);
    while (n_pending > 0) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

/* ---- The backend ---------------------------------------------------------------------------------------- */

static enum heddle_status start(const struct heddle_settings *settings)
{
    (void)settings;
    CHECK(!is_up);
    is_up = true;
    first_place = HEDDLE_PLACE_CPU;
    stopping = false;
    CHECK_EQ(pthread_create(&thread, NULL, say_done, NULL), 0);
    heddle__set_n_workers(1);
    *heddle__worker(0) = (struct heddle_worker){.place = HEDDLE_PLACE_CPU,
                                                .n_threads = 1,
                                                .memory_bytes = INT64_C(1) << 40,
                                                .bandwidth = 1e9,
                                                .flops = 1e9,
                                                .launch_us = 1};
    heddle__workers_sum_up();
    return HEDDLE_OK;
}

static enum heddle_status stop(bool keep_memory)
{
    (void)keep_memory;
    CHECK(is_up && n_pending == 0);
    come_home();
    pthread_mutex_lock(&mutex);
    stopping = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    heddle__set_n_workers(0);
    first_place = HEDDLE_ANYWHERE;
    is_up = false;
    return HEDDLE_OK;
}

static enum heddle_status submit(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                 struct heddle_storage *results[])
{
    CHECK(is_up);
    const enum heddle_status status = heddle__execute_inline(plan, bindings, results);
    for (int32_t i = 0; i < plan->n_results && status == HEDDLE_OK; i++) {
        struct heddle_storage *s = heddle__storage_root(results[i]);
        if (!s->parts || !s->fault || s->listed) continue;
        take_over(s);
        add_pending(s);
    }
    return status;
}

static void wait_for(struct heddle_storage *s)
{
    const struct timespec little = {0, 10000};
    s = heddle__storage_root(s);
    while (atomic_load(&s->unwritten) > 0) {
        CHECK(is_up);
        nanosleep(&little, NULL);
    }
}

static const char *acquire(struct heddle_storage *s, int64_t part)
{
    CHECK(is_up);
    return s->parts[part].handle;
}

static void release(struct heddle_storage *s, int64_t part)
{
    CHECK(is_up && s->parts[part].handle);
}

static void look_at(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (s->parts && !s->parts[part].host) CHECK(is_up);
}

static bool is_done(struct heddle_storage *s)
{
    (void)s;
    return true;
}

static bool read_direct(struct heddle_storage *s, void *out, int64_t size_bytes,
                        enum heddle_status *status)
{
    (void)s, (void)out, (void)size_bytes, (void)status;
    return false;
}

static heddle_place place_now(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    return s->parts && !s->parts[part].host ? first_place : HEDDLE_PLACE_CPU;
}

static int64_t memory_used(int worker)
{
    (void)worker;
    return 0;
}

static const struct heddle_backend backend = {.start = start,
                                              .stop = stop,
                                              .wait_all = wait_all,
                                              .submit = submit,
                                              .wait = wait_for,
                                              .is_done = is_done,
                                              .acquire = acquire,
                                              .release = release,
                                              .prefetch = look_at,
                                              .evict = look_at,
                                              .read = read_direct,
                                              .place_now = place_now,
                                              .memory_used = memory_used};

static void retire(struct heddle_storage *s)
{
    pthread_mutex_lock(&mutex);
    list_remove(s);
    pthread_mutex_unlock(&mutex);
    heddle__storage_let_go(s);
}

static void nothing(struct heddle_storage *s)
{
    (void)s;
}

static const struct heddle_device_port devices = {.enter = heddle__enter_if_up,
                                                  .leave = heddle__leave,
                                                  .list = nothing,
                                                  .retire = retire,
                                                  .free_memory = nothing};

enum heddle_status machine_configure(const struct heddle_config *config)
{
    struct heddle_config forced = *config;
    heddle__backend = &backend;
    heddle__devices = &devices;
    forced.inline_bytes = -1;
    forced.partition = "3"; /* parts, which the backend has */
    return heddle_configure(&forced);
}
