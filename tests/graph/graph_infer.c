/* Inference at the call: broadcasting, promotion with weak scalars, inserted casts and views, and
 * the texts of errors. */
#include "graph/infer.h"
#include "graph/scope.h"

#include "check.h"

#include <heddle.h>

static heddle_array *of(enum heddle_dtype dtype)
{
    return heddle_zeros(HEDDLE_SHAPE(3), .dtype = dtype);
}

static heddle_array *data(int ndim, const int64_t *shape)
{
    static const double zeros[4096];
    return heddle_asarray(zeros, HEDDLE_FLOAT64, ndim, shape);
}

#define DTYPE_IS(array, expected)                                                                  \
    CHECK_STR(heddle_dtype_name(heddle_dtype_of(array)), heddle_dtype_name(expected))

static void weak_scalars(void)
{
    /* by dtype of the array: its result with a bool, int, float and complex scalar */
    static const struct {
        enum heddle_dtype array, with[4];
    } table[] = {
        {HEDDLE_BOOL, {HEDDLE_BOOL, HEDDLE_INT64, HEDDLE_FLOAT64, HEDDLE_COMPLEX128}},
        {HEDDLE_INT8, {HEDDLE_INT8, HEDDLE_INT8, HEDDLE_FLOAT64, HEDDLE_COMPLEX128}},
        {HEDDLE_UINT16, {HEDDLE_UINT16, HEDDLE_UINT16, HEDDLE_FLOAT64, HEDDLE_COMPLEX128}},
        {HEDDLE_UINT64, {HEDDLE_UINT64, HEDDLE_UINT64, HEDDLE_FLOAT64, HEDDLE_COMPLEX128}},
        {HEDDLE_FLOAT32, {HEDDLE_FLOAT32, HEDDLE_FLOAT32, HEDDLE_FLOAT32, HEDDLE_COMPLEX64}},
        {HEDDLE_FLOAT64, {HEDDLE_FLOAT64, HEDDLE_FLOAT64, HEDDLE_FLOAT64, HEDDLE_COMPLEX128}},
        {HEDDLE_COMPLEX64,
         {HEDDLE_COMPLEX64, HEDDLE_COMPLEX64, HEDDLE_COMPLEX64, HEDDLE_COMPLEX64}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        heddle_array *const scalars[4] = {heddle_scalar_bool(1), heddle_scalar(1),
                                          heddle_scalar(1.0), heddle_scalar_complex(0, 1)};
        for (int k = 0; k < 4; k++) {
            DTYPE_IS(heddle_add(of(table[i].array), scalars[k]), table[i].with[k]);
            DTYPE_IS(heddle_multiply(scalars[k], of(table[i].array)), table[i].with[k]);
        }
    }
    /* alone, and together: strong */
    heddle_array *two = heddle_add(heddle_scalar(1), heddle_scalar(1.0));
    DTYPE_IS(two, HEDDLE_FLOAT64);
    DTYPE_IS(heddle_add(of(HEDDLE_FLOAT32), two), HEDDLE_FLOAT64);
    DTYPE_IS(heddle_add(of(HEDDLE_FLOAT32), heddle_asarray(&(double){1}, HEDDLE_FLOAT64, 0, NULL)),
             HEDDLE_FLOAT64);
    DTYPE_IS(heddle_add(of(HEDDLE_FLOAT32), heddle_astype(heddle_scalar(1.0), HEDDLE_FLOAT64)),
             HEDDLE_FLOAT64);
    DTYPE_IS(heddle_where(of(HEDDLE_BOOL), of(HEDDLE_FLOAT32), heddle_scalar(0.0)), HEDDLE_FLOAT32);
    DTYPE_IS(heddle_divide(of(HEDDLE_INT8), heddle_scalar(2)), HEDDLE_FLOAT64);
    DTYPE_IS(heddle_sqrt(heddle_scalar(2)), HEDDLE_FLOAT64);
    DTYPE_IS(heddle_clip(of(HEDDLE_UINT8), heddle_scalar(-5), heddle_scalar(300)), HEDDLE_UINT8);

    /* out of range */
    heddle_array *bad = heddle_add(of(HEDDLE_UINT8), heddle_scalar(300));
    CHECK_EQ(heddle_status_of(bad), HEDDLE_ERANGE);
    CHECK_STR(heddle_error(bad), "heddle_add: scalar 300, argument 2, is out of range of uint8");
    CHECK_EQ(heddle_status_of(heddle_add(of(HEDDLE_UINT64), heddle_scalar(-1))), HEDDLE_ERANGE);
    CHECK_EQ(heddle_status_of(heddle_add(of(HEDDLE_INT8), heddle_scalar(-128))), HEDDLE_OK);
    CHECK_EQ(heddle_status_of(heddle_add(of(HEDDLE_INT8), heddle_scalar(-129))), HEDDLE_ERANGE);
    /* but comparisons understand it */
    heddle_array *less = heddle_less(of(HEDDLE_UINT8), heddle_scalar(300));
    DTYPE_IS(less, HEDDLE_BOOL);
    CHECK_EQ(less->in_dtype, HEDDLE_INT64);
    CHECK_EQ(heddle_less(of(HEDDLE_UINT64), heddle_scalar(-1))->in_dtype, HEDDLE_FLOAT64);
    CHECK_EQ(heddle_less(of(HEDDLE_UINT64), heddle_scalar(1))->in_dtype, HEDDLE_UINT64);
}

static void broadcasting(void)
{
    static const struct {
        const char *a, *b, *both; /* digits are extents; "-": no rule */
    } table[] = {
        {"", "", ""},       {"3", "", "3"},     {"34", "4", "34"},    {"34", "14", "34"},
        {"34", "31", "34"}, {"31", "14", "34"}, {"134", "21", "-"},   {"21", "334", "-"},
        {"34", "5", "-"},   {"34", "3", "-"},   {"0", "1", "0"},      {"0", "", "0"},
        {"0", "2", "-"},    {"30", "1", "30"},  {"1", "1", "1"},      {"11111111", "2", "11111112"},
        {"21", "03", "-"},  {"01", "13", "03"}, {"321", "14", "324"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        int64_t shape[2][HEDDLE_MAX_NDIM];
        const int n[2] = {(int)strlen(table[i].a), (int)strlen(table[i].b)};
        for (int d = 0; d < n[0]; d++) shape[0][d] = table[i].a[d] - '0';
        for (int d = 0; d < n[1]; d++) shape[1][d] = table[i].b[d] - '0';
        for (int order = 0; order < 2; order++) {
            heddle_array *x = data(n[order], shape[order]), *y = data(n[!order], shape[!order]);
            heddle_array *r = heddle_add(x, y);
            char text[HEDDLE_MAX_NDIM + 1] = "-";
            if (heddle_status_of(r) == HEDDLE_OK) {
                text[r->ndim] = 0;
                for (int d = 0; d < r->ndim; d++) text[d] = (char)('0' + r->shape[d]);
            }
            CHECK_STR(text, table[i].both);
        }
    }
    heddle_array *r = heddle_add(data(3, (int64_t[]){1, 2, 1}), data(2, (int64_t[]){1, 4}));
    CHECK_STR(HEDDLE_SHAPE_OF(r), "(1, 2, 4)");
    CHECK_EQ(r->in[0]->kind, HEDDLE_NODE_VIEW);
    CHECK_EQ(r->in[1]->kind, HEDDLE_NODE_VIEW);
    CHECK_STR(HEDDLE_SHAPE_OF(r->in[1]), "(1, 2, 4)");
    heddle_array *where = heddle_where(data(2, (int64_t[]){2, 1}), data(1, (int64_t[]){3}),
                                       data(3, (int64_t[]){4, 1, 1}));
    CHECK_STR(HEDDLE_SHAPE_OF(where), "(4, 2, 3)");
    CHECK_EQ(where->in[0]->kind, HEDDLE_NODE_CAST); /* to bool, of the view */
    CHECK_EQ(where->in[0]->in[0]->kind, HEDDLE_NODE_VIEW);
}

static void node_form(void)
{
    /* no node where none is needed; constants are converted at once */
    heddle_array *x = data(1, (int64_t[]){5});
    heddle_array *r = heddle_multiply(x, heddle_scalar(2));
    CHECK(r->in[0] == x);
    CHECK_EQ(r->in[1]->kind, HEDDLE_NODE_CONSTANT);
    CHECK_EQ(r->in[1]->dtype, HEDDLE_FLOAT64);
    CHECK_EQ(r->in[1]->ndim, 0);
    CHECK_NUM(r->in[1]->value.f64, 2);
    r = heddle_add(x, heddle_astype(x, HEDDLE_FLOAT32));
    CHECK_EQ(r->in[1]->kind, HEDDLE_NODE_CAST);
    CHECK_EQ(r->in_dtype, HEDDLE_FLOAT64);
    CHECK(heddle_astype(x, HEDDLE_FLOAT64) == x);
    CHECK(heddle_positive(x) == x);
    CHECK(heddle_conj(x) == x);
    CHECK_EQ(heddle_isnan(x)->in_dtype, HEDDLE_FLOAT64);
    DTYPE_IS(heddle_abs(of(HEDDLE_COMPLEX64)), HEDDLE_FLOAT32);
    DTYPE_IS(heddle_abs(of(HEDDLE_BOOL)), HEDDLE_BOOL);
    DTYPE_IS(heddle_logical_not(of(HEDDLE_COMPLEX64)), HEDDLE_BOOL);
    DTYPE_IS(heddle_equal(of(HEDDLE_INT8), of(HEDDLE_UINT8)), HEDDLE_BOOL);
    CHECK_EQ(heddle_equal(of(HEDDLE_INT8), of(HEDDLE_UINT8))->in_dtype, HEDDLE_INT16);
    /* of nothing there is nothing to compute */
    CHECK_EQ(heddle_add(data(1, (int64_t[]){0}), x = data(1, (int64_t[]){1}))->kind,
             HEDDLE_NODE_CONSTANT);
}

static void errors(void)
{
    heddle_array *a = data(2, (int64_t[]){3, 4}), *b = data(1, (int64_t[]){5});
    heddle_array *e = heddle_add(a, b);
    CHECK_EQ(heddle_status_of(e), HEDDLE_ESHAPE);
    CHECK_STR(heddle_error(e), "heddle_add: shapes (3, 4) and (5,) do not broadcast");
    CHECK_STR(heddle_last_error(), heddle_error(e));
    CHECK_STR(heddle_error(heddle_where(a, heddle_scalar(1), b)),
              "heddle_where: shapes (3, 4) and (5,) do not broadcast");
    CHECK_STR(heddle_error(heddle_bitwise_and(of(HEDDLE_INT8), a)),
              "heddle_bitwise_and: dtype float64 of argument 2; accepts integers and bool");
    CHECK_STR(heddle_error(heddle_bitwise_and(of(HEDDLE_INT8), of(HEDDLE_UINT64))),
              "heddle_bitwise_and: dtypes int8 and uint64 have the common dtype float64; accepts "
              "integers and bool");
    CHECK_STR(heddle_error(heddle_add(a, NULL)), "heddle_add: argument 2 is NULL");
    CHECK_STR(heddle_error(heddle_sqrt(NULL)), "heddle_sqrt: argument 1 is NULL");
    CHECK_STR(heddle_error(heddle_where(a, a, NULL)), "heddle_where: argument 3 is NULL");
    CHECK_STR(heddle_error(heddle_subtract(of(HEDDLE_BOOL), of(HEDDLE_BOOL))),
              "heddle_subtract: dtype bool of argument 1; accepts numbers, not bool");
    CHECK_STR(heddle_error(heddle_atan2(of(HEDDLE_INT8), of(HEDDLE_COMPLEX64))),
              "heddle_atan2: dtype complex64 of argument 2; accepts real floating-point numbers");
    CHECK_STR(heddle_error(heddle_astype(a, (enum heddle_dtype)77)),
              "heddle_astype: 77 is no dtype");
    CHECK_STR(heddle_error(heddle_clip(of(HEDDLE_COMPLEX64), heddle_scalar(1), NULL)),
              "heddle_clip: dtype complex64; accepts real numbers and bool");

    /* errors pass on: the first operand's */
    heddle_array *later = heddle_sum(heddle_sqrt(heddle_add(heddle_multiply(a, e), NULL)));
    CHECK_EQ(heddle_status_of(later), HEDDLE_ESHAPE);
    CHECK_STR(heddle_error(later), heddle_error(e));
    CHECK_EQ(heddle_dtype_of(e), HEDDLE_DTYPE_NONE);
    CHECK_EQ(heddle_ndim(e), 0);
    CHECK_EQ(heddle_size(e), 0);
    CHECK_EQ(heddle_nbytes(e), 0);
    CHECK(heddle_shape(e) == NULL);
    CHECK(!heddle_is_evaluated(e));
    CHECK_EQ(heddle_status_of(NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(a), HEDDLE_OK);

    /* too large: as the broadcast of shapes that are not */
    const int64_t many = (int64_t)1 << 40;
    heddle_array *row = heddle_zeros(HEDDLE_SHAPE(many)),
                 *column = heddle_zeros(HEDDLE_SHAPE(many, 1));
    CHECK_EQ(heddle_status_of(heddle_add(row, column)), HEDDLE_ESHAPE);
    CHECK_HAS(heddle_error(heddle_add(row, column)), "too many elements");
    CHECK_EQ(heddle_status_of(heddle_zeros(HEDDLE_SHAPE(many, many, 0))), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_status_of(heddle_zeros(HEDDLE_SHAPE(-1))), HEDDLE_ESHAPE);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    weak_scalars();
    broadcasting();
    node_form();
    errors();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
