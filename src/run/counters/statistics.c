/* Counters: Heddle's own, those of CUDA kernels, and the backend's of links. Counters of devices live as
 * long as the devices, so they are collected before these go down. Entry points:
 * heddle_statistics_get, heddle_statistics_reset, heddle_traffic_get. */
#include "array/devices.h"
#include "base/at_fork.h"
#include "base/memory.h"
#include "base/user_function.h"
#include "cpu/compiled/forms.h"
#include "graph/node.h"
#include "kernels.h"
#include "plan/make/make.h"
#include "run/backend.h"
#include "run/counters/counters.h"
#include "run/life.h"

#include <pthread.h>

struct heddle_counters heddle__counters;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
HEDDLE_AT_FORK(.mutex = &mutex)
static struct heddle_statistics device;       /* what devices counted so far */
static struct heddle_cuda_counters cuda_seen; /* since CUDA is up */
static int64_t compiled_before;               /* a reset */

/* What each link moved so far, of all starts of the runtime: here alone it is summed up. */
static struct heddle_traffic *links;
static int64_t n_links, link_room;

/* Finds or adds a link; NULL when memory is gone. */
static struct heddle_traffic *link_of(heddle_place from, heddle_place to)
{
    for (int64_t i = 0; i < n_links; i++)
        if (links[i].from == from && links[i].to == to) return &links[i];
    if (!heddle__grow(&links, sizeof *links, n_links + 1, &link_room)) return NULL;
    links[n_links] = (struct heddle_traffic){.from = from, .to = to};
    return &links[n_links++];
}

static void add_traffic(heddle_place from, heddle_place to, int64_t bytes, int64_t transfers)
{
    struct heddle_traffic *link = link_of(from, to);
    if (!link) return;
    link->bytes += bytes;
    link->transfers += transfers;
}

void heddle__count_moved(heddle_place from, heddle_place to, int64_t bytes)
{
    pthread_mutex_lock(&mutex);
    add_traffic(from, to, bytes, 1);
    pthread_mutex_unlock(&mutex);
}

/* Holding the mutex. */
static void add_links(struct heddle_statistics *out)
{
    for (int64_t i = 0; i < n_links; i++) {
        const bool from_gpu = links[i].from >= HEDDLE_PLACE_GPU;
        const bool to_gpu = links[i].to >= HEDDLE_PLACE_GPU;
        if (!from_gpu && to_gpu) out->bytes_to_gpu += links[i].bytes;
        if (from_gpu && !to_gpu) out->bytes_from_gpu += links[i].bytes;
        if (from_gpu && to_gpu) out->bytes_gpu_to_gpu += links[i].bytes;
    }
}

/* Holding the mutex. */
static void collect(void)
{
    if (heddle__n_gpus() == 0 || heddle__is_forked()) return;
    heddle__backend->collect_links(add_traffic);
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
    const bool may_ask = !heddle__in_user_function; /* else: what is known of devices */
    if (may_ask) heddle__evaluation_lock();         /* so that devices stay up */
    pthread_mutex_lock(&mutex);
    if (may_ask) collect();
    *out = device;
    add_links(out);
    out->cpu_compiled = heddle__forms_counters().ready - compiled_before;
    pthread_mutex_unlock(&mutex);
    if (may_ask) heddle__plan_cache_size(&out->plans_cached, &out->plan_bytes);
    if (may_ask) heddle__evaluation_unlock();
    out->evaluations = count_of(&heddle__counters.evaluations);
    out->plans_made = count_of(&heddle__counters.plans_made);
    out->runs_again = count_of(&heddle__counters.runs_again);
    out->inline_programs = count_of(&heddle__counters.inline_programs);
    out->cpu_tasks = count_of(&heddle__counters.cpu_tasks);
    out->gpu_tasks = count_of(&heddle__counters.gpu_tasks);
    out->gpu_direct = count_of(&heddle__counters.gpu_direct);
    out->implicit_bytes = count_of(&heddle__counters.implicit_bytes);
    out->arrays_live = heddle__nodes_live();
    out->bytes_live = heddle__storage_bytes_live();
}

void heddle_statistics_reset(void)
{
    if (heddle__in_user_function) return;
    heddle__evaluation_lock();
    pthread_mutex_lock(&mutex);
    collect();
    device = (struct heddle_statistics){0};
    compiled_before = heddle__forms_counters().ready;
    for (int64_t i = 0; i < n_links; i++) links[i].bytes = links[i].transfers = 0;
    pthread_mutex_unlock(&mutex);
    heddle__usage_reset();
    atomic_store(&heddle__counters.evaluations, 0);
    atomic_store(&heddle__counters.plans_made, 0);
    atomic_store(&heddle__counters.runs_again, 0);
    atomic_store(&heddle__counters.inline_programs, 0);
    heddle__evaluation_unlock();
    atomic_store(&heddle__counters.cpu_tasks, 0);
    atomic_store(&heddle__counters.gpu_tasks, 0);
    atomic_store(&heddle__counters.gpu_direct, 0);
    atomic_store(&heddle__counters.implicit_bytes, 0);
}

enum heddle_status heddle_traffic_get(int room, struct heddle_traffic *traffic, int *n)
{
    HEDDLE_REQUIRE(n && room >= 0 && (traffic || room == 0), HEDDLE_EARG,
                   "heddle_traffic_get: n is NULL, or room = %d links at NULL", room);
    *n = 0;
    const enum heddle_status status = heddle__refuse_in_function("traffic_get");
    if (status != HEDDLE_OK) return status;
    heddle__evaluation_lock(); /* so that devices stay up */
    pthread_mutex_lock(&mutex);
    collect();
    for (int64_t i = 0; i < n_links; i++) {
        if (links[i].bytes == 0) continue;
        if (*n < room) traffic[*n] = links[i];
        (*n)++;
    }
    pthread_mutex_unlock(&mutex);
    heddle__evaluation_unlock();
    return HEDDLE_OK;
}
