/* Data that StarPU has: to wait for, to bring to a memory node, to give back. Entry points: handles.h,
 * "Access". */
#include "array/devices.h"
#include "run/cost.h"
#include "run/life.h"
#include "run/workers.h"
#include "starpu/gpu_queue.h"
#include "starpu/handles.h"
#include "starpu/register.h"
#include "starpu/idle.h"
#include "starpu/leases.h"

/* Spins for a while: a GPU's work is often done sooner than a thread that sleeps wakes up. Not for CPUs
 * alone, whose cores the workers need. */
static void spin(struct heddle_storage *s)
{
    enum { SPIN_US = 2000 };
    const double until = heddle__now_us() + SPIN_US;
    while (atomic_load_explicit(&s->unwritten, memory_order_acquire) != 0 &&
           heddle__now_us() < until)
        continue;
}

/* StarPU gives data free a little before it says that their task is done. */
static void wait_for_callbacks(struct heddle_storage *s)
{
    enum { TRIES = 50 };
    for (int i = 0; atomic_load_explicit(&s->unwritten, memory_order_acquire) != 0; i++)
        if (i >= TRIES) starpu_usleep(2);
}

void heddle__starpu_wait(struct heddle_storage *s)
{
    s = heddle__storage_root(s);
    if (s->is_direct) heddle__direct_wait(s);
    if (!s->parts || !s->fault || atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0)
        return;
    heddle__workers_hold();
    if (heddle__n_gpus() > 0) spin(s);
    for (int64_t p = 0; p < s->n_parts; p++) {
        starpu_data_handle_t handle = s->parts[p].handle;
        if (!handle || atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0) continue;
        if (starpu_data_acquire_on_node(handle, STARPU_ACQUIRE_NO_NODE, STARPU_R) == 0)
            starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE);
    }
    wait_for_callbacks(s);
    heddle__workers_release();
}

void heddle__starpu_prefetch(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (heddle__n_gpus() > 0 && s->parts && !s->parts[part].host && s->parts[part].handle)
        starpu_data_prefetch_on_node(s->parts[part].handle, STARPU_MAIN_RAM, 1);
}

void heddle__starpu_evict(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (heddle__n_gpus() == 0 || !s->parts || s->parts[part].host || !s->parts[part].handle) return;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu || !heddle__is_valid_on(s->parts[part].handle, w->node)) continue;
        starpu_data_evict_from_node(s->parts[part].handle, STARPU_MAIN_RAM);
        return;
    }
}

/* A child of fork() has memory as it was, and nobody who would bring or change data. StarPU asks no lock of
 * its own for this. */
static const char *acquire_in_child(struct heddle_storage *s, int64_t part)
{
    starpu_data_handle_t handle = s->parts[part].handle;
    if (!handle || atomic_load_explicit(&s->unwritten, memory_order_acquire) != 0 ||
        !heddle__is_valid_on(handle, STARPU_MAIN_RAM))
        return NULL;
    return starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
}

const char *heddle__starpu_acquire(struct heddle_storage *s, int64_t part)
{
    if (heddle__is_forked()) return acquire_in_child(s, part);
    heddle__direct_adopt(s);
    starpu_data_handle_t handle = s->parts[part].handle;
    if (!handle) return NULL;
    /* What is here needs no worker: else small plans that read the results of large ones would keep all
     * workers spinning, beside the team. */
    heddle__workers_stay();
    if (atomic_load_explicit(&s->unwritten, memory_order_acquire) != 0 ||
        !heddle__is_valid_on(handle, STARPU_MAIN_RAM))
        heddle__workers_resume();
    /* the node is named, because the home of a handle may be a GPU */
    const bool ok = starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R) == 0;
    heddle__workers_release();
    return ok ? starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM) : NULL;
}

void heddle__starpu_release(struct heddle_storage *s, int64_t part)
{
    if (!s->parts[part].handle || heddle__is_forked()) return;
    starpu_data_release_on_node(s->parts[part].handle, STARPU_MAIN_RAM);
}

/* ---- At a device ------------------------------------------------------------------------------------ */

static starpu_data_handle_t handle_of(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    heddle__direct_adopt(s);
    return s->parts ? s->parts[part].handle : NULL;
}

enum heddle_status heddle__starpu_acquire_at(struct heddle_storage *s, struct heddle_grid *grid,
                                             int32_t element_bytes, int64_t part, int worker,
                                             const void **data, int *node)
{
    if (!handle_of(s, part)) { /* it is in host memory, and no device knows it */
        heddle__evaluation_lock();
        const enum heddle_status status = heddle__storage_attach(s, grid, element_bytes);
        heddle__evaluation_unlock();
        if (status != HEDDLE_OK) return status;
    }
    const struct heddle_worker *w = heddle__worker(worker);
    starpu_data_handle_t handle = handle_of(s, part);
    *node = (int)w->node;
    heddle__workers_hold();
    if (!handle || starpu_data_acquire_on_node(handle, *node, STARPU_R) != 0) {
        heddle__workers_release();
        return heddle__fail(HEDDLE_EDEVICE, "runtime: a part cannot go to a device");
    }
    *data = starpu_data_handle_to_pointer(handle, w->node);
    return HEDDLE_OK;
}

void heddle__starpu_release_at(struct heddle_storage *s, int64_t part, int node)
{
    if (heddle__is_forked()) return;
    starpu_data_release_on_node(handle_of(s, part), node);
    heddle__workers_release();
}

enum heddle_status heddle__starpu_lend(struct heddle_storage *s, int64_t part, int worker,
                                       void *data)
{
    s->parts[part].handle =
        heddle__register((int)heddle__worker(worker)->node, data, heddle__part_bytes(s, part));
    s->parts[part].is_lent = true;
    return HEDDLE_OK;
}

heddle_place heddle__starpu_place_now(struct heddle_storage *s, int64_t part)
{
    if (heddle__is_forked()) return HEDDLE_PLACE_CPU;
    starpu_data_handle_t handle = handle_of(s, part);
    for (int i = 0; handle && i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu && heddle__is_valid_on(handle, heddle__worker(i)->node))
            return heddle__worker(i)->place;
    return HEDDLE_PLACE_CPU;
}
