/* Brings the elements of a block, or of a panel of blocks, together. Entry point: heddle__runs_gather. */
#include "cpu/runs.h"

#include <string.h>

enum {
    STRIP = 64,       /* elements of a run whose lines are kept until their neighbours are read */
    SHORT_BYTES = 64, /* runs for which a call takes longer than they do */
    SHORT_FILL = 16,  /* elements of one value for which it does */
};

/* In pieces of which the last one may overlap the one before. */
static inline void copy_short(char *to, const char *from, size_t n)
{
    if (n >= 16) {
        for (size_t i = 0; i + 16 < n; i += 16) memcpy(to + i, from + i, 16);
        memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (size_t i = 0; i < n; i++) to[i] = from[i];
    }
}

/* The axis along which elements that runs jump over lie side by side: that of the shortest step; or -1. Short runs of
 * one value are such, too. */
static int side_axis(const struct heddle__runs *runs, int log2_size)
{
    const int64_t line = HEDDLE_CACHE_LINE >> log2_size;
    int side = -1;
    int64_t least = line / 2;
    const bool jumps = runs->stride >= line || runs->stride <= -line;
    if (runs->n < 2 || !(jumps || (runs->stride == 0 && runs->n < SHORT_FILL))) return -1;
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

static void drop_axis(struct heddle__runs *runs, int axis)
{
    runs->n_runs /= runs->extent[axis];
    runs->n_axes--;
    for (int k = axis; k < runs->n_axes; k++) {
        runs->extent[k] = runs->extent[k + 1];
        runs->step[k] = runs->step[k + 1];
        runs->pad[k] = runs->pad[k + 1];
    }
}

void heddle__runs_gather(const struct heddle__runs *runs, const struct heddle__block_moves *moves,
                         int log2_size, void *out, const char *x)
{
    const int64_t size = INT64_C(1) << log2_size;
    const int side = side_axis(runs, log2_size);
    const bool is_short = runs->stride == 1 && runs->n * size <= SHORT_BYTES;
    struct heddle__runs rest = *runs;
    int64_t repeat = 1;
    if (side >= 0) {
        drop_axis(&rest, side);
    } else if (rest.n_axes > 0 && rest.step[0] == 0 && rest.pad[0] == rest.n) {
        repeat = rest.extent[0];
        drop_axis(&rest, 0);
    }
    struct heddle__position p = {0};
    for (int64_t r = 0; r < rest.n_runs; r++) {
        char *to = (char *)out + p.number * size;
        const char *from = x + p.offset * size;
        if (side >= 0)
            turn(moves, log2_size, runs, runs->extent[side], runs->step[side], runs->pad[side], to,
                 from);
        else if (is_short)
            copy_short(to, from, (size_t)(runs->n * size));
        else
            moves->gather[log2_size]((size_t)runs->n, to, from, runs->stride);
        const int64_t one = runs->n * size, all = repeat * one;
        for (int64_t done = one; done < all; done *= 2)
            memcpy(to + done, to, (size_t)(all - done < done ? all - done : done));
        heddle__runs_next(&rest, &p);
    }
}
