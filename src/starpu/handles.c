/* StarPU handles of storages: one for each part, registered at the first use. And the list of storages
 * that have handles, which shut-down brings home. Entry points: handles.h. */
#include "starpu/handles.h"
#include "starpu/register.h"

#include "array/copy_box.h"
#include "array/devices.h"
#include "base/memory.h"
#include "run/data.h"
#include "starpu/idle.h"
#include "starpu/leases.h"

static starpu_pthread_mutex_t list_mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static struct heddle_storage *listed; /* all storages with handles */

void heddle__handles_lock(void)
{
    starpu_pthread_mutex_lock(&list_mutex);
}

void heddle__handles_unlock(void)
{
    starpu_pthread_mutex_unlock(&list_mutex);
}

static void list_add(struct heddle_storage *s)
{
    if (s->listed) return;
    s->listed = true;
    s->prev = NULL;
    s->next = listed;
    if (listed) listed->prev = s;
    listed = s;
}

void heddle__handles_forget(struct heddle_storage *s)
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

void heddle__handles_end_leases(void)
{
    heddle__handles_lock();
    for (struct heddle_storage *s = listed; s; s = s->next) heddle__direct_end_leases(s, true);
    heddle__handles_unlock();
}

/* ---- Attaching ---------------------------------------------------------------------------------- */

#define PIN_BYTES (16LL << 20)

/* Pinning costs about as much as one transfer of memory that is not pinned, so it pays from the second
 * use on. It may fail, for read-only mappings for example; then transfers stay slow. */
static void pin_if_it_pays(struct heddle_storage *s)
{
    if (s->n_attached < UINT8_MAX) s->n_attached++;
    if (s->is_file) return; /* pinned, all of it would have to be in memory */
    if (s->n_attached == 2 && !s->pinned && heddle__n_gpus() > 0 && s->data &&
        s->size_bytes >= PIN_BYTES)
        s->pinned = starpu_memory_pin(s->data, (size_t)s->size_bytes) == 0;
}

void heddle__storage_unpin(struct heddle_storage *s)
{
    if (s->pinned) starpu_memory_unpin(s->data, (size_t)s->size_bytes);
    s->pinned = false;
    s->n_attached = 0;
}

/* Takes a partition of host memory back, for another one to be made. Waits for its tasks. */
static void uncut(struct heddle_storage *s)
{
    starpu_pthread_mutex_lock(&list_mutex);
    heddle__handles_forget(s);
    starpu_pthread_mutex_unlock(&list_mutex); /* workers may need it to make progress */
    heddle__workers_hold();
    heddle__direct_end_leases(s, true);
    for (int64_t p = 0; p < s->n_parts; p++)
        if (s->parts[p].handle) starpu_data_unregister(s->parts[p].handle);
    heddle__workers_release();
    heddle__storage_uncut(s);
}

enum heddle_status heddle__storage_attach(struct heddle_storage *s, struct heddle_grid *grid,
                                          int32_t element_bytes)
{
    if (s->base) { /* the base has the parts and their handles */
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
    const enum heddle_status status = heddle__storage_cut(s, grid, element_bytes);
    if (status != HEDDLE_OK) return status;
    pin_if_it_pays(s);
    starpu_pthread_mutex_lock(&list_mutex);
    for (int64_t p = 0; p < s->n_parts; p++)
        if (!s->parts[p].handle && s->parts[p].host)
            s->parts[p].handle =
                heddle__register(STARPU_MAIN_RAM, s->parts[p].host, heddle__part_bytes(s, p));
    list_add(s);
    starpu_pthread_mutex_unlock(&list_mutex);
    return HEDDLE_OK;
}

void heddle__storage_list(struct heddle_storage *s)
{
    starpu_pthread_mutex_lock(&list_mutex);
    list_add(s);
    starpu_pthread_mutex_unlock(&list_mutex);
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
    starpu_pthread_mutex_lock(&list_mutex);
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
        heddle__storage_unpin(s);
        heddle__handles_forget(s);
    }
    starpu_pthread_mutex_unlock(&list_mutex);
    heddle__retire_all();
    return status;
}
