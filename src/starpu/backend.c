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

/* ---- The caller's GPU ----------------------------------------------------------------------------------- */

/* A thread that waits for StarPU may make copies for it, after which another GPU is current on the thread. What the caller
 * does next is meant for the one that it chose. -1: no GPU is in use, whose number nobody asks for: that alone would start CUDA. */
static int callers_gpu(void)
{
#if HEDDLE_HAVE_CUDA
    if (heddle__n_gpus() > 0) return heddle__cuda_current();
#endif
    return -1;
}

static void give_back(int gpu)
{
#if HEDDLE_HAVE_CUDA
    if (gpu >= 0 && heddle__cuda_current() != gpu) heddle__cuda_leave(-1, gpu);
#else
    (void)gpu;
#endif
}

/* CUDA may start with it, on a stack that is large enough: not before. Then GPU 0 is current. */
static enum heddle_status start(const struct heddle_settings *settings)
{
#if HEDDLE_HAVE_CUDA
    const int gpu = heddle__cuda_is_started() ? heddle__cuda_current() : -1;
#else
    const int gpu = -1;
#endif
    const enum heddle_status status = heddle__starpu_start(settings);
    give_back(gpu < 0 && status == HEDDLE_OK && heddle__n_gpus() > 0 ? 0 : gpu);
    return status;
}

static enum heddle_status stop(bool keep_memory)
{
    const int gpu = callers_gpu();
    const enum heddle_status status = heddle__starpu_stop(keep_memory);
    give_back(gpu);
    return status;
}

static void wait_all(void)
{
    const int gpu = callers_gpu();
    heddle__starpu_wait_all();
    give_back(gpu);
}

static enum heddle_status submit(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                 struct heddle_storage *results[])
{
    const int gpu = callers_gpu();
    const enum heddle_status status = heddle__submit(plan, bindings, results);
    give_back(gpu);
    return status;
}

static void wait(struct heddle_storage *storage)
{
    const int gpu = callers_gpu();
    heddle__starpu_wait(storage);
    give_back(gpu);
}

static const char *acquire(struct heddle_storage *storage, int64_t part)
{
    const int gpu = callers_gpu();
    const char *const data = heddle__starpu_acquire(storage, part);
    give_back(gpu);
    return data;
}

static enum heddle_status acquire_at(struct heddle_storage *storage, struct heddle_grid *grid,
                                     int32_t element_bytes, int64_t part, int worker,
                                     const void **data, int *node)
{
    const int gpu = callers_gpu();
    const enum heddle_status status =
        heddle__starpu_acquire_at(storage, grid, element_bytes, part, worker, data, node);
    give_back(gpu);
    return status;
}

static const struct heddle_backend backend = {
    .start = start,
    .stop = stop,
    .wait_all = wait_all,
    .submit = submit,
    .wait = wait,
    .is_done = heddle__direct_is_done,
    .acquire = acquire,
    .release = heddle__starpu_release,
    .acquire_at = acquire_at,
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
