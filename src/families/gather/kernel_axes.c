/* The axes of a call. Entry point: heddle__gather_merge_axes. */
#include "families/gather/kernel.h"

#include <stdbool.h>

/* Whether axis `outer` walks on where axis `inner` ends. */
static bool walk_as_one(const struct heddle_gather *g, int outer, int inner)
{
    const int64_t n = g->extent[inner];
    bool one = g->in_stride[outer] == n * g->in_stride[inner] &&
               g->out_stride[outer] == n * g->out_stride[inner];
    for (int b = 0; b < g->n_by; b++) one &= g->by[b].stride[outer] == n * g->by[b].stride[inner];
    return one;
}

void heddle__gather_merge_axes(struct heddle_gather *g)
{
    int n = 0;
    for (int d = 0; d < g->ndim; d++) {
        if (g->extent[d] == 1) continue;
        int64_t extent = g->extent[d];
        if (n > 0 && walk_as_one(g, n - 1, d)) extent *= g->extent[--n];
        g->extent[n] = extent;
        g->in_stride[n] = g->in_stride[d];
        g->out_stride[n] = g->out_stride[d];
        for (int b = 0; b < g->n_by; b++) g->by[b].stride[n] = g->by[b].stride[d];
        n++;
    }
    g->ndim = n;
}
