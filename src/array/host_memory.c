/* The limit of host memory. Entry points: host_memory.h. */
#include "array/host_memory.h"

#include "array/parts.h"
#include "base/limits.h"
#include "base/machine.h"

#include <stdatomic.h>

static atomic_llong limit; /* 0: the default */

int64_t heddle__host_limit(void)
{
    /* the rest is for others, and for pages of files */
    const int64_t machine = heddle__machine()->memory_bytes, own = machine / 10 * 8;
    const int64_t set = atomic_load_explicit(&limit, memory_order_relaxed);
    if (set > 0) return set < machine ? set : machine;
    const int64_t left = heddle__memory_left(), live = heddle__storage_bytes_live();
    return left < own - live ? live + left : own;
}

void heddle__set_host_limit(int64_t size_bytes)
{
    atomic_store_explicit(&limit, size_bytes, memory_order_relaxed);
}
