/* Rectilinear partitions and the automatic one. Entry points: grid.h. */
#include "plan/grid.h"

#include "base/hash.h"
#include "base/memory.h"
#include "reduce_tree.h"

#include <string.h>

/* An unfilled grid with room for its bounds behind it. */
static struct heddle_grid *grid_new(int ndim, const int64_t *shape, const int64_t *n, bool placed)
{
    size_t n_bounds = 0, n_parts = 1;
    for (int d = 0; d < ndim; d++) {
        n_bounds += (size_t)n[d] + 1;
        n_parts *= (size_t)n[d];
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

/* Cuts at multiples of block[d]. */
static struct heddle_grid *grid_blocks(int ndim, const int64_t *shape, const int64_t *block)
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
    return grid_blocks(ndim, shape, shape);
}

static struct heddle_grid *grid_forced(int ndim, const int64_t *shape,
                                       const struct heddle_policy *policy)
{
    int64_t n[HEDDLE_MAX_NDIM] = {0};
    for (int d = 0; d < ndim; d++) {
        n[d] = d < policy->force_n ? policy->force[d] : 1;
        if (n[d] > shape[d]) n[d] = shape[d];
        if (n[d] < 1) n[d] = 1;
    }
    struct heddle_grid *g = grid_new(ndim, shape, n, false);
    if (!g) return NULL;
    for (int d = 0; d < ndim; d++)
        for (int64_t i = 0; i <= n[d]; i++) g->bound[d][i] = shape[d] * i / n[d];
    return grid_finish(g);
}

/* The unit of rows of `inner` elements that parts of about `block` rows are cut in: where chunks of
 * reductions end (reduce_tree.h), if that is a small change. */
static int64_t row_unit(int64_t block, int64_t inner)
{
    int64_t unit = HEDDLE_TREE_SEQUENTIAL_CHUNK;
    while (unit * 2 * inner <= HEDDLE_TREE_LANES_CHUNK) unit *= 2;
    while (unit > 1 && block < 4 * unit) unit /= 2;
    return unit;
}

/* Leading axes index by index, then one axis in blocks: every part is contiguous. */
static struct heddle_grid *grid_leading(int ndim, const int64_t *shape, int64_t parts)
{
    int64_t block[HEDDLE_MAX_NDIM];
    for (int d = 0; d < ndim; d++) block[d] = shape[d];
    for (int d = 0; d < ndim && parts > 1; d++) {
        if (shape[d] <= 1) continue;
        if (shape[d] <= parts) {
            block[d] = 1;
            parts = (parts + shape[d] - 1) / shape[d];
            continue;
        }
        int64_t inner = 1;
        for (int e = d + 1; e < ndim; e++) inner *= shape[e];
        block[d] = (shape[d] + parts - 1) / parts;
        const int64_t unit = row_unit(block[d], inner);
        block[d] = (block[d] + unit - 1) / unit * unit;
        break;
    }
    return grid_blocks(ndim, shape, block);
}

/* Which of the places has what begins at `share` of the whole, 0 <= share < 1. */
static int place_at(const struct heddle_policy *policy, double share)
{
    double total = 0, sum = 0;
    for (int i = 0; i < policy->n_places; i++) total += policy->places[i].bandwidth;
    for (int i = 0; i < policy->n_places; i++) {
        sum += policy->places[i].bandwidth;
        if (share * total < sum) return i;
    }
    return policy->n_places - 1;
}

/* `each` parts for each place, on the first axis that is long enough for that. */
static struct heddle_grid *grid_shared(int ndim, const int64_t *shape,
                                       const struct heddle_policy *policy, int64_t each)
{
    const int64_t parts = each * policy->n_places;
    struct heddle_grid *cut = NULL;
    int axis = 0;
    while (axis < ndim && shape[axis] == 1) axis++;
    if (axis < ndim && shape[axis] >= parts) {
        int64_t n[HEDDLE_MAX_NDIM], inner = 1, i = 0;
        for (int d = 0; d < ndim; d++) n[d] = d == axis ? parts : 1;
        for (int d = axis + 1; d < ndim; d++) inner *= shape[d];
        cut = grid_new(ndim, shape, n, false);
        if (!cut) return NULL;
        for (int d = 0; d < ndim; d++) cut->bound[d][n[d]] = shape[d];
        const int64_t unit = row_unit(shape[axis] / parts, inner);
        double total = 0, sum = 0;
        for (int k = 0; k < policy->n_places; k++) total += policy->places[k].bandwidth;
        for (int k = 0; k < policy->n_places; k++)
            for (int64_t j = 0; j < each && i < parts - 1; j++) {
                sum += policy->places[k].bandwidth / (double)each;
                int64_t at =
                    (int64_t)(sum / total * (double)shape[axis] / (double)unit + 0.5) * unit;
                const int64_t last = cut->bound[axis][i], most = shape[axis] - (parts - 1 - i);
                if (at <= last) at = last + 1;
                cut->bound[axis][++i] = at < most ? at : most;
            }
        cut = grid_finish(cut);
    } else {
        cut = grid_leading(ndim, shape, parts);
        if (!cut) return NULL;
    }
    heddle_place *places = heddle__alloc((size_t)cut->n_parts * sizeof *places);
    for (int64_t i = 0; places && i < cut->n_parts; i++) {
        const int k = cut->n_parts == parts ? (int)(i / each)
                                            : place_at(policy, (double)i / (double)cut->n_parts);
        places[i] = policy->places[k].place;
    }
    struct heddle_grid *g = places ? heddle__grid_place(cut, cut->n_parts, places) : NULL;
    heddle__free(places);
    heddle__grid_release(cut);
    return g;
}

struct heddle_grid *heddle__grid_auto(int ndim, const int64_t *shape,
                                      const struct heddle_policy *policy, bool streams)
{
    enum {
        WORTH_SHARING = 4 << 20, /* bytes a worker below which a part is not worth a task */
        EACH = 8, /* parts for each of several CPU teams, which need not be equally fast */
    };
    if (policy->force_n > 0) return grid_forced(ndim, shape, policy);

    double elements = 1;
    for (int d = 0; d < ndim; d++) elements *= (double)shape[d];
    const double bytes = elements * 8;
    streams = streams && policy->stream_bytes > 0;
    const int64_t aim = streams ? policy->stream_bytes : policy->part_bytes;
    int64_t parts = aim > 0 ? (int64_t)(bytes / (double)aim + 0.999) : 1;
    const int64_t least =
        (int64_t)(elements / (double)(1LL << 31)) + 1; /* StarPU counts in 32 bits */
    if (parts < least) parts = least;
    if (elements == 0) return grid_leading(ndim, shape, 1);
    if (policy->n_workers <= 1 || bytes / policy->n_workers < WORTH_SHARING || streams)
        return grid_leading(ndim, shape, parts);
    if (policy->n_places > 1) {
        const int64_t each = (parts + policy->n_places - 1) / policy->n_places;
        return grid_shared(ndim, shape, policy, each);
    }
    const int64_t each = bytes / policy->n_workers >= (double)EACH * WORTH_SHARING ? EACH : 1;
    if (parts < policy->n_workers * each) parts = policy->n_workers * each;
    return grid_leading(ndim, shape, parts);
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
