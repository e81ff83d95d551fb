/* Statistics, differences, products and elementwise functions that are made of others: what NumPy's table in
 * tests/expr does not say: numbers that cancel, options, errors. Expected values are worked out by hand. */
#include "read.h"

#include <float.h>

static heddle_array *a, *row;

static heddle_array *numbers(int n, const double *values)
{
    const int64_t extent = n;
    return heddle_asarray(values, HEDDLE_FLOAT64, 1, &extent);
}

/* One pass would lose all digits. */
static void variances(void)
{
    heddle_array *x = numbers(VALUES(1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16));
    CHECK_READ(heddle_var(x, .correction = 1), HEDDLE_FLOAT64, "()", VALUES(30));
    CHECK_NEAR(heddle_std(x), HEDDLE_FLOAT64, "()", 1, VALUES(4.743416490252569));
    CHECK_READ(heddle_nanvar(x, .keepdims = true), HEDDLE_FLOAT64, "(1,)", VALUES(22.5));
    CHECK_READ(heddle_var(a, .axis = 0), HEDDLE_FLOAT64, "(3,)", VALUES(2.25, 2.25, 2.25));
    CHECK_READ(heddle_var(a, .axes = HEDDLE_AXES(0, 1), .correction = 1), HEDDLE_FLOAT64, "()",
               VALUES(3.5));
    CHECK_READ(heddle_var(heddle_astype(a, HEDDLE_FLOAT32), .axis = 0), HEDDLE_FLOAT32, "(3,)",
               VALUES(2.25, 2.25, 2.25));
    CHECK_READ(heddle_var(heddle_astype(a, HEDDLE_INT8)), HEDDLE_FLOAT64, "()", VALUES(17.5 / 6));
    CHECK_READ(heddle_var(a, .correction = 6), HEDDLE_FLOAT64, "()", VALUES(INFINITY));
    CHECK_READ(heddle_var(heddle_zeros(HEDDLE_SHAPE(0))), HEDDLE_FLOAT64, "()", VALUES(NAN));
    CHECK_READ(heddle_var(a, .axes = HEDDLE_NO_AXES), HEDDLE_FLOAT64, "(2, 3)",
               VALUES(0, 0, 0, 0, 0, 0));
    CHECK_ERROR(heddle_var(a, .dtype = HEDDLE_INT8), HEDDLE_EDTYPE,
                "heddle_var: .dtype int8 is not floating");
    CHECK_ERROR(heddle_std(a, .axis = 2), HEDDLE_EAXIS,
                "heddle_std: axis 2 is out of range of shape (2, 3)");
}

static void means(void)
{
    heddle_array *x = numbers(VALUES(1, NAN, 4));
    CHECK_READ(heddle_nanmax(x), HEDDLE_FLOAT64, "()", VALUES(4));
    CHECK_READ(heddle_nanmin(heddle_negative(x), .keepdims = true), HEDDLE_FLOAT64, "(1,)",
               VALUES(-4));
    CHECK_READ(heddle_nanmax(numbers(VALUES(NAN, NAN))), HEDDLE_FLOAT64, "()", VALUES(NAN));
    CHECK_READ(heddle_nanmean(x), HEDDLE_FLOAT64, "()", VALUES(2.5));
    CHECK_READ(heddle_average(a, row, .axis = 1), HEDDLE_FLOAT64, "(2,)",
               VALUES(5.0 / 3, 14.0 / 3));
    CHECK_READ(heddle_average(a, NULL), HEDDLE_FLOAT64, "()", VALUES(2.5));
    CHECK_ERROR(heddle_average(a, row), HEDDLE_ESHAPE,
                "heddle_average: weights of shape (3,) for the axes of shape (2, 3)");
    CHECK_ERROR(heddle_ptp(a, .dtype = HEDDLE_FLOAT32), HEDDLE_EARG, "heddle_ptp: takes no .dtype");
    CHECK_ERROR(heddle_nanmax(heddle_zeros(HEDDLE_SHAPE(0))), HEDDLE_ESHAPE,
                "heddle_nanmax: nothing to reduce in shape (0,)");
    CHECK_ERROR(heddle_cov(heddle_zeros(HEDDLE_SHAPE(1, 2, 3))), HEDDLE_ESHAPE,
                "heddle_cov: shape (1, 2, 3) has more than two axes");
}

static void differences(void)
{
    CHECK_READ(heddle_diff(row, .n = 3), HEDDLE_FLOAT64, "(0,)", NOTHING);
    CHECK_READ(heddle_diff(row, .n = 7), HEDDLE_FLOAT64, "(0,)", NOTHING);
    CHECK_READ(heddle_diff(heddle_zeros(HEDDLE_SHAPE(2, 0))), HEDDLE_FLOAT64, "(2, 0)", NOTHING);
    CHECK_READ(heddle_gradient(row, .step = 0.5), HEDDLE_FLOAT64, "(3,)", VALUES(2, 2, 2));
    CHECK_READ(heddle_trapezoid(row, .x = row), HEDDLE_FLOAT64, "()", VALUES(2));
    CHECK_ERROR(heddle_diff(row, .n = -1), HEDDLE_EARG, "heddle_diff: n is -1");
    CHECK_ERROR(heddle_gradient(a), HEDDLE_EAXIS,
                "heddle_gradient: shape (2, 3) has 2 axes: name one with .axis");
    CHECK_ERROR(heddle_gradient(heddle_ones(HEDDLE_SHAPE(1))), HEDDLE_ESHAPE,
                "heddle_gradient: shape (1,) has less than two elements on axis 0");
    CHECK_ERROR(heddle_trapezoid(a, .x = heddle_scalar(1)), HEDDLE_ESHAPE,
                "heddle_trapezoid: .x has shape (), y (2, 3)");
}

static void products(void)
{
    CHECK_READ(heddle_tensordot(a, a, 2, NULL, NULL), HEDDLE_FLOAT64, "()", VALUES(55));
    CHECK_READ(heddle_tensordot(a, a, 1, &(const int){1}, &(const int){-1}), HEDDLE_FLOAT64,
               "(2, 2)", VALUES(5, 14, 14, 50));
    CHECK_READ(heddle_vecdot(a, row), HEDDLE_FLOAT64, "(2,)", VALUES(5, 14));
    CHECK_READ(heddle_vecdot(heddle_astype(a, HEDDLE_INT8), heddle_astype(row, HEDDLE_INT8)),
               HEDDLE_INT8, "(2,)", VALUES(5, 14));
    CHECK_ERROR(heddle_vecdot(a, heddle_ones(HEDDLE_SHAPE(2))), HEDDLE_ESHAPE,
                "heddle_vecdot: axis 1 of shape (2, 3) and axis 0 of (2,) differ");
    CHECK_ERROR(heddle_cross(heddle_ones(HEDDLE_SHAPE(2)), heddle_ones(HEDDLE_SHAPE(2))),
                HEDDLE_ESHAPE, "heddle_cross: axis 0 of shape (2,) is not 3");
    CHECK_ERROR(heddle_tensordot(a, a, 1, NULL, NULL), HEDDLE_ESHAPE,
                "heddle_tensordot: axis 1 of shape (2, 3) and axis 0 of (2, 3) differ");
    CHECK_ERROR(heddle_tensordot(a, a, 3, NULL, NULL), HEDDLE_EARG,
                "heddle_tensordot: 3 axes of shapes (2, 3) and (2, 3)");
    CHECK_ERROR(heddle_kron(heddle_ones(HEDDLE_SHAPE(1, 1, 1, 1, 1)), a), HEDDLE_ESHAPE,
                "heddle_kron: shapes (1, 1, 1, 1, 1) and (2, 3) have more than 4 axes");
}

/* What the standard says, where NumPy differs; and what is of no table. */
static void elementwise(void)
{
    heddle_array *z = heddle_multiply(heddle_scalar_complex(0, 1), row);
    CHECK_ERROR(heddle_astype(z, HEDDLE_FLOAT64), HEDDLE_EDTYPE,
                "heddle_astype: dtype complex128 to float64 drops the imaginary part: heddle_real "
                "does");
    CHECK_READ(heddle_astype(z, HEDDLE_BOOL), HEDDLE_BOOL, "(3,)", VALUES(0, 1, 1));
    CHECK(!heddle_real(heddle_scalar(2))->weak && !heddle_positive(heddle_scalar(2.0))->weak);
    CHECK_READ(heddle_isclose(row, row, .rtol = -1, .atol = -1), HEDDLE_BOOL, "(3,)",
               VALUES(1, 1, 1));
    CHECK_READ(heddle_isclose(row, heddle_scalar(1 + 1e-6), .rtol = -1), HEDDLE_BOOL, "(3,)",
               VALUES(0, 0, 0));
    CHECK_ERROR(heddle_allclose(a, heddle_ones(HEDDLE_SHAPE(2))), HEDDLE_ESHAPE,
                "heddle_allclose: shapes (2, 3) and (2,) do not broadcast");
    CHECK_ERROR(heddle_degrees(z), HEDDLE_EDTYPE,
                "heddle_degrees: dtype complex128; accepts real numbers and bool");
    CHECK_READ(heddle_nan_to_num(numbers(VALUES(NAN, -INFINITY)), .neginf = heddle_scalar(-1)),
               HEDDLE_FLOAT64, "(2,)", VALUES(0, -1));
    CHECK_READ(heddle_around(row, -1), HEDDLE_FLOAT64, "(3,)", VALUES(0, 0, 0));

    const uint64_t top = UINT64_MAX - 2, end = UINT64_MAX;
    heddle_array *range = heddle_arange(heddle_asarray(&top, HEDDLE_UINT64, HEDDLE_NO_SHAPE),
                                        heddle_asarray(&end, HEDDLE_UINT64, HEDDLE_NO_SHAPE), NULL);
    uint64_t values[2] = {0};
    CHECK_EQ(heddle_read(range, values, sizeof values), HEDDLE_OK);
    CHECK(values[0] == top && values[1] == top + 1, "%llu", (unsigned long long)values[1]);
    CHECK_ERROR(heddle_arange(heddle_scalar(-1),
                              heddle_asarray(&end, HEDDLE_UINT64, HEDDLE_NO_SHAPE),
                              heddle_asarray(&top, HEDDLE_UINT64, HEDDLE_NO_SHAPE)),
                HEDDLE_ERANGE, "heddle_arange: values that no integer dtype has");
}

static void limits(void)
{
    struct heddle_finfo real;
    struct heddle_iinfo integer;
    CHECK_EQ(heddle_finfo_get(HEDDLE_COMPLEX64, &real), HEDDLE_OK);
    CHECK(real.dtype == HEDDLE_FLOAT32 && real.bits == 32 && real.max == FLT_MAX &&
          real.min == -FLT_MAX && real.eps == 0x1p-23 && real.smallest_normal == 0x1p-126);
    CHECK_EQ(heddle_finfo_get(HEDDLE_INT8, &real), HEDDLE_EDTYPE);
    CHECK_EQ(heddle_iinfo_get(HEDDLE_INT64, &integer), HEDDLE_OK);
    CHECK(integer.min == INT64_MIN && integer.max == INT64_MAX && integer.bits == 64);
    CHECK_EQ(heddle_iinfo_get(HEDDLE_UINT64, &integer), HEDDLE_OK);
    CHECK(integer.min == 0 && integer.max == UINT64_MAX);
    CHECK_EQ(heddle_iinfo_get(HEDDLE_INT8, &integer), HEDDLE_OK);
    CHECK(integer.min == -128 && integer.max == 127);
    CHECK_EQ(heddle_iinfo_get(HEDDLE_BOOL, &integer), HEDDLE_EDTYPE);
    CHECK_EQ(heddle_iinfo_get(HEDDLE_INT8, NULL), HEDDLE_EARG);
    CHECK(heddle_isdtype(HEDDLE_UINT8, "integral") && heddle_isdtype(HEDDLE_UINT8, "numeric") &&
          !heddle_isdtype(HEDDLE_BOOL, "numeric") && !heddle_isdtype(HEDDLE_INT8, "bool") &&
          !heddle_isdtype(HEDDLE_INT8, "integer") && !heddle_isdtype(HEDDLE_INT8, NULL) &&
          !heddle_isdtype(HEDDLE_DTYPE_NONE, "numeric"));
    CHECK(heddle_default_dtype('F') == HEDDLE_FLOAT64 &&
          heddle_default_dtype('I') == HEDDLE_INT64 &&
          heddle_default_dtype('x') == HEDDLE_DTYPE_NONE);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    row = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(3));
    variances();
    means();
    differences();
    products();
    elementwise();
    limits();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
