/* What direct launches have on GPUs, and how they share it with StarPU. StarPU does not know of their own
 * memory until it needs it (heddle__direct_adopt); StarPU's memory is leased, so that it stays there.
 * Entry points: leases.h. */
#include "starpu/leases.h"

#include "kernels.h"
#include "run/backend.h"
#include "run/cost.h"
#include "run/counters/counters.h"
#include "run/life.h"
#include "starpu/gpu_blocks.h"
#include "starpu/gpu_queue.h"
#include "starpu/handles.h"
#include "starpu/register.h"
#include "starpu/idle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
    MAX_ENDINGS = 64,
    LEASE_SHARE = 4, /* at most this share of a GPU's memory is leased */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t leased_bytes[HEDDLE_MAX_GPUS];

/* Waits until the worker's GPU has passed a mark; false: CUDA failed. */
static bool await(const struct heddle_worker *w, uint64_t mark)
{
    enum { SPIN_US = 2000, PAUSE_NS = 50000 };
    const double until = heddle__now_us() + SPIN_US;
    int passed;
    while ((passed = heddle__cuda_passed(w->team, mark)) == 0)
        if (heddle__now_us() > until) nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    return passed > 0;
}

/* ---- Leases ----------------------------------------------------------------------------------------- */

bool heddle__part_is_on(const struct heddle_part *part, int worker)
{
    if (part->hold != HEDDLE_HOLD_NONE && part->worker != worker) return false;
    return part->handle ? heddle__is_valid_on(part->handle, heddle__worker(worker)->node)
                        : part->device != NULL;
}

void *heddle__part_lease(struct heddle_storage *storage, int64_t part, int worker)
{
    storage = heddle__storage_root(storage);
    struct heddle_part *p = &storage->parts[part];
    if (p->hold != HEDDLE_HOLD_NONE) return p->device;
    const struct heddle_worker *w = heddle__worker(worker);
    const int64_t bytes = heddle__part_bytes(storage, part);
    pthread_mutex_lock(&mutex);
    const bool room = leased_bytes[w->team] + bytes <= w->memory_bytes / LEASE_SHARE &&
                      heddle__gpu_blocks_left(w) == 0;
    if (room) leased_bytes[w->team] += bytes;
    pthread_mutex_unlock(&mutex);
    if (!room) return NULL;
    heddle__workers_hold();
    const bool ok = starpu_data_acquire_on_node(p->handle, (int)w->node, STARPU_R) == 0;
    heddle__workers_release();
    if (ok) {
        p->device = starpu_data_handle_to_pointer(p->handle, w->node);
        p->worker = (int16_t)worker;
        p->hold = HEDDLE_HOLD_LEASE;
        return p->device;
    }
    pthread_mutex_lock(&mutex);
    leased_bytes[w->team] -= bytes;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Leases that end when the GPU has passed a mark, of storages that are gone. Not sooner: StarPU's copy
 * engines know nothing of the stream. */
static struct ending {
    starpu_data_handle_t handle;
    const struct heddle_worker *worker;
    uint64_t mark;
    int64_t bytes;
} endings[MAX_ENDINGS];
static atomic_int n_endings; /* changes under the mutex */

static void end_lease(const struct ending *e)
{
    starpu_data_release_on_node(e->handle, (int)e->worker->node);
    pthread_mutex_lock(&mutex);
    leased_bytes[e->worker->team] -= e->bytes;
    pthread_mutex_unlock(&mutex);
}

/* Takes a lease whose mark has passed off the list. */
static bool next_ending(struct ending *out)
{
    bool found = false;
    pthread_mutex_lock(&mutex);
    const int n = atomic_load(&n_endings);
    for (int i = 0; i < n && !found; i++) {
        if (heddle__cuda_passed(endings[i].worker->team, endings[i].mark) == 0) continue;
        *out = endings[i];
        endings[i] = endings[n - 1];
        atomic_store(&n_endings, n - 1);
        found = true;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

void heddle__direct_poll(void)
{
    struct ending e;
    while (atomic_load_explicit(&n_endings, memory_order_relaxed) > 0 && next_ending(&e))
        end_lease(&e);
}

static bool end_later(const struct ending *e)
{
    pthread_mutex_lock(&mutex);
    const int n = atomic_load(&n_endings);
    if (n < MAX_ENDINGS) {
        endings[n] = *e;
        atomic_store(&n_endings, n + 1);
    }
    pthread_mutex_unlock(&mutex);
    return n < MAX_ENDINGS;
}

void heddle__direct_end_leases(struct heddle_storage *s, bool now)
{
    if (s->kept_boxes) heddle__direct_forget(s);
    for (int64_t p = 0; p < s->n_parts && s->parts; p++) {
        struct heddle_part *part = &s->parts[p];
        if (part->hold != HEDDLE_HOLD_LEASE) continue;
        const struct heddle_worker *w = heddle__worker(part->worker);
        const struct ending e = {part->handle, w, part->mark, heddle__part_bytes(s, p)};
        if (heddle__cuda_passed(w->team, e.mark) != 0 || now || !end_later(&e)) {
            await(w, e.mark);
            end_lease(&e);
        }
        part->hold = HEDDLE_HOLD_NONE;
        part->device = NULL;
    }
}

void heddle__direct_free_own(struct heddle_storage *s)
{
    for (int64_t p = 0; p < s->n_parts && s->parts; p++) {
        struct heddle_part *part = &s->parts[p];
        if (part->hold != HEDDLE_HOLD_OWN) continue;
        heddle__gpu_block_put(heddle__worker(part->worker), part->device, heddle__part_bytes(s, p));
        part->hold = HEDDLE_HOLD_NONE;
        part->device = NULL;
    }
}

int64_t heddle__direct_leased_bytes(const struct heddle_worker *w)
{
    pthread_mutex_lock(&mutex);
    const int64_t leased = leased_bytes[w->team];
    pthread_mutex_unlock(&mutex);
    return leased;
}

/* ---- Waiting, and StarPU ----------------------------------------------------------------------------- */

void heddle__direct_began(struct heddle_worker *w, double start_us)
{
    pthread_mutex_lock(&mutex);
    if (w->direct_since == 0) w->direct_since = start_us;
    pthread_mutex_unlock(&mutex);
}

void heddle__direct_wait(struct heddle_storage *s)
{
    bool ok = true;
    for (int64_t p = 0; p < s->n_parts; p++) {
        const struct heddle_part *part = &s->parts[p];
        if (part->hold == HEDDLE_HOLD_OWN)
            ok = await(heddle__worker(part->worker), part->mark) && ok;
    }
    if (!ok) heddle__fault_set(s->fault, HEDDLE_EDEVICE, "heddle_wait: a kernel failed on the GPU");
    const double now = heddle__now_us();
    pthread_mutex_lock(&mutex);
    for (int64_t p = 0; p < s->n_parts; p++) {
        if (s->parts[p].hold != HEDDLE_HOLD_OWN) continue;
        struct heddle_worker *w = heddle__worker(s->parts[p].worker);
        if (w->direct_since > 0) heddle__count_busy(w, now - w->direct_since);
        w->direct_since = 0;
    }
    pthread_mutex_unlock(&mutex);
}

bool heddle__direct_is_done(struct heddle_storage *s)
{
    for (int64_t p = 0; p < s->n_parts; p++) {
        const struct heddle_part *part = &s->parts[p];
        if (part->hold == HEDDLE_HOLD_OWN &&
            heddle__cuda_passed(heddle__worker(part->worker)->team, part->mark) == 0)
            return false;
    }
    return true;
}

bool heddle__direct_read(struct heddle_storage *s, void *out, int64_t size_bytes,
                         enum heddle_status *status)
{
    enum { MOST = 1 << 20 }; /* more is faster by way of pinned memory */
    s = heddle__storage_root(s);
    if (heddle__is_forked() || !s->is_direct || s->n_parts != 1 ||
        s->parts[0].hold != HEDDLE_HOLD_OWN || s->parts[0].handle || size_bytes > MOST)
        return false;
    const struct heddle_worker *w = heddle__worker(s->parts[0].worker);
    const int before = heddle__cuda_enter(w->team);
    *status = size_bytes > 0
                  ? heddle__cuda_read(out, s->parts[0].device, (size_t)size_bytes, w->stream)
                  : HEDDLE_OK;
    heddle__cuda_leave(w->team, before);
    return true;
}

void heddle__direct_adopt(struct heddle_storage *s)
{
    static pthread_mutex_t adopting = PTHREAD_MUTEX_INITIALIZER;
    if (!s->is_direct) return;
    heddle__direct_wait(s);
    pthread_mutex_lock(&adopting);
    for (int64_t p = 0; p < s->n_parts; p++) {
        struct heddle_part *part = &s->parts[p];
        if (part->hold != HEDDLE_HOLD_OWN || part->handle) continue;
        part->is_lent = true;
        part->handle = heddle__register((int)heddle__worker(part->worker)->node, part->device,
                                        heddle__part_bytes(s, p));
    }
    pthread_mutex_unlock(&adopting);
}

/* ---- The end ------------------------------------------------------------------------------------------ */

void heddle__direct_drain(void)
{
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu || !w->stream) continue;
        const int before = heddle__cuda_enter(w->team);
        heddle__cuda_drain(w->stream);
        heddle__cuda_leave(w->team, before);
    }
    heddle__direct_poll();
}

void heddle__direct_close(void)
{
    heddle__gpu_blocks_trim();
    heddle__cuda_borders_close();
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu) heddle__cuda_marks_close(heddle__worker(i)->team);
}
