/* Brings the elements of a block, or of a panel of blocks, together. Entry point: heddle__runs_gather. */
#include "cpu/runs.h"

enum { STRIP = 64 }; /* elements of a run whose lines are kept until their neighbours are read */

/* The axis along which elements that runs jump over lie side by side: that of the shortest step; or -1. */
static int side_axis(const struct heddle__runs *runs, int log2_size)
{
    const int64_t line = HEDDLE_CACHE_LINE >> log2_size;
    int side = -1;
    int64_t least = line / 2;
    if (runs->n < 2 || (runs->stride < line && runs->stride > -line)) return -1;
    for (int k = 0; k < runs->n_axes; k++) {
        const int64_t step = runs->step[k] < 0 ? -runs->step[k] : runs->step[k];
        if (runs->extent[k] < 2 || step == 0 || step > least) continue;
        least = step;
        side = k;
    }
    return side;
}

/* Elements [n] by `step` of x, of runs of m elements, to rows that are `pad` elements apart. */
static void turn(const struct heddle__block_moves *moves, int log2_size,
                 const struct heddle__runs *runs, int64_t n, int64_t step, int64_t pad, char *out,
                 const char *x)
{
    const int64_t size = INT64_C(1) << log2_size, m = runs->n, stride = runs->stride;
    if (step == 1) {
        moves->turn[log2_size]((size_t)n, (size_t)m, out, pad, x, stride);
    } else if (step == -1) { /* from the last one on, which is the first in memory */
        moves->turn[log2_size]((size_t)n, (size_t)m, out + (n - 1) * pad * size, -pad,
                               x - (n - 1) * size, stride);
    } else {
        for (int64_t j = 0; j < m; j += STRIP)
            for (int64_t i = 0; i < n; i++)
                moves->gather[log2_size]((size_t)(m - j < STRIP ? m - j : STRIP),
                                         out + (i * pad + j) * size,
                                         x + (i * step + j * stride) * size, stride);
    }
}

void heddle__runs_gather(const struct heddle__runs *runs, const struct heddle__block_moves *moves,
                         int log2_size, void *out, const char *x)
{
    const int64_t size = INT64_C(1) << log2_size;
    const int side = side_axis(runs, log2_size);
    struct heddle__runs rest = *runs;
    if (side >= 0) {
        rest.n_runs /= runs->extent[side];
        rest.n_axes--;
        for (int k = side; k < rest.n_axes; k++) {
            rest.extent[k] = runs->extent[k + 1];
            rest.step[k] = runs->step[k + 1];
            rest.pad[k] = runs->pad[k + 1];
        }
    }
    struct heddle__position p = {0};
    for (int64_t r = 0; r < rest.n_runs; r++) {
        char *to = (char *)out + p.number * size;
        const char *from = x + p.offset * size;
        if (side >= 0)
            turn(moves, log2_size, runs, runs->extent[side], runs->step[side], runs->pad[side], to,
                 from);
        else
            moves->gather[log2_size]((size_t)runs->n, to, from, runs->stride);
        heddle__runs_next(&rest, &p);
    }
}
