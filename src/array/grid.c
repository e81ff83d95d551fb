/* Rectilinear partitions. Entry points: grid.h. */
#include "array/grid.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

/* An unfilled grid with room for its bounds behind it. */
static struct heddle_grid *grid_new(int ndim, const int64_t *shape, const int64_t *n, bool placed)
{
    size_t n_bounds = 0, n_parts = 1;
    for (int d = 0; d < ndim; d++) {
        if (n[d] > HEDDLE_MAX_PARTS_MADE) return NULL;
        n_bounds += (size_t)n[d] + 1;
        n_parts *= (size_t)n[d];
        if (n_parts > HEDDLE_MAX_PARTS_MADE) return NULL;
    }
    struct heddle_grid *g = heddle__calloc(1, sizeof *g + n_bounds * sizeof(int64_t) +
                                                  (placed ? n_parts * sizeof(heddle_place) : 0));
    if (!g) return NULL;
    atomic_init(&g->refs, 1);
    g->ndim = ndim;
    g->n_parts = 1;
    int64_t *at = (int64_t *)(g + 1);
    for (int d = 0; d < ndim; d++) {
        g->shape[d] = shape[d];
        g->n[d] = n[d];
        g->n_parts *= n[d];
        g->bound[d] = at;
        at += n[d] + 1;
    }
    if (placed) g->place = (heddle_place *)at;
    return g;
}

static struct heddle_grid *grid_finish(struct heddle_grid *g)
{
    uint64_t hash = (uint64_t)g->ndim;
    for (int d = 0; d < g->ndim; d++)
        hash = heddle__hash_words(heddle__hash_word(hash, (uint64_t)g->n[d]),
                                  (const uint64_t *)g->bound[d], g->n[d] + 1);
    for (int64_t i = 0; g->place && i < g->n_parts; i++)
        hash = heddle__hash_word(hash, (uint64_t)g->place[i] + 1);
    g->hash = hash;
    return g;
}

struct heddle_grid *heddle__grid_make(int ndim, const int64_t *shape, const int64_t *n,
                                      const int64_t *const *bounds)
{
    struct heddle_grid *g = grid_new(ndim, shape, n, false);
    if (!g) return NULL;
    for (int d = 0; d < ndim; d++)
        memcpy(g->bound[d], bounds[d], (size_t)(n[d] + 1) * sizeof(int64_t));
    return grid_finish(g);
}

struct heddle_grid *heddle__grid_place(const struct heddle_grid *grid, int64_t n_places,
                                       const heddle_place *places)
{
    struct heddle_grid *g = grid_new(grid->ndim, grid->shape, grid->n, n_places > 0);
    if (!g) return NULL;
    for (int d = 0; d < grid->ndim; d++)
        memcpy(g->bound[d], grid->bound[d], (size_t)(grid->n[d] + 1) * sizeof(int64_t));
    for (int64_t i = 0; n_places > 0 && i < g->n_parts; i++) g->place[i] = places[i % n_places];
    g->asked = grid->asked;
    return grid_finish(g);
}

struct heddle_grid *heddle__grid_along(int ndim, const int64_t *shape, int axis, int64_t n,
                                       const int64_t *bounds, const heddle_place *places)
{
    int64_t counts[HEDDLE_MAX_NDIM] = {0};
    for (int d = 0; d < ndim; d++) counts[d] = d == axis ? n : 1;
    struct heddle_grid *g = grid_new(ndim, shape, counts, places != NULL);
    if (!g) return NULL;
    for (int d = 0; d < ndim; d++) {
        g->bound[d][0] = 0;
        g->bound[d][counts[d]] = shape[d];
    }
    memcpy(g->bound[axis], bounds, (size_t)(n + 1) * sizeof *bounds);
    if (places) memcpy(g->place, places, (size_t)n * sizeof *places);
    return grid_finish(g);
}

struct heddle_grid *heddle__grid_blocks(int ndim, const int64_t *shape, const int64_t *block)
{
    int64_t n[HEDDLE_MAX_NDIM] = {0};
    for (int d = 0; d < ndim; d++)
        n[d] = shape[d] > block[d] ? (shape[d] + block[d] - 1) / block[d] : 1;
    struct heddle_grid *g = grid_new(ndim, shape, n, false);
    if (!g) return NULL;
    for (int d = 0; d < ndim; d++)
        for (int64_t i = 0; i <= n[d]; i++) g->bound[d][i] = i < n[d] ? i * block[d] : shape[d];
    return grid_finish(g);
}

struct heddle_grid *heddle__grid_one(int ndim, const int64_t *shape)
{
    return heddle__grid_blocks(ndim, shape, shape);
}

struct heddle_grid *heddle__grid_retain(struct heddle_grid *grid)
{
    if (grid) atomic_fetch_add_explicit(&grid->refs, 1, memory_order_relaxed);
    return grid;
}

void heddle__grid_release(struct heddle_grid *grid)
{
    if (grid && atomic_fetch_sub_explicit(&grid->refs, 1, memory_order_acq_rel) == 1)
        heddle__free(grid);
}

int64_t heddle__grid_bytes(const struct heddle_grid *g)
{
    int64_t bytes = (int64_t)sizeof *g;
    for (int d = 0; d < g->ndim; d++) bytes += (g->n[d] + 1) * (int64_t)sizeof(int64_t);
    return bytes + (g->place ? g->n_parts * (int64_t)sizeof *g->place : 0);
}

bool heddle__grid_equal(const struct heddle_grid *a, const struct heddle_grid *b)
{
    if (a == b) return true;
    if (a->hash != b->hash || !a->place != !b->place || a->overlaps != b->overlaps ||
        !heddle__grid_same_cuts(a, b))
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->before[d] != b->before[d] || a->after[d] != b->after[d]) return false;
    return !a->place || memcmp(a->place, b->place, (size_t)a->n_parts * sizeof *a->place) == 0;
}

bool heddle__grid_same_cuts(const struct heddle_grid *a, const struct heddle_grid *b)
{
    if (a == b) return true;
    if (a->n_parts != b->n_parts || a->ndim != b->ndim) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->n[d] != b->n[d] ||
            memcmp(a->bound[d], b->bound[d], (size_t)(a->n[d] + 1) * sizeof(int64_t)) != 0)
            return false;
    return true;
}

struct heddle_box heddle__grid_part(const struct heddle_grid *grid, int64_t part)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = grid->ndim - 1; d >= 0; d--) {
        const int64_t i = part % grid->n[d];
        part /= grid->n[d];
        box.lo[d] = grid->bound[d][i];
        box.hi[d] = grid->bound[d][i + 1];
    }
    return box;
}

int64_t heddle__grid_locate(const struct heddle_grid *grid, const int64_t *index)
{
    int64_t part = 0;
    for (int d = 0; d < grid->ndim; d++) {
        int64_t lo = 0, hi = grid->n[d]; /* bound[lo] <= index < bound[hi] */
        while (hi - lo > 1) {
            const int64_t mid = (lo + hi) / 2;
            if (grid->bound[d][mid] <= index[d])
                lo = mid;
            else
                hi = mid;
        }
        part = part * grid->n[d] + lo;
    }
    return part;
}

int64_t heddle__grid_part_size(const struct heddle_grid *grid, int64_t part)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    return heddle__box_size(&box, grid->ndim);
}

bool heddle__grid_part_contiguous(const struct heddle_grid *grid, int64_t part, int64_t *first)
{
    const struct heddle_box box = heddle__grid_part(grid, part);
    int64_t stride = 1, at = 0;
    bool inner_whole = true, contiguous = true;
    for (int d = grid->ndim - 1; d >= 0; d--) {
        const int64_t extent = box.hi[d] - box.lo[d];
        if (!inner_whole && extent > 1) contiguous = false;
        if (extent != grid->shape[d]) inner_whole = false;
        at += box.lo[d] * stride;
        stride *= grid->shape[d];
    }
    *first = at;
    return contiguous;
}

bool heddle__grid_is_contiguous(const struct heddle_grid *grid)
{
    int64_t first;
    for (int64_t part = 0; part < grid->n_parts; part++)
        if (!heddle__grid_part_contiguous(grid, part, &first)) return false;
    return true;
}
