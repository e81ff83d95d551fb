/* What the files of the runtime share, without StarPU's header: settings, machine, state, storage.
 * handles.h adds what needs StarPU's types. */
#ifndef HEDDLE_RUNTIME_INTERNAL_H
#define HEDDLE_RUNTIME_INTERNAL_H

#include "runtime/runtime.h"

#include <heddle/runtime.h>
#include <sched.h>
#include <stdatomic.h>

/* ---- Settings (config.c): struct heddle_config, the environment, the defaults ------------------ */

enum { HEDDLE_MAX_GPUS = 64 };

struct heddle_settings {
    bool use_cpu, use_gpu;                      /* tasks may run there */
    bool gpu_required;                          /* GPUs were named, not "all" */
    uint64_t gpus;                              /* bit i: gpu:i is wanted; all bits: every one */
    int cpu_threads, cpu_workers;               /* 0: default */
    int64_t gpu_memory_bytes, cpu_memory_bytes; /* 0: default */
    int max_tasks;
    int64_t inline_bytes; /* -1: never; 0: default */
    int64_t part_bytes;   /* 0: default */
    int force_n;
    int32_t force[HEDDLE_MAX_NDIM];
    bool fusion, jit;
    enum heddle_movement movement;
    char *cache_dir; /* as asked for; may not exist */
};

/* The settings in force; NULL and this thread's error when one is malformed. */
const struct heddle_settings *heddle__settings(void);
/* Bytes from "64", "512K", "1.5G"; 0..: fine, -1: malformed. */
int64_t heddle__parse_bytes(const char *text);

/* ---- The machine (machine.c) -------------------------------------------------------------------- */

enum { HEDDLE_MAX_TEAMS = 64 };

struct heddle_machine {
    cpu_set_t allowed; /* of the process, as it was first asked for */
    int n_allowed;
    int n_domains; /* NUMA domains with allowed cores */
    cpu_set_t domain[HEDDLE_MAX_TEAMS];
    int64_t memory_bytes; /* physical, or the container's limit */
    char cpu_model[128];
};
const struct heddle_machine *heddle__machine(void);
/* GPUs that CUDA sees; 0 and why (static text) when there are none. Initialises CUDA. */
int heddle__count_gpus(const char **why);

/* ---- Folders and the environment (home.c) -------------------------------------------------------- */

/* Sets what StarPU reads from the environment, where the user has not; and takes it back. */
enum heddle_status heddle__environment_open(const struct heddle_settings *settings, int n_gpus);
void heddle__environment_close(void);
void heddle__cache_dir_forget(void); /* the settings changed */

/* ---- State (start.c) ---------------------------------------------------------------------------- */

/* HEDDLE_EDEVICE in a child of fork() of a started runtime. */
enum heddle_status heddle__check_fork(void);
bool heddle__is_forked(void);
int heddle__n_gpus(void); /* that are used; 0 while not started */
/* Changes at each start, stop and configuration: what was planned before is stale. */
uint64_t heddle__generation(void);
void heddle__new_generation(void);
/* The evaluation lock is held by this call when it gives OK; for config.c. */
enum heddle_status heddle__require_stopped(const char *caller);

/* ---- The keeper (keeper.c): pauses idle workers, reaps host memory ------------------------------- */

bool heddle__keeper_start(bool may_pause);
void heddle__keeper_stop(void); /* reaps all that is queued; leaves the workers running */
/* It looks for what is to be let go every few milliseconds. */
bool heddle__keeper_ticks(void);
/* Around every call that needs workers to make progress. Cheap while they run. */
/* There may be something to reap. */
void heddle__keeper_wake(void);
void heddle__workers_hold(void);
void heddle__workers_release(void);

/* ---- Places (workers.c) ------------------------------------------------------------------------- */

struct heddle_worker {
    bool is_gpu;
    heddle_place place;
    int team;                /* CPU: number of its team; GPU: CUDA's number */
    int n_threads;           /* CPU */
    cpu_set_t cores;         /* CPU: of the team; GPU: of its driver thread */
    unsigned node;           /* StarPU's memory node */
    int64_t memory_bytes;    /* that Heddle may use there */
    double bandwidth, flops; /* bytes/s, float64 operations/s; > 0 */
    double link;             /* GPU: bytes/s from pinned host memory */
    double launch_us;
    double last_end;     /* GPU: when its last task ended, for the cost model */
    void *stream;        /* GPU: the cudaStream_t of its tasks */
    double direct_since; /* GPU: when the direct launches began that nobody waited for; 0: none */
    char model[128];
};
/* After StarPU is up: finds the workers and binds the teams. */
enum heddle_status heddle__workers_open(const struct heddle_settings *settings);
void heddle__workers_close(void);
int heddle__n_workers(void);
struct heddle_worker *heddle__worker(int i);
/* What submission asks of all of them together. */
struct heddle_workers_summary {
    int64_t gpu_bytes; /* smallest GPU memory; 0: no GPU */
    bool has_cpu;
    bool links_fill_memory; /* so nearly that cores beside them only disturb */
};
const struct heddle_workers_summary *heddle__workers_summary(void);
void heddle__workers_sum_up(void); /* the rates are known, and stay as they are */
/* Bytes/s between any two GPUs; 0: no more than through host memory, or there are not two. */
double heddle__peer_link(void);
/* The worker of a place; -1: anywhere, or there is none. */
int heddle__worker_at(heddle_place place);

/* How many teams and threads the settings ask for, before anything is started. */
int heddle__plan_teams(const struct heddle_settings *settings, int n_gpus);

/* ---- Memory of small storages (blocks.c) -------------------------------------------------------- */

/* 64-byte aligned; *class_of is to be given back. NULL when memory is gone. */
void *heddle__block_get(size_t size_bytes, int *class_of);
void heddle__block_put(void *block, size_t size_bytes, int class_of);
void heddle__blocks_trim(void);       /* gives all cached blocks back */
void heddle__blocks_after_fork(void); /* no other thread holds a lock any more */

/* ---- Memory of large buffers (big.c) ------------------------------------------------------------- */

/* At least 64-byte aligned, unset; put it back with the same size. NULL when memory is gone. */
void *heddle__big_get(size_t size_bytes, bool pinned);
void heddle__big_put(void *at, size_t size_bytes, bool pinned);
void heddle__big_trim(bool pinned); /* gives what is cached back */
void heddle__big_open(void);        /* StarPU's host memory comes from here */

/* ---- Faults (fault.c): the error of an array that tasks compute ---------------------------------- */

struct heddle_fault {
    atomic_int refs;
    atomic_int state; /* 0: none; 1: being written; else enum heddle_status */
    char text[160];
};
struct heddle_fault *heddle__fault_new(void);
struct heddle_fault *heddle__fault_retain(struct heddle_fault *fault);
void heddle__fault_release(struct heddle_fault *fault);
/* The first one stays. */
void heddle__fault_set(struct heddle_fault *fault, enum heddle_status code, const char *text);
/* HEDDLE_OK, or the code; *text lives as long as the fault. NULL has none. */
enum heddle_status heddle__fault_get(struct heddle_fault *fault, const char **text);

/* ---- Storage (storage.c) ------------------------------------------------------------------------- */

enum heddle_owner {
    HEDDLE_OWNER_NOBODY, /* there is no host memory of the whole array */
    HEDDLE_OWNER_BLOCK,  /* in the storage's own block, after it */
    HEDDLE_OWNER_USER,   /* borrowed */
    HEDDLE_OWNER_BIG,    /* heddle__big_get; pinned if `pinned` */
};

/* How direct launches have a part on a GPU. */
enum heddle_hold {
    HEDDLE_HOLD_NONE,
    HEDDLE_HOLD_OWN,   /* memory of direct.c: its home; StarPU may not know of it yet */
    HEDDLE_HOLD_LEASE, /* StarPU's memory, which stays there meanwhile */
};

struct heddle_part {
    void *handle; /* starpu_data_handle_t; NULL: not registered */
    char *host;   /* home in host memory; NULL: StarPU's own */
    bool is_lent; /* its home is memory on a GPU that is not StarPU's */
    uint8_t hold; /* enum heddle_hold */
    int16_t worker;
    void *device;  /* unless HEDDLE_HOLD_NONE: where it is, on that worker's GPU */
    uint64_t mark; /* its GPU passes it when it has written (OWN) or last used (LEASE) the part */
};

/* The reference of an evaluation in flight, which makes or changes a storage. */
#define HEDDLE_RUN ((1LL << 32) + 1)

struct heddle_storage {
    atomic_llong refs;  /* those of evaluations in flight are counted above HEDDLE_RUN, too */
    uint8_t owner;      /* enum heddle_owner */
    bool listed;        /* has handles: in the list of storages that shutdown brings home */
    bool pinned;        /* its host memory was pinned, for the GPUs */
    uint8_t n_attached; /* plans that used it, up to 255 */
    int8_t block_class;
    int32_t element_bytes; /* 0: not known yet */
    int64_t size_bytes;
    char *data;                  /* the whole array in C order, or NULL */
    struct heddle_storage *base; /* the same data under another shape: all is there but the grid */
    void (*deleter)(void *user);
    void *user;
    struct heddle_grid *grid; /* NULL: one part, never cut */
    int64_t n_parts;
    struct heddle_part *parts; /* NULL while it has never been cut */
    char *copies; /* memory of parts that are not contiguous in `data`, or that came home */
    int64_t copies_bytes;
    struct heddle_fault *fault; /* of the tasks that compute it; NULL: none does */
    atomic_int unwritten;       /* tasks that still are to write it */
    bool is_direct;             /* direct launches have written parts of it */
    atomic_int reaping;         /* parts that StarPU still holds, once nobody refers to it */
    struct heddle_storage *prev, *next; /* list of those with handles, or the queue to reap */
};

/* Room for an array in host memory, unset. NULL when memory is gone. */
struct heddle_storage *heddle__storage_new(int64_t size_bytes);
/* An array whose parts tasks will compute; takes no reference of `grid`, makes one. */
struct heddle_storage *heddle__storage_parted(struct heddle_grid *grid, int32_t element_bytes);
/* The data of `of`, which a plan knows by `of_grid`, as an array of `grid`: a reference. */
struct heddle_storage *heddle__storage_same(struct heddle_storage *of,
                                            const struct heddle_grid *of_grid,
                                            struct heddle_grid *grid);
static inline struct heddle_storage *heddle__storage_root(struct heddle_storage *storage)
{
    return storage->base ? storage->base : storage;
}
/* Whether it has one reference, beside those of evaluations in flight, and memory that may be written:
 * of Heddle's own, either in host memory that StarPU has never seen, or on devices alone. */
bool heddle__storage_is_private(const struct heddle_storage *storage);
/* References of evaluations in flight. */
struct heddle_storage *heddle__storage_retain_run(struct heddle_storage *storage);
void heddle__storage_release_run(struct heddle_storage *storage); /* NULL is ignored */
/* Frees a storage that nothing refers to and StarPU does not know. */
void heddle__storage_destroy(struct heddle_storage *storage);
int64_t heddle__storage_bytes_live(void);
/* Bytes of host memory that storages hold, without what is borrowed, and StarPU's. */
int64_t heddle__storage_bytes_held(void);
/* Its `copies`: 64-byte aligned, NULL when memory is gone. */
char *heddle__storage_make_copies(struct heddle_storage *storage, int64_t size_bytes);
void heddle__storage_free_copies(struct heddle_storage *storage);
/* Bytes of a part of a storage that has a partition. */
static inline int64_t heddle__part_bytes(const struct heddle_storage *storage, int64_t part)
{
    return heddle__grid_part_size(storage->grid, part) * storage->element_bytes;
}
static inline struct heddle_fault *heddle__storage_fault(const struct heddle_storage *storage)
{
    return storage->fault;
}

/* ---- Handles (handles.c) -------------------------------------------------------------------------- */

/* Gives it the partition `grid` and a StarPU handle for each part. Under the evaluation lock. */
enum heddle_status heddle__storage_attach(struct heddle_storage *storage, struct heddle_grid *grid,
                                          int32_t element_bytes);
/* Its parts get handles from now on: shutdown must find it. */
void heddle__storage_list(struct heddle_storage *storage);
/* Last reference is gone, handles are there: never waits. */
void heddle__storage_retire(struct heddle_storage *storage);
/* Waits for its tasks; moves nothing. */
void heddle__storage_wait(struct heddle_storage *storage);
/* Pointer to a part in host memory, waited for; release it. NULL: HEDDLE_EDEVICE. */
const char *heddle__part_acquire(struct heddle_storage *storage, int64_t part);
void heddle__part_release(struct heddle_storage *storage, int64_t part);
/* The host copy of a part that a GPU has too may go. */
void heddle__part_evict(struct heddle_storage *storage, int64_t part);
/* Starts bringing a part to host memory. */
void heddle__part_prefetch(struct heddle_storage *storage, int64_t part);
/* At shutdown: every storage becomes host memory, no handle is left. */
enum heddle_status heddle__storages_come_home(void);
/* Lets go of the handles of storages that nothing refers to; cheap when there are none. */
void heddle__let_go(void);
/* Frees what StarPU let go; called by the keeper. */
void heddle__reap(void);
bool heddle__reap_pending(void);

/* ---- Evaluation (eval.c) -------------------------------------------------------------------------- */

/* HEDDLE_EARG on a thread that runs a function of the user's (function.c), which would wait for
 * itself. */
enum heddle_status heddle__refuse_in_function(const char *caller);

/* Evaluates `a` and waits for it alone: a reference to its data. */
enum heddle_status heddle__wait_storage(heddle_array *a, struct heddle_storage **out);

/* ---- Execution ----------------------------------------------------------------------------------- */

/* The array that holds the data of a plan's array. */
static inline int32_t heddle__owner_of(const struct heddle_plan *plan, int32_t array)
{
    while (plan->arrays[array].same_as >= 0) array = plan->arrays[array].same_as;
    return array;
}
enum heddle_status heddle__execute_inline(struct heddle_plan *plan,
                                          struct heddle_storage *const inputs[],
                                          const union heddle_scalar constants[],
                                          struct heddle_storage *results[]);
enum heddle_status heddle__submit(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                  const union heddle_scalar constants[],
                                  struct heddle_storage *results[]);
void heddle__evaluate_close(void);
void heddle__inline_close(void);
void heddle__submit_close(void);
/* HEDDLE_ENOMEM when the plan cannot fit; limits are of the machine. */
enum heddle_status heddle__check_memory(const struct heddle_plan *plan);
/* What the plan moves between places though nobody asked for it: reported, or HEDDLE_EARG. */
enum heddle_status heddle__check_movement(const struct heddle_plan *plan);
/* Bytes of the part that a task uses. */
static inline int64_t heddle__use_bytes(const struct heddle_plan *plan,
                                        const struct heddle_plan_use *use)
{
    const struct heddle_plan_array *a = &plan->arrays[use->array];
    return heddle__grid_part_size(a->grid, use->part) * a->element_bytes;
}
/* Bytes that a task touches at once. */
int64_t heddle__task_bytes(const struct heddle_plan *plan, const struct heddle_plan_task *task);

/* ---- GPU memory (gpu_blocks.c) -------------------------------------------------------------------- */

/* Memory of a GPU, which is the current device. NULL: no room. Put it back with the same size. */
void *heddle__gpu_block_get(const struct heddle_worker *worker, int64_t size_bytes);
void heddle__gpu_block_put(const struct heddle_worker *worker, void *at, int64_t size_bytes);
void heddle__gpu_blocks_trim(void); /* gives what is cached back */

/* ---- Direct launches (direct.c, leases.c) --------------------------------------------------------- */

/* Runs the plan on the GPUs that have its data, if that is so: true, and how it went. Under the
 * evaluation lock. */
bool heddle__direct(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                    const union heddle_scalar constants[], struct heddle_storage *results[],
                    enum heddle_status *status);
/* Waits until direct launches have written the storage. */
void heddle__direct_wait(struct heddle_storage *storage);
/* StarPU is to know of what a direct launch made: waits for it. */
void heddle__direct_adopt(struct heddle_storage *storage);
/* The only part of what a direct launch made and StarPU does not know, copied to host memory: true,
 * and how it went; false: it is not such a storage, or too large. */
bool heddle__direct_read(struct heddle_storage *storage, void *out, int64_t size_bytes,
                         enum heddle_status *status);
/* StarPU may move the storage again: waits for what uses it; unless `now`, the lease may end later. */
void heddle__direct_end_leases(struct heddle_storage *storage, bool now);
/* Frees its memory of direct.c, which StarPU has let go of, if it knew of it. */
void heddle__direct_free_own(struct heddle_storage *storage);
/* Ends the leases that were to end later and whose last use is done; cheap when there are none. */
void heddle__direct_poll(void);
/* At shutdown: waits for all launches; then, with no storage left on GPUs, gives all memory back. */
void heddle__direct_drain(void);
void heddle__direct_close(void);

/* ---- Cost (cost.c), rates (rates.c) --------------------------------------------------------------- */

double heddle__predict_us(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                          const struct heddle_worker *worker);
/* What it took instead. */
void heddle__learn_us(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                      const struct heddle_worker *worker, double measured_us);
double heddle__now_us(void);
/* Sets the rates of all workers, measured or from the cache. */
void heddle__rates_open(void);

/* ---- Counters (statistics.c) ---------------------------------------------------------------------- */

struct heddle_counters {
    atomic_llong evaluations, plans_made, inline_programs; /* changed under the evaluation lock */
    atomic_llong cpu_tasks, gpu_tasks, gpu_direct, implicit_bytes;
};
extern struct heddle_counters heddle__counters;
static inline void heddle__count(atomic_llong *counter, long long n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}
/* Under the evaluation lock: without the price of an atomic addition. */
static inline void heddle__count_locked(atomic_llong *counter, long long n)
{
    const long long now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + n, memory_order_relaxed);
}
/* Adds what the devices counted since the last call; before they go down too. */
void heddle__collect_counters(void);

/* ---- Usage of devices (usage.c) -------------------------------------------------------------------- */

/* The workers begin, and end, to be up. */
void heddle__usage_open(void);
void heddle__usage_close(void);
void heddle__usage_reset(void);
/* A task ended: counts it, and what the cost model made of it. On the worker's thread. */
void heddle__count_task(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                        const struct heddle_worker *worker, double measured_us, bool untypical);
/* A device was busy so long with tasks that were counted before. */
void heddle__count_busy(const struct heddle_worker *worker, double us);
/* Bytes that moved without StarPU. */
void heddle__count_moved(heddle_place from, heddle_place to, int64_t bytes);

#endif
