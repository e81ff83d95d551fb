/* Starts and stops StarPU and CUDA. Entry points: start.h. */
#include "starpu/start.h"

#include "array/devices.h"
#include "array/fault.h"
#include "array/large_buffers.h"
#include "base/limits.h"
#include "array/spill.h"
#include "base/reserve.h"
#include "base/signals.h"
#include "cpu/compiled/forms.h"
#include "kernels.h"
#include "run/workers.h"
#include "starpu/calibration.h"
#include "starpu/environment.h"
#include "starpu/handles.h"
#include "starpu/idle.h"
#include "starpu/jobs.h"
#include "starpu/leases.h"
#include "starpu/scheduler.h"
#include "starpu/spare.h"
#include "starpu/submit.h"
#include "starpu/teams.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static bool owns_starpu, cuda_is_open;
static bool keeps_memory;

/* ---- StarPU's host memory ---------------------------------------------------------------------------- */

static bool is_pinned(int flags)
{
    return ((unsigned)flags & STARPU_MALLOC_PINNED) && heddle__n_gpus() > 0;
}

static int allocate(unsigned node, void **at, size_t size_bytes, int flags)
{
    (void)node;
    *at = heddle__large_buffer_get(size_bytes, is_pinned(flags));
    if (!*at && is_pinned(flags)) *at = heddle__spill_get(size_bytes);
    if (!*at && heddle__n_gpus() == 0) *at = heddle__spare_get(size_bytes);
    return *at ? 0 : -ENOMEM;
}

static int release(unsigned node, void *at, size_t size_bytes, int flags)
{
    (void)node;
    if (!keeps_memory && !heddle__is_spare(at))
        heddle__large_buffer_put(at, size_bytes, is_pinned(flags));
    return 0;
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

/* Leaves GPUs out that CUDA cannot use, unless they are asked for: StarPU would abort. Others may hold them,
 * or a limit of the process prevents it. *gpus: bit i stands for gpu:i. */
static enum heddle_status drop_gpus(const struct heddle_settings *s, int n_gpus,
                                    bool links_are_known, uint64_t *gpus)
{
    const uint64_t all = n_gpus > 0 ? UINT64_MAX >> (64 - n_gpus) : 0;
    const uint64_t touched = links_are_known ? *gpus : all;
    heddle__try_gpus(touched);
    for (int i = 0; i < n_gpus; i++) {
        const char *trouble = touched >> i & 1 ? heddle__gpu_trouble(i, NULL, NULL) : NULL;
        if (!trouble) continue;
        HEDDLE_REQUIRE(!(s->gpu_required && *gpus >> i & 1), HEDDLE_ENODEVICE,
                       "heddle_start: gpu:%d is asked for, but CUDA cannot use it: %s", i, trouble);
        HEDDLE_REQUIRE(
            links_are_known, HEDDLE_EDEVICE,
            "heddle_start: StarPU measures the links of all GPUs at the first start, but "
            "CUDA cannot use gpu:%d: %s; CUDA_VISIBLE_DEVICES hides it",
            i, trouble);
        *gpus &= ~((uint64_t)1 << i);
    }
    return HEDDLE_OK;
}

static void configure(struct starpu_conf *conf, const struct heddle_settings *s, int n_gpus,
                      uint64_t gpus, const char *scheduler)
{
    starpu_conf_init(conf);
    conf->precedence_over_environment_variables = 1;
    conf->catch_signals = 0;
    conf->nopencl = conf->nhip = conf->nmax_fpga = conf->nmpi_ms = conf->ntcpip_ms = 0;
    conf->ncuda = 0;
    for (int i = 0; i < n_gpus; i++)
        if (gpus >> i & 1) conf->workers_cuda_gpuid[conf->ncuda++] = (unsigned)i;
    conf->use_explicit_workers_cuda_gpuid = conf->ncuda > 0 && conf->ncuda < n_gpus;
    conf->ncpus = heddle__plan_teams(s, conf->ncuda);
    /* with one place there is no choice; else data and costs decide */
    const bool choice = conf->ncuda + conf->ncpus > 1;
    if (choice && !scheduler) conf->sched_policy = heddle__scheduler();
    if (!conf->sched_policy)
        conf->sched_policy_name = scheduler ? scheduler : choice ? "dmdas" : "eager";
}

/* StarPU's start, with CUDA's where there are GPUs, runs on the caller's stack. */
static enum heddle_status check_stack(int n_gpus)
{
    enum { BYTES = 48 << 10, CUDA_BYTES = 128 << 10 };
    int64_t left;
    HEDDLE_REQUIRE(
        heddle__stack_has_room(&left) || left >= (n_gpus ? CUDA_BYTES : BYTES), HEDDLE_ENOMEM,
        "heddle_start: the thread's stack has %lld KB left, too few to start (ulimit -s, "
        "or the size that the thread was made with)",
        (long long)left / 1024);
    return HEDDLE_OK;
}

/* StarPU aborts when it gets no thread or no memory. *team_threads: how many the CPU teams may have, their
 * workers included. */
static enum heddle_status check_limits(const struct heddle_settings *s, int n_gpus,
                                       int *team_threads)
{
    enum {
        OWN = 2,          /* the thread that pauses workers, and one to spare */
        CUDA_OWN = 4,     /* that CUDA makes for a GPU */
        TRIED_MAX = 1024, /* more are not looked for */
        START_BYTES = 32 << 20
    };
    const int n_teams = heddle__plan_teams(s, n_gpus);
    const int least = n_teams + n_gpus * (1 + CUDA_OWN) + OWN;
    int others = (s->cpu_threads ? s->cpu_threads : heddle__machine()->n_allowed) - n_teams;
    if (others < 0) others = 0;
    if (others > TRIED_MAX) others = TRIED_MAX;
    HEDDLE_REQUIRE(heddle__memory_has_room(START_BYTES), HEDDLE_ENOMEM,
                   "heddle_start: the runtime needs more memory than is left of the address space "
                   "(ulimit -v, ulimit -d)");
    const int made = heddle__threads_available(least + others);
    HEDDLE_REQUIRE(made >= least, HEDDLE_ENOMEM,
                   "heddle_start: %d threads are needed, and the system makes %d: a limit of "
                   "processes (ulimit -u, pids.max of a control group) or of the address space "
                   "(ulimit -v)",
                   least, made);
    *team_threads = made == least + TRIED_MAX ? INT_MAX : n_teams + made - least;
    return HEDDLE_OK;
}

static enum heddle_status too_few_threads(int n)
{
    return heddle__fail(
        HEDDLE_ENOMEM,
        "heddle_start: %d more threads are needed than the system makes: a limit of "
        "processes (ulimit -u, pids.max)",
        n);
}

/* Initialises StarPU in an environment and with a folder of its own. */
static enum heddle_status init(const struct heddle_settings *s, int n_gpus, uint64_t gpus)
{
    struct starpu_conf conf;
    enum heddle_status status;
    const char *folder, *scheduler = heddle__environment_scheduler();
    bool links_are_known;
    HEDDLE_TRY(heddle__calibration_open(n_gpus, &folder, &links_are_known));
    HEDDLE_TRY(drop_gpus(s, n_gpus, links_are_known, &gpus));
    HEDDLE_TRY(heddle__environment_open(s, folder));
    if (!heddle__environment_enter()) {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_start: no memory");
        goto fail;
    }
    owns_starpu = !starpu_is_initialized();
    configure(&conf, s, n_gpus, gpus, scheduler);
    const int n_threads = conf.ncpus + conf.ncuda;
    if (owns_starpu && !heddle__reserve_threads(n_threads, (void (*)(void))starpu_init)) {
        heddle__environment_leave();
        status = too_few_threads(n_threads);
        goto fail;
    }
    const int error = starpu_init(&conf);
    if (owns_starpu) heddle__reserve_end();
    heddle__environment_leave();
    if (error)
        status = heddle__fail(error == -ENODEV ? HEDDLE_ENODEVICE : HEDDLE_EDEVICE,
                              "heddle_start: StarPU does not start: %s", strerror(-error));
fail:
    heddle__calibration_close(status == HEDDLE_OK && owns_starpu);
    return status;
}

static enum heddle_status start_starpu(const struct heddle_settings *s, int *team_threads)
{
    const char *why = "";
    const int n_gpus = heddle__count_gpus(&why); /* StarPU looks at all of them, in use or not */
    uint64_t gpus = 0;
    int n_used = 0;
    for (int i = 0; i < n_gpus && s->use_gpu; i++)
        if (s->gpus >> i & 1) {
            gpus |= (uint64_t)1 << i;
            n_used++;
        }
    enum heddle_status status = check_gpus(s, n_gpus, why);
    if (status == HEDDLE_OK) status = check_stack(n_gpus);
    if (status != HEDDLE_OK) return status;
    heddle__codelets_open();
    heddle__stacks_raise();
    status = check_limits(s, n_used, team_threads);
    if (status == HEDDLE_OK) status = init(s, n_gpus, gpus);
    if (status != HEDDLE_OK) {
        heddle__stacks_restore();
        return status;
    }
    heddle__set_n_gpus((int)starpu_cuda_worker_get_count());
    if (owns_starpu) starpu_malloc_set_hooks(allocate, release);
    starpu_set_limit_max_submitted_tasks(s->max_tasks);
    starpu_set_limit_min_submitted_tasks(s->max_tasks - s->max_tasks / 10);
    return HEDDLE_OK;
}

static enum heddle_status start_cuda(const struct heddle_settings *s)
{
    cuda_is_open = false;
    if (!HEDDLE_HAVE_CUDA || heddle__n_gpus() == 0) return HEDDLE_OK;
    const struct heddle_cuda_settings settings = {heddle__cache_dir(), s->jit};
    int n_devices = 0; /* one more than the largest CUDA number in use */
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
    heddle__reports_close();
    if (HEDDLE_HAVE_CUDA && cuda_is_open) heddle__cuda_close();
    cuda_is_open = false;
    heddle__teams_close();
    heddle__set_n_workers(0);
    heddle__large_buffers_trim(true);
    heddle__environment_enter();
    starpu_shutdown(); /* puts its buffers into the cache */
    heddle__environment_leave();
    heddle__stacks_restore();
    heddle__spare_free();
    heddle__large_buffers_trim(true);
    heddle__set_n_gpus(0);
}

static enum heddle_status start_all(const struct heddle_settings *settings)
{
    int team_threads = 0;
    enum heddle_status status = start_starpu(settings, &team_threads);
    if (status != HEDDLE_OK) return status;
    heddle__teams_open(settings, team_threads);
    HEDDLE_TRY(start_cuda(settings));
    heddle__rates_open();
    if (heddle__idle_start(owns_starpu)) {
        heddle__forms_start();
        return HEDDLE_OK;
    }
    status = too_few_threads(1);
fail:
    stop_starpu();
    return status;
}

enum heddle_status heddle__starpu_start(const struct heddle_settings *settings)
{
    sigset_t before;
    const bool held = heddle__signals_hold(&before); /* StarPU's and CUDA's threads, too */
    const enum heddle_status status = start_all(settings);
    heddle__signals_release(held, &before);
    return status;
}

/* ---- Stop --------------------------------------------------------------------------------------------- */

void heddle__starpu_wait_all(void)
{
    heddle__workers_hold();
    starpu_task_wait_for_all();
    heddle__direct_drain();
    heddle__workers_release();
}

enum heddle_status heddle__starpu_stop(bool keep_memory)
{
    keeps_memory = keep_memory;
    heddle__workers_hold();
    const enum heddle_status status = heddle__storages_come_home();
    heddle__submit_close();
    heddle__workers_release();
    heddle__idle_stop();
    stop_starpu();
    return status;
}
