/* StarPU handles of storages: registered at first use, one a part; freed without waiting. Host
 * memory that StarPU knows is given up only when StarPU has let go of it: the keeper sees to that.
 * Entry points: internal.h, "Handles". */
#include "runtime/handles.h"

#include "base/memory.h"
#include "runtime/boxes.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_storage *listed; /* all with handles */
static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_storage *queue; /* StarPU is done with them: to reap, through next */
static atomic_int n_queued;

static void list_add(struct heddle_storage *s)
{
    if (s->listed) return;
    s->listed = true;
    s->prev = NULL;
    s->next = listed;
    if (listed) listed->prev = s;
    listed = s;
}

static void list_remove(struct heddle_storage *s)
{
    if (!s->listed) return;
    s->listed = false;
    if (s->prev)
        s->prev->next = s->next;
    else
        listed = s->next;
    if (s->next) s->next->prev = s->prev;
    s->prev = s->next = NULL;
}

/* ---- Attaching ---------------------------------------------------------------------------------- */

/* Host memory of each part: in place where it is contiguous, else a copy. */
static bool cut_host_memory(struct heddle_storage *s)
{
    int64_t copied = 0, first;
    for (int64_t p = 0; p < s->n_parts; p++)
        if (!heddle__grid_part_contiguous(s->grid, p, &first))
            copied += (heddle__part_bytes(s, p) + 63) / 64 * 64;
    if (copied > 0 && !heddle__storage_make_copies(s, copied)) return false;
    char *at = s->copies;
    for (int64_t p = 0; p < s->n_parts; p++) {
        if (heddle__grid_part_contiguous(s->grid, p, &first)) {
            s->parts[p].host = s->data + first * s->element_bytes;
        } else {
            s->parts[p].host = at;
            heddle__copy_part(s->grid, p, s->element_bytes, s->data, at, HEDDLE_TO_PART);
            at += (heddle__part_bytes(s, p) + 63) / 64 * 64;
        }
    }
    return true;
}

#define PIN_BYTES (16LL << 20)

/* Pinning costs about as much as one transfer of memory that is not pinned, so it pays from the
 * second use on. It may fail, for read-only mappings for one: then it stays slow. */
static void pin_if_it_pays(struct heddle_storage *s)
{
    if (s->n_attached < UINT8_MAX) s->n_attached++;
    if (s->n_attached == 2 && !s->pinned && heddle__n_gpus() > 0 && s->data &&
        s->size_bytes >= PIN_BYTES)
        s->pinned = starpu_memory_pin(s->data, (size_t)s->size_bytes) == 0;
}

static void unpin(struct heddle_storage *s)
{
    if (s->pinned) starpu_memory_unpin(s->data, (size_t)s->size_bytes);
    s->pinned = false;
    s->n_attached = 0;
}

/* Forgets a partition of host memory, to make another. Waits. */
static void uncut(struct heddle_storage *s)
{
    pthread_mutex_lock(&list_mutex);
    list_remove(s);
    pthread_mutex_unlock(&list_mutex); /* a worker may want it before it makes progress */
    heddle__workers_hold();
    heddle__direct_end_leases(s, true);
    for (int64_t p = 0; p < s->n_parts; p++)
        if (s->parts[p].handle) starpu_data_unregister(s->parts[p].handle);
    heddle__workers_release();
    heddle__free(s->parts);
    heddle__storage_free_copies(s);
    heddle__grid_release(s->grid);
    s->parts = NULL;
    s->grid = NULL;
    s->n_parts = 1;
}

enum heddle_status heddle__storage_attach(struct heddle_storage *s, struct heddle_grid *grid,
                                          int32_t element_bytes)
{
    if (s->base) { /* has handles, or came home: then it gets them again */
        s = s->base;
        grid = s->grid;
    }
    HEDDLE_REQUIRE(grid, HEDDLE_EINTERNAL, "runtime: an array has no partition");
    heddle__direct_adopt(s);
    if (s->grid && s->data && !heddle__grid_equal(s->grid, grid) &&
        (s->n_parts > 1 || grid->n_parts > 1))
        uncut(s);
    if (s->grid && s->n_parts != grid->n_parts)
        return heddle__fail(HEDDLE_EINTERNAL,
                            "runtime: an array of %lld parts is planned with %lld",
                            (long long)s->n_parts, (long long)grid->n_parts);
    if (!s->grid) {
        struct heddle_part *parts = heddle__calloc((size_t)grid->n_parts, sizeof *parts);
        if (!parts) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a partition");
        s->parts = parts;
        s->n_parts = grid->n_parts;
        s->grid = heddle__grid_retain(grid);
        s->element_bytes = element_bytes;
        if (!cut_host_memory(s)) {
            uncut(s);
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory to cut an array in parts");
        }
    }
    pin_if_it_pays(s);
    pthread_mutex_lock(&list_mutex);
    for (int64_t p = 0; p < s->n_parts; p++)
        if (!s->parts[p].handle && s->parts[p].host)
            s->parts[p].handle =
                heddle__register(STARPU_MAIN_RAM, s->parts[p].host, heddle__part_bytes(s, p));
    list_add(s);
    pthread_mutex_unlock(&list_mutex);
    return HEDDLE_OK;
}

void heddle__storage_list(struct heddle_storage *s)
{
    pthread_mutex_lock(&list_mutex);
    list_add(s);
    pthread_mutex_unlock(&list_mutex);
}

/* ---- Waiting and reading --------------------------------------------------------------------------- */

/* A GPU's work is often done before a thread that sleeps would be awake again. Not on CPUs alone:
 * there the cores are the workers'. */
static void spin(struct heddle_storage *s)
{
    enum { SPIN_US = 2000 };
    const double until = heddle__now_us() + SPIN_US;
    while (atomic_load_explicit(&s->unwritten, memory_order_acquire) != 0 &&
           heddle__now_us() < until)
        continue;
}

void heddle__storage_wait(struct heddle_storage *s)
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
    heddle__workers_release();
}

void heddle__part_prefetch(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (heddle__n_gpus() > 0 && s->parts && !s->parts[part].host && s->parts[part].handle)
        starpu_data_prefetch_on_node(s->parts[part].handle, STARPU_MAIN_RAM, 1);
}

void heddle__part_evict(struct heddle_storage *s, int64_t part)
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

const char *heddle__part_acquire(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (!s->parts) return s->data;
    if (s->parts[part].host) return s->parts[part].host;
    heddle__direct_adopt(s);
    starpu_data_handle_t handle = s->parts[part].handle;
    if (!handle) return NULL;
    heddle__workers_hold(); /* by its number: the home of a handle may be a GPU */
    if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R) != 0) {
        heddle__workers_release();
        return NULL;
    }
    return starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
}

void heddle__part_release(struct heddle_storage *s, int64_t part)
{
    s = heddle__storage_root(s);
    if (!s->parts || s->parts[part].host || !s->parts[part].handle) return;
    starpu_data_release_on_node(s->parts[part].handle, STARPU_MAIN_RAM);
    heddle__workers_release();
}

/* ---- Freeing ---------------------------------------------------------------------------------------- */

/* Handles of GPU memory that nothing refers to. To let one go costs some microseconds, so that is
 * done while the GPU works on what is submitted next, or by the keeper. */
enum { MAX_LATER = 64, LATER_SHARE = 32 }; /* at most that share of a GPU's memory */
static pthread_mutex_t later_mutex = PTHREAD_MUTEX_INITIALIZER;
static starpu_data_handle_t later[MAX_LATER];
static int n_later;
static int64_t later_bytes;

static bool let_go_later(starpu_data_handle_t handle, int64_t size_bytes)
{
    const int64_t memory = heddle__workers_summary()->gpu_bytes;
    pthread_mutex_lock(&later_mutex);
    const bool room = n_later < MAX_LATER && later_bytes + size_bytes <= memory / LATER_SHARE;
    if (room) {
        later[n_later++] = handle;
        later_bytes += size_bytes;
    }
    pthread_mutex_unlock(&later_mutex);
    if (room && !heddle__keeper_ticks()) heddle__let_go();
    return room;
}

void heddle__let_go(void)
{
    starpu_data_handle_t now[MAX_LATER];
    pthread_mutex_lock(&later_mutex);
    const int n = n_later;
    for (int i = 0; i < n; i++) now[i] = later[i];
    n_later = 0;
    later_bytes = 0;
    pthread_mutex_unlock(&later_mutex);
    for (int i = 0; i < n; i++) starpu_data_unregister_submit(now[i]);
    heddle__direct_poll();
}

/* StarPU holds one part less; after the last one the keeper frees the storage. */
static void one_part_less(struct heddle_storage *s)
{
    if (atomic_fetch_sub(&s->reaping, 1) != 1) return;
    pthread_mutex_lock(&queue_mutex);
    s->next = queue;
    queue = s;
    pthread_mutex_unlock(&queue_mutex);
    atomic_fetch_add(&n_queued, 1);
    heddle__keeper_wake();
}

static void part_is_free(void *storage)
{
    one_part_less(storage);
}

void heddle__storage_retire(struct heddle_storage *s)
{
    if (heddle__is_forked() && s->listed) return; /* the parent's StarPU holds it: left alone */
    pthread_mutex_lock(&list_mutex);
    if (!s->listed) {
        pthread_mutex_unlock(&list_mutex);
        heddle__storage_destroy(s);
        return;
    }
    list_remove(s);
    heddle__direct_end_leases(s, false);
    int n_home = 0;
    for (int64_t p = 0; p < s->n_parts && s->parts; p++)
        if (s->parts[p].handle && (s->parts[p].host || s->parts[p].is_lent)) n_home++;
    if (n_home == 0) {
        for (int64_t p = 0; p < s->n_parts && s->parts; p++)
            if (s->parts[p].handle && !let_go_later(s->parts[p].handle, heddle__part_bytes(s, p)))
                starpu_data_unregister_submit(s->parts[p].handle);
        pthread_mutex_unlock(&list_mutex);
        heddle__storage_destroy(s);
        return;
    }
    atomic_store(&s->reaping, n_home + 1);
    for (int64_t p = 0; p < s->n_parts; p++)
        if (s->parts[p].handle && (s->parts[p].host || s->parts[p].is_lent))
            starpu_data_acquire_on_node_cb(s->parts[p].handle, STARPU_ACQUIRE_NO_NODE_LOCK_ALL,
                                           STARPU_RW, part_is_free, s);
    pthread_mutex_unlock(&list_mutex);
    one_part_less(s);
}

bool heddle__reap_pending(void)
{
    return atomic_load(&n_queued) > 0;
}

void heddle__reap(void)
{
    while (heddle__reap_pending()) {
        pthread_mutex_lock(&queue_mutex);
        struct heddle_storage *s = queue;
        if (s) queue = s->next;
        pthread_mutex_unlock(&queue_mutex);
        if (!s) return;
        for (int64_t p = 0; p < s->n_parts; p++) {
            starpu_data_handle_t handle = s->parts[p].handle;
            if (!handle) continue;
            starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE_LOCK_ALL);
            starpu_data_unregister_no_coherency(handle);
        }
        if (s->owner != HEDDLE_OWNER_BIG) unpin(s); /* what is recycled stays pinned */
        heddle__storage_destroy(s);
        atomic_fetch_sub(&n_queued, 1);
    }
}

/* ---- Shut-down --------------------------------------------------------------------------------------- */

/* Copies a storage that only StarPU holds to host memory. */
static enum heddle_status bring_home(struct heddle_storage *s)
{
    int64_t total = 0;
    heddle__direct_adopt(s);
    for (int64_t p = 0; p < s->n_parts && s->parts; p++)
        if (s->parts[p].handle && !s->parts[p].host)
            total += (heddle__part_bytes(s, p) + 63) / 64 * 64;
    if (total == 0) return HEDDLE_OK;
    char *at = heddle__storage_make_copies(s, total);
    if (!at) return HEDDLE_ENOMEM;
    for (int64_t p = 0; p < s->n_parts; p++) {
        if (!s->parts[p].handle || s->parts[p].host) continue;
        const char *from = heddle__part_acquire(s, p);
        if (!from) return HEDDLE_EDEVICE;
        heddle__copy_bytes(at, from, heddle__part_bytes(s, p));
        heddle__part_release(s, p);
        starpu_data_unregister_no_coherency(s->parts[p].handle);
        s->parts[p].handle = NULL;
        s->parts[p].host = at;
        at += (heddle__part_bytes(s, p) + 63) / 64 * 64;
    }
    return HEDDLE_OK;
}

enum heddle_status heddle__storages_come_home(void)
{
    enum heddle_status status = HEDDLE_OK;
    heddle__let_go();
    pthread_mutex_lock(&list_mutex);
    while (listed) {
        struct heddle_storage *s = listed;
        const char *text;
        heddle__direct_end_leases(s, true);
        if (heddle__fault_get(s->fault, &text) == HEDDLE_OK) {
            const enum heddle_status code = bring_home(s);
            if (code != HEDDLE_OK) {
                heddle__fault_set(s->fault, code, "heddle_shutdown: the data could not be kept");
                status = heddle__fail(code,
                                      "heddle_shutdown: %lld bytes of an array could not "
                                      "be moved to host memory",
                                      (long long)s->size_bytes);
            }
        }
        for (int64_t p = 0; p < s->n_parts && s->parts; p++) {
            if (s->parts[p].handle) starpu_data_unregister_no_coherency(s->parts[p].handle);
            s->parts[p].handle = NULL;
        }
        heddle__direct_free_own(s);
        atomic_store(&s->unwritten, 0);
        s->is_direct = false;
        unpin(s);
        list_remove(s);
    }
    pthread_mutex_unlock(&list_mutex);
    return status;
}
