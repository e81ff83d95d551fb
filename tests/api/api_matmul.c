/* matmul: shapes of all kinds of operands, values through the oracle, errors. */
#include "values.h"

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *m = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3)),
                 *v3 = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(3)),
                 *v2 = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2));
    CHECK_ARRAY(heddle_matmul(m, heddle_matrix_transpose(m)), HEDDLE_FLOAT64, "(2, 2)",
                VALUES(5, 14, 14, 50));
    CHECK_ARRAY(heddle_matmul(m, v3), HEDDLE_FLOAT64, "(2,)", VALUES(5, 14));
    CHECK_ARRAY(heddle_matmul(v2, m), HEDDLE_FLOAT64, "(3,)", VALUES(3, 4, 5));
    CHECK_ARRAY(heddle_matmul(v3, v3), HEDDLE_FLOAT64, "()", VALUES(5));

    /* batches */
    heddle_array *batch = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 1, 2, 3)),
                 *other = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(4, 3, 1));
    heddle_array *r = heddle_matmul(batch, other);
    CHECK_STR(HEDDLE_SHAPE_OF(r), "(2, 4, 2, 1)");
    CHECK_EQ(r->kind, HEDDLE_NODE_FAMILY);
    CHECK_STR(HEDDLE_SHAPE_OF(r->in[0]), "(2, 4, 2, 3)");
    CHECK_STR(HEDDLE_SHAPE_OF(r->in[1]), "(2, 4, 3, 1)");
    CHECK_NUM(meaning_nth(r, 15), 9 * 9 + 10 * 10 + 11 * 11);
    CHECK_STR(HEDDLE_SHAPE_OF(heddle_matmul(batch, v3)), "(2, 1, 2)");
    CHECK_STR(HEDDLE_SHAPE_OF(heddle_matmul(v2, batch)), "(2, 1, 3)");

    /* dtypes, products of nothing */
    heddle_array *i8 = counting(HEDDLE_INT8, HEDDLE_SHAPE(3));
    CHECK_ARRAY(heddle_matmul(i8, i8), HEDDLE_INT8, "()", VALUES(5));
    CHECK_ARRAY(heddle_matmul(m, heddle_astype(i8, HEDDLE_FLOAT32)), HEDDLE_FLOAT64, "(2,)",
                VALUES(5, 14));
    CHECK_ARRAY(heddle_matmul(heddle_zeros(HEDDLE_SHAPE(2, 0)), heddle_zeros(HEDDLE_SHAPE(0, 1))),
                HEDDLE_FLOAT64, "(2, 1)", VALUES(0, 0));
    CHECK_ARRAY(heddle_matmul(heddle_zeros(HEDDLE_SHAPE(0, 3)), v3), HEDDLE_FLOAT64, "(0,)",
                NOTHING);

    CHECK_ERROR(heddle_matmul(m, m), HEDDLE_ESHAPE,
                "heddle_matmul: shapes (2, 3) and (2, 3): inner extents 3 and 2 differ");
    CHECK_ERROR(heddle_matmul(m, heddle_scalar(2)), HEDDLE_ESHAPE,
                "heddle_matmul: shapes (2, 3) and (): argument 2 has no axes");
    CHECK_ERROR(heddle_matmul(counting(HEDDLE_INT8, HEDDLE_SHAPE(2, 1, 1)),
                              counting(HEDDLE_INT8, HEDDLE_SHAPE(3, 1, 1))),
                HEDDLE_ESHAPE,
                "heddle_matmul: shapes (2, 1, 1) and (3, 1, 1): leading axes do not broadcast");
    heddle_array *truths = heddle_ones(HEDDLE_SHAPE(2, 2), .dtype = HEDDLE_BOOL);
    CHECK_ERROR(heddle_matmul(truths, truths), HEDDLE_EDTYPE,
                "heddle_matmul: dtype bool; accepts numbers, not bool");
    CHECK_ERROR(heddle_matmul(NULL, m), HEDDLE_EARG, "heddle_matmul: argument 1 is NULL");
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    CHECK_EQ(heddle__storage_bytes_live(), 0);
    return check_done();
}
