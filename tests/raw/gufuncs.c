/* Proves that generalised functions compute what loops in C do, for any broadcast, partition and dtype; that signatures in
 * error are refused with the column; that shapes are. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>

static atomic_int n_items, n_deleted;

static void deleted(void *user)
{
    (void)user;
    atomic_fetch_add(&n_deleted, 1);
}

#define AT(type, argument, item) ((type *)((char *)(argument) + (item)))

/* (n),(n)->() */
static enum heddle_status inner(const struct heddle_gufunc_items *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        const double *x = AT(const double, t->data[0], i * t->step[0]),
                     *y = AT(const double, t->data[1], i * t->step[1]);
        double sum = 0;
        for (int64_t k = 0; k < t->core[0]; k++) sum += x[k] * y[k];
        *AT(double, t->data[2], i * t->step[2]) = sum;
    }
    atomic_fetch_add(&n_items, (int)t->n);
    return HEDDLE_OK;
}

/* (m,n),(n)->(m),(n,m) of float32: the product, and the transpose as int32. */
static enum heddle_status product(const struct heddle_gufunc_items *t)
{
    const int64_t m = t->core[0], n = t->core[1];
    for (int64_t i = 0; i < t->n; i++) {
        const float *a = AT(const float, t->data[0], i * t->step[0]),
                    *x = AT(const float, t->data[1], i * t->step[1]);
        float *y = AT(float, t->data[2], i * t->step[2]);
        int32_t *b = AT(int32_t, t->data[3], i * t->step[3]);
        for (int64_t r = 0; r < m; r++) {
            y[r] = 0;
            for (int64_t k = 0; k < n; k++) {
                y[r] += a[r * n + k] * x[k];
                b[k * m + r] = (int32_t)a[r * n + k];
            }
        }
    }
    return HEDDLE_OK;
}

/* (3),(3)->(3) */
static enum heddle_status cross(const struct heddle_gufunc_items *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        const double *a = AT(const double, t->data[0], i * t->step[0]),
                     *b = AT(const double, t->data[1], i * t->step[1]);
        double *c = AT(double, t->data[2], i * t->step[2]);
        for (int k = 0; k < 3; k++)
            c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
    return HEDDLE_OK;
}

static heddle_array *counting(int ndim, const int64_t *shape)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    return heddle_reshape(heddle_arange(heddle_scalar((double)n), NULL, NULL), ndim, shape);
}

/* An element of counting(), with axes of extent 1 and missing ones broadcast. */
static double counted(int ndim, const int64_t *shape, int n_index, const int64_t *index)
{
    double at = 0;
    for (int d = 0; d < ndim; d++) {
        const int64_t i = index[n_index - ndim + d];
        at = at * (double)shape[d] + (double)(shape[d] == 1 ? 0 : i);
    }
    return at;
}

static void check_inner(heddle_array *r, int ndim, const int64_t *loop, int n_x, const int64_t *x,
                        int n_y, const int64_t *y, int64_t n)
{
    int64_t size = 1, index[HEDDLE_MAX_NDIM + 1];
    for (int d = 0; d < ndim; d++) size *= loop[d];
    CHECK_EQ(heddle_ndim(r), ndim);
    CHECK_EQ(heddle_size(r), size);
    double *got = malloc((size_t)size * sizeof *got + 1);
    CHECK(heddle_read(r, got, size * 8) == HEDDLE_OK, "%s", heddle_error(r));
    for (int64_t i = 0; i < size; i++) {
        int64_t rest = i;
        double sum = 0;
        for (int d = ndim - 1; d >= 0; d--) {
            index[d] = rest % loop[d];
            rest /= loop[d];
        }
        for (index[ndim] = 0; index[ndim] < n; index[ndim]++)
            sum += counted(n_x, x, ndim + 1, index) * counted(n_y, y, ndim + 1, index);
        CHECK_NUM(got[i], sum);
    }
    free(got);
}

static void test_broadcast(void)
{
    static const struct {
        int n_x, n_y, n_loop;
        int64_t x[4], y[4], loop[4];
    } rows[] = {
        {1, 1, 0, {5}, {5}, {0}},
        {2, 2, 1, {40, 5}, {40, 5}, {40}},
        {3, 2, 2, {10, 1, 3}, {7, 3}, {10, 7}},
        {2, 4, 3, {1, 4}, {2, 3, 5, 4}, {2, 3, 5}},
        {4, 3, 3, {6, 1, 5, 2}, {7, 1, 2}, {6, 7, 5}},
        {2, 2, 1, {1, 3}, {1, 3}, {1}},
        {2, 1, 1, {9, 1}, {1}, {9}},
        {2, 2, 1, {3, 0}, {1, 0}, {3}}, /* empty sums */
        {2, 2, 1, {0, 3}, {1, 3}, {0}}, /* nothing */
    };
    for (int cut = 0; cut < 3; cut++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            heddle_scope scope = heddle_scope_open();
            heddle_gufunc *g = heddle_gufunc_make("(n),(n)->()", inner, .deleter = deleted);
            heddle_array *x = counting(rows[i].n_x, rows[i].x),
                         *y = counting(rows[i].n_y, rows[i].y);
            const struct heddle_distribution d = {.cut = {{HEDDLE_CUT_PARTS, 3, NULL}}};
            if (cut == 1) x = heddle_distribute(x, &d);
            if (cut == 2) y = heddle_distribute(y, &d);
            heddle_array *r = heddle_gufunc_apply(g, HEDDLE_ARRAYS(x, y));
            heddle_gufunc_release(g);
            check_inner(r, rows[i].n_loop, rows[i].loop, rows[i].n_x, rows[i].x, rows[i].n_y,
                        rows[i].y, rows[i].x[rows[i].n_x - 1]);
            heddle_scope_close(scope);
        }
}

/* Each item is computed once, in parts. */
static void test_parts(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_gufunc *g = heddle_gufunc_make("(n),(n)->()", inner);
    const int64_t shape[] = {1000, 4};
    const struct heddle_distribution d = {
        .cut = {{HEDDLE_CUT_PARTS, 7, NULL}, {HEDDLE_CUT_PARTS, 2, NULL}}};
    heddle_array *x = heddle_distribute(counting(2, shape), &d);
    heddle_array *r = heddle_gufunc_apply(g, HEDDLE_ARRAYS(x, x));
    atomic_store(&n_items, 0);
    check_inner(r, 1, shape, 2, shape, 2, shape, 4);
    CHECK_EQ(atomic_load(&n_items), 1000);
    int64_t parts = 0;
    CHECK_EQ(heddle_count_parts(r, &parts), HEDDLE_OK);
    CHECK_EQ(parts, 7);
    heddle_gufunc_release(g);
    heddle_scope_close(scope);
}

static void test_outputs(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_gufunc *g = heddle_gufunc_make("( m , n ),(n)->(m),(n,m)", product,
                                          .types = "float32, float32 -> float32, int32");
    const int64_t shape[] = {4, 1, 2, 3}, vectors[] = {5, 3};
    heddle_array *a = counting(4, shape), *x = counting(2, vectors), *out[2];
    heddle_array *const in[] = {a, x};
    CHECK_EQ(heddle_gufunc_call(g, 2, in, 2, out), HEDDLE_OK);
    float y[4][5][2];
    int32_t b[4][5][3][2];
    CHECK_EQ(heddle_dtype_of(out[1]), HEDDLE_INT32);
    CHECK(heddle_read(out[1], b, sizeof b) == HEDDLE_OK, "%s", heddle_error(out[1]));
    CHECK(heddle_read(out[0], y, sizeof y) == HEDDLE_OK, "%s", heddle_error(out[0]));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            for (int r = 0; r < 2; r++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) {
                    sum += (i * 6 + r * 3 + k) * (j * 3 + k);
                    CHECK_EQ(b[i][j][k][r], i * 6 + r * 3 + k);
                }
                CHECK_NUM(y[i][j][r], sum);
            }
    heddle_gufunc_release(g);

    g = heddle_gufunc_make("(3),(3)->(3)", cross);
    const double u[] = {1, 2, 3}, v[2][3] = {{0, 1, 4}, {-1, 0, 2}};
    const double want[2][3] = {{5, -4, 1}, {4, -5, 2}};
    double got[2][3];
    heddle_array *c = heddle_gufunc_apply(
        g, HEDDLE_ARRAYS(heddle_asarray(u, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)),
                         heddle_asarray(v, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))));
    CHECK(heddle_read(c, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(c));
    for (int i = 0; i < 6; i++) CHECK_NUM(got[i / 3][i % 3], want[i / 3][i % 3]);
    heddle_gufunc_release(g);
    heddle_scope_close(scope);
}

static void test_signatures(void)
{
    static const struct {
        const char *signature, *types, *text;
        enum heddle_status code;
    } rows[] = {
        {"", NULL, "signature, column 1: '(' is missing", HEDDLE_ESYNTAX},
        {"(n)", NULL, "signature, column 4: ',' or '->' is missing", HEDDLE_ESYNTAX},
        {"(n),->()", NULL, "signature, column 5: '(' is missing", HEDDLE_ESYNTAX},
        {"(n)->", NULL, "signature, column 6: '(' is missing", HEDDLE_ESYNTAX},
        {"(n)->()x", NULL, "signature, column 8: ',' or the end is missing", HEDDLE_ESYNTAX},
        {"(n,)->()", NULL, "signature, column 4: a name is missing", HEDDLE_ESYNTAX},
        {"(n m)->()", NULL, "signature, column 4: ',' or ')' is missing", HEDDLE_ESYNTAX},
        {"(n?)->()", NULL, "signature, column 3: ',' or ')' is missing", HEDDLE_ESYNTAX},
        {"(n", NULL, "signature, column 3: ',' or ')' is missing", HEDDLE_ESYNTAX},
        {"(n)->(m)", NULL, "signature, column 7: no input has this name", HEDDLE_ESYNTAX},
        {"(3n)->()", NULL, "signature, column 2: this is neither", HEDDLE_ESYNTAX},
        {"(99999999999999999999)->()", NULL, "column 2: this is neither", HEDDLE_ESYNTAX},
        {"(a,a,a,a,a,a,a,a,a)->()", NULL, "column 18: there are more than 8 axes", HEDDLE_ESYNTAX},
        {"(),(),(),(),(),(),(),()->()", NULL, "column 27: there are more than 8 a", HEDDLE_ESYNTAX},
        {"(a_name_that_is_longer_than_it_may_be)->()", NULL, "too long", HEDDLE_ESYNTAX},
        {NULL, NULL, "the signature is NULL", HEDDLE_EARG},
        {"()->()", "float64", "types, column 8: '->' is missing", HEDDLE_ESYNTAX},
        {"(),()->()", "int8->int8", "types, column 5: ',' is missing", HEDDLE_ESYNTAX},
        {"()->()", "int8->int8,int8", "types, column 11: there are more", HEDDLE_ESYNTAX},
        {"()->()", "int8->", "types, column 7: a name is missing", HEDDLE_ESYNTAX},
        {"()->()", "int8->int9", "types, column 7: 'int9' is no dtype", HEDDLE_EDTYPE},
    };
    const int before = atomic_load(&n_deleted);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(!heddle_gufunc_make(rows[i].signature, inner, .types = rows[i].types,
                                  .deleter = deleted),
              "row %d", (int)i);
        CHECK_HAS(heddle_last_error(), rows[i].text);
    }
    CHECK(!heddle_gufunc_make("()->()", NULL, .deleter = deleted), " ");
    CHECK(!heddle_gufunc_make("()->()", inner, .cuda = "x", .deleter = deleted), " ");
    CHECK(!heddle_gufunc_make("()->()", inner, .flags = "x", .deleter = deleted), " ");
    CHECK_EQ(atomic_load(&n_deleted) - before, (int)(sizeof rows / sizeof *rows) + 3);
    heddle_gufunc_release(NULL);
}

static void test_shapes(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_gufunc *g = heddle_gufunc_make("(n),(n)->()", inner);
    heddle_array *three = heddle_ones(HEDDLE_SHAPE(2, 3)), *four = heddle_ones(HEDDLE_SHAPE(4)),
                 *rows = heddle_ones(HEDDLE_SHAPE(5, 3)),
                 *complex = heddle_full(HEDDLE_SHAPE(3), heddle_scalar_complex(0, 1));
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(three, four)), HEDDLE_ESHAPE, "n is 3");
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(three, rows)), HEDDLE_ESHAPE,
                "does not broadcast");
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(heddle_scalar(1), four)), HEDDLE_ESHAPE,
                "fewer than 1 axes");
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(three)), HEDDLE_EARG,
                "1 inputs and 1 outputs");
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(three, NULL)), HEDDLE_EARG,
                "argument 2 is NULL");
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(complex, three)), HEDDLE_EDTYPE,
                "gufunc_call");
    check_error(heddle_gufunc_apply(NULL, HEDDLE_ARRAYS(three, three)), HEDDLE_EARG, "is NULL");
    heddle_array *bad = heddle_gufunc_apply(g, HEDDLE_ARRAYS(three, four));
    check_error(heddle_gufunc_apply(g, HEDDLE_ARRAYS(bad, three)), HEDDLE_ESHAPE, "n is 3");
    heddle_gufunc_release(g);
    heddle_scope_close(scope);
}

int main(void)
{
    test_broadcast();
    test_parts();
    test_outputs();
    test_signatures();
    test_shapes();
    check_nothing_left();
    CHECK_EQ(atomic_load(&n_deleted), 3 * 9 + 21 + 3);
    return check_done();
}
