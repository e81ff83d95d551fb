/* GPU memory of direct launches, recycled. All users of a block enqueue on one stream, so a block can be
 * reused at once. StarPU counts the memory, but cannot evict it. Entry points: gpu_blocks.h. */
#include "starpu/gpu_blocks.h"

#include "array/devices.h"
#include "kernels.h"

#include <pthread.h>
#include <starpu.h>
#include <string.h>

enum {
    MAX_CACHED = 64,
    CACHE_SHARE = 8, /* at most this share of a GPU's memory is cached, */
    OWN_SHARE = 2,   /* and at most this one is in use */
};

static struct pool {
    int n_cached;
    struct block {
        void *at;
        int64_t bytes;
    } cached[MAX_CACHED]; /* the oldest first */
    int64_t cached_bytes, own_bytes;
    int64_t left_bytes; /* that tasks of StarPU's may need at once */
} pools[HEDDLE_MAX_GPUS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct pool *pool_of(const struct heddle_worker *w)
{
    return &pools[w->team];
}

/* Four sizes for each power of two, so that a block serves arrays of about its size. */
static int64_t round_up(int64_t bytes)
{
    int64_t step = 512;
    while (step * 8 < bytes) step *= 2;
    return bytes > 0 ? (bytes + step - 1) / step * step : step;
}

/* Whether as much more may be in use. Under the mutex. */
static bool may_use(const struct heddle_worker *w, const struct pool *p, int64_t bytes)
{
    const int64_t most = w->memory_bytes / OWN_SHARE, others = w->memory_bytes - p->left_bytes;
    return p->own_bytes + bytes <= (most < others ? most : others);
}

/* Waits for all GPUs: kernels of others may still read the memory, and cudaFree waits for those of its own alone. */
static void wait_for_readers(void)
{
    if (heddle__n_gpus() < 2) return;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu || !w->stream) continue;
        const int before = heddle__cuda_enter(w->team);
        heddle__cuda_drain(w->stream);
        heddle__cuda_leave(w->team, before);
    }
}

/* Under the mutex, once nobody reads it. */
static void free_block(const struct heddle_worker *w, void *at, int64_t bytes)
{
    const int before = heddle__cuda_enter(w->team);
    heddle__cuda_memory_put(at);
    heddle__cuda_leave(w->team, before);
    starpu_memory_deallocate(w->node, (size_t)bytes);
}

static void trim(const struct heddle_worker *w, int64_t keep_bytes)
{
    struct pool *p = pool_of(w);
    if (p->n_cached > 0 && p->cached_bytes > keep_bytes) wait_for_readers();
    while (p->n_cached > 0 && p->cached_bytes > keep_bytes) { /* the oldest first */
        const struct block b = p->cached[0];
        memmove(p->cached, p->cached + 1, (size_t)--p->n_cached * sizeof b);
        p->cached_bytes -= b.bytes;
        free_block(w, b.at, b.bytes);
    }
}

void *heddle__gpu_block_get(const struct heddle_worker *w, int64_t size_bytes)
{
    const int64_t bytes = round_up(size_bytes);
    struct pool *p = pool_of(w);
    void *at = NULL;
    pthread_mutex_lock(&mutex);
    for (int i = p->n_cached - 1; i >= 0 && !at; i--) {
        if (p->cached[i].bytes != bytes) continue;
        at = p->cached[i].at;
        memmove(p->cached + i, p->cached + i + 1,
                (size_t)(--p->n_cached - i) * sizeof p->cached[0]);
        p->cached_bytes -= bytes;
    }
    if (!at && may_use(w, p, bytes) && starpu_memory_allocate(w->node, (size_t)bytes, 0) == 0) {
        at = heddle__cuda_memory_get((size_t)bytes);
        if (!at) starpu_memory_deallocate(w->node, (size_t)bytes);
    }
    if (at) p->own_bytes += bytes;
    pthread_mutex_unlock(&mutex);
    return at;
}

void heddle__gpu_block_put(const struct heddle_worker *w, void *at, int64_t size_bytes)
{
    const int64_t bytes = round_up(size_bytes), most = w->memory_bytes / CACHE_SHARE;
    struct pool *p = pool_of(w);
    pthread_mutex_lock(&mutex);
    p->own_bytes -= bytes;
    if (bytes > most) {
        wait_for_readers();
        free_block(w, at, bytes);
    } else {
        trim(w, most - bytes);
        if (p->n_cached == MAX_CACHED) trim(w, p->cached_bytes - 1);
        p->cached[p->n_cached++] = (struct block){at, bytes};
        p->cached_bytes += bytes;
    }
    pthread_mutex_unlock(&mutex);
}

void heddle__gpu_blocks_trim(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu && heddle__worker(i)->team < HEDDLE_MAX_GPUS)
            trim(heddle__worker(i), 0);
    pthread_mutex_unlock(&mutex);
}

static int64_t read_bytes(const int64_t *bytes)
{
    pthread_mutex_lock(&mutex);
    const int64_t now = *bytes;
    pthread_mutex_unlock(&mutex);
    return now;
}

int64_t heddle__gpu_blocks_in_use(const struct heddle_worker *w)
{
    return read_bytes(&pool_of(w)->own_bytes);
}

int64_t heddle__gpu_blocks_left(const struct heddle_worker *w)
{
    return read_bytes(&pool_of(w)->left_bytes);
}

void heddle__gpu_blocks_leave(const struct heddle_worker *w, int64_t bytes)
{
    pthread_mutex_lock(&mutex);
    struct pool *p = pool_of(w);
    if (p->left_bytes < bytes) p->left_bytes = bytes;
    pthread_mutex_unlock(&mutex);
}

void heddle__gpu_blocks_leave_none(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < HEDDLE_MAX_GPUS; i++) pools[i].left_bytes = 0;
    pthread_mutex_unlock(&mutex);
}
