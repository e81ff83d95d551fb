/* The partition of an array that nobody has cut. Entry points: automatic.h. */
#include "plan/policy/automatic.h"

#include "plan/policy/thresholds.h"

#include "base/memory.h"
#include "reduce_tree.h"

static struct heddle_grid *grid_forced(int ndim, const int64_t *shape,
                                       const struct heddle_policy *policy)
{
    int64_t n[HEDDLE_MAX_NDIM] = {0};
    int64_t room = 0;
    for (int d = 0; d < ndim; d++) {
        n[d] = d < policy->force_n ? policy->force[d] : 1;
        if (n[d] > shape[d]) n[d] = shape[d];
        if (n[d] < 1) n[d] = 1;
        room += n[d] + 1;
    }
    int64_t *at = heddle__alloc((size_t)(room + 1) * sizeof *at), *next = at;
    const int64_t *bounds[HEDDLE_MAX_NDIM] = {0};
    if (!at) return NULL;
    for (int d = 0; d < ndim; d++) {
        bounds[d] = next;
        for (int64_t i = 0; i <= n[d]; i++) /* shape * i / n, which might not fit */
            *next++ = shape[d] / n[d] * i + shape[d] % n[d] * i / n[d];
    }
    struct heddle_grid *grid = heddle__grid_make(ndim, shape, n, bounds);
    heddle__free(at);
    return grid;
}

int64_t heddle__grid_row_unit(int64_t rows, int64_t inner)
{
    int64_t unit = HEDDLE_TREE_SEQUENTIAL_CHUNK;
    while (unit * 2 * inner <= HEDDLE_TREE_LANES_CHUNK) unit *= 2;
    while (unit > 1 && rows < 4 * unit) unit /= 2;
    return unit;
}

/* Leading axes index by index, then one axis in blocks: every part is contiguous. */
static struct heddle_grid *grid_leading(int ndim, const int64_t *shape, int64_t parts)
{
    int64_t block[HEDDLE_MAX_NDIM];
    const int64_t most = HEDDLE_MAX_PARTS_MADE / 4; /* they are rounded up, axis by axis */
    if (parts > most) parts = most;
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
        const int64_t unit = heddle__grid_row_unit(block[d], inner);
        block[d] = (block[d] + unit - 1) / unit * unit;
        break;
    }
    return heddle__grid_blocks(ndim, shape, block);
}

/* ---- Shared among places ------------------------------------------------------------------------- */

/* The most elements along an axis that one of `parts` has, if they end at multiples of `unit`. */
static int64_t longest(int64_t extent, int64_t parts, int64_t unit)
{
    const int64_t most = (extent / parts + unit / 2) / unit * unit;
    return most < extent - (parts - 1) * most ? extent - (parts - 1) * most : most;
}

/* Whether there are several rows. */
static bool is_wide(int ndim, const int64_t *shape)
{
    for (int d = 0; d < ndim - 1; d++)
        if (shape[d] > 1) return true;
    return false;
}

/* The axis to cut: the first. Of few long rows (components, channels) that are all that there is, the last: work on each is
 * shared evenly then, and what is reduced over them moves nothing. Of few planes that do not divide, the next one. */
static int axis_to_cut(int ndim, const int64_t *shape, int64_t parts, int64_t places)
{
    enum { FEW_ROWS = 4, FEW_PLANES = 4, ROWS_OF_PLANES = 64 }; /* for each place; for each part */
    int axis = 0;
    while (axis < ndim && shape[axis] == 1) axis++;
    if (axis >= ndim - 1 || parts < 2) return axis;
    const int64_t n = shape[axis], next = shape[axis + 1];
    if (axis == ndim - 2 && n < FEW_ROWS * places && next / parts >= HEDDLE_TREE_LANES_CHUNK) {
        const int64_t most = longest(next, parts, HEDDLE_TREE_LANES_CHUNK);
        return most <= next / parts + next / parts / 4 ? axis + 1 : axis;
    }
    const bool planes = axis < ndim - 2 && n < FEW_PLANES * places && n % places != 0;
    return planes && next >= ROWS_OF_PLANES * parts ? axis + 1 : axis;
}

/* Cuts an axis into `each` parts for each place that has a share. NULL also when it is too
 * short. */
static struct heddle_grid *cut_by_shares(int ndim, const int64_t *shape, int n_places,
                                         const double *share, int64_t parts, int64_t each)
{
    const int axis = axis_to_cut(ndim, shape, parts, parts / each);
    if (parts < 1 || axis == ndim || shape[axis] < parts) return NULL;
    int64_t n[HEDDLE_MAX_NDIM], ends[HEDDLE_MAX_NDIM][2], inner = 1, last = 0;
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    for (int d = axis + 1; d < ndim; d++) inner *= shape[d];
    int64_t *cut = heddle__alloc((size_t)(parts + 1) * sizeof *cut);
    if (!cut) return NULL;
    for (int d = 0; d < ndim; d++) {
        n[d] = d == axis ? parts : 1;
        ends[d][0] = 0;
        ends[d][1] = shape[d];
        bounds[d] = d == axis ? cut : ends[d];
    }
    /* along few long rows where chunks of reductions along these end */
    const int64_t unit = axis == ndim - 1 && is_wide(ndim, shape)
                             ? HEDDLE_TREE_LANES_CHUNK
                             : heddle__grid_row_unit(shape[axis] / parts, inner);
    double sum = 0;
    cut[0] = 0;
    for (int k = 0; k < n_places; k++)
        for (int64_t j = 0; share[k] > 0 && j < each && last < parts - 1; j++) {
            sum += share[k] / (double)each;
            int64_t at = (int64_t)(sum * (double)shape[axis] / (double)unit + 0.5) * unit;
            const int64_t most = shape[axis] - (parts - 1 - last);
            if (at <= cut[last]) at = cut[last] + 1;
            cut[++last] = at < most ? at : most;
        }
    cut[parts] = shape[axis];
    struct heddle_grid *grid = heddle__grid_make(ndim, shape, n, bounds);
    heddle__free(cut);
    return grid;
}

static struct heddle_grid *grid_shared(int ndim, const int64_t *shape,
                                       const struct heddle_policy *policy, const double *share,
                                       int64_t each)
{
    heddle_place place[HEDDLE_POLICY_PLACES];
    double until[HEDDLE_POLICY_PLACES], sum = 0;
    int n = 0;
    for (int k = 0; k < policy->n_places; k++) {
        if (share[k] <= 0) continue;
        place[n] = policy->places[k].place;
        until[n++] = sum += share[k];
    }
    const int64_t parts = each * n;
    struct heddle_grid *cut = cut_by_shares(ndim, shape, policy->n_places, share, parts, each);
    const bool by_shares = cut != NULL;
    if (!cut) cut = grid_leading(ndim, shape, parts);
    if (!cut) return NULL;
    heddle_place *places = heddle__alloc((size_t)cut->n_parts * sizeof *places);
    int k = 0;
    for (int64_t i = 0; places && i < cut->n_parts; i++) {
        while (!by_shares && k < n - 1 && (double)i >= until[k] * (double)cut->n_parts) k++;
        places[i] = by_shares ? place[i / each] : place[k];
    }
    struct heddle_grid *g = places ? heddle__grid_place(cut, cut->n_parts, places) : NULL;
    heddle__free(places);
    heddle__grid_release(cut);
    return g;
}

/* ---- The partition -------------------------------------------------------------------------------- */

bool heddle__is_worth_computing(const struct heddle_policy *policy,
                                const struct heddle_demand *demand)
{
    return policy->n_gpus > 1 &&
           demand->flops / policy->n_gpus >= (double)heddle__thresholds.worth_computing;
}

struct heddle_grid *heddle__grid_auto(int ndim, const int64_t *shape,
                                      const struct heddle_policy *policy, enum heddle_spread spread,
                                      const double *share, const struct heddle_demand *demand)
{
    const struct heddle_thresholds *at = &heddle__thresholds;
    if (policy->force_n > 0) return grid_forced(ndim, shape, policy);

    double elements = 1;
    for (int d = 0; d < ndim; d++) elements *= (double)shape[d];
    const double bytes = elements * 8;
    if (policy->stream_bytes <= 0) spread = HEDDLE_SPREAD_RESIDENT;
    const int64_t aim = spread == HEDDLE_SPREAD_STREAM ? policy->stream_bytes : policy->part_bytes;
    int64_t parts = aim > 0 ? (int64_t)(bytes / (double)aim + 0.999) : 1;
    const int64_t least =
        (int64_t)(elements / (double)(1LL << 31)) + 1; /* StarPU counts in 32 bits */
    if (demand->file_bytes > (double)parts * (double)policy->part_bytes)
        parts = (int64_t)(demand->file_bytes / (double)policy->part_bytes + 0.999);
    if (parts > at->most_parts_cut) parts = at->most_parts_cut;
    if (parts < least) parts = least;
    if (elements == 0) return grid_leading(ndim, shape, 1);
    const int64_t usual = spread == HEDDLE_SPREAD_SENT ? policy->stream_bytes : at->worth_sharing;
    const int64_t worth =
        policy->n_gpus > 0 && policy->part_bytes < usual ? policy->part_bytes : usual;
    if (spread == HEDDLE_SPREAD_STREAM ||
        (bytes / policy->n_workers < (double)worth && !heddle__is_worth_computing(policy, demand)))
        return grid_leading(ndim, shape, parts);
    const double *shares = spread == HEDDLE_SPREAD_SETTLE ? share : policy->memory_share;
    int64_t n = 0;
    for (int k = 0; k < policy->n_places; k++) n += shares[k] > 0;
    if (n > 0 && (spread == HEDDLE_SPREAD_SETTLE || policy->n_gpus > 1)) {
        int64_t each = (parts + n - 1) / n;
        const double small = bytes / (double)(n * policy->stream_bytes);
        const int64_t fit = small < 1                     ? 1
                            : small < at->parts_to_settle ? (int64_t)small
                                                          : at->parts_to_settle;
        if (spread == HEDDLE_SPREAD_SETTLE && each < fit) each = fit;
        return grid_shared(ndim, shape, policy, shares, each);
    }
    if (policy->n_workers == 1) return grid_leading(ndim, shape, parts);
    const int64_t each =
        bytes / policy->n_workers >= (double)(at->parts_each * worth) ? at->parts_each : 1;
    if (parts < policy->n_workers * each) parts = policy->n_workers * each;
    return grid_leading(ndim, shape, parts);
}
