/* Partitions of matrices in panels. With several workers each has panels by its rate, spread over all columns, so that all
 * have work until the end. Entry points: heddle__factor_grid, heddle__factor_vectors. */
#include "families/factor/factor.h"
#include "plan/partition/derive.h"

enum {
    PANEL_LEAST = 256, /* columns: narrower panels are too little work for a GPU */
    PANELS = 16, /* for each worker: the chain of all panels is then a small part of the work */
    PANELS_LEAST = 24,
    PANELS_MOST = 128, /* of a partition that the user asked for */
    ROOMS = 16,        /* into which a place's memory is divided: a panel takes one */
};
#define WORTH_SHARING 4e-3 /* seconds on all places */
#define WORTH_STREAMING                                                                            \
    2e-2 /* that one GPU computes, so that matrices come from host memory while it does */

/* ---- How many panels ---------------------------------------------------------------------------------- */

static bool is_worker(const struct heddle_policy *policy, int i)
{
    return policy->n_gpus == 0 || i < policy->n_gpus;
}

static int64_t clamp(double x, int64_t least, int64_t most)
{
    if (most < least) return least;
    return !(x > (double)least) ? least : x < (double)most ? (int64_t)x : most;
}

/* How many the workers want: enough that all have work until the end, each large enough for one. */
static int64_t wanted(const struct heddle_planner *p, const int64_t *shape, int element_bytes,
                      double flops)
{
    const struct heddle_policy *policy = p->policy;
    double rate = 0, room = 0;
    int busy = 0;
    for (int i = 0; i < policy->n_places; i++) {
        if (!is_worker(policy, i)) continue;
        const double bytes = (double)policy->places[i].memory_bytes;
        if (bytes > 0 && (room <= 0 || bytes < room)) room = bytes;
        rate += policy->places[i].flops;
        busy++;
    }
    const double bytes = (double)shape[0] * (double)shape[1] * element_bytes;
    const double seconds = rate > 0 ? flops / rate : 0;
    const bool fits = room <= 0 || 3 * bytes <= room;
    const bool streams =
        policy->n_gpus > 0 && p->spread != HEDDLE_SPREAD_RESIDENT && seconds >= WORTH_STREAMING;
    if (fits && !streams && (busy <= 1 || seconds < WORTH_SHARING)) return 1;
    const int64_t least = room > 0 ? (int64_t)(ROOMS * bytes / room) + 1 : 1;
    const int64_t many = busy * PANELS > PANELS_LEAST ? busy * PANELS : PANELS_LEAST;
    const int64_t n = clamp((double)many, 2, shape[0] / PANEL_LEAST);
    return n > least ? n : least;
}

static int64_t n_panels(const struct heddle_planner *p, int32_t like, const int64_t *shape,
                        int element_bytes, double flops)
{
    const struct heddle_policy *policy = p->policy;
    const struct heddle_grid *in = like >= 0 ? p->plan->arrays[like].grid : NULL;
    if (p->run_inline) return 1;
    int64_t n = 1;
    if (policy->force_n > 0)
        for (int d = 0; d < policy->force_n; d++) n *= policy->force[d];
    else
        n = wanted(p, shape, element_bytes, flops);
    if (in && in->asked && in->n_parts > n)
        n = in->n_parts < PANELS_MOST ? in->n_parts : PANELS_MOST;
    return n < shape[0] ? n : shape[0];
}

/* ---- Partitions --------------------------------------------------------------------------------------- */

/* The last panel, which is updated most often, goes first to the worker that is done soonest with what it has. NULL:
 * memory is gone. */
static struct heddle_grid *place_panels(struct heddle_planner *p, struct heddle_grid *cut)
{
    const struct heddle_policy *policy = p->policy;
    double done[HEDDLE_POLICY_PLACES] = {0};
    int busy = 0;
    for (int i = 0; i < policy->n_places; i++)
        busy += is_worker(policy, i) && policy->places[i].flops > 0;
    /* a GPU alone has all panels: cores would be slower, but for bringing host data there (operands.c) */
    const bool streams = policy->n_gpus == 1 && p->spread == HEDDLE_SPREAD_STREAM;
    if (!cut || cut->n_parts == 1 || policy->force_n > 0 || (busy < 2 && !streams)) return cut;
    heddle_place *places = heddle__arena_alloc(&p->scratch, (size_t)cut->n_parts * sizeof *places);
    for (int64_t k = cut->n_parts - 1; places && k >= 0; k--) {
        const double work = (double)(k + 1) * (double)(2 * cut->n_parts - k);
        int next = -1;
        double soonest = 0;
        for (int i = 0; i < policy->n_places; i++) {
            if (!is_worker(policy, i) || !(policy->places[i].flops > 0)) continue;
            const double then = done[i] + work / policy->places[i].flops;
            if (next >= 0 && then >= soonest) continue;
            next = i;
            soonest = then;
        }
        done[next] = soonest;
        places[k] = policy->places[next].place;
    }
    struct heddle_grid *placed = places ? heddle__grid_place(cut, cut->n_parts, places) : NULL;
    heddle__grid_release(cut);
    return placed;
}

/* A batch is cut along its first axis of several. */
static struct heddle_grid *batch_grid(struct heddle_planner *p, int ndim, const int64_t *shape)
{
    int64_t unit[HEDDLE_MAX_NDIM] = {0};
    for (int d = 0; d < ndim - 2; d++)
        if (shape[d] > 1) {
            unit[d] = 1;
            break;
        }
    struct heddle_grid *grid = heddle__auto_grid(p, ndim, shape);
    return grid ? heddle__grid_rounded(p, grid, unit) : NULL;
}

struct heddle_grid *heddle__factor_grid(struct heddle_planner *p, int32_t like, int ndim,
                                        const int64_t *shape, double flops)
{
    if (ndim > 2) return batch_grid(p, ndim, shape);
    const int element_bytes = like >= 0 ? p->plan->arrays[like].element_bytes : 16;
    const int64_t n[2] = {n_panels(p, like, shape, element_bytes, flops), 1},
                  rows[2] = {0, shape[1]};
    int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(n[0] + 1) * sizeof *bounds);
    if (!bounds) return NULL;
    for (int64_t i = 0; i <= n[0]; i++) {
        bounds[i] = shape[0] / n[0] * i + shape[0] % n[0] * i / n[0];
        if (i < n[0] && shape[0] / n[0] >= PANEL_LEAST) bounds[i] = bounds[i] / 32 * 32;
    }
    const int64_t *const at[2] = {bounds, rows};
    return place_panels(p, heddle__grid_make(2, shape, n, at));
}

struct heddle_grid *heddle__factor_vectors(struct heddle_planner *p,
                                           const struct heddle_grid *matrices, int64_t extent,
                                           bool together)
{
    const int nb = matrices->ndim - 2;
    int64_t shape[HEDDLE_MAX_NDIM], n[HEDDLE_MAX_NDIM], whole[2] = {0, extent};
    const int64_t *at[HEDDLE_MAX_NDIM];
    for (int d = 0; d < nb; d++) {
        shape[d] = matrices->shape[d];
        n[d] = matrices->n[d];
        at[d] = matrices->bound[d];
    }
    shape[nb] = extent;
    n[nb] = together ? 1 : matrices->n[nb];
    at[nb] = whole;
    if (!together) {
        int64_t *bounds = heddle__arena_alloc(&p->scratch, (size_t)(n[nb] + 1) * sizeof *bounds);
        if (!bounds) return NULL;
        for (int64_t i = 0; i <= n[nb]; i++)
            bounds[i] = matrices->bound[nb][i] < extent ? matrices->bound[nb][i] : extent;
        bounds[n[nb]] = extent;
        at[nb] = bounds;
    }
    struct heddle_grid *cut = heddle__grid_make(nb + 1, shape, n, at);
    if (!cut || !matrices->place || cut->n_parts != matrices->n_parts) return cut;
    struct heddle_grid *placed = heddle__grid_place(cut, cut->n_parts, matrices->place);
    heddle__grid_release(cut);
    return placed;
}
