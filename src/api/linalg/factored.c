/* Checks of matrices, and nodes of factorisations. Entry points: factored.h. */
#include "api/linalg/factored.h"

#include <heddle/create.h>

#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------- */

enum heddle_status heddle__check_matrices(const char *name, const heddle_array *a, bool square)
{
    HEDDLE_REQUIRE(a->ndim >= 2, HEDDLE_ESHAPE, "heddle_%s: shape %s has no matrices", name,
                   HEDDLE_SHAPE_OF(a));
    HEDDLE_REQUIRE(!square || a->shape[a->ndim - 2] == a->shape[a->ndim - 1], HEDDLE_ESHAPE,
                   "heddle_%s: matrices of shape %s are not square", name, HEDDLE_SHAPE_OF(a));
    return HEDDLE_OK;
}

enum heddle_status heddle__factor_dtype(const char *name, int n, heddle_array *const arrays[],
                                        enum heddle_dtype *dtype)
{
    bool integers = false, complex = false, single = true;
    for (int i = 0; i < n; i++) {
        const enum heddle_dtype of = (enum heddle_dtype)arrays[i]->dtype;
        HEDDLE_REQUIRE(!heddle__is_half(of), HEDDLE_EDTYPE,
                       "heddle_linalg_%s: dtype %s is not factored; convert it to float32", name,
                       heddle_dtype_name(of));
        integers |= heddle__kind_rank(of) < 2;
        complex |= heddle__kind_rank(of) == 3;
        single &= of == HEDDLE_FLOAT32 || of == HEDDLE_COMPLEX64;
    }
    single &= !integers;
    *dtype = complex ? (single ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128)
                     : (single ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64);
    return HEDDLE_OK;
}

/* ---- Parts of matrices -------------------------------------------------------------------------------- */

heddle_array *heddle__corner(heddle_array *a, int64_t rows, int64_t columns)
{
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    return heddle__slice(heddle__slice(a, a->ndim - 2, 0, rows), a->ndim - 1, 0, columns);
}

heddle_array *heddle__identity(int64_t rows, int64_t columns, enum heddle_dtype dtype)
{
    const struct heddle_eye_options o = {.size = sizeof o, .dtype = dtype};
    return heddle_eye_with(rows, columns, &o);
}

/* ---- Nodes ---------------------------------------------------------------------------------------------- */

heddle_array *heddle__factor_node(const struct heddle_family_info *family, enum heddle_dtype dtype,
                                  int ndim, const int64_t *shape, int n, heddle_array *const in[],
                                  const void *params)
{
    for (int i = 0; i < n; i++)
        if (heddle_status_of(in[i]) != HEDDLE_OK) return in[i];
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0) return heddle__hand_out(heddle__make_zeros(dtype, ndim, shape));
    return heddle__hand_out(
        heddle__make_operation(family, dtype, ndim, shape, n, in, params, NULL));
}

bool heddle__factor_nodes(const struct heddle_family_info *family, heddle_array *in, int n,
                          heddle_array *outputs[])
{
    heddle_array *operation = NULL;
    const bool good = heddle_status_of(in) == HEDDLE_OK;
    if (good)
        operation = heddle__make_operation(family, (enum heddle_dtype)in->dtype, in->ndim,
                                           in->shape, 1, &in, NULL, NULL);
    const bool made = operation && heddle__make_outputs(operation, outputs);
    for (int i = 0; i < n; i++)
        outputs[i] = made ? heddle__hand_out(outputs[i]) : good ? heddle__hand_out(NULL) : in;
    return made;
}

bool heddle__make_lu(heddle_array *a, struct heddle_lu *lu)
{
    heddle_array *outputs[3];
    const bool made =
        heddle__factor_nodes(&heddle__lu_family, heddle_matrix_transpose(a), 3, outputs);
    *lu = (struct heddle_lu){heddle_matrix_transpose(outputs[0]), outputs[1], outputs[2]};
    return made;
}

heddle_array *heddle__make_triangular(heddle_array *t, heddle_array *b, bool lower, bool unit,
                                      enum heddle_factor_name name)
{
    const struct heddle_triangular_params params = {
        .lower = lower, .unit = unit, .name = (int32_t)name};
    heddle_array *const in[2] = {heddle_matrix_transpose(t), heddle_matrix_transpose(b)};
    if (heddle_status_of(in[1]) != HEDDLE_OK) return in[1];
    return heddle_matrix_transpose(heddle__factor_node(&heddle__triangular_family,
                                                       (enum heddle_dtype)in[1]->dtype, in[1]->ndim,
                                                       in[1]->shape, 2, in, &params));
}
