/* Functions of triangles and diagonals, and grids of indices. */
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

/* All elements, on a diagonal. */
CALL(call_diagflat)
{
    (void)f;
    heddle_array *a;
    int64_t k = 0;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_int(run, &args[1], "k", &k) &&
           heddle__expr_from_array(run, heddle_diag(heddle__expr_flat(a), k), at, out);
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
    PLAIN(diagflat, "v k=", call_diagflat),
    PLAIN(tri, "N M= k= dtype=", call_tri),
};

TABLE(diagonals);
