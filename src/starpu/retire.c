/* Gives up storages that nobody refers to, without waiting. Memory that has its home outside of StarPU is
 * freed only when StarPU has let go of it, by the thread of idle.c. Entry points: handles.h,
 * "Retiring". */
#include "array/large_buffers.h"
#include "run/life.h"
#include "run/workers.h"
#include "starpu/handles.h"
#include "starpu/idle.h"
#include "starpu/leases.h"

#include <starpu.h>

#include <stdatomic.h>
#include <time.h>

static starpu_pthread_mutex_t queue_mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static struct heddle_storage *queue; /* to be freed, since StarPU is done with them; through next */
static atomic_int n_queued;
static atomic_int n_retiring; /* storages that are being given up, or will be queued */

/* Handles that nothing refers to. Unregistering one takes some microseconds, so it is done while the GPU
 * works on what is submitted next, or when it is idle. */
enum { MAX_LATER = 64, LATER_SHARE = 32 }; /* at most this share of a GPU's memory */
static starpu_pthread_mutex_t later_mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static starpu_data_handle_t later[MAX_LATER];
static int n_later;
static int64_t later_bytes;

static bool let_go_later(starpu_data_handle_t handle, int64_t size_bytes)
{
    const int64_t memory = heddle__workers_summary()->gpu_bytes;
    starpu_pthread_mutex_lock(&later_mutex);
    const bool room = n_later < MAX_LATER && later_bytes + size_bytes <= memory / LATER_SHARE;
    if (room) {
        later[n_later++] = handle;
        later_bytes += size_bytes;
    }
    starpu_pthread_mutex_unlock(&later_mutex);
    if (room && !heddle__idle_ticks()) heddle__let_go();
    return room;
}

void heddle__let_go(void)
{
    starpu_data_handle_t now[MAX_LATER];
    starpu_pthread_mutex_lock(&later_mutex);
    const int n = n_later;
    for (int i = 0; i < n; i++) now[i] = later[i];
    n_later = 0;
    later_bytes = 0;
    starpu_pthread_mutex_unlock(&later_mutex);
    for (int i = 0; i < n; i++) starpu_data_unregister_submit(now[i]);
    heddle__direct_poll();
}

/* StarPU holds one part less. After the last one the storage is queued to be freed. */
static void one_part_less(struct heddle_storage *s)
{
    if (atomic_fetch_sub(&s->reaping, 1) != 1) return;
    starpu_pthread_mutex_lock(&queue_mutex);
    s->next = queue;
    queue = s;
    starpu_pthread_mutex_unlock(&queue_mutex);
    atomic_fetch_add(&n_queued, 1);
    heddle__idle_wake();
}

static void part_is_free(void *storage)
{
    one_part_less(storage);
}

/* True: it is done; false: it will be queued. */
static bool retire(struct heddle_storage *s)
{
    heddle__handles_lock();
    if (!s->listed) {
        heddle__handles_unlock();
        heddle__storage_let_go(s);
        return true;
    }
    heddle__handles_forget(s);
    heddle__direct_end_leases(s, false);
    int n_home = 0;
    for (int64_t p = 0; p < s->n_parts && s->parts; p++)
        if (s->parts[p].handle && (s->parts[p].host || s->parts[p].is_lent)) n_home++;
    if (n_home == 0) {
        for (int64_t p = 0; p < s->n_parts && s->parts; p++)
            if (s->parts[p].handle && !let_go_later(s->parts[p].handle, heddle__part_bytes(s, p)))
                starpu_data_unregister_submit(s->parts[p].handle);
        heddle__handles_unlock();
        heddle__storage_let_go(s);
        return true;
    }
    atomic_store(&s->reaping, n_home + 1);
    for (int64_t p = 0; p < s->n_parts; p++)
        if (s->parts[p].handle && (s->parts[p].host || s->parts[p].is_lent))
            starpu_data_acquire_on_node_cb(s->parts[p].handle, STARPU_ACQUIRE_NO_NODE_LOCK_ALL,
                                           STARPU_RW, part_is_free, s);
    heddle__handles_unlock();
    one_part_less(s);
    return false;
}

void heddle__storage_retire(struct heddle_storage *s)
{
    if (heddle__is_forked()) { /* the parent's StarPU has what is listed */
        if (!s->listed) heddle__storage_let_go(s);
        return;
    }
    atomic_fetch_add(&n_retiring, 1);
    if (retire(s)) atomic_fetch_sub(&n_retiring, 1);
}

void heddle__retire_all(void)
{
    const struct timespec pause = {0, 20000};
    heddle__direct_drain();
    while (atomic_load(&n_retiring) > 0) {
        heddle__reap();
        if (atomic_load(&n_retiring) > 0) nanosleep(&pause, NULL);
        heddle__direct_poll();
    }
    heddle__let_go();
}

bool heddle__retiring(void)
{
    return atomic_load(&n_retiring) > 0;
}

bool heddle__reap_pending(void)
{
    return atomic_load(&n_queued) > 0;
}

void heddle__reap(void)
{
    while (heddle__reap_pending()) {
        starpu_pthread_mutex_lock(&queue_mutex);
        struct heddle_storage *s = queue;
        if (s) queue = s->next;
        starpu_pthread_mutex_unlock(&queue_mutex);
        if (!s) return;
        for (int64_t p = 0; p < s->n_parts; p++) {
            starpu_data_handle_t handle = s->parts[p].handle;
            if (!handle) continue;
            starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE_LOCK_ALL);
            starpu_data_unregister_no_coherency(handle);
        }
        if (s->owner != HEDDLE_OWNER_LARGE_BUFFER)
            heddle__storage_unpin(s); /* recycled memory stays pinned */
        heddle__storage_let_go(s);
        atomic_fetch_sub(&n_queued, 1);
        atomic_fetch_sub(&n_retiring, 1);
    }
}
