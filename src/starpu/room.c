/* Memory of tasks on GPUs: scratch memory, a StarPU handle for each size, made at first use; and whether a large task finds what
 * it needs. Entry points: room.h. */
#include "starpu/room.h"

#include "base/text.h"
#include "run/backend.h"
#include "run/workers.h"
#include "starpu/gpu_blocks.h"
#include "starpu/handles.h"
#include "starpu/leases.h"
#include "starpu/register.h"

#include <starpu.h>

/* ---- Scratch memory ---- */

enum { SMALLEST = 4096, EACH = 8, N_SIZES = 48 * EACH }; /* so many for each power of two */

static starpu_pthread_mutex_t mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static starpu_data_handle_t scratch[N_SIZES]; /* by the number of the size */

/* The number of the smallest size that has room, and the size. */
static int size_for(int64_t size_bytes, int64_t *room)
{
    int64_t step = SMALLEST / EACH;
    int n = 0;
    *room = SMALLEST;
    while (*room < size_bytes && n < N_SIZES - 1) {
        *room += step;
        if (++n % EACH == 0) step *= 2;
    }
    return n;
}

static int64_t scratch_room(int64_t size_bytes)
{
    int64_t room = 0;
    if (size_bytes > 0) (void)size_for(size_bytes, &room);
    return room;
}

starpu_data_handle_t heddle__scratch_handle(int64_t size_bytes, int64_t *room)
{
    const int n = size_for(size_bytes, room);
    starpu_pthread_mutex_lock(&mutex);
    if (!scratch[n]) scratch[n] = heddle__register(-1, NULL, *room);
    starpu_pthread_mutex_unlock(&mutex);
    return scratch[n];
}

void heddle__scratch_close(void)
{
    for (int i = 0; i < N_SIZES; i++) {
        if (scratch[i]) starpu_data_unregister(scratch[i]);
        scratch[i] = NULL;
    }
}

/* ---- Room ---- */

/* A task of up to this share of a GPU's memory always finds room there: direct launches hold less than the rest. */
enum { SURE_SHARE = 8 };

/* Whether the part has its home there, in memory that is not StarPU's. */
static bool is_at_home(const struct heddle_part *part, int worker)
{
    if (part->hold == HEDDLE_HOLD_OWN) return part->worker == worker;
    return part->is_lent &&
           starpu_data_get_home_node(part->handle) == (int)heddle__worker(worker)->node;
}

/* Bytes of the task's inputs that are at home on a worker's GPU. */
static int64_t bytes_at_home(const struct heddle_plan *plan, const struct heddle_bindings *bindings,
                             const struct heddle_plan_task *task, int worker)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < task->n_uses; i++) {
        const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        const struct heddle_plan_array *a = &plan->arrays[use->array];
        if (a->role != HEDDLE_ROLE_INPUT || a->owner != use->array) continue;
        const struct heddle_storage *in = heddle__storage_root(bindings->inputs[a->index]);
        if (in->parts && is_at_home(&in->parts[use->part], worker))
            bytes += heddle__part_bytes(in, use->part);
    }
    return bytes;
}

/* Whether so much is to be had. Ends leases if they are in the way. */
static bool get_room(const struct heddle_worker *w, int64_t bytes)
{
    if (w->memory_bytes == 0) return true; /* not known */
#if HEDDLE_HAVE_CUDA
    int64_t leased = heddle__direct_leased_bytes(w);
    if (bytes + leased > w->memory_bytes - heddle__gpu_blocks_in_use(w)) {
        heddle__handles_end_leases();
        if (heddle__direct_forget) heddle__direct_forget(NULL);
        heddle__gpu_blocks_trim();
        leased = heddle__direct_leased_bytes(w);
    }
    if (bytes + leased > w->memory_bytes - heddle__gpu_blocks_in_use(w)) return false;
    heddle__gpu_blocks_leave(w, bytes + leased);
    return true;
#else
    return bytes <= w->memory_bytes;
#endif
}

enum heddle_status heddle__room_find(const struct heddle_plan *plan,
                                     const struct heddle_bindings *bindings,
                                     const struct heddle_plan_task *task, unsigned *devices,
                                     int *worker)
{
    const struct heddle_workers_summary *workers = heddle__workers_summary();
    const int64_t bytes = task->touched_bytes + scratch_room(task->scratch_bytes);
    int64_t needed = bytes;
    int roomy = -1;
    bool all = true;
    if (!(*devices & HEDDLE_ON_GPU) || bytes <= workers->gpu_bytes / SURE_SHARE ||
        workers->gpu_bytes == 0 || (*worker >= 0 && !heddle__worker(*worker)->is_gpu))
        return HEDDLE_OK;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu || (*worker >= 0 && i != *worker)) continue;
        needed = bytes - bytes_at_home(plan, bindings, task, i);
        if (get_room(w, needed))
            roomy = i;
        else
            all = false;
    }
    if (all) return HEDDLE_OK;
    if (*devices & HEDDLE_ON_CPU && workers->has_cpu) {
        *devices = HEDDLE_ON_CPU;
        *worker = -1;
        return HEDDLE_OK;
    }
    HEDDLE_REQUIRE(
        roomy >= 0, HEDDLE_ENOMEM,
        "heddle_eval: a task \"%s\" needs %s of a GPU's memory, and arrays leave less; use "
        "smaller parts (HEDDLE_PART_BYTES), or the CPU, too (HEDDLE_DEVICES)",
        plan->steps[task->step].name, heddle__bytes_text((double)needed).text);
    *worker = roomy;
    return HEDDLE_OK;
}
