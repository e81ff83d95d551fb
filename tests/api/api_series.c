/* Functions of samples, ranges by factors, elements put in and taken out: what NumPy's table in tests/expr does
 * not say: options of C, dtypes, errors. Expected values are worked out by hand. */
#include "read.h"

static heddle_array *numbers(int n, const double *values)
{
    const int64_t extent = n;
    return heddle_asarray(values, HEDDLE_FLOAT64, 1, &extent);
}

static heddle_array *row, *matrix;

static void ranges(void)
{
    heddle_array *one = heddle_scalar(1.0), *four = heddle_scalar_int(4);
    CHECK_NEAR(heddle_logspace(one, four, 4), HEDDLE_FLOAT64, "(4,)", 2,
               VALUES(10, 100, 1000, 10000));
    CHECK_READ(heddle_logspace(one, four, 3, .base = 4, .endpoint_excluded = true), HEDDLE_FLOAT64,
               "(3,)", VALUES(4, 16, 64));
    CHECK_READ(heddle_logspace(one, four, 4, .base = 2, .dtype = HEDDLE_INT8), HEDDLE_INT8, "(4,)",
               VALUES(2, 4, 8, 16));
    CHECK_NEAR(heddle_geomspace(four, heddle_scalar(108.0), 4), HEDDLE_FLOAT64, "(4,)", 4,
               VALUES(4, 12, 36, 108));
    CHECK_READ(heddle_geomspace(heddle_scalar(0.1), heddle_scalar(0.3), 2), HEDDLE_FLOAT64, "(2,)",
               VALUES(0.1, 0.3));
    CHECK_ERROR(heddle_logspace(row, four, 4), HEDDLE_ESHAPE,
                "heddle_logspace: argument 1 has shape (4,)");
    CHECK_ERROR(heddle_geomspace(one, one, -1), HEDDLE_EARG, "heddle_geomspace: num is -1");
    CHECK_ERROR(heddle_geomspace(one, one, 1, .dtype = (enum heddle_dtype)99), HEDDLE_EDTYPE,
                "heddle_geomspace: 99 is no dtype");
    CHECK_READ(heddle_vander(heddle_astype(row, HEDDLE_FLOAT32), 2), HEDDLE_FLOAT64, "(4, 2)",
               VALUES(1, 1, 2, 1, 4, 1, 8, 1));
    CHECK_READ(heddle_vander(row, 0), HEDDLE_FLOAT64, "(4, 0)", 0, NULL);
    CHECK_ERROR(heddle_vander(matrix, 2), HEDDLE_ESHAPE,
                "heddle_vander: shape (2, 3) has not one axis");
    CHECK_ERROR(heddle_vander(row, -1), HEDDLE_EARG, "heddle_vander: -1 powers");
}

static void samples(void)
{
    heddle_array *x = numbers(VALUES(0, 1, 3, 8, 9, NAN)), *f = numbers(VALUES(10, 20, 40, 0));
    CHECK_READ(heddle_interp(x, row, f), HEDDLE_FLOAT64, "(6,)", VALUES(10, 10, 30, 0, 0, NAN));
    CHECK_READ(heddle_interp(x, row, f, .left = heddle_scalar(-1.0), .right = heddle_scalar(-2.0)),
               HEDDLE_FLOAT64, "(6,)", VALUES(-1, 10, 30, 0, -2, NAN));
    CHECK_READ(heddle_interp(matrix, row, heddle_astype(f, HEDDLE_INT16)), HEDDLE_FLOAT64, "(2, 3)",
               VALUES(10, 10, 20, 30, 40, 30));
    CHECK_ERROR(heddle_interp(x, row, x), HEDDLE_ESHAPE,
                "heddle_interp: points of shapes (4,) and (6,)");
    CHECK_ERROR(heddle_interp(x, heddle_zeros(HEDDLE_SHAPE(0)), heddle_zeros(HEDDLE_SHAPE(0))),
                HEDDLE_ESHAPE, "heddle_interp: points of shapes (0,) and (0,)");
    CHECK_ERROR(heddle_interp(x, row, f, .left = row), HEDDLE_ESHAPE,
                "heddle_interp: an end of shape (4,)");
    CHECK_ERROR(heddle_interp(x, heddle_astype(row, HEDDLE_COMPLEX64), f), HEDDLE_EDTYPE,
                "heddle_interp: complex numbers have no order");

    CHECK_READ(heddle_convolve(row, numbers(VALUES(1, -1))), HEDDLE_FLOAT64, "(5,)",
               VALUES(1, 1, 2, 4, -8));
    CHECK_READ(heddle_convolve(numbers(VALUES(1, -1)), row, .mode = HEDDLE_CONVOLUTION_VALID),
               HEDDLE_FLOAT64, "(3,)", VALUES(1, 2, 4));
    CHECK_READ(heddle_correlate(row, numbers(VALUES(1, -1))), HEDDLE_FLOAT64, "(3,)",
               VALUES(-1, -2, -4));
    CHECK_ERROR(heddle_convolve(matrix, row), HEDDLE_ESHAPE,
                "heddle_convolve: argument 1 of shape (2, 3) has not one axis with elements");
    CHECK_ERROR(heddle_correlate(row, heddle_zeros(HEDDLE_SHAPE(0))), HEDDLE_ESHAPE,
                "heddle_correlate: argument 2 of shape (0,) has not one axis with elements");
    CHECK_ERROR(heddle_convolve(row, row, .mode = (enum heddle_convolution)4), HEDDLE_EARG,
                "heddle_convolve: mode 4");

    CHECK_READ(heddle_polyval(numbers(VALUES(1, 0, -2)), row), HEDDLE_FLOAT64, "(4,)",
               VALUES(-1, 2, 14, 62));
    CHECK_READ(heddle_polyval(heddle_scalar(5.0), row), HEDDLE_FLOAT64, "(4,)", VALUES(5, 5, 5, 5));
    CHECK_ERROR(heddle_polyval(matrix, row), HEDDLE_ESHAPE,
                "heddle_polyval: coefficients of shape (2, 3)");

    heddle_array *phase = numbers(VALUES(0, 3, 6, 1, 4));
    CHECK_READ(heddle_unwrap(phase, .period = 8), HEDDLE_FLOAT64, "(5,)", VALUES(0, 3, 6, 9, 12));
    CHECK_READ(heddle_unwrap(phase, .period = 8, .discont = 5.5), HEDDLE_FLOAT64, "(5,)",
               VALUES(0, 3, 6, 1, 4));
    CHECK_READ(heddle_unwrap(heddle_astype(phase, HEDDLE_INT32), .period = 8), HEDDLE_INT32, "(5,)",
               VALUES(0, 3, 6, 9, 12));
    CHECK_ERROR(heddle_unwrap(phase, .axis = 1), HEDDLE_EAXIS,
                "heddle_unwrap: axis 1 is out of range of shape (5,)");
    CHECK_ERROR(heddle_unwrap(heddle_astype(phase, HEDDLE_COMPLEX64)), HEDDLE_EDTYPE,
                "heddle_unwrap: complex numbers have no order");
}

static void edits(void)
{
    CHECK_READ(heddle_resize(matrix, HEDDLE_SHAPE(2, 4)), HEDDLE_INT64, "(2, 4)",
               VALUES(0, 1, 2, 3, 4, 5, 0, 1));
    CHECK_READ(heddle_resize(heddle_zeros(HEDDLE_SHAPE(0)), HEDDLE_SHAPE(2)), HEDDLE_FLOAT64,
               "(2,)", VALUES(0, 0));
    CHECK_ERROR(heddle_resize(matrix, HEDDLE_SHAPE(-2)), HEDDLE_ESHAPE,
                "heddle_resize: negative extent in shape (-2,)");
    CHECK_READ(heddle_delete(row, HEDDLE_SHAPE(2, -4, 2)), HEDDLE_FLOAT64, "(2,)", VALUES(2, 8));
    CHECK_READ(heddle_delete(matrix, HEDDLE_SHAPE(1), .axis = 1), HEDDLE_INT64, "(2, 2)",
               VALUES(0, 2, 3, 5));
    CHECK_READ(heddle_delete(row, HEDDLE_SHAPE(0, 1, 2, 3)), HEDDLE_FLOAT64, "(0,)", 0, NULL);
    CHECK_ERROR(heddle_delete(row, HEDDLE_SHAPE(4)), HEDDLE_EINDEX,
                "heddle_delete: position 4 is out of range for an axis of 4");
    CHECK_ERROR(heddle_delete(row, HEDDLE_SHAPE(-5)), HEDDLE_EINDEX,
                "heddle_delete: position -5 is out of range for an axis of 4");
    CHECK_ERROR(heddle_delete(row, 1, NULL), HEDDLE_EARG, "heddle_delete: 1 positions at NULL");
    CHECK_ERROR(heddle_delete(row, HEDDLE_SHAPE(0), .axis = 1), HEDDLE_EAXIS,
                "heddle_delete: axis 1 is out of range of shape (4,)");
    CHECK_READ(heddle_insert(matrix, 1, heddle_scalar(7.5), .axis = 0), HEDDLE_INT64, "(3, 3)",
               VALUES(0, 1, 2, 7, 7, 7, 3, 4, 5));
    CHECK_READ(heddle_insert(row, 4, row), HEDDLE_FLOAT64, "(8,)", VALUES(1, 2, 4, 8, 1, 2, 4, 8));
    CHECK_ERROR(heddle_insert(heddle_astype(matrix, HEDDLE_INT8), 0, heddle_scalar(128)),
                HEDDLE_ERANGE, "heddle_insert: scalar 128 is out of range of int8");
    CHECK_ERROR(heddle_insert(row, 5, row), HEDDLE_EINDEX,
                "heddle_insert: position 5 is out of range for an axis of 4");
    CHECK_ERROR(heddle_insert(matrix, 0, row, .axis = 0), HEDDLE_ESHAPE,
                "heddle_insert: values of shape (4,) do not fit into shape (2, 3) on axis 0");
    CHECK_READ(heddle_tri(2, 3, 1, HEDDLE_UINT8), HEDDLE_UINT8, "(2, 3)", VALUES(1, 1, 0, 1, 1, 1));
    CHECK_ERROR(heddle_tri(-1, 3, 0, HEDDLE_UINT8), HEDDLE_ESHAPE,
                "heddle_tri: negative extent in shape (-1, 3)");
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    row = numbers(VALUES(1, 2, 4, 8));
    matrix = heddle_reshape(heddle_arange(heddle_scalar_int(6), NULL, NULL), HEDDLE_SHAPE(2, 3));
    ranges();
    samples();
    edits();
    heddle_scope_close(scope);
    return check_done();
}
