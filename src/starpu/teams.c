/* Fills the table of workers. A CPU worker is a team of threads (base/team.h), which is bound here: StarPU
 * binds a worker thread to one core, and its team would inherit that. Entry points: teams.h. */
#include "starpu/teams.h"

#include "base/team.h"
#include "array/host_memory.h"
#include "run/workers.h"

#include <omp.h>
#include <starpu.h>
#include <string.h>

_Static_assert(STARPU_NMAXWORKERS <= HEDDLE_MAX_WORKERS, "StarPU numbers the table");

/* ---- Binding --------------------------------------------------------------------------------------- */

/* Notes what only the driver thread of a GPU knows. */
static void note_gpu(void *unused)
{
    (void)unused;
    struct heddle_worker *w = heddle__worker(starpu_worker_get_id());
    if (sched_getaffinity(0, sizeof w->cores, &w->cores) != 0) CPU_ZERO(&w->cores);
#if HEDDLE_HAVE_CUDA
    w->stream = starpu_cuda_get_local_stream();
#endif
}

static void bind_team(void *unused)
{
    (void)unused;
    struct heddle_worker *w = heddle__worker(starpu_worker_get_id());
    sched_setaffinity(0, sizeof w->cores, &w->cores);
    omp_set_dynamic(0); /* for users' functions */
    omp_set_num_threads(w->n_threads);
}

/* Team `i` of `n` gets domain i if there are as many, else an even share of the free cores. */
static cpu_set_t cores_of_team(int i, int n, const cpu_set_t *free_cores)
{
    const struct heddle_machine *m = heddle__machine();
    cpu_set_t cores;
    if (n == m->n_domains) {
        CPU_AND(&cores, &m->domain[i], free_cores);
        if (CPU_COUNT(&cores) == 0) cores = m->domain[i];
        return cores;
    }
    CPU_ZERO(&cores);
    const int total = CPU_COUNT(free_cores);
    int seen = 0;
    for (int d = 0; d < m->n_domains; d++)
        for (size_t c = 0; c < CPU_SETSIZE; c++) {
            if (!CPU_ISSET(c, &m->domain[d]) || !CPU_ISSET(c, free_cores)) continue;
            if ((int64_t)seen * n / total == i) CPU_SET(c, &cores);
            seen++;
        }
    return CPU_COUNT(&cores) > 0 ? cores : *free_cores;
}

static void bind_teams(const struct heddle_settings *settings, int n_teams, int n_gpus,
                       int threads_max)
{
    const int n_workers = heddle__n_workers();
    const struct heddle_machine *m = heddle__machine();
    cpu_set_t free_cores = m->allowed;
    for (int i = 0; i < n_workers; i++) /* each driver thread spins: it gets a core */
        if (heddle__worker(i)->is_gpu && CPU_COUNT(&heddle__worker(i)->cores) == 1 &&
            CPU_COUNT(&free_cores) > n_teams)
            for (size_t c = 0; c < CPU_SETSIZE; c++)
                if (CPU_ISSET(c, &heddle__worker(i)->cores)) CPU_CLR(c, &free_cores);
    int total = settings->cpu_threads ? settings->cpu_threads : m->n_allowed - n_gpus;
    if (!settings->cpu_threads && total > CPU_COUNT(&free_cores)) total = CPU_COUNT(&free_cores);
    if (total > threads_max) total = threads_max;
    if (total < n_teams) total = n_teams;
    for (int i = 0; i < n_workers; i++) {
        struct heddle_worker *w = heddle__worker(i);
        if (w->is_gpu || n_teams < 1) continue;
        w->cores = cores_of_team(w->team, n_teams, &free_cores);
        w->n_threads = (w->team + 1) * total / n_teams - w->team * total / n_teams;
        if (!settings->cpu_threads && w->n_threads > CPU_COUNT(&w->cores))
            w->n_threads = CPU_COUNT(&w->cores);
    }
    if (n_teams > 0) starpu_execute_on_each_worker(bind_team, NULL, STARPU_CPU);
    for (int i = 0; i < n_workers; i++) {
        struct heddle_worker *w = heddle__worker(i);
        if (w->is_gpu) continue;
        w->threads = heddle__team_open(w->n_threads, &w->cores);
        if (w->team == 0) heddle__team_lend(w->threads);
    }
}

void heddle__teams_close(void)
{
    heddle__team_lend(NULL);
    for (int i = 0; i < heddle__n_workers(); i++) {
        struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu) heddle__team_close(w->threads);
        w->threads = NULL;
    }
}

/* ---- Finding ---------------------------------------------------------------------------------------- */

/* "CUDA 0.0 (NVIDIA H200 139.8 GiB 1b:00.0)" -> "NVIDIA H200" */
static void gpu_model(int worker, char *model, size_t room)
{
    char name[160];
    starpu_worker_get_name(worker, name, sizeof name);
    const char *at = strchr(name, '(');
    at = at ? at + 1 : name;
    size_t n = strcspn(at, ")");
    for (size_t i = 0; i + 1 < n; i++) /* up to the memory size */
        if (at[i] == ' ' && at[i + 1] >= '0' && at[i + 1] <= '9' && memchr(at + i, '.', n - i)) {
            n = i;
            break;
        }
    snprintf(model, room, "%.*s", (int)n, at);
}

/* Bytes/s between any two GPUs; 0: they have no faster way than host memory, or there are not two. */
static double peer_link(void)
{
    const int n = heddle__n_workers();
    double least = 0, link = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && heddle__worker(i)->is_gpu; j++) {
            if (i == j || !heddle__worker(j)->is_gpu) continue;
            const double rate =
                1e6 * starpu_transfer_bandwidth(heddle__worker(i)->node, heddle__worker(j)->node);
            if (!(least > 0) || rate < least) least = rate;
            if (!(link > 0) || heddle__worker(j)->link < link) link = heddle__worker(j)->link;
        }
    return least > link ? least : 0; /* also if NaN */
}

void heddle__teams_open(const struct heddle_settings *settings, int threads_max)
{
    const int n_workers = (int)starpu_worker_get_count();
    heddle__set_n_workers(n_workers);
    int n_teams = 0, n_gpus = 0;
    const struct heddle_machine *m = heddle__machine();
    for (int i = 0; i < n_workers; i++) {
        struct heddle_worker *w = heddle__worker(i);
        memset(w, 0, sizeof *w);
        w->number = i;
        w->is_gpu = starpu_worker_get_type(i) == STARPU_CUDA_WORKER;
        w->node = starpu_worker_get_memory_node((unsigned)i);
        const starpu_ssize_t limit = starpu_memory_get_total(w->node);
        if (w->is_gpu) {
            w->team = starpu_worker_get_devid(i);
            w->memory_bytes = limit > 0 ? (int64_t)limit : 0;
            w->link = 1e6 * starpu_transfer_bandwidth(STARPU_MAIN_RAM, w->node); /* from MB/s */
            if (!(w->link > 1e8)) w->link = 1e10;
            gpu_model(i, w->model, sizeof w->model);
            n_gpus++;
        } else {
            w->team = n_teams++;
            w->memory_bytes = heddle__host_limit();
            memcpy(w->model, m->cpu_model, sizeof w->model);
        }
        w->place = (w->is_gpu ? HEDDLE_PLACE_GPU : HEDDLE_PLACE_CPU) + w->team;
    }
    if (n_gpus > 0) starpu_execute_on_each_worker(note_gpu, NULL, STARPU_CUDA);
    bind_teams(settings, n_teams, n_gpus, threads_max);
    heddle__set_peer_link(peer_link());
}
