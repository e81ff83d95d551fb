/* Rates of the devices, for the cost model. They are measured once, then read from the cache folder, with a
 * line for each model of device and setting. Entry point: heddle__rates_open. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "kernels.h"
#include "run/workers.h"
#include "starpu/teams.h"

#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 4, LINES_MAX = 256 }; /* of the measurement; in the file */
static const char kind[] = "rates";

static int n_teams(void)
{
    int n = 0;
    for (int i = 0; i < heddle__n_workers(); i++) n += !heddle__worker(i)->is_gpu;
    return n;
}

/* All that the rates depend on: what is measured under an odd setting must not be taken for another's. */
static uint64_t key_of(const struct heddle_worker *w)
{
    uint64_t hash = heddle__hash_bytes(VERSION, w->model, strlen(w->model));
    if (w->is_gpu) return heddle__hash_word(hash, 0);
    hash = heddle__hash_bytes(hash, heddle__cpu_isa(), strlen(heddle__cpu_isa()));
    hash = heddle__hash_word(hash, (uint64_t)w->n_threads << 32 | (uint64_t)n_teams());
    return heddle__hash_word(hash, (uint64_t)CPU_COUNT(&w->cores));
}

/* Whether the teams have more threads than processors, or than processor time: what would be measured then
 * says nothing of the machine. */
static bool is_oversubscribed(const struct heddle_worker *w)
{
    int n_threads = 0;
    for (int i = 0; i < heddle__n_workers(); i++)
        if (!heddle__worker(i)->is_gpu) n_threads += heddle__worker(i)->n_threads;
    return !w->is_gpu &&
           (w->n_threads > CPU_COUNT(&w->cores) || n_threads > heddle__machine()->n_allowed);
}

static bool path_of(char *path, size_t room)
{
    const char *folder = heddle__cache_dir();
    return folder && snprintf(path, room, "%s/rates", folder) < (int)room;
}

/* ---- The file: a line for each key ------------------------------------------------------------------- */

static bool is_plausible(double rate)
{
    return rate > 1e6 && rate < 1e18;
}

static void take(uint64_t key, double bandwidth, double flops)
{
    for (int i = 0; i < heddle__n_workers(); i++) {
        struct heddle_worker *w = heddle__worker(i);
        if (key_of(w) != key || !is_plausible(bandwidth) || !is_plausible(flops)) continue;
        w->bandwidth = bandwidth;
        w->flops = flops;
    }
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static void load(void)
{
    char path[4200];
    size_t size;
    uint64_t key;
    double bandwidth, flops;
    char *text = path_of(path, sizeof path) ? heddle__whole_file_read(path, kind, &size) : NULL;
    for (const char *line = text; line && *line; line = next_line(line))
        if (sscanf(line, "%" SCNx64 " %lf %lf", &key, &bandwidth, &flops) == 3)
            take(key, bandwidth, flops);
    heddle__free(text);
}

/* Writes the file anew, with a worker's line first: the oldest go when there are too many. */
static void save(const struct heddle_worker *w)
{
    char path[4200];
    size_t size;
    uint64_t key;
    int n_lines = 1;
    struct heddle_text text = {0};
    if (!path_of(path, sizeof path)) return;
    heddle__text_put(&text, "%016" PRIx64 " %.4g %.4g %s\n", key_of(w), w->bandwidth, w->flops,
                     w->model);
    char *old = heddle__whole_file_read(path, kind, &size);
    for (const char *line = old; line && *line && n_lines < LINES_MAX; line = next_line(line)) {
        if (sscanf(line, "%" SCNx64, &key) != 1 || key == key_of(w)) continue;
        heddle__text_put(&text, "%.*s\n", (int)strcspn(line, "\n"), line);
        n_lines++;
    }
    heddle__free(old);
    char *whole = heddle__text_take(&text);
    if (whole) heddle__whole_file_write(path, kind, whole, strlen(whole));
    heddle__free(whole);
}

/* ---- Measuring ----------------------------------------------------------------------------------------- */

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
    const int n_cores = CPU_COUNT(&w->cores);
    if (!(w->flops > 1e6))
        w->flops = w->is_gpu ? 5e12 : 2e9 * (w->n_threads < n_cores ? w->n_threads : n_cores);
    w->launch_us = w->is_gpu ? 5 : w->n_threads > 1 ? 15 : 2; /* a team must wake up */
}

void heddle__rates_open(void)
{
    load();
    for (int i = 0; i < heddle__n_workers(); i++) {
        struct heddle_worker *w = heddle__worker(i);
        if (w->bandwidth > 0 || is_oversubscribed(w)) continue;
        unsigned number = (unsigned)i;
        starpu_execute_on_specific_workers(measure, NULL, 1, &number, "heddle_measure");
        if (!(w->bandwidth > 0)) continue;
        save(w);
        take(key_of(w), w->bandwidth, w->flops); /* others of its kind need no measurement */
    }
    for (int i = 0; i < heddle__n_workers(); i++) guess(heddle__worker(i));
    heddle__workers_sum_up();
}
