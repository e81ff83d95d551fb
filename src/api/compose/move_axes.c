/* Axes moved, swapped, added, turned: views. Entry points: heddle_moveaxis, heddle_swapaxes, heddle_atleast,
 * heddle_rot90. */
#include "api/compose/compose.h"

#include <heddle/assemble.h>

heddle_array *heddle_moveaxis(heddle_array *a, int n, const int *from, const int *to)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("moveaxis", 1, &a);
    if (bad) return bad;
    unsigned taken = 0, filled = 0;
    if (heddle__axes_mask("moveaxis", n, from, a, &taken) != HEDDLE_OK ||
        heddle__axes_mask("moveaxis", n, to, a, &filled) != HEDDLE_OK)
        return heddle__error_last();

    /* the named ones at their places, the others where places are left */
    int order[HEDDLE_MAX_NDIM], rest = 0;
    for (int i = 0; i < n; i++)
        order[to[i] < 0 ? to[i] + a->ndim : to[i]] = from[i] < 0 ? from[i] + a->ndim : from[i];
    for (int d = 0; d < a->ndim; d++) {
        if (filled & 1u << d) continue;
        while (taken & 1u << rest) rest++;
        order[d] = rest++;
    }
    return heddle_permute_dims(a, a->ndim, order);
}

/* Two axes, counted from 0. */
static enum heddle_status two_axes(const char *name, const heddle_array *a, int *axis1, int *axis2)
{
    const enum heddle_status status = heddle__axis(name, *axis1, a->ndim, a->shape, axis1);
    return status == HEDDLE_OK ? heddle__axis(name, *axis2, a->ndim, a->shape, axis2) : status;
}

static heddle_array *swapped(heddle_array *a, int axis1, int axis2)
{
    int order[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) order[d] = d == axis1 ? axis2 : d == axis2 ? axis1 : d;
    return heddle_permute_dims(a, a->ndim, order);
}

heddle_array *heddle_swapaxes(heddle_array *a, int axis1, int axis2)
{
    heddle_array *const bad = heddle__bad_operand("swapaxes", 1, &a);
    if (bad) return bad;
    if (two_axes("swapaxes", a, &axis1, &axis2) != HEDDLE_OK) return heddle__error_last();
    return swapped(a, axis1, axis2);
}

heddle_array *heddle_atleast(heddle_array *a, int ndim)
{
    heddle_array *const bad = heddle__bad_operand("atleast", 1, &a);
    if (bad) return bad;
    if (ndim < 1 || ndim > 3)
        return heddle__error_array(HEDDLE_EARG, "heddle_atleast: %d axes; 1 to 3 it can be", ndim);
    if (a->ndim >= ndim) return heddle__hand_out(heddle__make_cast(a, (enum heddle_dtype)a->dtype));
    int64_t shape[3] = {1, 1, 1};
    if (a->ndim > 0) shape[ndim == 1 ? 0 : ndim == 3 && a->ndim == 2 ? 0 : 1] = a->shape[0];
    if (a->ndim == 2) shape[1] = a->shape[1];
    return heddle_reshape(a, ndim, shape);
}

heddle_array *heddle_rot90(heddle_array *a, int k, int axis1, int axis2)
{
    heddle_array *const bad = heddle__bad_operand("rot90", 1, &a);
    if (bad) return bad;
    if (two_axes("rot90", a, &axis1, &axis2) != HEDDLE_OK) return heddle__error_last();
    if (axis1 == axis2)
        return heddle__error_array(HEDDLE_EARG, "heddle_rot90: axis %d is given twice", axis1);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const int quarters = (k % 4 + 4) % 4;
    const struct heddle_flip_options back = {.size = sizeof back, .axis = axis2, .has_axis = true};
    const struct heddle_flip_options both = {.size = sizeof both,
                                             .axes = {.count = 2, .at = {axis1, axis2}}};
    heddle_array *r = a;
    if (quarters == 1) r = swapped(heddle_flip_with(a, &back), axis1, axis2);
    if (quarters == 2) r = heddle_flip_with(a, &both);
    if (quarters == 3) r = heddle_flip_with(swapped(a, axis1, axis2), &back);
    return heddle__scope_leave(&scope, r);
}
