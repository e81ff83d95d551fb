/* The allocator: malloc with counters and a fault to inject. Entry points: memory.h. */
#include "base/memory.h"

#include <heddle/io.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_llong n_live, n_calls;
static atomic_llong fail_at; /* countdown; 0 is off */
static atomic_int fail_sticky;

static int must_fail(void)
{
    atomic_fetch_add_explicit(&n_calls, 1, memory_order_relaxed);
    if (atomic_load_explicit(&fail_at, memory_order_relaxed) == 0) return 0;
    const long long left = atomic_fetch_sub(&fail_at, 1);
    if (left == 1) {
        if (atomic_load(&fail_sticky)) atomic_store(&fail_at, 1);
        return 1;
    }
    return 0;
}

static void *counted(void *p)
{
    if (p) atomic_fetch_add_explicit(&n_live, 1, memory_order_relaxed);
    return p;
}

void *heddle__alloc(size_t size_bytes)
{
    return must_fail() ? NULL : counted(malloc(size_bytes ? size_bytes : 1));
}

void *heddle__calloc(size_t n, size_t size_bytes)
{
    return must_fail() ? NULL : counted(calloc(n ? n : 1, size_bytes ? size_bytes : 1));
}

void *heddle__realloc(void *p, size_t size_bytes)
{
    if (!p) return heddle__alloc(size_bytes);
    return must_fail() ? NULL : realloc(p, size_bytes ? size_bytes : 1);
}

void *heddle__alloc_aligned(size_t size_bytes)
{
    if (must_fail() || size_bytes > SIZE_MAX - 64) return NULL;
    return counted(aligned_alloc(64, (size_bytes + 64) / 64 * 64));
}

void heddle__free(void *p)
{
    if (!p) return;
    atomic_fetch_sub_explicit(&n_live, 1, memory_order_relaxed);
    free(p);
}

void *heddle__alloc_pooled(size_t size_bytes)
{
    return must_fail() ? NULL : malloc(size_bytes ? size_bytes : 1);
}

void heddle__free_pooled(void *p)
{
    free(p);
}

char *heddle__strdup(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = heddle__alloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

void heddle_free(void *p)
{
    heddle__free(p);
}

void heddle__alloc_fail_at(int64_t k, int sticky)
{
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_at, k);
}

int64_t heddle__alloc_live(void)
{
    return atomic_load(&n_live);
}

int64_t heddle__alloc_calls(void)
{
    return atomic_load(&n_calls);
}

int heddle__grow(void *data, size_t size_bytes, int64_t n, int64_t *capacity)
{
    if (n <= *capacity) return 1;
    int64_t room = *capacity ? *capacity * 2 : 16;
    if (room < n) room = n;
    if ((uint64_t)room > SIZE_MAX / size_bytes) return 0;
    void **at = data;
    void *bigger = heddle__realloc(*at, (size_t)room * size_bytes);
    if (!bigger) return 0;
    *at = bigger;
    *capacity = room;
    return 1;
}
