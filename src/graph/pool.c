/* The pools that node memory comes from: a list for each thread, without locks, and a shared one
 * that threads trade batches with. Both are bounded; beyond that memory goes back to the system.
 * Knows nothing of what is in a node but `next`. Entry points: pool.h, heddle__nodes_live. */
#include "graph/pool.h"

#include "base/at_fork.h"
#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>

enum {
    BATCH = 256,            /* nodes traded at once */
    THREAD_MAX = 8 * BATCH, /* kept by a thread */
    SHARED_MAX = 128 * BATCH,
};

/* A thread's pool, in the list of all while it is registered. `live` may be negative, since nodes die on
 * other threads than made them; only the sum of all is a number of nodes. */
struct pool {
    heddle_array *free;
    int n;
    bool registered;
    atomic_llong live; /* its thread alone writes it */
    struct pool *previous, *next;
};

static HEDDLE_THREAD_LOCAL struct pool mine;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct pool *all;
static heddle_array *shared;
static int n_shared;
static long long live_of_ended; /* of threads that have ended */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;
static atomic_bool off;

static void free_list(heddle_array *list)
{
    while (list) {
        heddle_array *next = list->next;
        heddle__free_pooled(list);
        list = next;
    }
}

/* Cuts `n` nodes off a list. */
static heddle_array *take(heddle_array **list, int n)
{
    heddle_array *first = *list, **last = list;
    for (int i = 0; i < n; i++) last = &(*last)->next;
    heddle_array *rest = *last;
    *last = NULL;
    *list = rest;
    return first;
}

/* Gives `n` nodes of this thread to the shared list, or to the system when that is full. */
static void give(int n)
{
    if (n == 0) return;
    heddle_array *list = take(&mine.free, n);
    mine.n -= n;
    pthread_mutex_lock(&lock);
    if (n_shared + n <= SHARED_MAX) {
        heddle_array **last = &list;
        while (*last) last = &(*last)->next;
        *last = shared;
        shared = list;
        n_shared += n;
        list = NULL;
    }
    pthread_mutex_unlock(&lock);
    free_list(list);
}

static void at_thread_end(void *unused)
{
    (void)unused;
    give(mine.n);
    pthread_mutex_lock(&lock);
    live_of_ended += atomic_load_explicit(&mine.live, memory_order_relaxed);
    atomic_store_explicit(&mine.live, 0, memory_order_relaxed);
    if (mine.previous)
        mine.previous->next = mine.next;
    else
        all = mine.next;
    if (mine.next) mine.next->previous = mine.previous;
    mine.registered = false;
    pthread_mutex_unlock(&lock);
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, at_thread_end) == 0;
}

/* Registers this thread's pool. False: its end cannot be noticed, so it must keep nothing. */
static bool enter(void)
{
    pthread_once(&once, make_key);
    if (!have_key || pthread_setspecific(key, &mine) != 0) return false;
    pthread_mutex_lock(&lock);
    mine.previous = NULL;
    mine.next = all;
    if (all) all->previous = &mine;
    all = &mine;
    mine.registered = true;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Counts a node made (1) or dropped (-1). */
static inline void count(struct pool *p, int change)
{
    if (p->registered) {
        const long long n = atomic_load_explicit(&p->live, memory_order_relaxed);
        atomic_store_explicit(&p->live, n + change, memory_order_relaxed);
        return;
    }
    pthread_mutex_lock(&lock);
    live_of_ended += change;
    pthread_mutex_unlock(&lock);
}

/* The other threads' variables are gone, or will be others'. */
static void in_child(void)
{
    for (struct pool *p = all; p; p = p->next)
        if (p != &mine) live_of_ended += atomic_load_explicit(&p->live, memory_order_relaxed);
    all = mine.registered ? &mine : NULL;
    mine.previous = mine.next = NULL;
}

HEDDLE_AT_FORK(.mutex = &lock, .in_child = in_child)

bool heddle__pooling(void)
{
    return !atomic_load_explicit(&off, memory_order_relaxed);
}

static void refill(void)
{
    pthread_mutex_lock(&lock);
    const int n = n_shared < BATCH ? n_shared : BATCH;
    mine.free = take(&shared, n);
    n_shared -= n;
    pthread_mutex_unlock(&lock);
    mine.n = n;
}

heddle_array *heddle__pool_get(void)
{
    struct pool *p = &mine;
    heddle_array *node = NULL;
    if ((p->registered || enter()) && heddle__pooling()) {
        if (!p->free) refill();
        node = p->free;
    }
    if (node) {
        p->free = node->next;
        p->n--;
    } else {
        node = heddle__alloc_pooled(sizeof *node);
        if (!node) return NULL;
    }
    count(p, 1);
    return node;
}

void heddle__pool_forget(void)
{
    if (!mine.registered) enter();
    count(&mine, -1);
}

void heddle__pool_put(heddle_array *node)
{
    heddle__pool_forget();
    heddle__pool_put_uncounted(node);
}

void heddle__pool_put_uncounted(heddle_array *node)
{
    struct pool *p = &mine;
    if ((!p->registered && !enter()) || !heddle__pooling()) {
        heddle__free_pooled(node);
        return;
    }
    node->next = p->free;
    p->free = node;
    if (++p->n >= THREAD_MAX) give(THREAD_MAX / 2);
}

int64_t heddle__nodes_live(void)
{
    pthread_mutex_lock(&lock);
    long long n = live_of_ended;
    for (struct pool *p = all; p; p = p->next)
        n += atomic_load_explicit(&p->live, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    return n;
}

void heddle__node_pooling(bool on)
{
    atomic_store(&off, !on);
    free_list(mine.free);
    mine.free = NULL;
    mine.n = 0;
    pthread_mutex_lock(&lock);
    heddle_array *list = shared;
    shared = NULL;
    n_shared = 0;
    pthread_mutex_unlock(&lock);
    free_list(list);
}
