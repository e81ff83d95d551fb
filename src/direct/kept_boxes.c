/* Copies of boxes on other GPUs. A list for each storage, and one of all by their last use. Entry points: kept_boxes.h. */
#include "direct/kept_boxes.h"

#include "base/memory.h"
#include "starpu/gpu_blocks.h"

#include <pthread.h>
#include <string.h>

enum { KEPT_SHARE = 16 }; /* at most this share of a GPU's memory is kept */

struct heddle_kept_box {
    struct heddle_storage *storage;
    int64_t part, bytes;
    struct heddle_box box;
    const struct heddle_worker *worker;
    void *at;
    struct heddle_kept_box *next;          /* of the storage */
    struct heddle_kept_box *older, *newer; /* of all */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_kept_box *oldest, *newest;
static int64_t kept_bytes[HEDDLE_MAX_GPUS];

/* ---- The lists, under the mutex ------------------------------------------------------------------------------ */

static void unlink_use(struct heddle_kept_box *k)
{
    *(k->older ? &k->older->newer : &oldest) = k->newer;
    *(k->newer ? &k->newer->older : &newest) = k->older;
}

static void link_use(struct heddle_kept_box *k)
{
    k->older = newest;
    k->newer = NULL;
    *(newest ? &newest->newer : &oldest) = k;
    newest = k;
}

/* Its block may be used until its GPU's stream has passed what is enqueued; whoever gets it next uses it on that stream. */
static void drop(struct heddle_kept_box *k)
{
    struct heddle_kept_box **at = &k->storage->kept_boxes;
    while (*at != k) at = &(*at)->next;
    *at = k->next;
    unlink_use(k);
    kept_bytes[k->worker->team] -= k->bytes;
    heddle__gpu_block_put(k->worker, k->at, k->bytes);
    heddle__free(k);
}

/* Drops the longest unused of a GPU until so many bytes have room. */
static void make_room(const struct heddle_worker *w, int64_t size_bytes)
{
    for (struct heddle_kept_box *k = oldest, *newer; k; k = newer) {
        newer = k->newer;
        if (kept_bytes[w->team] + size_bytes <= w->memory_bytes / KEPT_SHARE) return;
        if (k->worker == w) drop(k);
    }
}

/* ---- Entry points -------------------------------------------------------------------------------------------- */

void *heddle__kept_box(struct heddle_storage *storage, int64_t part, const struct heddle_box *box,
                       const struct heddle_worker *worker)
{
    void *at = NULL;
    const size_t bytes = (size_t)(storage->grid ? storage->grid->ndim : 0) * sizeof box->lo[0];
    pthread_mutex_lock(&mutex);
    for (struct heddle_kept_box *k = storage->kept_boxes; k && !at; k = k->next) {
        if (k->part != part || k->worker != worker || memcmp(k->box.lo, box->lo, bytes) != 0 ||
            memcmp(k->box.hi, box->hi, bytes) != 0)
            continue;
        at = k->at;
        unlink_use(k);
        link_use(k);
    }
    pthread_mutex_unlock(&mutex);
    return at;
}

bool heddle__kept_room(const struct heddle_worker *worker, int64_t size_bytes)
{
    return size_bytes <= worker->memory_bytes / KEPT_SHARE;
}

bool heddle__keep_box(struct heddle_storage *storage, int64_t part, const struct heddle_box *box,
                      const struct heddle_worker *worker, void *at, int64_t size_bytes)
{
    struct heddle_kept_box *k =
        heddle__kept_room(worker, size_bytes) ? heddle__alloc(sizeof *k) : NULL;
    if (!k) return false;
    pthread_mutex_lock(&mutex);
    make_room(worker, size_bytes);
    *k = (struct heddle_kept_box){.storage = storage,
                                  .part = part,
                                  .bytes = size_bytes,
                                  .box = *box,
                                  .worker = worker,
                                  .at = at,
                                  .next = storage->kept_boxes};
    storage->kept_boxes = k;
    link_use(k);
    kept_bytes[worker->team] += size_bytes;
    pthread_mutex_unlock(&mutex);
    return true;
}

void heddle__kept_drop(struct heddle_storage *storage)
{
    struct heddle_kept_box **const first = storage ? &storage->kept_boxes : &oldest;
    pthread_mutex_lock(&mutex);
    while (*first) drop(*first);
    pthread_mutex_unlock(&mutex);
}
