/* Pages of mapped files. When the files are large, what tasks have read and written is given back as they end, and
 * a thread looks every millisecond, while anything runs, whether too much of the files has come into memory
 * meanwhile: single tasks may read far more than memory holds. Giving back (MADV_DONTNEED) only takes pages
 * out of the process; those that were written stay in the system's cache until they are on the disk. Entry
 * points: file_pages.h. */
#include "array/file_pages.h"

#include "array/host_memory.h"
#include "array/large_buffers.h"
#include "base/at_fork.h"
#include "base/memory.h"
#include "base/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGE_SHARE = 4, /* files that take this part of the limit or less may stay in memory */
    KEPT_SHARE = 16, /* of large ones, this part of the limit may */
    TICK_NS = 1000000,
    QUIET_TICKS = 20, /* without a reader, until the thread ends */
    DROPS_SEEN = 16,  /* until what stays over drops is looked at anew */
};
#define KEPT_MOST (1LL << 30)

/* Held for writing while a mapping goes: memory of its addresses may belong to others from then on. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct heddle_mapping *first;
static atomic_llong mapped_bytes;

/* ---- Mappings ------------------------------------------------------------------------------------------ */

struct heddle_mapping *heddle__mapping_new(void *base, size_t n)
{
    struct heddle_mapping *m = heddle__calloc(1, sizeof *m);
    if (!m) {
        munmap(base, n);
        return NULL;
    }
    m->base = base;
    m->n = n;
    m->refs = 1;
    pthread_rwlock_wrlock(&lock);
    m->next = first;
    if (first) first->prev = m;
    first = m;
    pthread_rwlock_unlock(&lock);
    atomic_fetch_add(&mapped_bytes, (long long)n);
    return m;
}

struct heddle_mapping *heddle__mapping_retain(struct heddle_mapping *m)
{
    pthread_rwlock_wrlock(&lock);
    m->refs++;
    pthread_rwlock_unlock(&lock);
    return m;
}

void heddle__mapping_release(void *mapping)
{
    struct heddle_mapping *m = mapping;
    if (!m) return;
    pthread_rwlock_wrlock(&lock);
    const bool last = --m->refs == 0;
    if (last) {
        *(m->prev ? &m->prev->next : &first) = m->next;
        if (m->next) m->next->prev = m->prev;
        munmap(m->base, m->n);
    }
    pthread_rwlock_unlock(&lock);
    if (!last) return;
    atomic_fetch_sub(&mapped_bytes, (long long)m->n);
    heddle__free(m);
}

struct heddle_mapping *heddle__mapping_at(const void *base)
{
    pthread_rwlock_rdlock(&lock);
    struct heddle_mapping *m = first;
    while (m && m->base != base) m = m->next;
    pthread_rwlock_unlock(&lock);
    return m;
}

/* ---- Giving back --------------------------------------------------------------------------------------- */

bool heddle__files_are_large(void)
{
    const long long n = atomic_load_explicit(&mapped_bytes, memory_order_relaxed);
    if (n == 0) return false;
    const int64_t limit = heddle__host_limit();
    return n > limit / LARGE_SHARE || n + heddle__large_buffers_bytes() > limit;
}

/* Advises the system about the pages of mapped files that begin within these bytes. If it fails, all stays as it
 * was. */
static void advise(const void *at, int64_t size_bytes, int advice)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t lo = (uintptr_t)at / page * page, hi = (uintptr_t)at + (uintptr_t)size_bytes;
    pthread_rwlock_rdlock(&lock);
    for (struct heddle_mapping *m = first; m; m = m->next) {
        const uintptr_t base = (uintptr_t)m->base, end = base + m->n;
        const uintptr_t from = lo > base ? lo : base, to = hi < end ? hi : end;
        if (from < to)
            madvise((void *)from, to - from, advice); // NOLINT(performance-no-int-to-ptr)
    }
    pthread_rwlock_unlock(&lock);
}

void heddle__drop_pages(const void *at, int64_t size_bytes)
{
    if (size_bytes > 0 && heddle__files_are_large()) advise(at, size_bytes, MADV_DONTNEED);
}

void heddle__expect_random(const void *at, int64_t size_bytes, bool random)
{
    if (size_bytes > 0 && heddle__files_are_large())
        advise(at, size_bytes, random ? MADV_RANDOM : MADV_NORMAL);
}

static void drop_all(void)
{
    pthread_rwlock_rdlock(&lock);
    for (struct heddle_mapping *m = first; m; m = m->next) madvise(m->base, m->n, MADV_DONTNEED);
    pthread_rwlock_unlock(&lock);
}

/* ---- The thread ------------------------------------------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int readers;
static atomic_bool running; /* changes under the mutex */

/* Bytes of files in the process; -1: not known. */
static int64_t pages_held(int fd)
{
    char text[128];
    const ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0) return -1;
    text[n] = 0;
    char *at = text;
    strtoll(at, &at, 10); /* all */
    strtoll(at, &at, 10); /* in memory */
    return strtoll(at, NULL, 10) * (int64_t)sysconf(_SC_PAGESIZE);
}

static int64_t most_kept(void)
{
    const int64_t share = heddle__host_limit() / KEPT_SHARE;
    return share < KEPT_MOST ? share : KEPT_MOST;
}

/* Whether the thread may go: begin starts another one. */
static bool may_end(void)
{
    pthread_mutex_lock(&mutex);
    const bool ends = atomic_load(&readers) == 0;
    if (ends) atomic_store(&running, false);
    pthread_mutex_unlock(&mutex);
    return ends;
}

static void *watch(void *unused)
{
    (void)unused;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const struct timespec tick = {0, TICK_NS};
    drop_all();
    /* Pages that are no large file's, code mostly: the least that is left after drops, as readers go on meanwhile. */
    int64_t others = pages_held(fd), least = INT64_MAX;
    int drops = 0;
    for (int quiet = 0; quiet < QUIET_TICKS || !may_end(); quiet++) {
        if (atomic_load(&readers) > 0) quiet = 0;
        if (pages_held(fd) > others + most_kept() && heddle__files_are_large()) {
            drop_all();
            const int64_t left = pages_held(fd);
            if (left < least) least = left;
            if (least < others || ++drops % DROPS_SEEN == 0) {
                others = least;
                least = INT64_MAX;
            }
        }
        nanosleep(&tick, NULL);
    }
    if (fd >= 0) close(fd);
    return NULL;
}

/* The child of fork has no such thread. */
static void in_child(void)
{
    atomic_store(&running, false);
    atomic_store(&readers, 0);
}

HEDDLE_AT_FORK(.mutex = &mutex, .rwlock = &lock, .in_child = in_child)

/* Under the mutex. Without the thread, tasks alone give back. */
static void start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t before;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const bool held = heddle__signals_hold(&before);
    atomic_store(&running, pthread_create(&thread, &attributes, watch, NULL) == 0);
    heddle__signals_release(held, &before);
    pthread_attr_destroy(&attributes);
}

void heddle__pages_begin(void)
{
    atomic_fetch_add(&readers, 1);
    if (!heddle__files_are_large() || atomic_load(&running)) return;
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&running)) start();
    pthread_mutex_unlock(&mutex);
}

void heddle__pages_end(void)
{
    atomic_fetch_sub(&readers, 1);
}
