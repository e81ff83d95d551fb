/* What the simulator replaces of src/starpu: start and stop (start.h), and the thread that pauses idle
 * workers (idle.h). Entry points: devices.h. */
#include "devices.h"

#include "array/devices.h"
#include "families/families.h"
#include "graph/node.h"
#include "plan/policy/policy.h"
#include "run/backend.h"
#include "starpu/handles.h"
#include "starpu/idle.h"
#include "starpu/scheduler.h"
#include "starpu/start.h"
#include "starpu/submit.h"

#include <string.h>

static const struct machine *machine;
static double started_us;
static struct account submitted; /* tasks and operations since account_begin */

/* ---- The workers ------------------------------------------------------------------------------------ */

/* Nobody runs it: a task's time is the cost model's. */
static void never_called(void *descriptions[], void *argument)
{
    (void)descriptions, (void)argument;
}

static void let_gpus_run_all(void)
{
    for (int i = 0; i < HEDDLE_N_FAMILIES; i++) {
        struct starpu_codelet *codelet = heddle__codelet(heddle__families[i]);
        codelet->cuda_funcs[0] = never_called;
        codelet->cuda_flags[0] = STARPU_CUDA_ASYNC;
    }
}

/* The machine's place of a StarPU worker. */
static int place_of(int worker)
{
    const int device = starpu_worker_get_devid(worker);
    if (starpu_worker_get_type(worker) == STARPU_CUDA_WORKER) return device;
    int team = 0;
    for (int i = 0; i < worker; i++) team += starpu_worker_get_type(i) == STARPU_CPU_WORKER;
    return machine_n_gpus(machine) + team;
}

static void fill_table(void)
{
    static const int64_t much = (int64_t)1 << 50;
    heddle__set_n_workers((int)starpu_worker_get_count());
    double cores = 0;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const int place = place_of(i), n_gpus = machine_n_gpus(machine);
        const struct machine_place *p = &machine->places[place];
        const int number = p->is_gpu ? place : place - n_gpus;
        if (!p->is_gpu) cores += p->bytes;
        *heddle__worker(i) = (struct heddle_worker){
            .number = i,
            .is_gpu = p->is_gpu,
            .place = (p->is_gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU) + number,
            .team = number,
            .node = starpu_worker_get_memory_node((unsigned)i),
            .memory_bytes = p->is_gpu ? (int64_t)machine->gpu_memory : much,
            .bandwidth = p->bytes,
            .flops = p->flops,
            .link = p->link,
            .launch_us = machine->launch_us[p->is_gpu],
            .model = "invented"};
    }
    heddle__set_peer_link(machine->peer);
    heddle__set_host_link(machine->host);
    heddle__set_host_memory(machine->host + cores); /* the simulator lets both have all */
    heddle__workers_sum_up();
}

enum heddle_status heddle__starpu_start(const struct heddle_settings *settings)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.catch_signals = 0;
    conf.nopencl = 0;
    conf.ncuda = machine_n_gpus(machine);
    conf.ncpus = machine_n_places(machine) - conf.ncuda;
    conf.sched_policy = heddle__scheduler();
    heddle__codelets_open();
    let_gpus_run_all();
    HEDDLE_REQUIRE(starpu_init(&conf) == 0, HEDDLE_EDEVICE, "simulated: StarPU does not start");
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    starpu_set_limit_max_submitted_tasks(settings->max_tasks);
    starpu_set_limit_min_submitted_tasks(settings->max_tasks - settings->max_tasks / 10);
    heddle__set_n_gpus(conf.ncuda);
    fill_table();
    heddle__idle_start(false);
    return HEDDLE_OK;
}

void heddle__starpu_wait_all(void)
{
    starpu_task_wait_for_all();
    heddle__reap();
}

/* There are no data to keep. */
enum heddle_status heddle__starpu_stop(bool keep_memory)
{
    (void)keep_memory;
    heddle__let_go();
    heddle__starpu_wait_all();
    heddle__submit_close();
    heddle__idle_stop();
    heddle__set_n_workers(0);
    starpu_shutdown();
    return HEDDLE_OK;
}

/* ---- The thread that frees what StarPU has let go of: an actor of the simulation ---------------------- */

static starpu_pthread_mutex_t mutex;
static starpu_pthread_cond_t wake;
static starpu_pthread_t reaper;
static bool reaper_runs;

static void *reap(void *unused)
{
    (void)unused;
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    while (reaper_runs) {
        STARPU_PTHREAD_COND_WAIT(&wake, &mutex);
        STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
        heddle__reap();
        STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
    return NULL;
}

bool heddle__idle_start(bool may_pause)
{
    (void)may_pause;
    reaper_runs = true;
    STARPU_PTHREAD_MUTEX_INIT(&mutex, NULL);
    STARPU_PTHREAD_COND_INIT(&wake, NULL);
    STARPU_PTHREAD_CREATE(&reaper, NULL, reap, NULL);
    return true;
}

void heddle__idle_stop(void)
{
    reaper_runs = false;
    heddle__idle_wake();
    STARPU_PTHREAD_JOIN(reaper, NULL);
}

void heddle__idle_wake(void)
{
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    STARPU_PTHREAD_COND_SIGNAL(&wake);
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
}

bool heddle__idle_ticks(void)
{
    return false;
}
void heddle__workers_hold(void) {}
void heddle__workers_stay(void) {}
void heddle__workers_resume(void) {}
void heddle__workers_release(void) {}

/* ---- Plans, counted ---------------------------------------------------------------------------------- */

static enum heddle_status submit(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                 struct heddle_storage *results[])
{
    submitted.n_tasks += plan->n_tasks;
    submitted.flops += plan->flops;
    return heddle__submit(plan, bindings, results);
}

void devices_are(const struct machine *m)
{
    static struct heddle_backend counting;
    counting = *heddle__backend;
    counting.submit = submit;
    heddle__backend = &counting;
    machine = m;
}

/* ---- Data --------------------------------------------------------------------------------------------- */

static double nobody_reads_it;

heddle_array *host_data(int ndim, const int64_t *shape)
{
    heddle_array *a = heddle_asarray(&nobody_reads_it, HEDDLE_FLOAT64, ndim, shape, .borrow = true);
    if (a->kind == HEDDLE_NODE_DATA) a->storage->pinned = true;
    return a;
}

heddle_array *gpu_data(int ndim, const int64_t *shape, const double *share)
{
    struct heddle_part_source parts[MACHINE_MAX_PLACES] = {0};
    const int n = machine_n_gpus(machine);
    const int64_t unit = ndim == 1 ? 65536 : 1;
    double sum = 0;
    for (int64_t i = 0, first = 0; i < n; i++) {
        sum += share[i];
        const int64_t end = i + 1 == n ? shape[0] : (int64_t)(sum * (double)shape[0]) / unit * unit;
        parts[i] = (struct heddle_part_source){
            .data = &nobody_reads_it, .extent = end - first, .place = heddle_gpu((int)i)};
        first = end;
    }
    return heddle_from_parts(n, parts, 0, HEDDLE_FLOAT64, ndim, shape);
}

/* ---- Accounts ------------------------------------------------------------------------------------------ */

static void count_transfers(struct account *a)
{
    struct heddle_traffic traffic[MACHINE_MAX_PLACES * MACHINE_MAX_PLACES];
    int n = 0;
    heddle_traffic_get(sizeof traffic / sizeof *traffic, traffic, &n);
    for (int i = 0; i < n; i++) {
        const bool from_host = traffic[i].from < HEDDLE_PLACE_GPU,
                   to_host = traffic[i].to < HEDDLE_PLACE_GPU;
        *(from_host ? &a->to_gpus
          : to_host ? &a->from_gpus
                    : &a->between_gpus) += (double)traffic[i].bytes;
    }
}

static void count_work(struct account *a)
{
    for (int i = 0; i < heddle__n_workers(); i++) {
        struct starpu_profiling_worker_info info;
        if (starpu_profiling_worker_get_info(i, &info) != 0) continue; /* which resets it */
        a->busy_us[place_of(i)] += starpu_timing_timespec_to_us(&info.executing_time);
        a->n_run[place_of(i)] += info.executed_tasks;
    }
}

void account_begin(void)
{
    heddle_start();
    starpu_task_wait_for_all();
    count_work(&submitted); /* forgets it */
    heddle_statistics_reset();
    submitted = (struct account){0};
    started_us = starpu_timing_now();
}

void account_end(struct account *a)
{
    starpu_task_wait_for_all();
    *a = submitted;
    a->us = starpu_timing_now() - started_us;
    count_transfers(a);
    count_work(a);
}
