/* Which kept axis is the innermost one of a reduction: results are the same whatever it is, but runs of kept elements go along it.
 * Entry point: heddle__reduce_exchange. */
#include "cpu/reduce/reduce.h"

#include <string.h>

enum {
    LEAST_RUN = 64,    /* elements of a run */
    LEAST_REDUCED = 8, /* so that results, which are then apart, are few */
};

/* Of the loads that move along kept axis d: whether neighbours lie beside each other, in all of them and in some. */
static bool lies_along(const struct heddle_launch *launch, uint32_t loaded, int d)
{
    bool some = false;
    for (int o = 0; o < launch->program->n_operands; o++) {
        const int64_t stride = launch->access[o].stride[d];
        if (!(loaded >> o & 1) || stride == 0) continue;
        if (stride != 1) return false;
        some = true;
    }
    return some;
}

/* Whether each load moves along one of the two at most: rows along d that jump are then read by all of the other axis. */
static bool are_apart(const struct heddle_launch *launch, uint32_t loaded, int d, int last)
{
    bool shared = false;
    for (int o = 0; o < launch->program->n_operands; o++) {
        const int64_t *const stride = launch->access[o].stride;
        if (!(loaded >> o & 1)) continue;
        if (stride[d] != 0 && stride[last] != 0) return false;
        shared |= stride[d] != 0;
    }
    return shared;
}

/* The kept axis that had better be the last one. */
static enum heddle__exchange better_axis(const struct heddle_launch *launch, uint32_t loaded,
                                         int last, int *axis)
{
    const struct heddle_geometry *g = &launch->geometry;
    enum heddle__exchange best = EXCHANGE_NONE;
    for (int d = 0; d < last; d++) {
        if (g->extent[d] < LEAST_RUN || (best != EXCHANGE_NONE && g->extent[d] <= g->extent[*axis]))
            continue;
        if (lies_along(launch, loaded, d) && !lies_along(launch, loaded, last))
            best = EXCHANGE;
        else if (g->extent[last] < LEAST_RUN && are_apart(launch, loaded, d, last))
            best = EXCHANGE_TO_FOLD;
        else
            continue;
        *axis = d;
    }
    return best;
}

static void exchange(int64_t *of_axis, int d, int last)
{
    const int64_t x = of_axis[d];
    of_axis[d] = of_axis[last];
    of_axis[last] = x;
}

enum heddle__exchange heddle__reduce_exchange(const struct heddle_launch *launch,
                                              struct heddle_launch *exchanged,
                                              struct heddle_access access[])
{
    const struct heddle_program *p = launch->program;
    const struct heddle_geometry *g = &launch->geometry;
    int last = g->n_kept - 1, d = -1;
    while (last >= 0 && g->extent[last] == 1) last--;
    if (last < 1 || g->phase != HEDDLE_PHASE_WHOLE || g->n_chunks != 1 || p->sequential ||
        heddle__reduced_size(g) < LEAST_REDUCED)
        return EXCHANGE_NONE;
    const uint32_t loaded = heddle__reduce_operands(p, 0, p->n_before, false);
    const enum heddle__exchange better = better_axis(launch, loaded, last, &d);
    if (better == EXCHANGE_NONE || ((p->index_axes >> d | p->index_axes >> last) & 1))
        return EXCHANGE_NONE;
    *exchanged = *launch;
    exchanged->access = access;
    memcpy(access, launch->access, (size_t)p->n_operands * sizeof *access);
    exchange(exchanged->geometry.extent, d, last);
    exchange(exchanged->geometry.origin, d, last);
    exchange(exchanged->geometry.whole, d, last);
    for (int o = 0; o < p->n_operands; o++) exchange(access[o].stride, d, last);
    return better;
}
