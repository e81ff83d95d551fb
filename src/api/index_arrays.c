/* Indexing by arrays: masks become the positions of what is true, integers and slices a view, and the arrays of integers
 * an operation over that view. Entry points: heddle__has_array, heddle__getitem_by. */
#include "api/index.h"
#include "families/compact/compact.h"
#include "families/gather/gather.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/create.h>
#include <heddle/gather.h>
#include <heddle/manipulate.h>

enum { MAX_ITEMS = 4 * HEDDLE_MAX_NDIM };

/* An index of one axis, or of a new one: no mask but that of a new axis, no ellipsis. `by`: of integers. */
struct items {
    int n;
    struct heddle_index of[MAX_ITEMS];
    int n_axes;   /* of `a`, so far */
    int in_front; /* slices and new axes before the first array or integer */
    bool begun,
        ended;  /* arrays and integers: whether some were, and whether others followed them */
    bool apart; /* they are not next to each other */
};

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

/* ---- Items ------------------------------------------------------------------------------------------- */

static enum heddle_status add(const char *name, struct items *s, struct heddle_index x, bool picks)
{
    HEDDLE_REQUIRE(s->n < MAX_ITEMS, HEDDLE_ESHAPE, "heddle_%s: the result has more than %d axes",
                   name, HEDDLE_MAX_NDIM);
    s->apart |= picks && s->ended;
    s->begun |= picks;
    s->ended |= s->begun && !picks;
    s->in_front += !s->begun;
    s->n_axes += x.kind != HEDDLE_INDEX_NEWAXIS;
    s->of[s->n++] = x;
    return HEDDLE_OK;
}

static enum heddle_status check_mask(const char *name, const heddle_array *a, int axis,
                                     const heddle_array *mask)
{
    for (int d = 0; d < mask->ndim; d++)
        HEDDLE_REQUIRE(axis + d < a->ndim && a->shape[axis + d] == mask->shape[d], HEDDLE_EINDEX,
                       "heddle_%s: a mask of shape %s at axis %d of shape %s", name,
                       HEDDLE_SHAPE_OF(mask), axis, HEDDLE_SHAPE_OF(a));
    return HEDDLE_OK;
}

/* The positions of what is true. A mask of no axes is a new axis that is there, or is not. */
static enum heddle_status add_mask(const char *name, struct items *s, heddle_array *mask)
{
    heddle_array *at[HEDDLE_MAX_NDIM];
    enum heddle_status status;
    struct heddle_index x = {.kind = HEDDLE_INDEX_ARRAY};
    if (mask->ndim == 0) {
        int64_t n = 0;
        HEDDLE_TRY(heddle__count_mask(name, mask, &n));
        x.kind = HEDDLE_INDEX_NEWAXIS;
        x.by = heddle__hand_out(heddle__make_zeros(HEDDLE_INT64, 1, &n));
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

static enum heddle_status add_item(const char *name, const heddle_array *a, struct items *s,
                                   const struct heddle_index *x)
{
    struct heddle_index basic = *x;
    basic.by = NULL;
    if (x->kind != HEDDLE_INDEX_ARRAY) return add(name, s, basic, x->kind == HEDDLE_INDEX_INT);
    if (!is_mask(x->by)) return add(name, s, *x, true);
    const enum heddle_status status = check_mask(name, a, s->n_axes, x->by);
    return status == HEDDLE_OK ? add_mask(name, s, x->by) : status;
}

/* Checks kinds and counts the axes of `a` that the indices take. */
static enum heddle_status check_indices(const char *name, const heddle_array *a, int n,
                                        const struct heddle_index *index, int *n_taken)
{
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

/* It evaluates masks. */
static enum heddle_status itemise(const char *name, const heddle_array *a, int n,
                                  const struct heddle_index *index, struct items *s)
{
    static const struct heddle_index all = HEDDLE_ALL;
    int taken;
    enum heddle_status status;
    *s = (struct items){.n = 0};
    HEDDLE_TRY(check_indices(name, a, n, index, &taken));
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

/* ---- Reading ----------------------------------------------------------------------------------------- */

static bool is_all(const struct heddle_index *x)
{
    return x->kind == HEDDLE_INDEX_ELLIPSIS || (x->kind == HEDDLE_INDEX_SLICE && !x->has_start &&
                                                !x->has_stop && x->step <= 1 && x->step >= 0);
}

/* Whether it is a[mask] or a[mask, ...]: its elements or rows are taken as they lie. */
static bool is_mask_alone(int n, const struct heddle_index *index)
{
    for (int i = 1; i < n; i++)
        if (!is_all(&index[i])) return false;
    return index->kind == HEDDLE_INDEX_ARRAY && is_mask(index->by) && index->by->ndim > 0;
}

static heddle_array *getitem_mask(heddle_array *a, int n, const struct heddle_index *index)
{
    int taken;
    if (check_indices("getitem", a, n, index, &taken) != HEDDLE_OK ||
        check_mask("getitem", a, 0, index->by) != HEDDLE_OK)
        return heddle__error_last();
    return heddle__compact("getitem", index->by, a);
}

static heddle_array *getitem_items(heddle_array *a, const struct items *s)
{
    struct heddle_index basic[MAX_ITEMS];
    heddle_array *by[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM], n = 0, n_axes = 0;
    for (int i = 0; i < s->n; i++) {
        basic[i] = s->of[i];
        if (basic[i].kind == HEDDLE_INDEX_ARRAY) basic[i] = (struct heddle_index)HEDDLE_ALL;
        if (s->of[i].by) {
            if (n == HEDDLE_MAX_NDIM)
                return heddle__error_array(HEDDLE_ESHAPE, "heddle_getitem: more than %d arrays",
                                           HEDDLE_MAX_NDIM);
            by[n] = s->of[i].by;
            axes[n++] = n_axes;
        }
        n_axes += basic[i].kind != HEDDLE_INDEX_INT;
    }
    struct heddle__selection selection;
    if (heddle__select("getitem", a, s->n, basic, &selection) != HEDDLE_OK)
        return heddle__error_last();
    heddle_array *view = heddle__hand_out(heddle__selected(a, &selection));
    if (heddle_status_of(view) != HEDDLE_OK) return view;
    return heddle__gather_by(HEDDLE_GATHER_GETITEM, view, n, axes, by, s->apart ? 0 : s->in_front);
}

heddle_array *heddle__getitem_by(heddle_array *a, int n, const struct heddle_index *index)
{
    for (int i = 0; i < n; i++) {
        if (index[i].kind != HEDDLE_INDEX_ARRAY) continue;
        heddle_array *const bad = heddle__bad_operand("getitem", 1, &index[i].by);
        if (bad) return bad;
    }
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r;
    struct items s;
    if (is_mask_alone(n, index))
        r = getitem_mask(a, n, index);
    else if (itemise("getitem", a, n, index, &s) == HEDDLE_OK)
        r = getitem_items(a, &s);
    else
        r = heddle__error_last();
    return heddle__scope_leave(&scope, r);
}
