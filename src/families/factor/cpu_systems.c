/* The CPU twin of small systems: the choice of the code for this processor. Entry point: heddle__systems_cpu. */
#include "families/factor/cpu_systems.h"

#include "base/share.h"
#include "families/factor/cpu_lapack.h"

#include <string.h>

/* Groups of as many systems as a vector has lanes. */
struct groups {
    const struct heddle_systems *s;
    const void *a, *b;
    void *out;
    heddle__systems_function *solve;
    int lanes;
    atomic_llong
        first; /* matrix * n + pivot of the first failure, so that it is the same for any number of threads */
};

static void some_groups(void *argument, int64_t from, int64_t to)
{
    struct groups *g = argument;
    const int64_t end = to * g->lanes < g->s->batch ? to * g->lanes : g->s->batch;
    const int64_t at = g->solve(g->s, g->a, g->b, g->out, from * g->lanes, end);
    if (at < 0) return;
    long long before = atomic_load(&g->first);
    while (at < before && !atomic_compare_exchange_weak(&g->first, &before, at)) continue;
}

static heddle__systems_function *function_of(bool single)
{
#if HEDDLE_CPU_X86
    const char *isa = heddle__cpu_isa();
    if (!strcmp(isa, "avx512")) return heddle__systems_avx512[single];
    if (!strcmp(isa, "avx2")) return heddle__systems_avx2[single];
#endif
    return heddle__systems_baseline[single];
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    enum { OF_THREAD = 60000, MOVED = 8 }; /* 7 us; what an element costs beside its n operations */
    const struct heddle_systems *s = arguments;
    const bool single = s->dtype == HEDDLE_FLOAT32, in_lanes = heddle__systems_are_in_lanes(s);
    const struct heddle_lapack *lapack;
    if (!in_lanes) {
        const enum heddle_status status =
            heddle__factor_lapack((enum heddle_dtype)s->dtype, &lapack);
        if (status != HEDDLE_OK) return status;
    }
    struct groups g = {.s = s,
                       .a = k->buffers[s->a],
                       .b = s->what == HEDDLE_SYSTEMS_SOLVE ? k->buffers[s->b] : NULL,
                       .out = k->buffers[s->out],
                       .solve = in_lanes ? function_of(single) : heddle__systems_large,
                       .lanes = !in_lanes ? 1
                                : single  ? HEDDLE_SYSTEMS_LANES_32
                                          : HEDDLE_SYSTEMS_LANES_64};
    const int64_t all = s->batch * s->n;
    atomic_init(&g.first, all);
    const double work = (double)all * (s->n + s->columns) * (s->n + MOVED) / OF_THREAD,
                 size = heddle__team_size(k->team);
    heddle__share(k->team, work < 1 ? 1 : (int)(work < size ? work : size),
                  (s->batch + g.lanes - 1) / g.lanes, some_groups, &g);
    const int64_t first = atomic_load(&g.first);
    if (first == all) return HEDDLE_OK;
    char text[160];
    const int64_t words[HEDDLE_REPORT_WORDS] = {0, s->matrix + first / s->n, first % s->n, s->name};
    const enum heddle_status code = heddle__describe_factor(words, text, sizeof text);
    return heddle__fail(code, "%s", text);
}

const struct heddle_cpu_kernel heddle__systems_cpu = {.run = run};
