/* Functions that make indices: of triangles and diagonals, from numbers in C order and back. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/mask.h>

/* Python's integers are in the range; what is in an array is not looked at. */
static bool check_places(struct run *run, const struct value *v, int64_t extent)
{
    if (v->kind == VALUE_INT && (v->integer < 0 || v->integer >= extent))
        return heddle__expr_fail(run, HEDDLE_EINDEX, v->at, "%lld is out of range of %lld places",
                                 (long long)v->integer, (long long)extent);
    for (int64_t i = 0; heddle__expr_is_list(v) && i < v->n; i++)
        if (!check_places(run, &v->items[i], extent)) return false;
    return true;
}

/* The index along each axis of what has that place in C order. Of numbers that are known it is Python's. */
CALL(call_unravel_index)
{
    (void)f;
    heddle_array *index, *all[HEDDLE_MAX_NDIM];
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    if (!heddle__expr_to_array(run, &args[0], true, &index) ||
        !heddle__expr_to_shape(run, &args[1], shape, &ndim))
        return false;
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(size, shape[d], &size))
            return heddle__expr_fail(run, HEDDLE_ESHAPE, args[1].at, "too many elements");
    if (!check_places(run, &args[0], size)) return false;
    for (int d = ndim - 1; d >= 0; d--) {
        heddle_array *extent = heddle_scalar_int(shape[d]);
        all[d] = d > 0 ? heddle_remainder(index, extent) : index;
        index = heddle_floor_divide(index, extent);
    }
    return heddle__expr_from_arrays(run, HEDDLE_OK, ndim, all, VALUE_TUPLE, at, out);
}

CALL(call_ravel_multi_index)
{
    (void)f;
    heddle_array **index;
    int64_t shape[HEDDLE_MAX_NDIM];
    int n, ndim;
    if (!heddle__expr_to_rows(run, &args[0], &index, &n) ||
        !heddle__expr_to_shape(run, &args[1], shape, &ndim))
        return false;
    if (n != ndim || n == 0)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "%d indices for %d axes", n, ndim);
    for (int d = 0; heddle__expr_is_list(&args[0]) && d < n; d++)
        if (!check_places(run, &args[0].items[d], shape[d])) return false;
    heddle_array *r = index[0];
    for (int d = 1; d < n; d++)
        r = heddle_add(heddle_multiply(r, heddle_scalar_int(shape[d])), index[d]);
    return heddle__expr_from_array(run, r, at, out);
}

CALL(call_diag_indices)
{
    (void)f;
    int64_t n, ndim = 2;
    heddle_array *all[HEDDLE_MAX_NDIM];
    if (!heddle__expr_to_int(run, &args[0], "n", &n) ||
        !heddle__expr_to_optional_int(run, &args[1], "ndim", &ndim))
        return false;
    if (n < 0 || ndim < 1 || ndim > HEDDLE_MAX_NDIM)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "%lld indices of %lld axes",
                                 (long long)n, (long long)ndim);
    heddle_array *line = heddle_arange(heddle_scalar_int(n), NULL, NULL);
    for (int64_t d = 0; d < ndim; d++) all[d] = line;
    return heddle__expr_from_arrays(run, HEDDLE_OK, (int)ndim, all, VALUE_TUPLE, at, out);
}

/* The places of a triangle: those that are true; f->number is 1 for the upper one. */
static bool triangle(struct run *run, const struct function *f, size_t at, int64_t rows,
                     int64_t columns, const struct value *offset, struct value *out)
{
    heddle_array *found[2] = {NULL, NULL};
    int64_t k = 0;
    if (!heddle__expr_to_optional_int(run, offset, "k", &k)) return false;
    heddle_array *a = heddle_tri(rows, columns, f->number ? k - 1 : k, HEDDLE_BOOL);
    if (f->number) a = heddle_logical_not(a);
    return heddle__expr_from_arrays(run, heddle_nonzero(a, 2, found), 2, found, VALUE_TUPLE, at,
                                    out);
}

CALL(call_triangle_indices)
{
    int64_t n, m;
    if (!heddle__expr_to_int(run, &args[0], "n", &n)) return false;
    m = n;
    return (!heddle__expr_given(&args[2]) || heddle__expr_to_int(run, &args[2], "m", &m)) &&
           triangle(run, f, at, n, m, &args[1], out);
}

CALL(call_triangle_from)
{
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    if (heddle_ndim(a) != 2)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "it takes a matrix");
    return triangle(run, f, at, heddle_shape(a)[0], heddle_shape(a)[1], &args[1], out);
}

CALL(call_diag_from)
{
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const int ndim = heddle_ndim(a);
    for (int d = 0; d < ndim; d++)
        if (ndim < 2 || heddle_shape(a)[d] != heddle_shape(a)[0])
            return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "the axes differ in length");
    struct value all[2];
    heddle__expr_from_int(&all[0], at, ndim ? heddle_shape(a)[0] : 0);
    heddle__expr_from_int(&all[1], at, ndim);
    return call_diag_indices(run, f, at, all, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(unravel_index, "indices shape", call_unravel_index),
    PLAIN(ravel_multi_index, "multi_index dims", call_ravel_multi_index),
    PLAIN(diag_indices, "n ndim=", call_diag_indices),
    PLAIN(diag_indices_from, "arr", call_diag_from),
    {"tril_indices", "n k= m=", call_triangle_indices, {.number = 0}},
    {"triu_indices", "n k= m=", call_triangle_indices, {.number = 1}},
    {"tril_indices_from", "arr k=", call_triangle_from, {.number = 0}},
    {"triu_indices_from", "arr k=", call_triangle_from, {.number = 1}},
};

TABLE(indices);
