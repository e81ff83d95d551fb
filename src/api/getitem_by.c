/* Reading by arrays: integers and slices are a view, the arrays of integers an operation over it.
 * Entry point: heddle__getitem_by. */
#include "api/index.h"
#include "families/compact/compact.h"
#include "families/gather/gather.h"
#include "graph/make.h"
#include "graph/scope.h"

static heddle_array *getitem_items(heddle_array *a, const struct heddle__items *s)
{
    struct heddle_index basic[HEDDLE_MAX_ITEMS];
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
    heddle_array *const bad = heddle__bad_index("getitem", n, index);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r;
    struct heddle__items s;
    if (!heddle__is_mask_alone(n, index))
        r = heddle__itemise("getitem", a, n, index, &s) == HEDDLE_OK ? getitem_items(a, &s)
                                                                     : heddle__error_last();
    else
        r = heddle__check_mask_alone("getitem", a, n, index) == HEDDLE_OK
                ? heddle__compact("getitem", index->by, a)
                : heddle__error_last();
    return heddle__scope_leave(&scope, r);
}
