/* Arrays whose parts are memory of the caller's, on the host or on GPUs. Entry point:
 * heddle_from_parts. */
#include "array/devices.h"
#include "base/memory.h"
#include "base/user_function.h"
#include "graph/make.h"
#include "run/backend.h"
#include "run/life.h"
#include "run/parts.h"

#include <string.h>

/* Whom to tell when the memory is no longer needed. */
struct lenders {
    int n;
    struct heddle_part_source part[];
};

static void give_back(void *user)
{
    struct lenders *l = user;
    for (int i = 0; i < l->n; i++) heddle__call_deleter(l->part[i].deleter, l->part[i].user);
    heddle__free(l);
}

static enum heddle_status check(int n, const struct heddle_part_source *parts, int axis,
                                enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    HEDDLE_REQUIRE(n > 0 && parts, HEDDLE_EARG, "heddle_from_parts: %d parts at NULL or none", n);
    enum heddle_status status = heddle__check_dtype("from_parts", dtype);
    if (status == HEDDLE_OK) status = heddle__check_shape("from_parts", ndim, shape);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(axis >= 0 && axis < ndim, HEDDLE_EAXIS, "heddle_from_parts: axis %d of shape %s",
                   axis, heddle__shape_text(ndim, shape).text);
    int64_t inner = 1, extent = 0;
    for (int d = 0; d < ndim; d++) inner *= d == axis ? 1 : shape[d];
    for (int i = 0; i < n; i++) {
        HEDDLE_REQUIRE(parts[i].extent >= 0 && parts[i].extent <= shape[axis] - extent,
                       HEDDLE_ESHAPE, "heddle_from_parts: the first %d parts do not fit shape %s",
                       i + 1, heddle__shape_text(ndim, shape).text);
        HEDDLE_REQUIRE(parts[i].data || parts[i].extent * inner == 0, HEDDLE_EARG,
                       "heddle_from_parts: part %d is NULL", i);
        status = heddle__check_known_places("from_parts", 1, &parts[i].place);
        if (status != HEDDLE_OK) return status;
        extent += parts[i].extent;
    }
    HEDDLE_REQUIRE(extent == shape[axis], HEDDLE_ESHAPE,
                   "heddle_from_parts: the parts have %lld of %lld indices of axis %d",
                   (long long)extent, (long long)shape[axis], axis);
    return HEDDLE_OK;
}

static struct heddle_grid *grid_of(int n, const struct heddle_part_source *parts, int axis,
                                   int ndim, const int64_t *shape)
{
    int64_t counts[HEDDLE_MAX_NDIM], whole[HEDDLE_MAX_NDIM][2];
    const int64_t *bounds[HEDDLE_MAX_NDIM];
    int64_t *cut = heddle__calloc((size_t)n + 1, sizeof *cut);
    heddle_place *places = heddle__calloc((size_t)n, sizeof *places);
    struct heddle_grid *grid = NULL, *placed = NULL;
    if (cut && places && parts) {
        bool named = false;
        for (int i = 0; i < n; i++) {
            cut[i + 1] = cut[i] + parts[i].extent;
            places[i] = parts[i].place;
            named = named || places[i] != HEDDLE_ANYWHERE;
        }
        for (int d = 0; d < ndim; d++) {
            whole[d][0] = 0;
            whole[d][1] = shape[d];
            counts[d] = d == axis ? n : 1;
            bounds[d] = d == axis ? cut : whole[d];
        }
        grid = heddle__grid_make(ndim, shape, counts, bounds);
        placed = grid ? heddle__grid_place(grid, named ? n : 0, places) : NULL;
        if (placed) placed->asked = true;
    }
    heddle__grid_release(grid);
    heddle__free(cut);
    heddle__free(places);
    return placed;
}

/* Registers the parts on GPUs where they are; others are registered at their first use. Under the lock. */
static enum heddle_status lend(struct heddle_storage *s, const struct heddle_part_source *parts)
{
    for (int64_t p = 0; p < s->n_parts; p++) {
        if (parts[p].place < HEDDLE_PLACE_GPU) {
            s->parts[p].host = parts[p].data;
            continue;
        }
        if (heddle__part_bytes(s, p) == 0) continue;
        enum heddle_status status =
            heddle__need_runtime(); /* it may have been shut down meanwhile */
        if (status != HEDDLE_OK) return status;
        const int worker = heddle__worker_at(parts[p].place);
        HEDDLE_REQUIRE(worker >= 0, HEDDLE_ENODEVICE, "heddle_from_parts: part %lld is at no GPU",
                       (long long)p);
        status = heddle__backend->lend(s, p, worker, parts[p].data);
        if (status != HEDDLE_OK) return status;
    }
    return HEDDLE_OK;
}

heddle_array *heddle_from_parts(int n, const struct heddle_part_source *parts, int axis,
                                enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    const int n_lenders = n > 0 && parts ? n : 0;
    struct lenders *l =
        heddle__alloc(sizeof *l + (size_t)n_lenders * sizeof(struct heddle_part_source));
    if (!l) {
        for (int i = 0; i < n_lenders; i++) heddle__call_deleter(parts[i].deleter, parts[i].user);
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_from_parts: no memory");
    }
    l->n = n_lenders;
    if (n_lenders > 0) memcpy(l->part, parts, (size_t)n_lenders * sizeof *parts);
    if (heddle__refuse_in_function("from_parts") != HEDDLE_OK ||
        check(n, parts, axis, dtype, ndim, shape) != HEDDLE_OK) {
        give_back(l);
        return heddle__error_last();
    }
    struct heddle_grid *grid = grid_of(n, parts, axis, ndim, shape);
    struct heddle_storage *s =
        grid ? heddle__storage_parted(grid, (int32_t)heddle_dtype_size(dtype)) : NULL;
    heddle__grid_release(grid);
    if (!s) {
        give_back(l);
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_from_parts: no memory for %d parts", n);
    }
    s->deleter = give_back;
    s->user = l;
    heddle__evaluation_lock(); /* so that the runtime stays up */
    const enum heddle_status status = lend(s, parts);
    if (heddle__devices) heddle__devices->list(s);
    heddle__evaluation_unlock();
    if (status != HEDDLE_OK) {
        heddle__storage_release(s);
        return heddle__error_last();
    }
    return heddle__node_data(s, dtype, ndim, shape);
}
