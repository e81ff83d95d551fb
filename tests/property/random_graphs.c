/* Proves that what is computed does not depend on how: random programs give the oracle's values, and
 * the same bits for one part or many, fused or not, on the caller's thread or through StarPU. Usage:
 * random_graphs [programs [seed [families [threads [thinned]]]]]; families: operations of each kernel family
 * in turn; threads: as many run programs at the same time; thinned: each program goes every so many of the
 * ways. On failure it prints the seed and the plan. */
#include "property/ways.h"

#include <heddle.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 8 };
static bool by_family;

/* Every n_threads-th program. */
struct share {
    size_t way;
    int first, n_threads, programs, thinned, failures;
    uint64_t seed;
    struct way_results *results; /* of all programs */
};

static void *run_share(void *context)
{
    struct share *s = context;
    for (int i = s->first; i < s->programs && s->failures < 5; i += s->n_threads)
        if ((i + (int)s->way) % s->thinned == 0)
            s->failures += way_run(s->way, s->seed + (uint64_t)i, by_family, &s->results[i]);
    return NULL;
}

/* Returns failures. */
static int run_way(const struct share *all)
{
    struct share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    int failures = 0;
    for (int t = 0; t < all->n_threads; t++) {
        shares[t] = *all;
        shares[t].first = t;
        if (t > 0 && pthread_create(&threads[t], NULL, run_share, &shares[t]) != 0) exit(1);
    }
    run_share(&shares[0]);
    for (int t = 0; t < all->n_threads; t++) {
        if (t > 0) pthread_join(threads[t], NULL);
        failures += shares[t].failures;
    }
    return failures;
}

int main(int argc, char **argv)
{
    struct share all = {.programs = argc > 1 ? atoi(argv[1]) : 400,
                        .seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1,
                        .n_threads = argc > 4 ? atoi(argv[4]) : 1,
                        .thinned = argc > 5 ? atoi(argv[5]) : 1};
    by_family = argc > 3 && strcmp(argv[3], "families") == 0;
    if (all.n_threads < 1 || all.n_threads > MAX_THREADS || all.thinned < 1) return 1;
    all.results = calloc((size_t)all.programs, sizeof *all.results);
    int failures = 0;
    for (; all.way < n_ways && failures < 5; all.way++) {
        if (!way_start(all.way)) {
            failures++;
            break;
        }
        if (!way_applies(all.way)) continue;
        failures += run_way(&all);
        struct heddle_statistics s;
        heddle_statistics_get(&s);
        printf(
            "%s: %d programs; %lld inline, %lld CPU tasks, %lld GPU tasks, %lld launched directly, "
            "%lld kernels (%lld interpreted)\n",
            way_name(all.way), all.programs / all.thinned, (long long)s.inline_programs,
            (long long)s.cpu_tasks, (long long)s.gpu_tasks, (long long)s.gpu_direct,
            (long long)s.gpu_kernels, (long long)s.gpu_interpreted);
    }
    heddle_shutdown();
    free(all.results);
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}
