/* Reductions: axes, keepdims, dtypes, reductions of nothing. */
#include "values.h"

static void axes(void)
{
    heddle_array *a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    CHECK_ARRAY(heddle_sum(a), HEDDLE_FLOAT64, "()", VALUES(15));
    CHECK_ARRAY(heddle_sum_with(a, NULL), HEDDLE_FLOAT64, "()", VALUES(15));
    CHECK_ARRAY(heddle_sum(a, .axis = 0), HEDDLE_FLOAT64, "(3,)", VALUES(3, 5, 7));
    CHECK_ARRAY(heddle_sum(a, .axis = -1), HEDDLE_FLOAT64, "(2,)", VALUES(3, 12));
    CHECK_ARRAY(heddle_sum(a, .axis = 1, .keepdims = true), HEDDLE_FLOAT64, "(2, 1)",
                VALUES(3, 12));
    CHECK_ARRAY(heddle_sum(a, .keepdims = true), HEDDLE_FLOAT64, "(1, 1)", VALUES(15));
    CHECK_ARRAY(heddle_sum(a, .axes = HEDDLE_AXES(1, 0)), HEDDLE_FLOAT64, "()", VALUES(15));
    CHECK_ARRAY(heddle_prod(a, .axes = HEDDLE_AXES(-2)), HEDDLE_FLOAT64, "(3,)", VALUES(0, 4, 10));
    CHECK(heddle_sum(a, .axes = HEDDLE_NO_AXES) == a);
    CHECK_ARRAY(heddle_sum(counting(HEDDLE_INT8, HEDDLE_SHAPE(3)), .axes = HEDDLE_NO_AXES),
                HEDDLE_INT64, "(3,)", VALUES(0, 1, 2));
    CHECK_ARRAY(heddle_max(a, .axis = 1), HEDDLE_FLOAT64, "(2,)", VALUES(2, 5));
    CHECK_ARRAY(heddle_min(a), HEDDLE_FLOAT64, "()", VALUES(0));
    CHECK_ARRAY(heddle_mean(a, .axis = 0), HEDDLE_FLOAT64, "(3,)", VALUES(1.5, 2.5, 3.5));
    CHECK_ARRAY(heddle_any(a, .axis = 1), HEDDLE_BOOL, "(2,)", VALUES(1, 1));
    CHECK_ARRAY(heddle_all(a, .axis = 1), HEDDLE_BOOL, "(2,)", VALUES(0, 1));
    CHECK_ARRAY(heddle_count_nonzero(a, .axis = 0), HEDDLE_INT64, "(3,)", VALUES(1, 2, 2));
    CHECK_ARRAY(heddle_count_nonzero(a), HEDDLE_INT64, "()", VALUES(5));
    /* a 0-d array */
    heddle_array *one = counting(HEDDLE_INT16, HEDDLE_NO_SHAPE);
    CHECK_ARRAY(heddle_sum(one), HEDDLE_INT64, "()", VALUES(0));
    CHECK_ARRAY(heddle_argmax(one), HEDDLE_INT64, "()", VALUES(0));
    CHECK_ARRAY(heddle_any(one), HEDDLE_BOOL, "()", VALUES(0));
    /* argmax: one axis, or flat */
    CHECK_EQ(heddle_argmax(a)->axes, 3);
    CHECK_EQ(heddle_argmin(a, .axis = -1)->axes, 2);
    CHECK_STR(HEDDLE_SHAPE_OF(heddle_argmax(a, .axis = 1, .keepdims = true)), "(2, 1)");
    CHECK_EQ(heddle_dtype_of(heddle_argmax(a)), HEDDLE_INT64);
}

static void dtypes(void)
{
    heddle_array *u = counting(HEDDLE_UINT8, HEDDLE_SHAPE(3));
    CHECK_ARRAY(heddle_sum(u), HEDDLE_UINT64, "()", VALUES(3));
    CHECK_ARRAY(heddle_sum(u, .dtype = HEDDLE_FLOAT32), HEDDLE_FLOAT32, "()", VALUES(3));
    CHECK_ARRAY(heddle_mean(u), HEDDLE_FLOAT64, "()", VALUES(1));
    CHECK_ARRAY(heddle_mean(counting(HEDDLE_FLOAT32, HEDDLE_SHAPE(3))), HEDDLE_FLOAT32, "()",
                VALUES(1));
    CHECK_ARRAY(heddle_max(u), HEDDLE_UINT8, "()", VALUES(2));
    CHECK_EQ(heddle_dtype_of(heddle_sum(counting(HEDDLE_COMPLEX64, HEDDLE_SHAPE(3)))),
             HEDDLE_COMPLEX64);
    CHECK_ARRAY(heddle_sum(heddle_astype(u, HEDDLE_BOOL)), HEDDLE_INT64, "()", VALUES(2));
}

static void nothing(void)
{
    heddle_array *a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(0, 3));
    CHECK_ARRAY(heddle_sum(a), HEDDLE_FLOAT64, "()", VALUES(0));
    CHECK_ARRAY(heddle_prod(a, .axis = 0), HEDDLE_FLOAT64, "(3,)", VALUES(1, 1, 1));
    CHECK_ARRAY(heddle_sum(a, .axis = 1), HEDDLE_FLOAT64, "(0,)", NOTHING);
    CHECK_ARRAY(heddle_sum(a, .axis = 1, .keepdims = true), HEDDLE_FLOAT64, "(0, 1)", NOTHING);
    CHECK_ARRAY(heddle_sum(a, .axis = 0, .keepdims = true), HEDDLE_FLOAT64, "(1, 3)",
                VALUES(0, 0, 0));
    CHECK_ARRAY(heddle_all(a), HEDDLE_BOOL, "()", VALUES(1));
    CHECK_ARRAY(heddle_mean(a), HEDDLE_FLOAT64, "()", VALUES(NAN));
    CHECK_ARRAY(heddle_max(a, .axis = 1), HEDDLE_FLOAT64, "(0,)", NOTHING);
    CHECK_ERROR(heddle_max(a), HEDDLE_ESHAPE, "heddle_max: nothing to reduce in shape (0, 3)");
    CHECK_ERROR(heddle_argmin(a, .axis = 0), HEDDLE_ESHAPE,
                "heddle_argmin: nothing to reduce in shape (0, 3)");
}

static void errors(void)
{
    heddle_array *a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    CHECK_ERROR(heddle_sum(a, .axis = 2), HEDDLE_EAXIS,
                "heddle_sum: axis 2 is out of range of shape (2, 3)");
    CHECK_ERROR(heddle_mean(a, .axis = -3), HEDDLE_EAXIS,
                "heddle_mean: axis -3 is out of range of shape (2, 3)");
    CHECK_ERROR(heddle_max(a, .axes = HEDDLE_AXES(0, -2)), HEDDLE_EAXIS,
                "heddle_max: axis 0 is given twice");
    CHECK_ERROR(
        heddle_argmax(counting(HEDDLE_INT8, HEDDLE_SHAPE(2, 2, 2)), .axes = HEDDLE_AXES(0, 1)),
        HEDDLE_EAXIS, "heddle_argmax: takes one axis, or all");
    CHECK_ERROR(heddle_max(counting(HEDDLE_COMPLEX64, HEDDLE_SHAPE(2))), HEDDLE_EDTYPE,
                "heddle_max: dtype complex64; accepts real numbers and bool");
    CHECK_ERROR(heddle_sum(a, .dtype = HEDDLE_BOOL), HEDDLE_EDTYPE,
                "heddle_sum: dtype bool; accepts numbers, not bool");
    CHECK_ERROR(heddle_mean(a, .dtype = HEDDLE_INT8), HEDDLE_EDTYPE,
                "heddle_mean: .dtype int8 is not floating");
    CHECK_ERROR(heddle_count_nonzero(NULL), HEDDLE_EARG,
                "heddle_count_nonzero: argument 1 is NULL");
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    axes();
    dtypes();
    nothing();
    errors();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
