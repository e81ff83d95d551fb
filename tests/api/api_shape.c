/* Manipulation of shape and concatenation: values, forms of nodes, errors. Chains of views are in
 * tests/graph. */
#include "values.h"

static void reshape(void)
{
    heddle_array *a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    CHECK_ARRAY(heddle_reshape(a, HEDDLE_SHAPE(3, -1)), HEDDLE_FLOAT64, "(3, 2)",
                VALUES(0, 1, 2, 3, 4, 5));
    CHECK(heddle_reshape(a, HEDDLE_SHAPE(2, 3)) == a);
    CHECK(heddle_reshape(heddle_reshape(a, HEDDLE_SHAPE(6)), HEDDLE_SHAPE(2, 3)) == a);
    CHECK_EQ(heddle_reshape(a, HEDDLE_SHAPE(1, 2, 1, 3))->kind, HEDDLE_NODE_VIEW);
    heddle_array *flat = heddle_reshape(heddle_matrix_transpose(a), HEDDLE_SHAPE(-1));
    CHECK_EQ(flat->kind, HEDDLE_NODE_RESHAPE);
    CHECK_ARRAY(flat, HEDDLE_FLOAT64, "(6,)", VALUES(0, 3, 1, 4, 2, 5));
    CHECK_EQ(heddle_reshape(flat, HEDDLE_SHAPE(2, 3))->in[0]->kind, HEDDLE_NODE_VIEW);
    CHECK_ARRAY(heddle_reshape(heddle_scalar(2), HEDDLE_SHAPE(1, 1)), HEDDLE_INT64, "(1, 1)",
                VALUES(2));
    CHECK_ARRAY(heddle_reshape(heddle_zeros(HEDDLE_SHAPE(0, 3)), HEDDLE_SHAPE(-1, 3)),
                HEDDLE_FLOAT64, "(0, 3)", NOTHING);
    CHECK_ERROR(heddle_reshape(a, HEDDLE_SHAPE(4, -1)), HEDDLE_ESHAPE,
                "heddle_reshape: shape (2, 3) does not become (4, -1)");
    CHECK_ERROR(heddle_reshape(a, HEDDLE_SHAPE(5)), HEDDLE_ESHAPE,
                "heddle_reshape: shape (2, 3) does not become (5,)");
    CHECK_ERROR(heddle_reshape(a, HEDDLE_SHAPE(-1, -1)), HEDDLE_ESHAPE,
                "heddle_reshape: two extents of (-1, -1) are -1");
    CHECK_ERROR(heddle_reshape(heddle_zeros(HEDDLE_SHAPE(0)), HEDDLE_SHAPE(-1, 0)), HEDDLE_ESHAPE,
                "heddle_reshape: shape (0,) does not become (-1, 0)");
    CHECK_EQ(heddle_status_of(heddle_reshape(a, HEDDLE_SHAPE(-2, -3))), HEDDLE_ESHAPE);
}

/* Elementwise work on data takes the shape with it, so that it is fused with what follows; what is no block of data does not. */
static void reshape_of_work(void)
{
    const float x[6] = {0, 1, 2, 3, 4, 5};
    const signed char z[6] = {-128, 127, -1, 1, 2, 3};
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(2, 3)),
                 *b = heddle_asarray(z, HEDDLE_INT8, HEDDLE_SHAPE(2, 3));
    heddle_array *y =
        heddle_subtract(heddle_add(heddle_astype(a, HEDDLE_INT8), b), heddle_scalar(1));
    heddle_array *r = heddle_reshape(y, HEDDLE_SHAPE(3, 2));
    CHECK_EQ(r->kind, HEDDLE_NODE_MAP);
    CHECK_ARRAY(r, HEDDLE_INT8, "(3, 2)", VALUES(127, 127, 0, 3, 5, 7));
    heddle_array *h = heddle_multiply(heddle_astype(a, HEDDLE_FLOAT16), heddle_scalar(3));
    r = heddle_reshape(h, HEDDLE_SHAPE(-1));
    CHECK(r->kind != HEDDLE_NODE_RESHAPE);
    CHECK_ARRAY(r, HEDDLE_FLOAT16, "(6,)", VALUES(0, 3, 6, 9, 12, 15));
    CHECK_ARRAY(heddle_reshape(heddle_reshape(h, HEDDLE_SHAPE(-1)), HEDDLE_SHAPE(3, 2)),
                HEDDLE_FLOAT16, "(3, 2)", VALUES(0, 3, 6, 9, 12, 15));
    heddle_array *row = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(1)));
    r = heddle_reshape(heddle_add(a, row), HEDDLE_SHAPE(-1));
    CHECK_EQ(r->kind, HEDDLE_NODE_RESHAPE);
    CHECK_ARRAY(r, HEDDLE_FLOAT32, "(6,)", VALUES(3, 5, 7, 6, 8, 10));
    /* what is done to a reshaped view is done to the view */
    r = heddle_add(heddle_reshape(heddle_matrix_transpose(a), HEDDLE_SHAPE(2, 3)),
                   heddle_scalar(1));
    CHECK_EQ(r->kind, HEDDLE_NODE_RESHAPE);
    CHECK_EQ(r->in[0]->kind, HEDDLE_NODE_MAP);
    CHECK_ARRAY(r, HEDDLE_FLOAT32, "(2, 3)", VALUES(1, 4, 2, 5, 3, 6));
    r = heddle_astype(heddle_reshape(heddle_matrix_transpose(a), HEDDLE_SHAPE(-1)), HEDDLE_INT8);
    CHECK_EQ(r->kind, HEDDLE_NODE_RESHAPE);
    CHECK_ARRAY(r, HEDDLE_INT8, "(6,)", VALUES(0, 3, 1, 4, 2, 5));
    heddle_array *flat = heddle_reshape(heddle_matrix_transpose(a), HEDDLE_SHAPE(-1)),
                 *other = heddle_reshape(heddle_matrix_transpose(b), HEDDLE_SHAPE(-1));
    r = heddle_subtract(flat, other);
    CHECK_EQ(r->kind, HEDDLE_NODE_RESHAPE);
    CHECK_ARRAY(r, HEDDLE_FLOAT32, "(6,)", VALUES(128, 2, -126, 2, 3, 2));
    r = heddle_subtract(flat, heddle_reshape(b, HEDDLE_SHAPE(-1)));
    CHECK_EQ(r->kind, HEDDLE_NODE_MAP);
    CHECK_ARRAY(r, HEDDLE_FLOAT32, "(6,)", VALUES(128, -124, 2, 3, 0, 2));
    r = heddle_add(heddle_reshape(flat, HEDDLE_SHAPE(3, 2)),
                   heddle_reshape(row, HEDDLE_SHAPE(3, 1)));
    CHECK_EQ(r->kind, HEDDLE_NODE_MAP);
    CHECK_ARRAY(r, HEDDLE_FLOAT32, "(3, 2)", VALUES(3, 6, 5, 8, 7, 10));
    r = heddle_reshape(heddle_negative(heddle_flip(a)), HEDDLE_SHAPE(-1));
    CHECK_EQ(r->kind, HEDDLE_NODE_RESHAPE);
    CHECK_ARRAY(r, HEDDLE_FLOAT32, "(6,)", VALUES(-5, -4, -3, -2, -1, 0));
}

static void views(void)
{
    heddle_array *a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    CHECK_ARRAY(heddle_permute_dims(a, HEDDLE_ORDER(1, 0)), HEDDLE_FLOAT64, "(3, 2)",
                VALUES(0, 3, 1, 4, 2, 5));
    CHECK(heddle_matrix_transpose(heddle_matrix_transpose(a)) == a);
    CHECK(heddle_flip(heddle_flip(a)) == a);
    CHECK(heddle_squeeze(heddle_expand_dims(a, 1), HEDDLE_ORDER(1)) == a);
    CHECK_ARRAY(heddle_flip(a, .axis = 1), HEDDLE_FLOAT64, "(2, 3)", VALUES(2, 1, 0, 5, 4, 3));
    CHECK_ARRAY(
        heddle_broadcast_to(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(1))), HEDDLE_SHAPE(2, 3)),
        HEDDLE_FLOAT64, "(2, 3)", VALUES(3, 4, 5, 3, 4, 5));
    CHECK_ARRAY(heddle_broadcast_to(heddle_scalar(1.5), HEDDLE_SHAPE(2)), HEDDLE_FLOAT64, "(2,)",
                VALUES(1.5, 1.5));
    CHECK_ARRAY(heddle_broadcast_to(heddle_ones(HEDDLE_SHAPE(1)), HEDDLE_SHAPE(0)), HEDDLE_FLOAT64,
                "(0,)", NOTHING);
    CHECK_ERROR(heddle_permute_dims(a, HEDDLE_ORDER(0)), HEDDLE_EAXIS,
                "heddle_permute_dims: 1 axes for shape (2, 3)");
    CHECK_ERROR(heddle_permute_dims(a, HEDDLE_ORDER(0, 0)), HEDDLE_EAXIS,
                "heddle_permute_dims: axis 0 is given twice");
    CHECK_ERROR(heddle_matrix_transpose(heddle_scalar(1)), HEDDLE_ESHAPE,
                "heddle_matrix_transpose: shape () has less than two axes");
    CHECK_ERROR(heddle_expand_dims(a, 4), HEDDLE_EAXIS,
                "heddle_expand_dims: axis 4 is out of range of shape (2, 3)");
    CHECK_ERROR(heddle_squeeze(a, HEDDLE_ORDER(0)), HEDDLE_ESHAPE,
                "heddle_squeeze: axis 0 of shape (2, 3) has not extent 1");
    CHECK_ERROR(heddle_broadcast_to(a, HEDDLE_SHAPE(3)), HEDDLE_ESHAPE,
                "heddle_broadcast_to: shape (2, 3) does not broadcast to (3,)");
    CHECK_ERROR(heddle_broadcast_to(a, HEDDLE_SHAPE(1, 3)), HEDDLE_ESHAPE,
                "heddle_broadcast_to: shape (2, 3) does not broadcast to (1, 3)");
    CHECK_ERROR(heddle_flip(a, .axis = 2), HEDDLE_EAXIS,
                "heddle_flip: axis 2 is out of range of shape (2, 3)");
}

static void joining(void)
{
    heddle_array *a = counting(HEDDLE_INT8, HEDDLE_SHAPE(2, 2)),
                 *b = counting(HEDDLE_FLOAT32, HEDDLE_SHAPE(2, 1)),
                 *none = counting(HEDDLE_INT8, HEDDLE_SHAPE(2, 0));
    CHECK_ARRAY(heddle_concat(HEDDLE_ARRAYS(a, b, none, a), 1), HEDDLE_FLOAT32, "(2, 5)",
                VALUES(0, 1, 0, 0, 1, 2, 3, 1, 2, 3));
    CHECK_ARRAY(heddle_concat(HEDDLE_ARRAYS(a, a), -2), HEDDLE_INT8, "(4, 2)",
                VALUES(0, 1, 2, 3, 0, 1, 2, 3));
    CHECK(heddle_concat(HEDDLE_ARRAYS(a, none), 1) == a);
    CHECK_ARRAY(heddle_concat(HEDDLE_ARRAYS(none, none), 1), HEDDLE_INT8, "(2, 0)", NOTHING);
    CHECK_ARRAY(heddle_concat_flat(HEDDLE_ARRAYS(b, a, heddle_scalar(9))), HEDDLE_FLOAT32, "(7,)",
                VALUES(0, 1, 0, 1, 2, 3, 9));
    CHECK_ARRAY(heddle_stack(HEDDLE_ARRAYS(a, a), 0), HEDDLE_INT8, "(2, 2, 2)",
                VALUES(0, 1, 2, 3, 0, 1, 2, 3));
    CHECK_ARRAY(heddle_stack(HEDDLE_ARRAYS(a, heddle_flip(a)), -1), HEDDLE_INT8, "(2, 2, 2)",
                VALUES(0, 3, 1, 2, 2, 1, 3, 0));
    CHECK_ARRAY(heddle_stack(HEDDLE_ARRAYS(heddle_scalar(1), heddle_scalar(2)), 0), HEDDLE_INT64,
                "(2,)", VALUES(1, 2));
    CHECK_ERROR(heddle_concat(HEDDLE_ARRAYS(a, b), 0), HEDDLE_ESHAPE,
                "heddle_concat: shapes (2, 2) and (2, 1) (argument 2) differ beside axis 0");
    CHECK_ERROR(heddle_concat(HEDDLE_ARRAYS(a, a), 2), HEDDLE_EAXIS,
                "heddle_concat: axis 2 is out of range of shape (2, 2)");
    CHECK_ERROR(heddle_concat(0, NULL, 0), HEDDLE_EARG, "heddle_concat: 0 arrays");
    CHECK_ERROR(heddle_concat(HEDDLE_ARRAYS(a, NULL), 0), HEDDLE_EARG,
                "heddle_concat: argument 2 is NULL");
    CHECK_ERROR(heddle_stack(HEDDLE_ARRAYS(a, b), 0), HEDDLE_ESHAPE,
                "heddle_stack: shapes (2, 2) and (2, 1) (argument 2) differ");
    CHECK_ERROR(heddle_stack(HEDDLE_ARRAYS(a), 3), HEDDLE_EAXIS,
                "heddle_stack: axis 3 is out of range of shape (2, 2)");
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    reshape();
    reshape_of_work();
    views();
    joining();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
