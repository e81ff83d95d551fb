/* Plans in virtual time. Entry points: run.h, and what the core calls of the runtime. */
#include "run.h"

#include "graph/node.h"
#include "plan/roofline.h"
#include "runtime/runtime.h"
#include "runtime/placed.h"
#include "runtime/scheduler.h"
#include "runtime/storage.h"

#include <starpu.h>
#include <stdlib.h>

static const struct machine *machine;
static struct run current;
static double started_us;

/* ---- Storage: handles without data ----------------------------------------------------------------- */

struct heddle_storage {
    atomic_int refs;
    bool on_gpus;                /* data: they are in their grid's places */
    struct heddle_grid *grid;    /* NULL: not cut yet */
    starpu_data_handle_t *parts; /* NULL: as `grid` */
    struct heddle_storage *base; /* the same parts under another shape */
};

struct heddle_storage *heddle__storage_wrap(const void *data, int64_t size_bytes,
                                            void (*deleter)(void *user), void *user)
{
    (void)data, (void)size_bytes, (void)deleter, (void)user;
    struct heddle_storage *s = calloc(1, sizeof *s);
    s->refs = 1;
    return s;
}

struct heddle_storage *heddle__storage_copy(const void *data, int64_t size_bytes)
{
    return heddle__storage_wrap(data, size_bytes, NULL, NULL);
}

struct heddle_storage *heddle__storage_retain(struct heddle_storage *s)
{
    atomic_fetch_add(&s->refs, 1);
    return s;
}

void heddle__storage_release(struct heddle_storage *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1) return;
    for (int64_t i = 0; s->parts && i < s->grid->n_parts; i++)
        starpu_data_unregister_submit(s->parts[i]);
    free(s->parts);
    heddle__grid_release(s->grid);
    heddle__storage_release(s->base);
    free(s);
}

struct heddle_grid *heddle__storage_grid(const struct heddle_storage *s)
{
    return s->grid;
}

bool heddle__storage_on_host(const struct heddle_storage *s)
{
    return !s->on_gpus;
}

/* The worker of a place; -1: anywhere. */
static int worker_at(heddle_place place)
{
    if (place == HEDDLE_ANYWHERE) return -1;
    const bool gpu = place >= HEDDLE_PLACE_GPU;
    return starpu_worker_get_by_type(gpu ? STARPU_CUDA_WORKER : STARPU_CPU_WORKER,
                                     place - (gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU));
}

/* Where part `i` of data is at first: its place, or the GPUs in turn. */
static int home_of(const struct heddle_storage *s, int64_t i)
{
    if (!s->on_gpus) return STARPU_MAIN_RAM;
    const heddle_place place = heddle__grid_place_of(s->grid, i);
    const int n = machine_n_gpus(machine);
    const int worker = worker_at(place ? place : HEDDLE_PLACE_GPU + (heddle_place)(i % n));
    return (int)starpu_worker_get_memory_node((unsigned)worker);
}

static void attach(struct heddle_storage *s, struct heddle_grid *grid, int element_bytes,
                   bool is_data)
{
    if (s->grid) return;
    s->grid = heddle__grid_retain(grid);
    s->parts = calloc((size_t)grid->n_parts, sizeof(starpu_data_handle_t));
    for (int64_t i = 0; i < grid->n_parts; i++) {
        const int64_t size = heddle__grid_part_size(grid, i) * element_bytes;
        /* Nobody looks at the address. */
        starpu_variable_data_register(&s->parts[i], is_data ? home_of(s, i) : -1,
                                      is_data ? 4096 : 0, (size_t)(size > 0 ? size : 1));
    }
}

static starpu_data_handle_t part_of(const struct heddle_storage *s, int64_t part)
{
    while (!s->parts) s = s->base;
    return s->parts[part];
}

static struct heddle_storage *same_as(struct heddle_storage *base, struct heddle_grid *grid)
{
    struct heddle_storage *s = heddle__storage_wrap(NULL, 0, NULL, NULL);
    s->grid = heddle__grid_retain(grid);
    s->base = heddle__storage_retain(base);
    s->on_gpus = base->on_gpus;
    return s;
}

heddle_array *run_data(int ndim, const int64_t *shape, bool on_gpus)
{
    static const double nobody_reads_it;
    heddle_array *a = heddle_asarray(&nobody_reads_it, HEDDLE_FLOAT64, ndim, shape, .borrow = true);
    if (a->kind == HEDDLE_NODE_DATA) a->storage->on_gpus = on_gpus;
    return a;
}

#define TRANSFER_US 10 /* as src/runtime/codelet.c */

/* ---- Tasks --------------------------------------------------------------------------------------------- */

/* What the callback and the cost model know of a task. */
struct job {
    const struct heddle_plan_task *task;
    struct heddle_plan *plan;
    struct heddle_placement placement;
};

/* Number of a worker's place in the machine. */
static int place_of(unsigned worker)
{
    const bool gpu = starpu_worker_get_type((int)worker) == STARPU_CUDA_WORKER;
    int i = starpu_worker_get_devid((int)worker);
    if (!gpu)
        for (i = machine_n_gpus(machine);
             worker_at(HEDDLE_PLACE_CPU + i - machine_n_gpus(machine)) != (int)worker;)
            i++;
    return i;
}

static double kernels_us(const struct job *job, unsigned worker)
{
    const struct machine_place *p = &machine->places[place_of(worker)];
    return heddle__roofline_us(job->task, p->flops, p->bytes, machine->launch_us[p->is_gpu]);
}

/* As src/runtime/codelet.c: what a task without a place costs has the transfers in it. By the time
 * that it runs all is there, so the simulator takes the kernels' time alone. */
static double cost_us(struct starpu_task *task, unsigned worker, unsigned nimpl)
{
    (void)nimpl;
    const struct job *job = task->cl_arg;
    const double us = kernels_us(job, worker);
    if (job->task->place != HEDDLE_ANYWHERE) return us;
    const struct machine_place *p = &machine->places[place_of(worker)];
    const unsigned node = starpu_worker_get_memory_node(worker);
    double link_us = 0;
    for (int i = 0; i < task->nbuffers; i++) {
        starpu_data_handle_t handle = task->dyn_handles[i];
        if (!(task->dyn_modes[i] & STARPU_R) || heddle__is_valid_on(handle, node)) continue;
        double link = p->is_gpu ? run_policy.places[place_of(worker)].link : 0;
        for (int g = 0;
             g < machine_n_gpus(machine) && !heddle__is_valid_on(handle, STARPU_MAIN_RAM); g++) {
            const int from = worker_at(HEDDLE_PLACE_GPU + g);
            if (!heddle__is_valid_on(handle, starpu_worker_get_memory_node((unsigned)from)))
                continue;
            link = p->is_gpu && machine->peer > 0 ? machine->peer : machine->places[g].link;
        }
        if (link > 0) link_us += TRANSFER_US + 1e6 * (double)starpu_data_get_size(handle) / link;
    }
    return heddle__overlap_us(us, link_us, (double)job->plan->steps[job->task->step].n_tasks);
}

static void done(void *argument)
{
    struct job *job = argument;
    const unsigned worker = (unsigned)starpu_worker_get_id();
    const int place = place_of(worker);
    current.busy_us[place] += kernels_us(job, worker);
    current.n_run[place]++;
    heddle__plan_release(job->plan);
    free(job);
}

static void never_called(void *descriptions[], void *argument)
{
    (void)descriptions, (void)argument;
}

static struct starpu_perfmodel model = {
    .type = STARPU_PER_WORKER, .symbol = "simulated", .worker_cost_function = cost_us};
static struct starpu_codelet codelet = {.cpu_funcs = {never_called},
                                        .cuda_funcs = {never_called},
                                        .cuda_flags = {STARPU_CUDA_ASYNC},
                                        .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                        .model = &model};

/* The task's parts, each once, with all its modes. A part's first writer only writes it. */
static int fill_buffers(const struct heddle_plan *plan, const struct heddle_plan_task *t,
                        struct heddle_storage *const *storages, struct starpu_task *task)
{
    int n = 0;
    task->dyn_handles = malloc((size_t)t->n_uses * sizeof *task->dyn_handles);
    task->dyn_modes = malloc((size_t)t->n_uses * sizeof *task->dyn_modes);
    for (int32_t u = 0; u < t->n_uses; u++) {
        const struct heddle_plan_use *use = &plan->uses[t->first_use + u];
        starpu_data_handle_t handle = part_of(storages[use->array], use->part);
        int k = 0;
        while (k < n && task->dyn_handles[k] != handle) k++;
        if (k == n) task->dyn_modes[n++] = (enum starpu_data_access_mode)0;
        task->dyn_handles[k] = handle;
        const bool reads = use->mode & HEDDLE_READ && starpu_data_get_user_data(handle) != NULL;
        if (reads || use->mode == HEDDLE_READ) task->dyn_modes[k] |= STARPU_R;
        if (use->mode & HEDDLE_WRITE) task->dyn_modes[k] |= STARPU_W;
        if (use->mode & HEDDLE_WRITE) starpu_data_set_user_data(handle, &codelet); /* written */
    }
    return n;
}

/* As src/runtime/submit.c. */
static void place(const struct heddle_plan *plan, struct heddle_storage *const *storages,
                  struct starpu_task *task, struct job *job, int worker)
{
    const unsigned node = starpu_worker_get_memory_node((unsigned)worker);
    heddle__bind(task, worker, plan->waits_for_data, &job->placement);
    for (int32_t u = 0; u < job->task->n_uses; u++) {
        const struct heddle_plan_use *use = &plan->uses[job->task->first_use + u];
        starpu_data_handle_t handle = part_of(storages[use->array], use->part);
        heddle__send(&job->placement, handle, worker_at(use->send_to), use->mode & HEDDLE_WRITE);
        if (use->is_sent) heddle__await(&job->placement, handle);
        const bool comes_here = use->place == job->task->place || use->place < HEDDLE_PLACE_GPU;
        if (node == STARPU_MAIN_RAM || use->mode != HEDDLE_READ || !comes_here ||
            !plan->arrays[use->array].on_host || starpu_data_get_user_data(handle))
            continue;
        starpu_data_set_user_data(handle, &codelet); /* brought */
        starpu_data_prefetch_on_node(handle, node, 1);
    }
}

static enum heddle_status submit(struct heddle_plan *plan, int64_t i,
                                 struct heddle_storage *const *storages)
{
    const struct heddle_plan_task *t = &plan->tasks[i];
    struct job *job = malloc(sizeof *job);
    *job = (struct job){.task = t, .plan = heddle__plan_retain(plan)};
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet;
    task->name = plan->steps[t->step].name;
    task->cl_arg = job;
    task->callback_func = done;
    task->callback_arg = job;
    task->flops = t->flops;
    task->nbuffers = fill_buffers(plan, t, storages, task);
    const int worker = worker_at(t->place);
    if (worker >= 0) place(plan, storages, task, job, worker);
    if (worker < 0 && plan->steps[t->step].n_tasks >= 2 * machine_n_places(machine))
        heddle__bind_late(task);
    return starpu_task_submit(task) == 0
               ? HEDDLE_OK
               : heddle__fail(HEDDLE_EDEVICE, "simulated: StarPU takes no task");
}

enum heddle_status heddle__execute(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                   const union heddle_scalar constants[],
                                   struct heddle_storage *results[])
{
    (void)constants;
    struct heddle_storage **storages = calloc((size_t)plan->n_arrays + 1, sizeof *storages);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->same_as >= 0) continue;
        const bool is_data = a->role == HEDDLE_ROLE_INPUT;
        storages[i] = is_data ? heddle__storage_retain(inputs[a->index])
                              : heddle__storage_wrap(NULL, 0, NULL, NULL);
        if (!is_data) storages[i]->on_gpus = true; /* that is, not in host memory's order */
        attach(storages[i], a->grid, a->element_bytes, is_data);
    }
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        int32_t owner = i;
        while (plan->arrays[owner].same_as >= 0) owner = plan->arrays[owner].same_as;
        if (owner != i) storages[i] = same_as(storages[owner], plan->arrays[i].grid);
    }
    enum heddle_status status = HEDDLE_OK;
    for (int64_t i = 0; i < plan->n_tasks && status == HEDDLE_OK; i++)
        status = submit(plan, i, storages);
    for (int32_t i = 0; i < plan->n_results && status == HEDDLE_OK; i++)
        results[i] = heddle__storage_retain(storages[plan->results[i]]);
    for (int32_t i = 0; i < plan->n_arrays; i++) heddle__storage_release(storages[i]);
    free(storages);
    current.n_tasks += plan->n_tasks;
    current.flops += plan->flops;
    current.bytes += plan->bytes;
    return status;
}

/* ---- The public functions that the core leaves to the runtime --------------------------------------- */

enum heddle_status heddle_eval_all(int n, heddle_array *const arrays[])
{
    struct heddle_walk walk = {0};
    struct heddle_plan *plan = NULL;
    enum heddle_status status = heddle__walk(&walk, n, arrays);
    if (status == HEDDLE_OK && walk.n_results) {
        plan = heddle__plan_make(&walk, &run_policy);
        status = plan ? HEDDLE_OK : heddle__last_code();
    }
    if (plan) {
        struct heddle_storage **inputs = calloc((size_t)walk.n_leaves + 1, sizeof *inputs);
        struct heddle_storage **results = calloc((size_t)walk.n_results, sizeof *results);
        for (int i = 0; i < walk.n_leaves; i++) inputs[i] = walk.leaves[i]->storage;
        status = heddle__execute(plan, inputs, NULL, results);
        for (int i = 0; i < walk.n_results && status == HEDDLE_OK; i++)
            heddle__node_become_data(walk.results[i], results[i]);
        free(inputs);
        free(results);
        heddle__plan_release(plan);
    }
    heddle__walk_free(&walk);
    return status;
}

enum heddle_status heddle_eval(heddle_array *a)
{
    return heddle_eval_all(1, &a);
}

enum heddle_status heddle_read(heddle_array *a, void *out, int64_t size_bytes)
{
    (void)a, (void)out, (void)size_bytes;
    return heddle__fail(HEDDLE_EDEVICE, "simulated: there are no data");
}

enum heddle_status heddle__check_places(const char *name, int n, const heddle_place *places)
{
    for (int i = 0; i < n; i++)
        if (places[i] && worker_at(places[i]) < 0)
            return heddle__fail(HEDDLE_ENODEVICE, "heddle_%s: place %d is not there", name, i);
    return HEDDLE_OK;
}

void heddle__evaluation_lock(void) {}
void heddle__evaluation_unlock(void) {}
const struct heddle_policy *heddle__policy(void)
{
    return &run_policy;
}

/* ---- Life ------------------------------------------------------------------------------------------------ */

struct heddle_policy run_policy;

static struct heddle_policy policy_of(const struct machine *m)
{
    struct heddle_policy p = {.n_gpus = machine_n_gpus(m),
                              .n_places = machine_n_places(m),
                              .n_teams = machine_n_places(m) - machine_n_gpus(m),
                              .host_link = m->host,
                              .peer_link = m->peer,
                              .fusion = true};
    for (int i = 0; i < p.n_places; i++) {
        const struct machine_place *at = &m->places[i];
        p.places[i] = (struct heddle_policy_place){
            at->is_gpu ? HEDDLE_PLACE_GPU + i : HEDDLE_PLACE_CPU + i - p.n_gpus, at->bytes,
            at->flops, at->link, at->is_gpu ? (int64_t)m->gpu_memory : 0};
    }
    heddle__policy_finish(&p);
    return p;
}

bool run_open(const struct machine *m)
{
    machine = m;
    run_policy = policy_of(m);
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.catch_signals = 0;
    conf.nopencl = 0;
    conf.ncuda = machine_n_gpus(m);
    conf.ncpus = machine_n_places(m) - conf.ncuda;
    conf.sched_policy = heddle__scheduler();
    if (starpu_init(&conf) != 0) return false;
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    return true;
}

void run_close(void)
{
    starpu_task_wait_for_all();
    starpu_shutdown();
}

static void count_transfers(struct run *run)
{
    for (int i = 0; i < starpu_bus_get_count(); i++) {
        struct starpu_profiling_bus_info info;
        if (starpu_bus_get_profiling_info(i, &info) != 0) continue;
        const double bytes = (double)info.transferred_bytes;
        const int from = starpu_bus_get_src(i), to = starpu_bus_get_dst(i);
        *(from == 0 ? &run->to_gpus : to == 0 ? &run->from_gpus : &run->between_gpus) += bytes;
    }
}

void run_start(void)
{
    starpu_task_wait_for_all();
    count_transfers(&current); /* forgets them */
    current = (struct run){0};
    started_us = starpu_timing_now();
}

void run_end(struct run *run)
{
    starpu_task_wait_for_all();
    current.us = starpu_timing_now() - started_us;
    count_transfers(&current);
    *run = current;
}
