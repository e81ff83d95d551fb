/* Start and stop of the runtime, the evaluation lock, and what happens to both at exit and in a
 * forked child. Entry points: heddle_start, heddle_shutdown; life.h. */
#include "run/life.h"

#include "array/blocks.h"
#include "array/large_buffers.h"
#include "plan/make/make.h"
#include "run/backend.h"
#include "run/counters.h"
#include "run/evaluate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t evaluation = PTHREAD_MUTEX_INITIALIZER;
static bool started, handlers_set, exiting;
static atomic_bool forked;
static atomic_ullong generation = 1;

void heddle__evaluation_lock(void)
{
    pthread_mutex_lock(&evaluation);
}

void heddle__evaluation_unlock(void)
{
    pthread_mutex_unlock(&evaluation);
}

bool heddle__is_started(void)
{
    return started;
}

bool heddle__is_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

uint64_t heddle__generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

void heddle__new_generation(void)
{
    atomic_fetch_add(&generation, 1);
    heddle__cache_dir_forget();
    heddle__plan_cache_clear();
}

enum heddle_status heddle__check_fork(void)
{
    if (!heddle__is_forked()) return HEDDLE_OK;
    return heddle__fail(HEDDLE_EDEVICE, "heddle: the runtime does not work in a child of fork(); "
                                        "start it there only, or use exec");
}

enum heddle_status heddle__require_stopped(const char *caller)
{
    heddle__evaluation_lock();
    if (!started) return HEDDLE_OK;
    heddle__evaluation_unlock();
    return heddle__fail(HEDDLE_EARG, "%s: the runtime is running; call heddle_shutdown first",
                        caller);
}

/* ---- Handlers ---------------------------------------------------------------------------------------- */

static void at_exit(void)
{
    if (heddle__is_forked()) return;
    heddle_shutdown();
    exiting = true;
}

static void before_fork(void)
{
    pthread_mutex_lock(&evaluation);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&evaluation);
}

static void after_fork_child(void)
{
    if (started) atomic_store(&forked, true);
    heddle__blocks_after_fork();
    pthread_mutex_unlock(&evaluation);
}

static void set_handlers(void)
{
    if (handlers_set) return;
    handlers_set = true;
    atexit(at_exit);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* ---- Start and stop ------------------------------------------------------------------------------------ */

enum heddle_status heddle__need_runtime(void)
{
    if (heddle__is_forked()) return heddle__check_fork();
    if (started) return HEDDLE_OK;
    HEDDLE_REQUIRE(!exiting, HEDDLE_EDEVICE, "heddle: the process is exiting");
    HEDDLE_REQUIRE(heddle__backend, HEDDLE_ENODEVICE, "heddle: nothing here drives devices");
    const struct heddle_settings *settings = heddle__settings();
    if (!settings) return heddle__last_code();
    const enum heddle_status status = heddle__backend->start(settings);
    if (status != HEDDLE_OK) return status;
    started = true;
    heddle__usage_open();
    set_handlers();
    heddle__new_generation();
    return HEDDLE_OK;
}

enum heddle_status heddle_start(void)
{
    heddle__evaluation_lock();
    const enum heddle_status status = heddle__need_runtime();
    heddle__evaluation_unlock();
    return status;
}

void heddle__wait_all(void)
{
    heddle__evaluation_lock();
    if (started && !heddle__is_forked()) heddle__backend->wait_all();
    heddle__evaluation_unlock();
}

enum heddle_status heddle_shutdown(void)
{
    enum heddle_status status = HEDDLE_OK;
    if (heddle__is_forked()) return heddle__check_fork();
    heddle__evaluation_lock();
    if (started) {
        heddle__backend->wait_all();
        heddle__collect_counters();
        heddle__usage_close();
        status = heddle__backend->stop();
        started = false;
        heddle__new_generation();
    }
    heddle__plan_cache_clear();
    heddle__evaluate_close();
    heddle__inline_close();
    heddle__blocks_trim();
    heddle__large_buffers_trim(false);
    heddle__evaluation_unlock();
    return status;
}
