/* Fills the ports of evaluation and of storage when the library is loaded. */
#include "run/backend.h"

#include "array/devices.h"
#include "kernels.h"
#include "run/life.h"
#include "starpu/handles.h"
#include "starpu/leases.h"
#include "starpu/start.h"
#include "starpu/submit.h"

/* ---- Counters ----------------------------------------------------------------------------------------- */

static heddle_place place_of_node(int node)
{
    return starpu_node_get_kind((unsigned)node) == STARPU_CPU_RAM
               ? HEDDLE_PLACE_CPU
               : HEDDLE_PLACE_GPU + starpu_memory_node_get_devid((unsigned)node);
}

static void collect_links(void (*add)(heddle_place from, heddle_place to, int64_t bytes,
                                      int64_t transfers))
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        starpu_bus_get_profiling_info(bus, &info); /* and resets it */
        if (info.transferred_bytes == 0) continue;
        add(place_of_node(starpu_bus_get_src(bus)), place_of_node(starpu_bus_get_dst(bus)),
            (int64_t)info.transferred_bytes, info.transfer_count);
    }
}

static int64_t memory_used(int worker)
{
    const unsigned node = worker < 0 ? STARPU_MAIN_RAM : heddle__worker(worker)->node;
    return (int64_t)starpu_memory_get_used(node);
}

static const struct heddle_backend backend = {
    .start = heddle__starpu_start,
    .stop = heddle__starpu_stop,
    .wait_all = heddle__starpu_wait_all,
    .submit = heddle__submit,
    .wait = heddle__starpu_wait,
    .is_done = heddle__direct_is_done,
    .acquire = heddle__starpu_acquire,
    .release = heddle__starpu_release,
    .acquire_at = heddle__starpu_acquire_at,
    .release_at = heddle__starpu_release_at,
    .prefetch = heddle__starpu_prefetch,
    .evict = heddle__starpu_evict,
    .read = heddle__direct_read,
    .lend = heddle__starpu_lend,
    .place_now = heddle__starpu_place_now,
    .collect_links = collect_links,
    .memory_used = memory_used,
};

/* ---- Storage ------------------------------------------------------------------------------------------ */

static void pin(void *at, size_t size_bytes)
{
    starpu_memory_pin(at, size_bytes); /* if it fails, transfers are slow, not wrong */
}

static void unpin(void *at, size_t size_bytes)
{
    if (!heddle__is_forked()) starpu_memory_unpin(at, size_bytes);
}

static void *shared_get(size_t size_bytes)
{
#if HEDDLE_HAVE_CUDA
    if (heddle__n_gpus() > 0) return heddle__cuda_host_get(size_bytes);
#else
    (void)size_bytes;
#endif
    return NULL;
}

static void shared_put(void *at)
{
#if HEDDLE_HAVE_CUDA
    if (!heddle__is_forked()) heddle__cuda_host_put(at);
#else
    (void)at;
#endif
}

static const struct heddle_device_port devices = {.enter = heddle__enter_if_up,
                                                  .leave = heddle__leave,
                                                  .pin = pin,
                                                  .unpin = unpin,
                                                  .list = heddle__storage_list,
                                                  .shared_get = shared_get,
                                                  .shared_put = shared_put,
                                                  .retire = heddle__storage_retire,
                                                  .free_memory = heddle__direct_free_own};

__attribute__((constructor)) static void fill_ports(void)
{
    heddle__backend = &backend;
    heddle__devices = &devices;
}
