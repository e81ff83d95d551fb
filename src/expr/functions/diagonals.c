/* Functions of triangles, diagonals and indices. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>

CALL(call_triangle)
{
    heddle_array *a;
    int64_t k = 0;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_optional_int(run, &args[1], "k", &k))
        return false;
    if (heddle_ndim(a) == 1 && f->triangle != heddle_diag) { /* each row of a matrix */
        const int64_t n = heddle_shape(a)[0];
        a = heddle_broadcast_to(a, HEDDLE_SHAPE(n, n));
    }
    return heddle__expr_from_array(run, f->triangle(a, k), at, out);
}

/* a, offset, axis1, axis2. NumPy's first two axes, where the standard's are the last two. */
static bool to_diagonal(struct run *run, const struct value *args, heddle_array **a,
                        int64_t *offset, int *axis1, int *axis2)
{
    *axis1 = 0;
    *axis2 = 1;
    return heddle__expr_to_array(run, &args[0], true, a) &&
           heddle__expr_to_optional_int(run, &args[1], "offset", offset) &&
           (!heddle__expr_given(&args[2]) || heddle__expr_to_one_axis(run, &args[2], axis1)) &&
           (!heddle__expr_given(&args[3]) || heddle__expr_to_one_axis(run, &args[3], axis2));
}

CALL(call_diagonal)
{
    (void)f;
    heddle_array *a;
    struct heddle_diagonal_options o = {.size = sizeof o};
    return to_diagonal(run, args, &a, &o.offset, &o.axis1, &o.axis2) &&
           heddle__expr_from_array(run, heddle_diagonal_with(a, &o), at, out);
}

CALL(call_trace)
{
    (void)f;
    heddle_array *a;
    struct heddle_trace_options o = {.size = sizeof o};
    return to_diagonal(run, args, &a, &o.offset, &o.axis1, &o.axis2) &&
           heddle__expr_to_dtype(run, &args[4], &o.dtype) &&
           heddle__expr_from_array(run, heddle_trace_with(a, &o), at, out);
}

CALL(call_indices)
{
    (void)f;
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_shape(run, &args[0], shape, &ndim) ||
        !heddle__expr_to_dtype(run, &args[1], &dtype))
        return false;
    heddle_array *a = heddle_indices(ndim, shape);
    return heddle__expr_from_array(run, dtype ? heddle_astype(a, dtype) : a, at, out);
}

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

/* The index along each axis of what has that place in C order. */
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
    if (!heddle__expr_to_arrays(run, &args[0], true, &index, &n) ||
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

CALL(call_tri)
{
    (void)f;
    int64_t rows, columns, k = 0;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_int(run, &args[0], "the number of rows", &rows)) return false;
    columns = rows;
    return heddle__expr_to_optional_int(run, &args[1], "the number of columns", &columns) &&
           heddle__expr_to_optional_int(run, &args[2], "k", &k) &&
           heddle__expr_to_dtype(run, &args[3], &dtype) &&
           heddle__expr_from_array(
               run, heddle_tri(rows, columns, k, dtype ? dtype : HEDDLE_FLOAT64), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define TRIANGLE(name)                                                                             \
    {                                                                                              \
#name, "m/v/a/x k=", call_triangle,                                                        \
        {                                                                                          \
            .triangle = heddle_##name                                                              \
        }                                                                                          \
    }

static const struct function rows[] = {
    TRIANGLE(tril),
    TRIANGLE(triu),
    TRIANGLE(diag),
    PLAIN(diagonal, "a/x offset= axis1= axis2=", call_diagonal),
    PLAIN(trace, "a/x offset= axis1= axis2= dtype=", call_trace),
    PLAIN(indices, "dimensions dtype=", call_indices),
    PLAIN(unravel_index, "indices shape", call_unravel_index),
    PLAIN(ravel_multi_index, "multi_index dims", call_ravel_multi_index),
    PLAIN(diag_indices, "n ndim=", call_diag_indices),
    PLAIN(tri, "N M= k= dtype=", call_tri),
};

TABLE(diagonals);
