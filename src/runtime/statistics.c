/* Counters: Heddle's own, the CUDA kernels' and StarPU's of the buses. The devices' counters live
 * as long as the devices, so what they counted is collected before they go down. Entry points:
 * heddle_statistics_get, heddle_statistics_reset. */
#include "runtime/handles.h"

#include "graph/node.h"
#include "kernels.h"

#include <pthread.h>

struct heddle_counters heddle__counters;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_statistics device;       /* counted by devices so far */
static struct heddle_cuda_counters cuda_seen; /* of the CUDA that is up */

static void collect_buses(void)
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        starpu_bus_get_profiling_info(bus, &info); /* which resets it */
        const bool from_host =
            starpu_node_get_kind((unsigned)starpu_bus_get_src(bus)) == STARPU_CPU_RAM;
        const bool to_host =
            starpu_node_get_kind((unsigned)starpu_bus_get_dst(bus)) == STARPU_CPU_RAM;
        const int64_t bytes = (int64_t)info.transferred_bytes;
        if (from_host && !to_host) device.bytes_to_gpu += bytes;
        if (!from_host && to_host) device.bytes_from_gpu += bytes;
        if (!from_host && !to_host) device.bytes_gpu_to_gpu += bytes;
    }
}

/* With the mutex. */
static void collect(void)
{
    if (heddle__n_gpus() == 0 || heddle__is_forked()) return;
    collect_buses();
    if (!HEDDLE_HAVE_CUDA) return;
    struct heddle_cuda_counters now;
    heddle__cuda_counters(&now);
    device.gpu_kernels += now.kernels - cuda_seen.kernels;
    device.gpu_interpreted += now.interpreted - cuda_seen.interpreted;
    device.gpu_compiled += now.compiled - cuda_seen.compiled;
    cuda_seen = now;
}

void heddle__collect_counters(void)
{
    pthread_mutex_lock(&mutex);
    collect();
    pthread_mutex_unlock(&mutex);
}

static int64_t count_of(atomic_llong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void heddle_statistics_get(struct heddle_statistics *out)
{
    if (!out) return;
    heddle__evaluation_lock(); /* the devices stay up */
    pthread_mutex_lock(&mutex);
    collect();
    *out = device;
    pthread_mutex_unlock(&mutex);
    heddle__evaluation_unlock();
    out->evaluations = count_of(&heddle__counters.evaluations);
    out->plans_made = count_of(&heddle__counters.plans_made);
    out->inline_programs = count_of(&heddle__counters.inline_programs);
    out->cpu_tasks = count_of(&heddle__counters.cpu_tasks);
    out->gpu_tasks = count_of(&heddle__counters.gpu_tasks);
    out->arrays_live = heddle__nodes_live();
    out->bytes_live = heddle__storage_bytes_live();
}

void heddle_statistics_reset(void)
{
    heddle__evaluation_lock();
    pthread_mutex_lock(&mutex);
    collect();
    device = (struct heddle_statistics){0};
    pthread_mutex_unlock(&mutex);
    heddle__evaluation_unlock();
    atomic_store(&heddle__counters.evaluations, 0);
    atomic_store(&heddle__counters.plans_made, 0);
    atomic_store(&heddle__counters.inline_programs, 0);
    atomic_store(&heddle__counters.cpu_tasks, 0);
    atomic_store(&heddle__counters.gpu_tasks, 0);
}
