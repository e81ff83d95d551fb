/* Creation: constants, arrays of memory, ranges, the identity. */
#include "values.h"

static void filled(void)
{
    CHECK_ARRAY(heddle_zeros(HEDDLE_SHAPE(2)), HEDDLE_FLOAT64, "(2,)", VALUES(0, 0));
    CHECK_ARRAY(heddle_ones(HEDDLE_SHAPE(2), .dtype = HEDDLE_COMPLEX64), HEDDLE_COMPLEX64, "(2,)",
                VALUES(1, 1));
    CHECK_ARRAY(heddle_ones(HEDDLE_NO_SHAPE, .dtype = HEDDLE_BOOL), HEDDLE_BOOL, "()", VALUES(1));
    CHECK_EQ(heddle_zeros(HEDDLE_SHAPE(1000, 1000))->kind, HEDDLE_NODE_CONSTANT);
    CHECK_ARRAY(heddle_empty(HEDDLE_SHAPE(0, 3), .dtype = HEDDLE_INT8), HEDDLE_INT8, "(0, 3)",
                NOTHING);
    CHECK_ARRAY(heddle_full(HEDDLE_SHAPE(2), heddle_scalar(7)), HEDDLE_INT64, "(2,)", VALUES(7, 7));
    CHECK_ARRAY(heddle_full(HEDDLE_SHAPE(2), heddle_scalar(1.5), .dtype = HEDDLE_INT8), HEDDLE_INT8,
                "(2,)", VALUES(1, 1));
    heddle_array *sum = heddle_sum(counting(HEDDLE_FLOAT32, HEDDLE_SHAPE(4)));
    CHECK_ARRAY(heddle_full(HEDDLE_SHAPE(1, 2), sum), HEDDLE_FLOAT32, "(1, 2)", VALUES(6, 6));
    heddle_array *like = counting(HEDDLE_UINT8, HEDDLE_SHAPE(2, 1));
    CHECK_ARRAY(heddle_zeros_like(like), HEDDLE_UINT8, "(2, 1)", VALUES(0, 0));
    CHECK_ARRAY(heddle_ones_like(like, .dtype = HEDDLE_FLOAT32), HEDDLE_FLOAT32, "(2, 1)",
                VALUES(1, 1));
    CHECK_ARRAY(heddle_full_like(like, heddle_scalar(3)), HEDDLE_UINT8, "(2, 1)", VALUES(3, 3));
    CHECK_ARRAY(heddle_empty_like(like), HEDDLE_UINT8, "(2, 1)", VALUES(0, 0));

    CHECK_ERROR(heddle_full(HEDDLE_SHAPE(2), like), HEDDLE_ESHAPE,
                "heddle_full: the value has shape (2, 1), not ()");
    CHECK_ERROR(heddle_full_like(like, heddle_scalar(256)), HEDDLE_ERANGE,
                "heddle_full_like: scalar 256 is out of range of uint8");
    CHECK_ERROR(heddle_full(HEDDLE_SHAPE(2), heddle_scalar_complex(0, 1), .dtype = HEDDLE_FLOAT64),
                HEDDLE_EDTYPE, "heddle_full: value of dtype complex128 into an array of float64");
    CHECK_ERROR(heddle_full(HEDDLE_SHAPE(2), NULL), HEDDLE_EARG, "heddle_full: argument 3 is NULL");
    CHECK_ERROR(heddle_zeros(HEDDLE_SHAPE(2, -3)), HEDDLE_ESHAPE,
                "heddle_zeros: negative extent in shape (2, -3)");
    CHECK_ERROR(heddle_zeros_with(9, (int64_t[9]){0}, NULL), HEDDLE_ESHAPE,
                "heddle_zeros: 9 axes, more than 8");
    CHECK_ERROR(heddle_zeros_with(1, NULL, NULL), HEDDLE_EARG, "heddle_zeros: shape is NULL");
    CHECK_ERROR(heddle_zeros(HEDDLE_SHAPE(1), .dtype = (enum heddle_dtype)50), HEDDLE_EDTYPE,
                "heddle_zeros: 50 is no dtype");
    CHECK_ERROR(heddle_zeros_like(NULL), HEDDLE_EARG, "heddle_zeros_like: argument 1 is NULL");
}

static void memory(void)
{
    const int16_t x[4] = {1, -2, 3, -4};
    heddle_array *a = heddle_asarray(x, HEDDLE_INT16, HEDDLE_SHAPE(2, 2));
    CHECK_ARRAY(a, HEDDLE_INT16, "(2, 2)", VALUES(1, -2, 3, -4));
    CHECK(heddle_is_evaluated(a));
    CHECK_EQ(heddle_nbytes(a), 8);
    const unsigned char odd[3] = {0, 7, 255};
    CHECK_ARRAY(heddle_asarray(odd, HEDDLE_BOOL, HEDDLE_SHAPE(3)), HEDDLE_BOOL, "(3,)",
                VALUES(0, 1, 1));
    heddle_array *borrowed = heddle_asarray(odd, HEDDLE_BOOL, HEDDLE_SHAPE(3), .borrow = true);
    CHECK_ARRAY(borrowed, HEDDLE_BOOL, "(3,)", VALUES(0, 1, 1));
    CHECK_ARRAY(heddle_asarray(x, HEDDLE_INT16, 0, NULL), HEDDLE_INT16, "()", VALUES(1));
    CHECK_ERROR(heddle_asarray(NULL, HEDDLE_INT16, HEDDLE_SHAPE(2)), HEDDLE_EARG,
                "heddle_asarray: data is NULL, shape (2,)");
    CHECK_ERROR(heddle_asarray(x, HEDDLE_DTYPE_NONE, HEDDLE_SHAPE(2)), HEDDLE_EDTYPE,
                "heddle_asarray: 0 is no dtype");
}

static void arange(void)
{
    CHECK_ARRAY(heddle_arange(heddle_scalar(4), NULL, NULL), HEDDLE_INT64, "(4,)",
                VALUES(0, 1, 2, 3));
    CHECK_ARRAY(heddle_arange(heddle_scalar(2), heddle_scalar(-4), heddle_scalar(-2)), HEDDLE_INT64,
                "(3,)", VALUES(2, 0, -2));
    CHECK_ARRAY(heddle_arange(heddle_scalar(0), heddle_scalar(7), heddle_scalar(3)), HEDDLE_INT64,
                "(3,)", VALUES(0, 3, 6));
    CHECK_ARRAY(heddle_arange(heddle_scalar(0.5), heddle_scalar(2), heddle_scalar(0.5)),
                HEDDLE_FLOAT64, "(3,)", VALUES(0.5, 1, 1.5));
    CHECK_ARRAY(heddle_arange(heddle_scalar(3), NULL, NULL, .dtype = HEDDLE_FLOAT32),
                HEDDLE_FLOAT32, "(3,)", VALUES(0, 1, 2));
    CHECK_ARRAY(heddle_arange(heddle_scalar(3), heddle_scalar(3), NULL), HEDDLE_INT64, "(0,)",
                NOTHING);
    CHECK_ARRAY(heddle_arange(heddle_scalar(3), heddle_scalar(0.0), NULL), HEDDLE_FLOAT64, "(0,)",
                NOTHING);
    heddle_array *n = heddle_sum(counting(HEDDLE_INT8, HEDDLE_SHAPE(3))); /* evaluated here: 3 */
    CHECK_ARRAY(heddle_arange(n, NULL, NULL), HEDDLE_INT64, "(3,)", VALUES(0, 1, 2));
    CHECK_EQ(heddle_size(heddle_arange(heddle_scalar(INT64_MIN), heddle_scalar(INT64_MAX),
                                       heddle_scalar(INT64_MAX))),
             3);
    CHECK_ERROR(heddle_arange(heddle_scalar(INT64_MIN), heddle_scalar(INT64_MAX), NULL),
                HEDDLE_ESHAPE, "heddle_arange: too many elements");
    CHECK_ERROR(heddle_arange(heddle_scalar(1), heddle_scalar(2), heddle_scalar(0)), HEDDLE_EARG,
                "heddle_arange: step is 0");
    CHECK_ERROR(heddle_arange(heddle_scalar(NAN), NULL, NULL), HEDDLE_EARG,
                "heddle_arange: from 0 to nan by 1 is no range");
    CHECK_ERROR(heddle_arange(heddle_scalar_complex(1, 1), NULL, NULL), HEDDLE_EDTYPE,
                "heddle_arange: dtype complex128 of argument 1; accepts real numbers");
    CHECK_ERROR(heddle_arange(counting(HEDDLE_INT64, HEDDLE_SHAPE(2)), NULL, NULL), HEDDLE_ESHAPE,
                "heddle_arange: argument 1 has shape (2,), not ()");
}

static void linspace(void)
{
    CHECK_ARRAY(heddle_linspace(heddle_scalar(0), heddle_scalar(1), 5), HEDDLE_FLOAT64, "(5,)",
                VALUES(0, 0.25, 0.5, 0.75, 1));
    CHECK_ARRAY(heddle_linspace(heddle_scalar(0), heddle_scalar(1), 4, .endpoint_excluded = true),
                HEDDLE_FLOAT64, "(4,)", VALUES(0, 0.25, 0.5, 0.75));
    CHECK_ARRAY(heddle_linspace(heddle_scalar(2), heddle_scalar(3), 1), HEDDLE_FLOAT64, "(1,)",
                VALUES(2));
    CHECK_ARRAY(heddle_linspace(heddle_scalar(2), heddle_scalar(3), 0), HEDDLE_FLOAT64, "(0,)",
                NOTHING);
    CHECK_ARRAY(heddle_linspace(heddle_scalar(0), heddle_scalar(-5), 3, .dtype = HEDDLE_INT32),
                HEDDLE_INT32, "(3,)", VALUES(0, -3, -5)); /* -2.5 down */
    heddle_array *third = heddle_linspace(heddle_scalar(0.1), heddle_scalar(0.7), 4);
    CHECK_NUM(meaning_nth(third, 3), 0.7);
    CHECK_ERROR(heddle_linspace(heddle_scalar(0), heddle_scalar(1), -1), HEDDLE_EARG,
                "heddle_linspace: num is -1");
    CHECK_ERROR(heddle_linspace(heddle_scalar(0), NULL, 3), HEDDLE_EARG,
                "heddle_linspace: argument 2 is NULL");
}

static void eye(void)
{
    CHECK_ARRAY(heddle_eye(2, -1), HEDDLE_FLOAT64, "(2, 2)", VALUES(1, 0, 0, 1));
    CHECK_ARRAY(heddle_eye(2, 3, .k = 1, .dtype = HEDDLE_INT8), HEDDLE_INT8, "(2, 3)",
                VALUES(0, 1, 0, 0, 0, 1));
    CHECK_ARRAY(heddle_eye(2, 2, .k = -1), HEDDLE_FLOAT64, "(2, 2)", VALUES(0, 0, 1, 0));
    CHECK_ARRAY(heddle_eye(2, 2, .k = 5), HEDDLE_FLOAT64, "(2, 2)", VALUES(0, 0, 0, 0));
    CHECK_ARRAY(heddle_eye(0, 3), HEDDLE_FLOAT64, "(0, 3)", NOTHING);
    CHECK_ARRAY(heddle_eye(1, 1), HEDDLE_FLOAT64, "(1, 1)", VALUES(1));
    CHECK_EQ(heddle_status_of(heddle_eye(-2, 3)), HEDDLE_ESHAPE);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    filled();
    memory();
    arange();
    linspace();
    eye();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    CHECK_EQ(heddle__storage_bytes_live(), 0);
    return check_done();
}
