/* Declared overlap of a partition: what views of its parts see of their neighbours. The parts
 * themselves, and where they live, stay as they are. Entry points: grid.h. */
#include "base/hash.h"
#include "base/memory.h"
#include "array/grid.h"

struct heddle_grid *heddle__grid_overlap(const struct heddle_grid *grid, const int64_t *before,
                                         const int64_t *after)
{
    struct heddle_grid *g = heddle__grid_place(grid, grid->place ? grid->n_parts : 0, grid->place);
    for (int d = 0; g && d < g->ndim; d++) {
        g->before[d] = before[d];
        g->after[d] = after[d];
        g->overlaps = g->overlaps || before[d] > 0 || after[d] > 0;
    }
    for (int d = 0; g && g->overlaps && d < g->ndim; d++)
        g->hash =
            heddle__hash_word(heddle__hash_word(g->hash, (uint64_t)before[d]), (uint64_t)after[d]);
    return g;
}

/* Interval i of axis d with its overlap. */
static void widen(const struct heddle_grid *g, int d, int64_t i, int64_t *lo, int64_t *hi)
{
    *lo = g->bound[d][i];
    *hi = g->bound[d][i + 1];
    if (*lo == *hi) return;
    *lo = *lo > g->before[d] ? *lo - g->before[d] : 0;
    *hi = g->shape[d] - *hi > g->after[d] ? *hi + g->after[d] : g->shape[d];
}

struct heddle_box heddle__grid_wide_part(const struct heddle_grid *grid, int64_t part)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = grid->ndim - 1; d >= 0; d--) {
        widen(grid, d, part % grid->n[d], &box.lo[d], &box.hi[d]);
        part /= grid->n[d];
    }
    return box;
}

struct heddle_grid *heddle__grid_widened(const struct heddle_grid *grid)
{
    int64_t shape[HEDDLE_MAX_NDIM], n_bounds = 0;
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = 0; d < grid->ndim; d++) n_bounds += grid->n[d] + 1;
    int64_t *room = heddle__alloc((size_t)n_bounds * sizeof *room), *at = room;
    if (!room) return NULL;
    for (int d = 0; d < grid->ndim; d++) {
        bounds[d] = at;
        *at++ = 0;
        for (int64_t i = 0; i < grid->n[d]; i++, at++) {
            int64_t lo, hi;
            widen(grid, d, i, &lo, &hi);
            *at = at[-1] + hi - lo;
        }
        shape[d] = at[-1];
    }
    struct heddle_grid *cut = heddle__grid_make(grid->ndim, shape, grid->n, bounds);
    struct heddle_grid *g =
        cut ? heddle__grid_place(cut, grid->place ? grid->n_parts : 0, grid->place) : NULL;
    heddle__grid_release(cut);
    heddle__free(room);
    return g;
}
