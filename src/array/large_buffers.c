/* Recycled memory of large buffers, for storages and, through its allocation hooks, for StarPU. Fresh
 * memory costs more than a pass over it: pages must be zeroed and, with GPUs, pinned. Each
 * doubling has eight size classes. The cache is bounded, and given back when Heddle is idle. Entry points:
 * large_buffers.h. */
#include "array/large_buffers.h"

#include "array/copy_box.h"
#include "array/devices.h"
#include "array/host_memory.h"
#include "array/spill.h"
#include "base/at_fork.h"
#include "base/limits.h"
#include "base/share.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    SMALLEST = 16, /* log2 of bytes: malloc does well below */
    LARGEST = 46,
    N_CLASSES = (LARGEST - SMALLEST) * 8 + 1,
};
#define HUGE_PAGE ((size_t)2 << 20)
#define MAP_BYTES ((size_t)4 << 20)   /* mapped from this size on, with huge pages */
#define SPILL_BYTES ((size_t)1 << 20) /* smaller ones stay in memory, whatever the limit */

struct cache {
    void *first[N_CLASSES];
    size_t cached_bytes;
};
static struct cache caches[2]; /* plain, pinned */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_llong bytes_taken; /* from the system: in use or cached */

HEDDLE_AT_FORK(.mutex = &mutex)

static int class_of(size_t size)
{
    if (size <= (size_t)1 << SMALLEST) return 0;
    const int log2 = 63 - __builtin_clzll(size - 1);
    return (log2 - SMALLEST) * 8 + (int)((size - 1) >> (log2 - 3)) - 8 + 1;
}

static size_t size_of_class(int c)
{
    const size_t size = (size_t)(8 + c % 8) << (c / 8 + SMALLEST - 3);
    return size >= MAP_BYTES ? (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE : size;
}

/* ---- From the system and back -------------------------------------------------------------------------- */

static void *map(size_t size)
{
    char *at = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    const size_t skip = (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
    if (skip > 0) munmap(at, skip);
    munmap(at + skip + size, HUGE_PAGE - skip);
    madvise(at + skip, size, MADV_HUGEPAGE);
    return at + skip;
}

enum { PAGES_AT_ONCE = 256, PAGE = 4096 };

static void touch(void *argument, int64_t from, int64_t to)
{
    char *at = argument;
    for (int64_t i = from * PAGES_AT_ONCE; i < to * PAGES_AT_ONCE; i++) at[i * PAGE] = 0;
}

/* Pinning makes pages one after the other; several threads make them sooner. */
static void make_pages(char *at, size_t size)
{
    const int n_threads = heddle__copy_threads((int64_t)size);
    if (n_threads > 1)
        heddle__share_lent(n_threads, (int64_t)(size / PAGE / PAGES_AT_ONCE), touch, at);
}

/* Of the limit of memory some is left to pages of files and to all that is small. */
static int64_t own_limit(void)
{
    const int64_t limit = heddle__host_limit(), some = limit / 8 + (16 << 20);
    return limit - (some < limit / 4 ? some : limit / 4);
}

static bool is_within_limit(size_t size)
{
    return heddle__large_buffers_bytes() + (int64_t)size <= own_limit();
}

/* The same; what is cached goes first. */
static bool has_room(size_t size)
{
    if (is_within_limit(size)) return true;
    heddle__large_buffers_trim(false);
    if (is_within_limit(size)) return true;
    heddle__large_buffers_trim(true);
    return is_within_limit(size);
}

static void *fresh(size_t size, bool pinned)
{
    if (size >= SPILL_BYTES && !has_room(size)) return pinned ? NULL : heddle__spill_get(size);
    if (!heddle__memory_has_room(size + HUGE_PAGE)) return NULL;
    void *at = size >= MAP_BYTES ? map(size) : aligned_alloc(64, size);
    if (at && pinned && size >= MAP_BYTES) make_pages(at, size);
    if (at && pinned) heddle__devices->pin(at, size);
    if (at) atomic_fetch_add(&bytes_taken, (long long)size);
    return at;
}

static void give_back(void *at, size_t size, bool pinned)
{
    if (pinned) heddle__devices->unpin(at, size);
    atomic_fetch_sub(&bytes_taken, (long long)size);
    if (size >= MAP_BYTES)
        munmap(at, size);
    else
        free(at);
}

int64_t heddle__large_buffers_bytes(void)
{
    return atomic_load_explicit(&bytes_taken, memory_order_relaxed);
}

int64_t heddle__large_buffers_left(void)
{
    pthread_mutex_lock(&mutex);
    const size_t cached = caches[0].cached_bytes + caches[1].cached_bytes;
    pthread_mutex_unlock(&mutex);
    return own_limit() - heddle__large_buffers_bytes() + (int64_t)cached;
}

/* ---- Getting and putting ------------------------------------------------------------------------------- */

void *heddle__large_buffer_get(size_t size_bytes, bool pinned)
{
    if (size_bytes > (size_t)1 << (LARGEST - 1)) return NULL;
    const int c = class_of(size_bytes);
    struct cache *cache = &caches[pinned];
    pthread_mutex_lock(&mutex);
    void *at = cache->first[c];
    if (at) {
        cache->first[c] = *(void **)at;
        cache->cached_bytes -= size_of_class(c);
    }
    pthread_mutex_unlock(&mutex);
    if (!at) at = fresh(size_of_class(c), pinned);
    if (at) return at;
    heddle__large_buffers_trim(false); /* what is kept for reuse may be what is missing */
    heddle__large_buffers_trim(true);
    return fresh(size_of_class(c), pinned);
}

void heddle__large_buffer_put(void *at, size_t size_bytes, bool pinned)
{
    if (heddle__spill_put(at)) return;
    const int c = class_of(size_bytes);
    const size_t size = size_of_class(c);
    const size_t limit = (size_t)heddle__host_limit() / (pinned ? 4 : 8);
    struct cache *cache = &caches[pinned];
    pthread_mutex_lock(&mutex);
    const bool keep = cache->cached_bytes + size <= limit;
    if (keep) {
        *(void **)at = cache->first[c];
        cache->first[c] = at;
        cache->cached_bytes += size;
    }
    pthread_mutex_unlock(&mutex);
    if (!keep) give_back(at, size, pinned);
}

void heddle__large_buffers_trim(bool pinned)
{
    for (int c = 0; c < N_CLASSES; c++) {
        pthread_mutex_lock(&mutex);
        void *at = caches[pinned].first[c];
        caches[pinned].first[c] = NULL;
        for (void *p = at; p; p = *(void **)p) caches[pinned].cached_bytes -= size_of_class(c);
        pthread_mutex_unlock(&mutex);
        while (at) {
            void *next = *(void **)at;
            give_back(at, size_of_class(c), pinned);
            at = next;
        }
    }
}
