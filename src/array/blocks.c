/* Recycled memory of small and middling arrays, so that inline evaluation allocates nothing in the
 * steady state. Each doubling of the size has four classes, each class a spin lock. Entry points:
 * blocks.h. */
#include "array/blocks.h"

#include "array/large_buffers.h"
#include "base/at_fork.h"
#include "base/limits.h"
#include "base/memory.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SMALLEST = 8, /* log2 of bytes */
    LARGEST = 22,
    N_CLASSES = (LARGEST - SMALLEST) * 4 + 1,
    NOT_POOLED = -1,
    CHECKED_BYTES = 64 << 10, /* from this size on limits are asked first */
};
#define CACHED_BYTES_MAX (64LL << 20)

static struct size_class {
    _Alignas(64) atomic_flag busy;
    void *first;
} classes[N_CLASSES];
static atomic_llong cached_bytes;

static size_t size_of_class(int c)
{
    return (size_t)(4 + c % 4) << (c / 4 + SMALLEST - 2);
}

/* The smallest class that has room. */
static int class_of_size(size_t size)
{
    if (size <= (size_t)1 << SMALLEST) return 0;
    if (size > (size_t)1 << LARGEST) return NOT_POOLED;
    const int log2 = 63 - __builtin_clzll(size - 1); /* 2^log2 <= size - 1 */
    const int quarter = (int)((size - 1) >> (log2 - 2)) - 4;
    return (log2 - SMALLEST) * 4 + quarter + 1;
}

static void lock(struct size_class *c)
{
    while (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire)) sched_yield();
}

static void unlock(struct size_class *c)
{
    atomic_flag_clear_explicit(&c->busy, memory_order_release);
}

/* From the system. A probe lets tests make it fail; cached blocks do not count as live. */
static void *fresh(size_t size, int class_of)
{
    void *probe = heddle__alloc(1);
    if (!probe) return NULL;
    heddle__free(probe);
    if (class_of == NOT_POOLED) return heddle__large_buffer_get(size, false);
    return size < CHECKED_BYTES || heddle__memory_has_room(size) ? aligned_alloc(64, size) : NULL;
}

void *heddle__block_get(size_t size_bytes, int *class_of)
{
    const int c = class_of_size(size_bytes);
    *class_of = c;
    if (c == NOT_POOLED) return fresh(size_bytes, c);
    struct size_class *list = &classes[c];
    lock(list);
    void *block = list->first;
    if (block) list->first = *(void **)block;
    unlock(list);
    if (!block) return fresh(size_of_class(c), c);
    atomic_fetch_sub_explicit(&cached_bytes, (long long)size_of_class(c), memory_order_relaxed);
    return block;
}

void heddle__block_put(void *block, size_t size_bytes, int class_of)
{
    if (class_of == NOT_POOLED) {
        heddle__large_buffer_put(block, size_bytes, false);
        return;
    }
    const long long size = (long long)size_of_class(class_of);
    if (atomic_fetch_add_explicit(&cached_bytes, size, memory_order_relaxed) + size >
        CACHED_BYTES_MAX) {
        atomic_fetch_sub_explicit(&cached_bytes, size, memory_order_relaxed);
        free(block);
        return;
    }
    struct size_class *list = &classes[class_of];
    lock(list);
    *(void **)block = list->first;
    list->first = block;
    unlock(list);
}

void heddle__blocks_trim(void)
{
    for (int c = 0; c < N_CLASSES; c++) {
        lock(&classes[c]);
        void *block = classes[c].first;
        classes[c].first = NULL;
        unlock(&classes[c]);
        while (block) {
            void *next = *(void **)block;
            free(block);
            atomic_fetch_sub_explicit(&cached_bytes, (long long)size_of_class(c),
                                      memory_order_relaxed);
            block = next;
        }
    }
}

/* Lists are whole at any moment, so locks that other threads had are free now. */
static void in_child(void)
{
    for (int c = 0; c < N_CLASSES; c++) unlock(&classes[c]);
}

HEDDLE_AT_FORK(.in_child = in_child)
