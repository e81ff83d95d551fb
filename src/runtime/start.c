/* Start and stop of the runtime, the evaluation lock, and what happens to both at exit and in a
 * forked child. Entry points: heddle_start, heddle_shutdown, heddle__need_runtime. */
#include "runtime/handles.h"
#include "runtime/scheduler.h"

#include "base/memory.h"
#include "kernels.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t evaluation = PTHREAD_MUTEX_INITIALIZER;
static bool started, handlers_set, exiting, owns_starpu, cuda_is_open;
static atomic_bool forked;
static atomic_int n_gpus_used;
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

int heddle__n_gpus(void)
{
    return atomic_load_explicit(&n_gpus_used, memory_order_relaxed);
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

/* ---- Start -------------------------------------------------------------------------------------------- */

static enum heddle_status check_gpus(const struct heddle_settings *s, int n, const char *why)
{
    if (!s->gpu_required) return HEDDLE_OK;
    HEDDLE_REQUIRE(n > 0, HEDDLE_ENODEVICE, "heddle_start: GPUs are asked for, but %s", why);
    if (s->gpus == UINT64_MAX) return HEDDLE_OK;
    for (int i = n; i < HEDDLE_MAX_GPUS; i++)
        HEDDLE_REQUIRE(!(s->gpus >> i & 1), HEDDLE_ENODEVICE,
                       "heddle_start: gpu:%d is asked for, but there are %d", i, n);
    return HEDDLE_OK;
}

static void configure(struct starpu_conf *conf, const struct heddle_settings *s, int n_gpus)
{
    starpu_conf_init(conf);
    conf->catch_signals = 0;
    conf->nopencl = conf->nhip = conf->nmax_fpga = conf->nmpi_ms = conf->ntcpip_ms = 0;
    conf->ncuda = 0;
    for (int i = 0; i < n_gpus; i++)
        if (s->gpus >> i & 1) conf->workers_cuda_gpuid[conf->ncuda++] = (unsigned)i;
    conf->use_explicit_workers_cuda_gpuid = conf->ncuda > 0 && conf->ncuda < n_gpus;
    conf->ncpus = heddle__plan_teams(s, conf->ncuda);
    /* One place needs no choice; else data and cost decide. */
    const bool choice = conf->ncuda + conf->ncpus > 1;
    if (choice && !getenv("STARPU_SCHED")) conf->sched_policy = heddle__scheduler();
    if (!conf->sched_policy) conf->sched_policy_name = choice ? "dmdas" : "eager";
}

static enum heddle_status start_starpu(const struct heddle_settings *s)
{
    struct starpu_conf conf;
    const char *why = "";
    const int n_gpus = s->use_gpu ? heddle__count_gpus(&why) : 0;
    enum heddle_status status = check_gpus(s, n_gpus, why);
    if (status != HEDDLE_OK) return status;
    status = heddle__environment_open(s, n_gpus);
    if (status != HEDDLE_OK) return status;

    configure(&conf, s, n_gpus);
    owns_starpu = !starpu_is_initialized();
    const int error = starpu_init(&conf);
    if (error) {
        heddle__environment_close();
        return heddle__fail(error == -ENODEV ? HEDDLE_ENODEVICE : HEDDLE_EDEVICE,
                            "heddle_start: StarPU does not start: %s", strerror(-error));
    }
    atomic_store(&n_gpus_used, (int)starpu_cuda_worker_get_count());
    if (owns_starpu) heddle__big_open();
    starpu_set_limit_max_submitted_tasks(s->max_tasks);
    starpu_set_limit_min_submitted_tasks(s->max_tasks - s->max_tasks / 10);
    return HEDDLE_OK;
}

static enum heddle_status start_cuda(const struct heddle_settings *s)
{
    cuda_is_open = false;
    if (!HEDDLE_HAVE_CUDA || heddle__n_gpus() == 0) return HEDDLE_OK;
    const struct heddle_cuda_settings settings = {heddle__cache_dir(), s->jit};
    int n_devices = 0; /* CUDA's numbers of those in use are below it */
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu && heddle__worker(i)->team >= n_devices)
            n_devices = heddle__worker(i)->team + 1;
    const enum heddle_status status = heddle__cuda_open(n_devices, &settings);
    cuda_is_open = status == HEDDLE_OK;
    return status;
}

static void stop_starpu(void)
{
    heddle__direct_close();
    if (HEDDLE_HAVE_CUDA && cuda_is_open) heddle__cuda_close();
    cuda_is_open = false;
    heddle__workers_close();
    heddle__big_trim(true);
    starpu_shutdown(); /* gives its buffers to the cache */
    heddle__big_trim(true);
    heddle__environment_close();
    atomic_store(&n_gpus_used, 0);
}

enum heddle_status heddle__need_runtime(void)
{
    if (heddle__is_forked()) return heddle__check_fork();
    if (started) return HEDDLE_OK;
    HEDDLE_REQUIRE(!exiting, HEDDLE_EDEVICE, "heddle: the process is exiting");
    const struct heddle_settings *settings = heddle__settings();
    if (!settings) return heddle__last_code();

    enum heddle_status status = start_starpu(settings);
    if (status != HEDDLE_OK) return status;
    HEDDLE_TRY(heddle__workers_open(settings));
    HEDDLE_TRY(start_cuda(settings));
    heddle__rates_open();
    if (!heddle__keeper_start(owns_starpu)) {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_start: no thread could be made");
        goto fail;
    }
    started = true;
    heddle__usage_open();
    set_handlers();
    heddle__new_generation();
    return HEDDLE_OK;
fail:
    stop_starpu();
    return status;
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
    if (started && !heddle__is_forked()) {
        heddle__workers_hold();
        starpu_task_wait_for_all();
        heddle__direct_drain();
        heddle__workers_release();
    }
    heddle__evaluation_unlock();
}

/* ---- Stop --------------------------------------------------------------------------------------------- */

enum heddle_status heddle_shutdown(void)
{
    enum heddle_status status = HEDDLE_OK;
    if (heddle__is_forked()) return heddle__check_fork();
    heddle__evaluation_lock();
    if (started) {
        heddle__workers_hold();
        starpu_task_wait_for_all();
        heddle__direct_drain();
        heddle__collect_counters();
        heddle__usage_close();
        status = heddle__storages_come_home();
        heddle__submit_close();
        heddle__workers_release();
        heddle__keeper_stop();
        stop_starpu();
        started = false;
        heddle__new_generation();
    }
    heddle__plan_cache_clear();
    heddle__evaluate_close();
    heddle__inline_close();
    heddle__blocks_trim();
    heddle__big_trim(false);
    heddle__evaluation_unlock();
    return status;
}
