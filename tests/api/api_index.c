/* Indexing: getitem's rules at their edges, set_item against a mask computed through getitem. */
#include "values.h"

static void getitem(void)
{
    heddle_array *a = counting(HEDDLE_INT32, HEDDLE_SHAPE(3, 4));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(-1))), HEDDLE_INT32, "(4,)",
                VALUES(8, 9, 10, 11));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_AT(2))), HEDDLE_INT32, "()",
                VALUES(6));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_STEP(2))), HEDDLE_INT32,
                "(1, 2)", VALUES(4, 6));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_AT(0))), HEDDLE_INT32,
                "(3,)", VALUES(0, 4, 8));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(0), HEDDLE_ELLIPSIS, HEDDLE_NEWAXIS)),
                HEDDLE_INT32, "(4, 1)", VALUES(0, 1, 2, 3));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE_STEP(9, -9, -3))),
                HEDDLE_INT32, "(3, 2)", VALUES(3, 0, 7, 4, 11, 8));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(2, 1))), HEDDLE_INT32, "(0, 4)",
                NOTHING);
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(-99, 99), HEDDLE_FROM(3))),
                HEDDLE_INT32, "(3, 1)", VALUES(3, 7, 11));
    const int64_t far = INT64_MAX;
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(far), HEDDLE_STEP(-far))), HEDDLE_INT32,
                "(1, 1)", VALUES(3));
    CHECK_ARRAY(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(-far, far), HEDDLE_TO(1))),
                HEDDLE_INT32, "(3, 1)", VALUES(0, 4, 8));
    CHECK(heddle_getitem(a, 0, NULL) == a);
    CHECK(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ELLIPSIS)) == a);

    CHECK_ERROR(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(4))), HEDDLE_EINDEX,
                "heddle_getitem: index 4 is out of range of axis 1 of shape (3, 4)");
    CHECK_ERROR(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(-4))), HEDDLE_EINDEX,
                "heddle_getitem: index -4 is out of range of axis 0 of shape (3, 4)");
    CHECK_ERROR(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_ALL, HEDDLE_AT(0))),
                HEDDLE_EINDEX, "heddle_getitem: 3 indices for shape (3, 4)");
    CHECK_ERROR(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_ELLIPSIS)), HEDDLE_EARG,
                "heddle_getitem: two ellipses");
    struct heddle_index nine[7];
    for (int i = 0; i < 7; i++) nine[i] = (struct heddle_index)HEDDLE_NEWAXIS;
    CHECK_ERROR(heddle_getitem(a, 7, nine), HEDDLE_ESHAPE,
                "heddle_getitem: the result has more than 8 axes");
}

static uint64_t seed = 5;

static int64_t below(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

/* r = a with a[index] = value, checked through getitem of the array of positions. */
static void set_at_random(void)
{
    const int ndim = 1 + (int)below(3);
    int64_t shape[3];
    for (int d = 0; d < ndim; d++) shape[d] = 1 + below(4);
    heddle_array *a = counting(HEDDLE_FLOAT64, ndim, shape);
    struct heddle_index index[8];
    int n = 0;
    for (int d = 0; d < ndim; d++) {
        if (below(5) == 0) index[n++] = (struct heddle_index)HEDDLE_NEWAXIS;
        struct heddle_index x = {.step = below(5) - 2, .has_start = below(2), .start = below(4)};
        if (below(4) == 0) x = (struct heddle_index)HEDDLE_AT(below(shape[d]));
        index[n++] = x;
    }
    heddle_array *at = heddle_getitem(a, n, index); /* positions that change */
    int64_t value_shape[HEDDLE_MAX_NDIM];
    const int drop = (int)below(at->ndim + 1);
    for (int d = drop; d < at->ndim; d++) value_shape[d - drop] = below(3) ? at->shape[d] : 1;
    heddle_array *value =
        heddle_add(counting(HEDDLE_INT64, at->ndim - drop, value_shape), heddle_scalar(1000));
    heddle_array *r = heddle_set_item(a, n, index, value);
    CHECK_EQ(heddle_status_of(r), HEDDLE_OK);
    CHECK_EQ(heddle_dtype_of(r), HEDDLE_FLOAT64);
    double expected[64];
    for (int64_t i = 0; i < a->size; i++) expected[i] = (double)i;
    heddle_array *wide = heddle_broadcast_to(value, at->ndim, at->shape);
    for (int64_t i = 0; i < at->size; i++)
        expected[(int64_t)meaning_nth(at, i)] = meaning_nth(wide, i);
    for (int64_t i = 0; i < a->size; i++) CHECK_NUM(meaning_nth(r, i), expected[i]);
}

static void set_item(void)
{
    heddle_array *a = counting(HEDDLE_INT32, HEDDLE_SHAPE(2, 3));
    heddle_array *r = heddle_set_item(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_STEP(-2)),
                                      counting(HEDDLE_INT64, HEDDLE_SHAPE(2)));
    CHECK_ARRAY(r, HEDDLE_INT32, "(2, 3)", VALUES(1, 1, 0, 1, 4, 0));
    CHECK_EQ(r->kind, HEDDLE_NODE_ASSEMBLE);
    CHECK(r->in[0] == a);
    CHECK_EQ(r->landings[1].start[1], 0);
    CHECK_EQ(r->landings[1].step[1], 2);
    CHECK_ARRAY(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_AT(-1)), heddle_scalar(2.9)),
                HEDDLE_INT32, "(2, 3)", VALUES(0, 1, 2, 3, 4, 2));
    CHECK_ARRAY(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_ELLIPSIS), heddle_scalar(7)), HEDDLE_INT32,
                "(2, 3)", VALUES(7, 7, 7, 7, 7, 7));
    CHECK(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_SLICE(1, 1)), heddle_scalar(7)) == a);
    CHECK_ARRAY(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(0)),
                                heddle_ones(HEDDLE_SHAPE(1, 1, 3), .dtype = HEDDLE_INT8)),
                HEDDLE_INT32, "(2, 3)", VALUES(1, 1, 1, 3, 4, 5));
    CHECK_ERROR(
        heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(0)), counting(HEDDLE_INT8, HEDDLE_SHAPE(2))),
        HEDDLE_ESHAPE,
        "heddle_set_item: value of shape (2,) does not broadcast to the selected (3,)");
    CHECK_ERROR(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar_complex(0, 1)),
                HEDDLE_EDTYPE, "heddle_set_item: value of dtype complex128 into an array of int32");
    CHECK_ERROR(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar((int64_t)1 << 40)),
                HEDDLE_ERANGE, "heddle_set_item: scalar 1099511627776 is out of range of int32");
    CHECK_ERROR(heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(9)), heddle_scalar(1)), HEDDLE_EINDEX,
                "heddle_set_item: index 9 is out of range of axis 0 of shape (2, 3)");
    CHECK_ERROR(heddle_set_item(a, 0, NULL, NULL), HEDDLE_EARG,
                "heddle_set_item: argument 4 is NULL");
    for (int i = 0; i < 3000; i++) {
        heddle_scope scope = heddle_scope_open();
        set_at_random();
        heddle_scope_close(scope);
    }
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    getitem();
    set_item();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
