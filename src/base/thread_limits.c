/* Limits of threads and of their stacks. Entry points: limits.h. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>

/* ---- Threads ------------------------------------------------------------------------------------------ */

struct trial {
    pthread_mutex_t mutex; /* held until all have been made */
};

static void *wait_for_all(void *argument)
{
    struct trial *trial = argument;
    pthread_mutex_lock(&trial->mutex);
    pthread_mutex_unlock(&trial->mutex);
    return NULL;
}

int heddle__threads_available(int wanted)
{
    struct trial trial = {PTHREAD_MUTEX_INITIALIZER};
    pthread_t *threads = heddle__alloc((size_t)(wanted > 0 ? wanted : 1) * sizeof *threads);
    if (!threads) return 0;
    int made = 0;
    pthread_mutex_lock(&trial.mutex);
    while (made < wanted && pthread_create(&threads[made], NULL, wait_for_all, &trial) == 0) made++;
    pthread_mutex_unlock(&trial.mutex);
    for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
    heddle__free(threads);
    return made;
}

/* ---- Stacks ------------------------------------------------------------------------------------------- */

#define STACK_BYTES_LEAST ((size_t)1 << 20)
#define STACK_BYTES_RAISED ((size_t)4 << 20)
#define KERNEL_BYTES ((int64_t)384 << 10) /* reductions have 240 KB of frames */

static size_t before; /* 0: not raised */

void heddle__stacks_raise(void)
{
    pthread_attr_t attributes;
    size_t size = 0;
    if (before || pthread_getattr_default_np(&attributes) != 0) return;
    if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < STACK_BYTES_LEAST &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES_RAISED) == 0 &&
        pthread_setattr_default_np(&attributes) == 0)
        before = size;
    pthread_attr_destroy(&attributes);
}

void heddle__stacks_restore(void)
{
    pthread_attr_t attributes;
    if (!before || pthread_getattr_default_np(&attributes) != 0) return;
    if (pthread_attr_setstacksize(&attributes, before) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    before = 0;
}

/* The thread's stack, asked for once; low == high: it is not known. */
static HEDDLE_THREAD_LOCAL const char *low, *high;

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *at = NULL;
    size_t size = 0;
    low = high = (const char *)1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &at, &size) == 0) {
        low = at;
        high = low + size;
    }
    pthread_attr_destroy(&attributes);
}

bool heddle__stack_has_room(int64_t *left)
{
    const char here = 0, *at = &here;
    if (!low) find_stack();
    *left = INT64_MAX;
    if (at < low || at >= high) return true; /* a stack that somebody else switches to */
    *left = at - low;
    return *left >= KERNEL_BYTES;
}
