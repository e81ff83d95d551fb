/* The table of workers, and what they are together. Entry points: workers.h. */
#include "run/workers.h"

static struct heddle_worker workers[HEDDLE_MAX_WORKERS];
static int n_workers;
static struct heddle_workers_summary summary;
static double peer_link, host_link, host_memory;

int heddle__n_workers(void)
{
    return n_workers;
}

void heddle__set_n_workers(int n)
{
    n_workers = n;
    if (n == 0) peer_link = host_link = host_memory = 0;
}

struct heddle_worker *heddle__worker(int i)
{
    return &workers[i];
}

int heddle__worker_at(heddle_place place)
{
    for (int i = 0; i < n_workers && place != HEDDLE_ANYWHERE; i++)
        if (workers[i].place == place) return i;
    return -1;
}

int heddle__plan_teams(const struct heddle_settings *settings, int n_gpus)
{
    if (!settings->use_cpu) return 0;
    const struct heddle_machine *m = heddle__machine();
    int n = settings->cpu_workers ? settings->cpu_workers : m->n_domains;
    int cores = m->n_allowed - n_gpus;
    if (cores < 1) cores = 1;
    if (settings->cpu_threads) cores = settings->cpu_threads;
    if (n > cores) n = cores;
    if (n > CPU_COUNT(&m->allowed)) n = CPU_COUNT(&m->allowed);
    return n > 0 ? n : 1;
}

void heddle__workers_sum_up(void)
{
    double links = 0, cores = 0;
    summary = (struct heddle_workers_summary){0};
    for (int i = 0; i < n_workers; i++) {
        const struct heddle_worker *w = &workers[i];
        *(w->is_gpu ? &links : &cores) += w->is_gpu ? w->link : w->bandwidth;
        if (!w->is_gpu)
            summary.has_cpu = true;
        else if (w->memory_bytes > 0 &&
                 (summary.gpu_bytes == 0 || w->memory_bytes < summary.gpu_bytes))
            summary.gpu_bytes = w->memory_bytes;
    }
    if (host_link > 0 && links > host_link) links = host_link;
    /* Links only read host memory, cores read and write. On a host with four H200 and 64 cores, cores
     * helped two of the GPUs, but held up four. */
    summary.links_fill_memory =
        summary.has_cpu && links >= 0.6 * (host_memory > 0 ? host_memory : cores);
}

const struct heddle_workers_summary *heddle__workers_summary(void)
{
    return &summary;
}

double heddle__peer_link(void)
{
    return peer_link;
}

void heddle__set_peer_link(double bytes_per_s)
{
    peer_link = bytes_per_s;
}

double heddle__host_link(void)
{
    return host_link;
}

void heddle__set_host_link(double bytes_per_s)
{
    host_link = bytes_per_s;
}

void heddle__set_host_memory(double bytes_per_s)
{
    host_memory = bytes_per_s;
}
