/* Functions with several results: parts of an array, grids, arrays of one shape. Each result is a view.
 * Entry points: heddle_unstack_with, heddle_split_with, heddle_array_split_with, heddle_split_at_with,
 * heddle_meshgrid_with, heddle_broadcast_arrays. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/assemble.h>

/* The status of the first in error. */
static enum heddle_status status_of_all(int n, heddle_array *const out[])
{
    for (int i = 0; i < n; i++)
        if (heddle_status_of(out[i]) != HEDDLE_OK) return heddle_status_of(out[i]);
    return HEDDLE_OK;
}

/* ---- Parts ---------------------------------------------------------------------------------------- */

static enum heddle_status check_part(const char *name, heddle_array *a, int n, heddle_array *out[],
                                     const struct heddle_along_options *options, int *axis)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return heddle__failed(bad);
    HEDDLE_REQUIRE(n >= 0 && (out || n == 0), HEDDLE_EARG, "heddle_%s: %d results at %s", name, n,
                   out ? "an address" : "NULL");
    return heddle__along(name, options, 0, a, axis);
}

enum heddle_status heddle_unstack_with(heddle_array *a, int n, heddle_array *out[],
                                       const struct heddle_along_options *options)
{
    int axis = 0;
    const enum heddle_status status = check_part("unstack", a, n, out, options, &axis);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(a->shape[axis] == n, HEDDLE_EARG,
                   "heddle_unstack: %d results, but shape %s has %lld along axis %d", n,
                   HEDDLE_SHAPE_OF(a), (long long)a->shape[axis], axis);
    for (int i = 0; i < n; i++) out[i] = heddle__item(a, axis, i);
    return status_of_all(n, out);
}

/* n parts, the first ones longer by one where they cannot be equal. */
static enum heddle_status sections(const char *name, bool equal, heddle_array *a, int n,
                                   heddle_array *out[], const struct heddle_along_options *options)
{
    int axis = 0;
    const enum heddle_status status = check_part(name, a, n, out, options, &axis);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(n > 0, HEDDLE_EARG, "heddle_%s: %d parts", name, n);
    const int64_t extent = a->shape[axis], each = extent / n, longer = extent % n;
    HEDDLE_REQUIRE(!equal || longer == 0, HEDDLE_ESHAPE,
                   "heddle_%s: axis %d of shape %s has no %d equal parts", name, axis,
                   HEDDLE_SHAPE_OF(a), n);
    int64_t from = 0;
    for (int i = 0; i < n; i++) {
        const int64_t to = from + each + (i < longer);
        out[i] = heddle__slice(a, axis, from, to);
        from = to;
    }
    return status_of_all(n, out);
}

enum heddle_status heddle_split_with(heddle_array *a, int n, heddle_array *out[],
                                     const struct heddle_along_options *options)
{
    return sections("split", true, a, n, out, options);
}

enum heddle_status heddle_array_split_with(heddle_array *a, int n, heddle_array *out[],
                                           const struct heddle_along_options *options)
{
    return sections("array_split", false, a, n, out, options);
}

/* A position as in a slice. */
static int64_t clamped(int64_t at, int64_t extent)
{
    if (at < 0) at += extent;
    return at < 0 ? 0 : at > extent ? extent : at;
}

enum heddle_status heddle_split_at_with(heddle_array *a, int n, const int64_t *positions,
                                        heddle_array *out[],
                                        const struct heddle_along_options *options)
{
    int axis = 0;
    HEDDLE_REQUIRE(n >= 0 && n < INT32_MAX && (positions || n == 0), HEDDLE_EARG,
                   "heddle_split_at: %d positions at %s", n, positions ? "an address" : "NULL");
    const enum heddle_status status = check_part("split_at", a, n + 1, out, options, &axis);
    if (status != HEDDLE_OK) return status;
    int64_t from = 0;
    for (int i = 0; i <= n; i++) {
        const int64_t to = i < n ? clamped(positions[i], a->shape[axis]) : a->shape[axis];
        out[i] = heddle__slice(a, axis, from, to);
        from = to;
    }
    return status_of_all(n + 1, out);
}

/* ---- One shape ------------------------------------------------------------------------------------- */

enum heddle_status heddle_broadcast_arrays(int n, heddle_array *const arrays[], heddle_array *out[])
{
    struct heddle_shape s;
    heddle_array *const bad = heddle__bad_list("broadcast_arrays", n, arrays);
    if (bad) return heddle__failed(bad);
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_broadcast_arrays: %d results at NULL", n);
    const enum heddle_status status = heddle__broadcast_all("broadcast_arrays", n, arrays, &s);
    if (status != HEDDLE_OK) return status;
    for (int i = 0; i < n; i++) out[i] = heddle_broadcast_to(arrays[i], s.ndim, s.extent);
    return status_of_all(n, out);
}

enum heddle_status heddle_meshgrid_with(int n, heddle_array *const arrays[], heddle_array *out[],
                                        const struct heddle_meshgrid_options *options)
{
    /* check */
    struct heddle_meshgrid_options o;
    struct heddle_shape grid = {.ndim = n};
    enum heddle_status status = heddle__options("meshgrid", options, &o, sizeof o);
    if (status != HEDDLE_OK) return status;
    heddle_array *const bad = heddle__bad_list("meshgrid", n, arrays);
    if (bad) return heddle__failed(bad);
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_meshgrid: %d results at NULL", n);
    HEDDLE_REQUIRE(n <= HEDDLE_MAX_NDIM, HEDDLE_ESHAPE, "heddle_meshgrid: %d axes, more than %d", n,
                   HEDDLE_MAX_NDIM);
    int axis[HEDDLE_MAX_NDIM];
    for (int i = 0; i < n; i++) {
        HEDDLE_REQUIRE(arrays[i]->ndim <= 1, HEDDLE_ESHAPE,
                       "heddle_meshgrid: argument %d has shape %s, not one axis", i + 1,
                       HEDDLE_SHAPE_OF(arrays[i]));
        axis[i] = n > 1 && i < 2 && !o.matrix_indexing ? 1 - i : i;
        grid.extent[axis[i]] = arrays[i]->size;
    }
    status = heddle__check_shape("meshgrid", n, grid.extent);
    if (status != HEDDLE_OK) return status;

    /* build */
    heddle_array *made[HEDDLE_MAX_NDIM];
    for (int i = 0; i < n; i++) {
        struct heddle_scope_state scope;
        heddle__scope_enter(&scope);
        int64_t line[HEDDLE_MAX_NDIM];
        for (int d = 0; d < n; d++) line[d] = d == axis[i] ? arrays[i]->size : 1;
        heddle_array *r = heddle_reshape(arrays[i], n, line);
        made[i] = heddle__scope_leave(&scope, heddle_broadcast_to(r, n, grid.extent));
    }
    for (int i = 0; i < n; i++) out[i] = made[i];
    return status_of_all(n, out);
}
