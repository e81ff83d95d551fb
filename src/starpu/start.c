/* Starts and stops StarPU and CUDA. Entry points: start.h. */
#include "starpu/start.h"

#include "array/devices.h"
#include "array/fault.h"
#include "array/large_buffers.h"
#include "array/spill.h"
#include "kernels.h"
#include "run/workers.h"
#include "starpu/environment.h"
#include "starpu/handles.h"
#include "starpu/idle.h"
#include "starpu/jobs.h"
#include "starpu/leases.h"
#include "starpu/scheduler.h"
#include "starpu/submit.h"
#include "starpu/teams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool owns_starpu, cuda_is_open;

/* ---- StarPU's host memory ---------------------------------------------------------------------------- */

static bool is_pinned(int flags)
{
    return (flags & STARPU_MALLOC_PINNED) && heddle__n_gpus() > 0;
}

static int allocate(unsigned node, void **at, size_t size_bytes, int flags)
{
    (void)node;
    *at = heddle__large_buffer_get(size_bytes, is_pinned(flags));
    if (!*at && is_pinned(flags)) *at = heddle__spill_get(size_bytes);
    /* StarPU would try again for ever; tasks that find this address fail */
    if (!*at && heddle__n_gpus() == 0) *at = heddle__nowhere;
    return *at ? 0 : -ENOMEM;
}

static int release(unsigned node, void *at, size_t size_bytes, int flags)
{
    (void)node;
    if (at != heddle__nowhere) heddle__large_buffer_put(at, size_bytes, is_pinned(flags));
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
    /* with one place there is no choice; else data and costs decide */
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

    heddle__codelets_open();
    configure(&conf, s, n_gpus);
    owns_starpu = !starpu_is_initialized();
    const int error = starpu_init(&conf);
    if (error) {
        heddle__environment_close();
        return heddle__fail(error == -ENODEV ? HEDDLE_ENODEVICE : HEDDLE_EDEVICE,
                            "heddle_start: StarPU does not start: %s", strerror(-error));
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
    heddle__set_n_workers(0);
    heddle__large_buffers_trim(true);
    starpu_shutdown(); /* puts its buffers into the cache */
    heddle__large_buffers_trim(true);
    heddle__environment_close();
    heddle__set_n_gpus(0);
}

enum heddle_status heddle__starpu_start(const struct heddle_settings *settings)
{
    enum heddle_status status = start_starpu(settings);
    if (status != HEDDLE_OK) return status;
    heddle__teams_open(settings);
    HEDDLE_TRY(start_cuda(settings));
    heddle__rates_open();
    if (heddle__idle_start(owns_starpu)) return HEDDLE_OK;
    status = heddle__fail(HEDDLE_ENOMEM, "heddle_start: no thread could be made");
fail:
    stop_starpu();
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

enum heddle_status heddle__starpu_stop(void)
{
    heddle__workers_hold();
    const enum heddle_status status = heddle__storages_come_home();
    heddle__submit_close();
    heddle__workers_release();
    heddle__idle_stop();
    stop_starpu();
    return status;
}
