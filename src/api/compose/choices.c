/* Windows that slide over an array, and elements chosen from several arrays: both by index. Entry points:
 * heddle_sliding_window_view, heddle_choose. */
#include "api/compose/compose.h"

#include "base/memory.h"
#include "families/gather/gather.h"

#include <heddle/gather.h>

/* ---- Windows -------------------------------------------------------------------------------------------- */

static enum heddle_status check_windows(const heddle_array *a, int n, const int64_t *window,
                                        const int *axes, int *checked)
{
    HEDDLE_REQUIRE(n >= 0 && (window || n == 0), HEDDLE_EARG,
                   "heddle_sliding_window_view: %d extents at %s", n,
                   window ? "an address" : "NULL");
    HEDDLE_REQUIRE(
        axes || n == a->ndim, HEDDLE_ESHAPE,
        "heddle_sliding_window_view: %d extents for shape %s: one for each axis, or axes", n,
        HEDDLE_SHAPE_OF(a));
    HEDDLE_REQUIRE(a->ndim + n <= HEDDLE_MAX_NDIM, HEDDLE_ESHAPE,
                   "heddle_sliding_window_view: %d axes, more than %d", a->ndim + n,
                   HEDDLE_MAX_NDIM);
    int64_t left[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) left[d] = a->shape[d];
    for (int i = 0; i < n; i++) {
        if (heddle__axis_option("sliding_window_view", true, axes ? axes[i] : i, 0, a,
                                &checked[i]) != HEDDLE_OK)
            return HEDDLE_EAXIS;
        int64_t *extent = &left[checked[i]];
        HEDDLE_REQUIRE(window[i] > 0 && window[i] <= *extent, HEDDLE_ESHAPE,
                       "heddle_sliding_window_view: a window of %lld along axis %d of shape %s",
                       (long long)window[i], checked[i], HEDDLE_SHAPE_OF(a));
        *extent -= window[i] - 1;
    }
    return HEDDLE_OK;
}

/* The elements of each window along the axis, on a new last axis. */
static heddle_array *slide(heddle_array *a, int axis, int64_t window)
{
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    heddle_array *const index = heddle_add(heddle__index_along(a->shape[axis] - window + 1, 0, 2),
                                           heddle__index_along(window, 1, 2));
    const struct heddle_take_options o = {.size = sizeof o, .axis = axis, .has_axis = true};
    return heddle__move(heddle_take_with(a, index, &o), axis + 1, a->ndim);
}

/* Whether no axis is named twice. */
static bool are_apart(int n, const int *axes)
{
    unsigned seen = 0;
    for (int i = 0; i < n; i++) {
        if (seen >> axes[i] & 1) return false;
        seen |= 1U << axes[i];
    }
    return true;
}

/* Along all axes at once: where they begin, then where they go on, in the place of the first of the axes. What comes after
 * these in the array stays together. */
static heddle_array *slide_all(heddle_array *a, int n, const int *axes, const int64_t *window)
{
    heddle_array *index[HEDDLE_MAX_NDIM];
    int at = a->ndim, to[HEDDLE_MAX_NDIM], order[HEDDLE_MAX_NDIM];
    bool slides[HEDDLE_MAX_NDIM] = {false};
    for (int i = 0; i < n; i++) {
        index[i] = heddle_add(heddle__index_along(a->shape[axes[i]] - window[i] + 1, i, 2 * n),
                              heddle__index_along(window[i], n + i, 2 * n));
        slides[axes[i]] = true;
        if (axes[i] < at) at = axes[i];
    }
    heddle_array *r = heddle__gather_by(HEDDLE_GATHER_TAKE, a, n, axes, index, at);
    if (heddle_status_of(r) != HEDDLE_OK) return r;
    for (int i = 0; i < n; i++) to[axes[i]] = at + i;
    for (int d = 0, next = 0; d < a->ndim; d++) {
        if (slides[d]) continue;
        if (next == at) next += 2 * n;
        to[d] = next++;
    }
    for (int d = 0; d < a->ndim; d++) order[d] = to[d];
    for (int i = 0; i < n; i++) order[a->ndim + i] = at + n + i;
    return heddle_permute_dims(r, a->ndim + n, order);
}

heddle_array *heddle_sliding_window_view(heddle_array *a, int n, const int64_t *window,
                                         const int *axes)
{
    heddle_array *const bad = heddle__bad_operand("sliding_window_view", 1, &a);
    int checked[HEDDLE_MAX_NDIM];
    if (bad) return bad;
    if (check_windows(a, n, window, axes, checked) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = a;
    if (n > 1 && are_apart(n, checked))
        r = slide_all(a, n, checked, window);
    else
        for (int i = 0; i < n; i++) r = slide(r, checked[i], window[i]);
    return heddle__scope_leave(&scope, r);
}

/* ---- Choices -------------------------------------------------------------------------------------------- */

enum { FEW = 16 }; /* choices that are read side by side, all of them for each element */

/* By comparisons, with what computes the choices. Where a table of numbers is read is seen which indices are wrong. */
static heddle_array *choose_of_few(heddle_array *indices, int n, heddle_array *const choices[])
{
    heddle_array *const which =
        heddle_dtype_of(indices) == HEDDLE_BOOL
            ? heddle_astype(indices, HEDDLE_UINT8)
            : heddle_take(heddle_astype(heddle__index_along(n, 0, 1), HEDDLE_UINT8), indices);
    heddle_array *chosen = choices[0];
    for (int i = 1; i < n; i++)
        chosen = heddle_where(heddle_equal(which, heddle__constant(i, HEDDLE_UINT8)), choices[i],
                              chosen);
    return chosen;
}

static heddle_array *choose_of_many(heddle_array *indices, int n, heddle_array *const choices[])
{
    heddle_array *const which = heddle_expand_dims(heddle_astype(indices, HEDDLE_INT64), 0);
    const struct heddle_take_options o = {.size = sizeof o, .has_axis = true};
    heddle_array *const chosen =
        heddle_take_along_axis_with(heddle_stack(n, choices, 0), which, &o);
    const int first = 0;
    return heddle_squeeze(chosen, 1, &first);
}

heddle_array *heddle_choose(heddle_array *indices, int n, heddle_array *const choices[])
{
    /* check */
    heddle_array *bad = heddle__bad_operand("choose", 1, &indices);
    if (!bad) bad = heddle__bad_list("choose", n, choices);
    if (bad) return bad;
    if (heddle__kind_rank((enum heddle_dtype)indices->dtype) > 1)
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_choose: indices of %s",
                                   heddle_dtype_name((enum heddle_dtype)indices->dtype));
    heddle_array **all = heddle__alloc(((size_t)n + 1) * sizeof *all);
    if (!all) return heddle__error_memory();
    for (int i = 0; i < n; i++) all[i] = choices[i];
    all[n] = indices;
    struct heddle_shape s;
    if (heddle__broadcast_all("choose", n + 1, all, &s) != HEDDLE_OK) {
        heddle__free(all);
        return heddle__error_last();
    }

    const enum heddle_dtype dtype = heddle__promote(n, choices);
    if (heddle__check_range("choose", n, choices, dtype) != HEDDLE_OK) {
        heddle__free(all);
        return heddle__error_last();
    }

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    for (int i = 0; i < n; i++) all[i] = heddle_astype(choices[i], dtype);
    heddle_array *r;
    if (n > 1 && n <= FEW) {
        r = choose_of_few(indices, n, all);
    } else {
        for (int i = 0; i <= n; i++) all[i] = heddle_broadcast_to(all[i], s.ndim, s.extent);
        r = choose_of_many(all[n], n, all);
    }
    heddle__free(all);
    return heddle__scope_leave(&scope, r);
}
