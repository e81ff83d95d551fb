/* Sums over windows on the CPU: threads share the results. Where all elements of the windows are there, the block functions
 * (codelets/cpu/products/windows.c) take all taps at once; near the ends of the row, those that all results of a block have at once, and each of the
 * others for the results that have it. */
#include "families/window/kernel.h"

#include "base/share.h"
#include "cpu/blocks.h"
#include "kernels.h"

#include <string.h>

enum {
    PIECE = 2048, /* results that a thread takes at once, */
    BLOCK = 256,  /* or as few as are taken together near an end: they stay in the nearest cache, */
    TERMS = 1 << 18, /* if these are enough for a thread */
};

struct job {
    const struct heddle_window *w;
    heddle__windows_fn *sum;
    int64_t size; /* bytes of an element */
    int64_t piece;
    const char *x, *taps;
    char *y;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Adds taps from to to - 1 to results begin to end - 1, all of which have their elements. */
static void add_taps(const struct job *j, int64_t begin, int64_t end, int64_t from, int64_t to)
{
    j->sum(end - begin, to - from, j->x + (j->w->first + begin + from) * j->size,
           j->taps + from * j->size, j->y + begin * j->size, true);
}

/* The same one tap after the other, where results have the element. */
static void add_each(const struct job *j, int64_t begin, int64_t end, int64_t from, int64_t to)
{
    const struct heddle_window *w = j->w;
    for (int64_t tap = from; tap < to; tap++) {
        const int64_t a = most(begin, -w->first - tap), b = least(end, w->n_x - w->first - tap);
        if (a < b) add_taps(j, a, b, tap, tap + 1);
    }
}

/* Results some of whose windows' elements are not there. */
static void ends(const struct job *j, int64_t begin, int64_t end)
{
    const struct heddle_window *w = j->w;
    const int64_t new = w->adds ? most(begin, least(end, -w->first)) : begin;
    memset(j->y + new * j->size, 0, (size_t)((end - new) * j->size));
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t to = least(at + BLOCK, end), x = w->first + at, x_last = w->first + to - 1;
        const int64_t some = most(0, -x_last), some_to = least(w->m, w->n_x - x);
        const int64_t all = most(0, -x), all_to = most(all, least(w->m, w->n_x - x_last));
        add_each(j, at, to, some, least(all, some_to));
        if (all < all_to) add_taps(j, at, to, all, all_to);
        add_each(j, at, to, all_to, some_to);
    }
}

static void some_pieces(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const struct heddle_window *w = j->w;
    const int64_t begin = from * j->piece, end = least(to * j->piece, w->n);
    /* those with all elements */
    const int64_t a = least(end, most(begin, -w->first)),
                  b = most(a, least(end, w->n_x - w->first - w->m + 1));
    if (begin < a) ends(j, begin, a);
    if (a < b)
        j->sum(b - a, w->m, j->x + (w->first + a) * j->size, j->taps, j->y + a * j->size, false);
    if (b < end) ends(j, b, end);
}

static int kind_of(enum heddle_dtype dtype)
{
    switch (heddle_dtype_kind(dtype)) {
    case 'B': return HEDDLE_WINDOWS_BOOL;
    case 'F': return dtype == HEDDLE_FLOAT32 ? HEDDLE_WINDOWS_FLOAT32 : HEDDLE_WINDOWS_FLOAT64;
    case 'C':
        return dtype == HEDDLE_COMPLEX64 ? HEDDLE_WINDOWS_COMPLEX64 : HEDDLE_WINDOWS_COMPLEX128;
    default: return HEDDLE_WINDOWS_1 + heddle__log2_size(heddle_dtype_size(dtype));
    }
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_window *w = arguments;
    const enum heddle_dtype dtype = (enum heddle_dtype)w->dtype;
    const int64_t size = (int64_t)heddle_dtype_size(dtype);
    struct job j = {.w = w,
                    .sum = heddle__cpu_blocks()->windows.sum[kind_of(dtype)],
                    .size = size,
                    .piece = most(BLOCK, least(PIECE, TERMS / w->m / BLOCK * BLOCK)),
                    .x = (const char *)k->buffers[w->x] + w->x_offset * size,
                    .taps = k->buffers[w->taps],
                    .y = (char *)k->buffers[w->y] + w->y_offset * size};
    if (w->turned) {
        char *turned = k->scratch;
        for (int64_t i = 0; i < w->m; i++)
            memcpy(turned + i * size, j.taps + (w->m - 1 - i) * size, (size_t)size);
        j.taps = turned;
    }
    heddle__share(k->team, heddle__team_size(k->team), (w->n + j.piece - 1) / j.piece, some_pieces,
                  &j);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__window_cpu = {.run = run};
