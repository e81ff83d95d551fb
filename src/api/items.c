/* Indices of which some are arrays, axis by axis: masks become the positions of what is true, ellipses slices.
 * Entry points: the second half of index.h. */
#include "api/index.h"
#include "families/compact/compact.h"
#include "graph/make.h"

static bool is_mask(const heddle_array *x)
{
    return x->dtype == HEDDLE_BOOL;
}

bool heddle__has_array(int n, const struct heddle_index *index)
{
    for (int i = 0; index && i < n; i++)
        if (index[i].kind == HEDDLE_INDEX_ARRAY) return true;
    return false;
}

enum heddle_status heddle__check_index(const char *name, const heddle_array *a, int n,
                                       const struct heddle_index *index, int *n_taken)
{
    HEDDLE_REQUIRE(n >= 0 && (index || n == 0), HEDDLE_EARG, "heddle_%s: %d indices at %s", name, n,
                   index ? "an address" : "NULL");
    int taken = 0, ellipses = 0;
    for (int i = 0; i < n; i++) {
        const struct heddle_index *x = &index[i];
        HEDDLE_REQUIRE((unsigned)x->kind <= HEDDLE_INDEX_ARRAY, HEDDLE_EARG,
                       "heddle_%s: index %d is of no kind", name, i);
        taken += x->kind == HEDDLE_INDEX_SLICE || x->kind == HEDDLE_INDEX_INT;
        ellipses += x->kind == HEDDLE_INDEX_ELLIPSIS;
        if (x->kind != HEDDLE_INDEX_ARRAY) continue;
        const char kind = heddle_dtype_kind((enum heddle_dtype)x->by->dtype);
        HEDDLE_REQUIRE(kind == 'B' || kind == 'I' || kind == 'U', HEDDLE_EDTYPE,
                       "heddle_%s: an index of dtype %s; it has integers or bool", name,
                       heddle_dtype_name((enum heddle_dtype)x->by->dtype));
        taken += is_mask(x->by) ? x->by->ndim : 1;
    }
    HEDDLE_REQUIRE(ellipses < 2, HEDDLE_EARG, "heddle_%s: two ellipses", name);
    HEDDLE_REQUIRE(taken <= a->ndim, HEDDLE_EINDEX, "heddle_%s: %d indices for shape %s", name,
                   taken, HEDDLE_SHAPE_OF(a));
    *n_taken = taken;
    return HEDDLE_OK;
}

/* ---- Items ------------------------------------------------------------------------------------------- */

static enum heddle_status add(const char *name, struct heddle__items *s, struct heddle_index x,
                              bool picks)
{
    HEDDLE_REQUIRE(s->n < HEDDLE_MAX_ITEMS, HEDDLE_ESHAPE,
                   "heddle_%s: the result has more than %d axes", name, HEDDLE_MAX_NDIM);
    s->apart |= picks && s->ended;
    s->begun |= picks;
    s->ended |= s->begun && !picks;
    s->in_front += !s->begun;
    s->n_axes += x.kind != HEDDLE_INDEX_NEWAXIS;
    s->of[s->n++] = x;
    return HEDDLE_OK;
}

/* An extent of 0 fits everywhere, and picks nothing, as the standard has it. */
static enum heddle_status check_mask(const char *name, const heddle_array *a, int axis,
                                     const heddle_array *mask)
{
    for (int d = 0; d < mask->ndim; d++)
        HEDDLE_REQUIRE(axis + d < a->ndim &&
                           (a->shape[axis + d] == mask->shape[d] || mask->shape[d] == 0),
                       HEDDLE_EINDEX, "heddle_%s: a mask of shape %s at axis %d of shape %s", name,
                       HEDDLE_SHAPE_OF(mask), axis, HEDDLE_SHAPE_OF(a));
    return HEDDLE_OK;
}

/* The positions of what is true. A mask of no axes is a new axis that is there, or is not. */
static enum heddle_status add_mask(const char *name, struct heddle__items *s, heddle_array *mask)
{
    heddle_array *at[HEDDLE_MAX_NDIM];
    enum heddle_status status;
    struct heddle_index x = {.kind = HEDDLE_INDEX_ARRAY};
    if (mask->ndim == 0) {
        int64_t n = 0;
        HEDDLE_TRY(heddle__count_mask(name, mask, &n));
        x.kind = HEDDLE_INDEX_NEWAXIS;
        x.by = heddle__hand_out(heddle__make_zeros(HEDDLE_INT64, 1, &n));
        HEDDLE_REQUIRE(heddle_status_of(x.by) == HEDDLE_OK, HEDDLE_ENOMEM,
                       "heddle_%s: no memory for an index", name);
        return add(name, s, x, true);
    }
    HEDDLE_TRY(heddle__nonzero(name, mask, at));
    for (int d = 0; d < mask->ndim; d++) {
        x.by = at[d];
        HEDDLE_TRY(add(name, s, x, true));
    }
fail:
    return status;
}

static enum heddle_status add_item(const char *name, const heddle_array *a, struct heddle__items *s,
                                   const struct heddle_index *x)
{
    struct heddle_index basic = *x;
    basic.by = NULL;
    if (x->kind != HEDDLE_INDEX_ARRAY) return add(name, s, basic, x->kind == HEDDLE_INDEX_INT);
    if (!is_mask(x->by)) return add(name, s, *x, true);
    const enum heddle_status status = check_mask(name, a, s->n_axes, x->by);
    return status == HEDDLE_OK ? add_mask(name, s, x->by) : status;
}

/* It evaluates masks. */
enum heddle_status heddle__itemise(const char *name, const heddle_array *a, int n,
                                   const struct heddle_index *index, struct heddle__items *s)
{
    static const struct heddle_index all = HEDDLE_ALL;
    int taken;
    enum heddle_status status;
    *s = (struct heddle__items){.n = 0};
    HEDDLE_TRY(heddle__check_index(name, a, n, index, &taken));
    for (int i = 0; i < n; i++) {
        if (index[i].kind != HEDDLE_INDEX_ELLIPSIS) {
            HEDDLE_TRY(add_item(name, a, s, &index[i]));
            continue;
        }
        s->ended |= s->begun; /* even if it stands for no axes */
        for (int left = a->ndim - taken; left > 0; left--) HEDDLE_TRY(add(name, s, all, false));
    }
    while (s->n_axes < a->ndim) HEDDLE_TRY(add(name, s, all, false));
fail:
    return status;
}

/* ---- A mask alone ------------------------------------------------------------------------------------ */

bool heddle__is_all(const struct heddle_index *x)
{
    return x->kind == HEDDLE_INDEX_ELLIPSIS || (x->kind == HEDDLE_INDEX_SLICE && !x->has_start &&
                                                !x->has_stop && x->step <= 1 && x->step >= 0);
}

bool heddle__is_mask_alone(int n, const struct heddle_index *index)
{
    for (int i = 1; i < n; i++)
        if (!heddle__is_all(&index[i])) return false;
    return index->kind == HEDDLE_INDEX_ARRAY && is_mask(index->by) && index->by->size > 0 &&
           index->by->ndim > 0;
}

enum heddle_status heddle__check_mask_alone(const char *name, const heddle_array *a, int n,
                                            const struct heddle_index *index)
{
    int taken;
    enum heddle_status status;
    HEDDLE_TRY(heddle__check_index(name, a, n, index, &taken));
    HEDDLE_TRY(check_mask(name, a, 0, index->by));
fail:
    return status;
}

heddle_array *heddle__bad_index(const char *name, int n, const struct heddle_index *index)
{
    for (int i = 0; i < n; i++) {
        if (index[i].kind != HEDDLE_INDEX_ARRAY) continue;
        heddle_array *const bad = heddle__bad_operand(name, 1, &index[i].by);
        if (bad) return bad;
    }
    return NULL;
}
