/* The spare: address space as large as any buffer of a plan, reserved before the plan starts. When the
 * system gives StarPU no memory for a buffer, the buffer is put there; StarPU goes on, and the task that
 * finds a buffer of its own there makes an error of what it computes (codelet.c). Nobody reads or writes
 * it, so any number of buffers share it and it takes no memory. Only without GPUs: StarPU would copy what
 * is in it to them. Entry points: spare.h. */
#include "starpu/spare.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { MAX_RANGES = 48 }; /* each at least twice as large as the one before */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct range {
    char *at;
    size_t size;
} ranges[MAX_RANGES];
static atomic_int n_ranges;
static atomic_bool in_use; /* has one been given out? */

static const struct range *last(void)
{
    const int n = atomic_load_explicit(&n_ranges, memory_order_acquire);
    return n > 0 ? &ranges[n - 1] : NULL;
}

bool heddle__spare_reserve(size_t size_bytes)
{
    const struct range *largest = last();
    if (largest && largest->size >= size_bytes) return true;
    pthread_mutex_lock(&mutex);
    const int n = atomic_load(&n_ranges);
    bool ok = n < MAX_RANGES;
    const size_t doubled = largest ? largest->size * 2 : (size_t)1 << 20;
    for (size_t size = doubled > size_bytes ? doubled : size_bytes; ok; size = size_bytes) {
        void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) {
            ranges[n] = (struct range){at, size};
            atomic_store_explicit(&n_ranges, n + 1, memory_order_release);
            break;
        }
        ok = size > size_bytes; /* then exactly what is needed is tried */
    }
    pthread_mutex_unlock(&mutex);
    return ok;
}

void *heddle__spare_get(size_t size_bytes)
{
    const struct range *largest = last();
    if (!largest || largest->size < size_bytes) return NULL;
    atomic_store(&in_use, true);
    return largest->at;
}

bool heddle__is_spare(const void *buffer)
{
    if (!atomic_load_explicit(&in_use, memory_order_acquire)) return false;
    const int n = atomic_load_explicit(&n_ranges, memory_order_acquire);
    for (int i = 0; i < n; i++)
        if ((uintptr_t)buffer - (uintptr_t)ranges[i].at < ranges[i].size) return true;
    return false;
}

void heddle__spare_free(void)
{
    for (int i = 0; i < n_ranges; i++) munmap(ranges[i].at, ranges[i].size);
    atomic_store(&n_ranges, 0);
    atomic_store(&in_use, false);
}
