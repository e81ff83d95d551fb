/* Start and stop of the runtime, the evaluation lock and the gate, and what happens to them at exit and in
 * a forked child. What needs the runtime is done under the lock, or inside the gate. Shut-down closes the
 * gate, waits until those inside have left, and holds the lock while it takes the runtime down; who comes
 * meanwhile waits, and starts it again. Entry points: heddle_start, heddle_shutdown; life.h. */
#include "run/life.h"

#include "array/blocks.h"
#include "array/devices.h"
#include "array/large_buffers.h"
#include "base/at_fork.h"
#include "base/machine.h"
#include "base/team.h"
#include "base/user_function.h"
#include "plan/make/make.h"
#include "run/backend.h"
#include "run/counters/counters.h"
#include "run/evaluate.h"
#include "run/parts.h"
#include "run/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t evaluation = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER; /* the gate */
static atomic_bool started, closing;                     /* change under the lock */
static atomic_int n_inside;
static HEDDLE_THREAD_LOCAL int depth; /* how often this thread has entered */
static unsigned watched;              /* of enum before_exit, which a handler came after */
static atomic_bool forked, exiting, is_down_for_good;
static atomic_ullong generation = 1;

/* ---- The lock and the gate ------------------------------------------------------------------------------ */

void heddle__evaluation_lock(void)
{
    pthread_mutex_lock(&evaluation);
    while (atomic_load_explicit(&closing, memory_order_relaxed) && depth == 0)
        pthread_cond_wait(&opened, &evaluation);
}

void heddle__evaluation_unlock(void)
{
    pthread_mutex_unlock(&evaluation);
}

void heddle__enter_locked(void)
{
    depth++;
    atomic_fetch_add(&n_inside, 1);
}

void heddle__enter(void)
{
    heddle__evaluation_lock();
    heddle__enter_locked();
    heddle__evaluation_unlock();
}

void heddle__leave(void)
{
    depth--;
    atomic_fetch_sub(&n_inside, 1);
}

/* One of the two sees the other: this raises n_inside, then looks at `closing`; shut-down sets `closing`,
 * then looks at n_inside. */
bool heddle__enter_if_up(void)
{
    heddle__enter_locked();
    if (atomic_load(&started) && (!atomic_load(&closing) || depth > 1)) return true;
    heddle__leave();
    return false;
}

/* ---- Questions -------------------------------------------------------------------------------------------- */

bool heddle__is_started(void)
{
    return atomic_load_explicit(&started, memory_order_relaxed);
}

bool heddle__is_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

uint64_t heddle__generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

/* ---- The end of the process ---------------------------------------------------------------------------------- */

static void at_exit(void);

/* Handlers run from the last one to the first, and the driver of GPUs sets one when it starts: the runtime goes down before
 * it only by a handler that came after it, whatever asked for one before. */
enum before_exit { ANYTHING = 1, RUNTIME = 2, GPUS = 4 };

static void watch_exit(enum before_exit after)
{
    if (!(watched & (unsigned)after)) atexit(at_exit);
    watched |= (unsigned)after;
}

/* ---- The first team --------------------------------------------------------------------------------------- */

/* Small plans run before the runtime is up, and may be all that a program has. When enough of them could use more than the
 * caller, there is a team for them until the runtime brings its own. All under the evaluation lock. */
enum { PLANS_BEFORE_TEAM = 100 };
static struct heddle_team *first_team;
static int n_plans_for_team;

static void close_first_team(void)
{
    n_plans_for_team = 0;
    if (!first_team) return;
    heddle__team_lend(NULL);
    heddle__team_close(first_team);
    first_team = NULL;
}

void heddle__want_team(void)
{
    if (first_team || heddle__is_started() || heddle__is_forked() ||
        atomic_load(&is_down_for_good) || ++n_plans_for_team != PLANS_BEFORE_TEAM)
        return;
    const struct heddle_settings *s = heddle__settings();
    if (!s || !s->use_cpu) return;
    const int n_threads = s->cpu_threads ? s->cpu_threads : heddle__machine()->n_allowed;
    const int of_team = n_threads / heddle__plan_teams(s, 0);
    if (of_team < 2) return;
    first_team = heddle__team_open(of_team, NULL);
    heddle__team_lend(first_team);
    watch_exit(ANYTHING);
}

void heddle__new_generation(void)
{
    close_first_team();
    atomic_fetch_add(&generation, 1);
    heddle__cache_dir_forget();
    heddle__plan_cache_clear();
}

enum heddle_status heddle__check_fork(void)
{
    if (!heddle__is_forked()) return HEDDLE_OK;
    return heddle__fail(HEDDLE_EDEVICE,
                        "heddle: this needs the runtime, which does not work in a child of fork(); "
                        "start it there only, or use exec");
}

enum heddle_status heddle__require_stopped(const char *caller)
{
    heddle__evaluation_lock();
    if (!heddle__is_started()) return HEDDLE_OK;
    heddle__evaluation_unlock();
    return heddle__fail(HEDDLE_EARG, "%s: the runtime is running; call heddle_shutdown first",
                        caller);
}

/* ---- Stop --------------------------------------------------------------------------------------------------- */

/* Under the lock, with nobody inside. */
static enum heddle_status stop(bool keep_memory)
{
    heddle__backend->wait_all();
    heddle__collect_counters();
    heddle__usage_close();
    const enum heddle_status status = heddle__backend->stop(keep_memory);
    atomic_store(&started, false);
    heddle__new_generation();
    return status;
}

/* Under the lock, which it gives up meanwhile. Who is inside may need it; nobody else gets it. */
static void wait_until_all_left(void)
{
    const struct timespec pause = {0, 50000};
    while (atomic_load(&n_inside) > 0) {
        pthread_mutex_unlock(&evaluation);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&evaluation);
    }
}

/* leaving: the process exits, so views that nobody will give back end here; what they point to stays. */
static enum heddle_status shut_down(bool leaving)
{
    enum heddle_status status = HEDDLE_OK;
    heddle__evaluation_lock();
    atomic_store(&closing, true);
    wait_until_all_left();
    const bool keep_memory = leaving && heddle__views_end();
    if (!leaving) status = heddle__check_no_views();
    if (status == HEDDLE_OK) {
        if (heddle__is_started()) status = stop(keep_memory);
        heddle__plan_cache_clear();
        heddle__evaluate_close();
        close_first_team();
        heddle__inline_close();
        heddle__blocks_trim();
        heddle__large_buffers_trim(false);
    }
    if (leaving) atomic_store(&is_down_for_good, true);
    atomic_store(&closing, false);
    pthread_cond_broadcast(&opened);
    heddle__evaluation_unlock();
    return status;
}

enum heddle_status heddle_shutdown(void)
{
    enum heddle_status status = heddle__refuse_in_function("shutdown");
    if (status == HEDDLE_OK) status = heddle__check_fork();
    return status == HEDDLE_OK ? shut_down(false) : status;
}

/* A function of the user's that calls exit() is part of a task, or under the lock: nothing can be waited
 * for, and the process ends as it is. So it does if a deleter does not return, as one that asks for the lock of an
 * interpreter which has ended. */
static void at_exit(void)
{
    enum { DELETERS_MS = 1000 };
    if (atomic_exchange(&exiting, true)) return;
    if (heddle__is_forked() || heddle__in_user_function || !heddle__end_deleters(DELETERS_MS))
        atomic_store(&is_down_for_good, true);
    else
        shut_down(true);
}

/* ---- Fork --------------------------------------------------------------------------------------------------- */

/* Whoever was inside, or shut the runtime down, is not here. */
static void in_child(void)
{
    pthread_cond_init(&opened, NULL);
    atomic_store(&closing, false);
    atomic_store(&n_inside, depth);
    first_team = NULL; /* its threads are not here */
    n_plans_for_team = 0;
    if (!heddle__is_started()) return;
    atomic_store(&forked, true);
    heddle__set_n_gpus(0);
}

HEDDLE_AT_FORK(.mutex = &evaluation, .outermost = true, .in_child = in_child)

void heddle__watch_exit(void)
{
    heddle__evaluation_lock();
    watch_exit(ANYTHING);
    heddle__evaluation_unlock();
}

bool heddle__is_exiting(void)
{
    return atomic_load(&exiting);
}

/* ---- Start -------------------------------------------------------------------------------------------------- */

enum heddle_status heddle__need_runtime(void)
{
    if (heddle__is_forked()) return heddle__check_fork();
    if (heddle__is_started()) return HEDDLE_OK;
    HEDDLE_REQUIRE(!atomic_load(&is_down_for_good), HEDDLE_EDEVICE,
                   "heddle: the process is exiting");
    HEDDLE_REQUIRE(heddle__backend, HEDDLE_ENODEVICE, "heddle: nothing here drives devices");
    const struct heddle_settings *settings = heddle__settings();
    if (!settings) return heddle__last_code();
    close_first_team();
    const enum heddle_status status = heddle__backend->start(settings);
    if (status != HEDDLE_OK) return status;
    atomic_store(&started, true);
    heddle__usage_open();
    watch_exit(heddle__n_gpus() > 0 ? GPUS : RUNTIME);
    heddle__new_generation();
    return HEDDLE_OK;
}

enum heddle_status heddle_start(void)
{
    enum heddle_status status = heddle__refuse_in_function("start");
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock();
    status = heddle__need_runtime();
    heddle__evaluation_unlock();
    return status;
}

void heddle__wait_all(void)
{
    heddle__evaluation_lock();
    if (heddle__is_started() && !heddle__is_forked()) heddle__backend->wait_all();
    heddle__evaluation_unlock();
}
