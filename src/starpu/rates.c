/* Rates of the devices, for the cost model. They are measured once, then read from the cache folder, with a
 * line for each model of device. Entry point: heddle__rates_open. */
#include "base/hash.h"
#include "kernels.h"
#include "run/workers.h"
#include "starpu/teams.h"

#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 3 }; /* of the measurement */

static uint64_t key_of(const struct heddle_worker *w)
{
    uint64_t hash = heddle__hash_bytes(VERSION, w->model, strlen(w->model));
    return heddle__hash_word(hash, w->is_gpu ? 0 : (uint64_t)w->n_threads);
}

static bool path_of(char *path, size_t room)
{
    const char *folder = heddle__cache_dir();
    return folder && snprintf(path, room, "%s/rates", folder) < (int)room;
}

static void load(void)
{
    char path[4200];
    FILE *file = path_of(path, sizeof path) ? fopen(path, "re") : NULL;
    if (!file) return;
    uint64_t key;
    double bandwidth, flops;
    while (fscanf(file, "%" SCNx64 " %lf %lf%*[^\n]", &key, &bandwidth, &flops) == 3)
        for (int i = 0; i < heddle__n_workers(); i++) {
            struct heddle_worker *w = heddle__worker(i);
            if (key_of(w) != key || !(bandwidth > 1e6) || !(flops > 1e6)) continue;
            w->bandwidth = bandwidth;
            w->flops = flops;
        }
    fclose(file);
}

static void save(const struct heddle_worker *w)
{
    char path[4200];
    FILE *file = path_of(path, sizeof path) ? fopen(path, "ae") : NULL;
    if (!file) return;
    fprintf(file, "%016" PRIx64 " %.4g %.4g %s\n", key_of(w), w->bandwidth, w->flops, w->model);
    fclose(file);
}

/* Runs on the worker's thread. */
static void measure(void *unused)
{
    (void)unused;
    struct heddle_worker *w = heddle__worker(starpu_worker_get_id());
    double bandwidth = 0, flops = 0;
    enum heddle_status status = HEDDLE_EDEVICE;
    if (!w->is_gpu) {
        status = heddle__cpu_measure(w->threads, &bandwidth, &flops);
    } else if (HEDDLE_HAVE_CUDA) {
        status = heddle__cuda_measure(w->team, &bandwidth, &flops);
    }
    if (status != HEDDLE_OK) return;
    w->bandwidth = bandwidth;
    w->flops = flops;
}

static void guess(struct heddle_worker *w)
{
    if (!(w->bandwidth > 1e6)) w->bandwidth = w->is_gpu ? 1e12 : 1e10;
    if (!(w->flops > 1e6)) w->flops = w->is_gpu ? 5e12 : 2e9 * w->n_threads;
    w->launch_us = w->is_gpu ? 5 : w->n_threads > 1 ? 15 : 2; /* a team must wake up */
}

void heddle__rates_open(void)
{
    load();
    for (int i = 0; i < heddle__n_workers(); i++) {
        struct heddle_worker *w = heddle__worker(i);
        if (w->bandwidth > 0) continue;
        unsigned number = (unsigned)i;
        starpu_execute_on_specific_workers(measure, NULL, 1, &number, "heddle_measure");
        if (w->bandwidth > 0) {
            save(w);
            load(); /* so others of its kind need no measurement */
        }
    }
    for (int i = 0; i < heddle__n_workers(); i++) guess(heddle__worker(i));
    heddle__workers_sum_up();
}
