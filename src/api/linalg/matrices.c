/* Operands of functions of matrices. Entry points: matrices.h. */
#include "api/linalg/matrices.h"

#include <heddle/create.h>

heddle_array *heddle__matrices(const char *name, heddle_array *a, bool square)
{
    heddle_array *bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    const enum heddle_dtype dtype = heddle__mean_dtype(a);
    if (dtype != heddle__computed_in(dtype))
        return heddle__error_array(HEDDLE_EDTYPE,
                                   "heddle_%s: dtype %s; accepts float32, float64, complex64, "
                                   "complex128, integers and bool",
                                   name, heddle_dtype_name(dtype));
    if (a->ndim < 2)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: shape %s: a matrix has two axes",
                                   name, HEDDLE_SHAPE_OF(a));
    if (square && a->shape[a->ndim - 2] != a->shape[a->ndim - 1])
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_%s: shape %s: the last two extents are to be equal",
                                   name, HEDDLE_SHAPE_OF(a));
    return heddle__hand_out(heddle__make_cast(a, dtype));
}

heddle_array *heddle__zeros_beside(heddle_array *like, enum heddle_dtype dtype, int n,
                                   const int64_t *extents)
{
    struct heddle_shape s = {.ndim = like->ndim - 2};
    for (int d = 0; d < s.ndim; d++) s.extent[d] = like->shape[d];
    for (int i = 0; i < n; i++) s.extent[s.ndim++] = extents[i];
    return heddle__zeros(dtype, &s);
}

heddle_array *heddle__identities(heddle_array *like, int64_t n)
{
    struct heddle_shape s = {.ndim = like->ndim};
    for (int d = 0; d < s.ndim; d++) s.extent[d] = d < s.ndim - 2 ? like->shape[d] : n;
    const struct heddle_eye_options o = {.size = sizeof o, .dtype = (enum heddle_dtype)like->dtype};
    return heddle_broadcast_to(heddle_eye_with(n, n, &o), s.ndim, s.extent);
}
