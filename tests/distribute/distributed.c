/* Proves that arrays large enough to be worth tasks have the same values however they are distributed
 * over CPU teams, that queries and views say what was asked for, and that a stencil moves halos only.
 * Small arrays at random: tests/property. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>

enum { ROWS = 700, COLUMNS = 640, N = ROWS * COLUMNS };

static heddle_place teams[3];

static heddle_array *source(void)
{
    heddle_array *i =
        heddle_astype(heddle_arange(heddle_scalar((int64_t)N), NULL, NULL), HEDDLE_FLOAT64);
    heddle_array *x = heddle_multiply(i, heddle_scalar(0.6180339887498949));
    return heddle_reshape(heddle_subtract(x, heddle_floor(x)), HEDDLE_SHAPE(ROWS, COLUMNS));
}

static struct heddle_distribution cut(int axis, enum heddle_cut_kind kind, int64_t n)
{
    struct heddle_distribution d = {.n_places = 3, .places = teams};
    d.cut[axis].kind = kind;
    d.cut[axis].n = n;
    return d;
}

static double *values(heddle_array *a)
{
    double *v = malloc((size_t)heddle_nbytes(a) + 1);
    CHECK(heddle_read(a, v, heddle_nbytes(a)) == HEDDLE_OK, "%s", heddle_error(a));
    return v;
}

/* `a` and `b`, both float64, have the same bits. */
static void same(heddle_array *a, heddle_array *b, const char *what, int k)
{
    double *x = values(a), *y = values(b);
    CHECK_EQ(heddle_size(a), heddle_size(b));
    CHECK(memcmp(x, y, (size_t)heddle_nbytes(a)) == 0, "%s, distribution %d", what, k);
    free(x);
    free(y);
}

static heddle_array *jacobi(heddle_array *u, int steps)
{
    for (int k = 0; k < steps; k++) {
        heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2), HEDDLE_SLICE(1, -1)));
        heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2), HEDDLE_SLICE(1, -1)));
        heddle_array *right = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_FROM(2)));
        heddle_array *left = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_TO(-2)));
        heddle_array *sum = heddle_add(heddle_add(heddle_add(down, up), right), left);
        u = heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)),
                            heddle_multiply(heddle_scalar(0.25), sum));
    }
    return u;
}

static heddle_array *row_norms(heddle_array *a)
{
    return heddle_sum(heddle_square(a), .axis = 1);
}

static heddle_array *inner_sum(heddle_array *a)
{
    return heddle_sum(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(3, -5), HEDDLE_FROM(7))));
}

static void test_values(void)
{
    const struct heddle_distribution kinds[] = {
        cut(0, HEDDLE_CUT_PARTS, 3),
        cut(1, HEDDLE_CUT_PARTS, 3),
        cut(0, HEDDLE_CUT_PARTS, 7),
        cut(0, HEDDLE_CUT_BLOCKS, 50),
        cut(1, HEDDLE_CUT_BLOCKS, 64),
        {.cut = {{HEDDLE_CUT_PARTS, 3, NULL}, {HEDDLE_CUT_PARTS, 2, NULL}},
         .n_places = 3,
         .places = teams},
    };
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = source();
    heddle_array *u = jacobi(a, 3), *sums = row_norms(a), *sum = inner_sum(a);
    heddle_array *both = heddle_add(a, heddle_flip(a));
    for (int k = 0; k < N_KINDS; k++) {
        heddle_array *d = heddle_distribute(a, &kinds[k]);
        same(d, a, "distribute", k);
        same(jacobi(d, 3), u, "jacobi", k);
        same(row_norms(d), sums, "sum of rows", k);
        same(inner_sum(d), sum, "sum of a slice", k);
        same(heddle_add(d, heddle_flip(d)), both, "flip", k);
        for (int to = 0; to < N_KINDS; to++)
            same(heddle_distribute(d, &kinds[to]), a, "redistribute", 10 * k + to);
    }
    heddle_scope_close(scope);
}

/* An update of every third element of a base that must be brought together first: what is brought must
 * not cover what is set. */
static void test_strided_update(void)
{
    const struct heddle_distribution rows = cut(0, HEDDLE_CUT_PARTS, 3);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = source(), *d = heddle_distribute(a, &rows);
    CHECK_EQ(heddle_wait(d), HEDDLE_OK);
    heddle_array *updated[2];
    for (int i = 0; i < 2; i++)
        updated[i] = heddle_set_item(i ? d : a, HEDDLE_INDEX(HEDDLE_STEP(3), HEDDLE_STEP(2)),
                                     heddle_scalar(-1.0));
    same(heddle_to(updated[1], teams[0]), updated[0], "strided update", 0);
    heddle_scope_close(scope);
}

/* Operands cut in different ways, and what the result gets: the first one's. */
static void test_mixed(void)
{
    const struct heddle_distribution rows = cut(0, HEDDLE_CUT_PARTS, 3),
                                     columns = cut(1, HEDDLE_CUT_PARTS, 2);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = source(), *b = heddle_sqrt(source());
    heddle_array *x = heddle_distribute(a, &rows), *y = heddle_distribute(b, &columns);
    CHECK_EQ(heddle_wait(x), HEDDLE_OK);
    CHECK_EQ(heddle_wait(y), HEDDLE_OK);
    heddle_array *sum = heddle_add(x, y);
    same(sum, heddle_add(a, b), "mixed", 0);
    int64_t bounds[8], n = 0;
    CHECK_EQ(heddle_boundaries(sum, 0, 8, bounds, &n), HEDDLE_OK);
    CHECK_EQ(n, 4);
    CHECK_EQ(bounds[1], 234);
    CHECK_EQ(heddle_boundaries(sum, 1, 8, bounds, &n), HEDDLE_OK);
    CHECK_EQ(n, 2);
    heddle_scope_close(scope);
}

static void check_bounds(heddle_array *a, int axis, const int64_t expected[4])
{
    int64_t bounds[8] = {0}, n = 0;
    CHECK(heddle_boundaries(a, axis, 8, bounds, &n) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK(n == 4 && memcmp(bounds, expected, 4 * sizeof *bounds) == 0,
          "axis %d: %lld: %lld, %lld, %lld", axis, (long long)n, (long long)bounds[1],
          (long long)bounds[2], (long long)bounds[3]);
}

/* Scans stay where their operand is, cut along their axis at multiples of 64 here; so does what is computed
 * of them; and they can be distributed as anything else. */
static void test_scans(void)
{
    const struct heddle_distribution rows = cut(0, HEDDLE_CUT_PARTS, 3),
                                     columns = cut(1, HEDDLE_CUT_PARTS, 3);
    const int64_t thirds[] = {0, 234, 467, 700}, chunks[] = {0, 256, 448, 700},
                  after_first[] = {0, 257, 449, 701}, columns_thirds[] = {0, 214, 427, 640};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = source(), *d = heddle_distribute(a, &rows);
    CHECK_EQ(heddle_wait(d), HEDDLE_OK);
    heddle_array *along = heddle_cumulative_sum(d, .axis = 1),
                 *across = heddle_cumulative_sum(d, .axis = 0),
                 *from_0 = heddle_cumulative_sum(d, .axis = 0, .include_initial = true);
    CHECK_EQ(heddle_eval_all(3, (heddle_array *[]){along, across, from_0}), HEDDLE_OK);
    check_bounds(along, 0, thirds);
    check_bounds(across, 0, chunks);
    check_bounds(from_0, 0, after_first);
    check_bounds(heddle_sqrt(heddle_matrix_transpose(along)), 1, thirds);
    check_bounds(heddle_sqrt(heddle_matrix_transpose(across)), 1, chunks);
    check_bounds(heddle_sqrt(heddle_matrix_transpose(from_0)), 1, after_first);
    same(across, heddle_cumulative_sum(a, .axis = 0), "scan", 0);

    heddle_array *asked[] = {heddle_distribute(heddle_cumulative_sum(a, .axis = 0), &rows),
                             heddle_distribute(across, &rows), heddle_distribute(across, &columns)};
    for (int i = 0; i < 3; i++) {
        check_bounds(asked[i], i / 2, i == 2 ? columns_thirds : thirds);
        same(asked[i], across, "distributed scan", i);
    }
    heddle_scope_close(scope);
}

static void test_product(void)
{
    const struct heddle_distribution rows = cut(0, HEDDLE_CUT_PARTS, 3);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_getitem(source(), HEDDLE_INDEX(HEDDLE_TO(300), HEDDLE_TO(200)));
    heddle_array *b = heddle_getitem(source(), HEDDLE_INDEX(HEDDLE_TO(200), HEDDLE_TO(150)));
    heddle_array *c = heddle_matmul(heddle_distribute(a, &rows), heddle_distribute(b, &rows));
    double *x = values(c), *y = values(heddle_matmul(a, b));
    double worst = 0;
    for (int i = 0; i < 300 * 150; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    CHECK(worst < 1e-11, "product differs by %g", worst);
    int64_t n = 0;
    CHECK_EQ(heddle_count_parts(c, &n), HEDDLE_OK);
    CHECK_EQ(n, 3);
    free(x);
    free(y);
    heddle_scope_close(scope);
}

static void test_queries(void)
{
    const int64_t sizes[] = {100, 0, 350, 250};
    const struct heddle_distribution d = {.cut[0] = {HEDDLE_CUT_SIZES, 4, sizes},
                                          HEDDLE_PLACES(heddle_cpu(1), heddle_cpu(0))};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_distribute(source(), &d);
    int64_t n = 0, part = 0;
    struct heddle_part_info info;
    CHECK_EQ(heddle_count_parts(a, &n), HEDDLE_OK);
    CHECK_EQ(n, 4);
    CHECK_EQ(heddle_part(a, 2, &info), HEDDLE_OK);
    CHECK_EQ(info.lo[0], 100);
    CHECK_EQ(info.hi[0], 450);
    CHECK_EQ(info.hi[1], COLUMNS);
    CHECK_EQ(info.place, heddle_cpu(1));
    CHECK_EQ(heddle_part(a, 1, &info), HEDDLE_OK);
    CHECK_EQ(info.size, 0);
    CHECK_EQ(heddle_part(a, 4, &info), HEDDLE_EINDEX);
    CHECK_EQ(heddle_part_at(a, (const int64_t[]){450, 1}, &part), HEDDLE_OK);
    CHECK_EQ(part, 3);
    CHECK_EQ(heddle_part_at(a, (const int64_t[]){0, COLUMNS}, &part), HEDDLE_EINDEX);

    double *all = values(a);
    for (int64_t p = 0; p < 4; p++) {
        struct heddle_part_view view;
        CHECK_EQ(heddle_part_acquire(a, p, HEDDLE_ANYWHERE, &view), HEDDLE_OK);
        CHECK_EQ(view.shape[0], sizes[p]);
        if (sizes[p] > 0) {
            CHECK_EQ(heddle_part(a, p, &info), HEDDLE_OK);
            CHECK(memcmp(view.data, all + info.lo[0] * COLUMNS,
                         (size_t)(sizes[p] * COLUMNS) * sizeof *all) == 0,
                  "view of part %lld", (long long)p);
        }
        heddle_part_release(&view);
    }
    free(all);

    heddle_array *whole = heddle_to(a, heddle_cpu(1));
    CHECK_EQ(heddle_count_parts(whole, &n), HEDDLE_OK);
    CHECK_EQ(n, 1);
    same(whole, a, "to one place", 0);
    heddle_array *like = heddle_distribute_like(heddle_sqrt(a), a);
    CHECK_EQ(heddle_part(like, 3, &info), HEDDLE_OK);
    CHECK_EQ(info.lo[0], 450);
    CHECK_EQ(info.place, heddle_cpu(0));
    heddle_scope_close(scope);
}

/* A reshaped array that is kept is of its own shape, part by part. */
static void test_reshape(void)
{
    const struct heddle_distribution rows = cut(0, HEDDLE_CUT_PARTS, 7);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = source(), *d = heddle_distribute(a, &rows);
    heddle_array *r = heddle_reshape(heddle_sqrt(d), HEDDLE_SHAPE(ROWS * 2, COLUMNS / 2));
    CHECK_EQ(heddle_wait(r), HEDDLE_OK);
    int64_t n = 0;
    CHECK_EQ(heddle_count_parts(r, &n), HEDDLE_OK);
    CHECK_EQ(n, 7);
    CHECK_EQ(heddle_count_parts(heddle_sqrt(heddle_matrix_transpose(r)), &n), HEDDLE_OK);
    CHECK_EQ(n, 7); /* it follows, as if the user had distributed r */
    same(heddle_add(r, r),
         heddle_reshape(heddle_multiply(heddle_sqrt(a), heddle_scalar(2.0)),
                        HEDDLE_SHAPE(ROWS * 2, COLUMNS / 2)),
         "reshape", 0);
    heddle_scope_close(scope);
}

static atomic_int n_returned;

static void take_back(void *user)
{
    double *data = user;
    data[0] = -1e300; /* whoever still reads it computes nonsense */
    free(data);
    atomic_fetch_add(&n_returned, 1);
}

static struct heddle_part_source lent(int64_t rows, int64_t first, int place)
{
    double *data = malloc((size_t)(rows * 30 + 1) * sizeof *data);
    for (int64_t i = 0; data && i < rows * 30; i++) data[i] = (double)(first * 30 + i);
    return (struct heddle_part_source){data, teams[place], rows, take_back, data};
}

static void test_from_parts(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_part_source parts[] = {lent(7, 0, 1), lent(0, 7, 0), lent(13, 7, 2)};
    heddle_array *a = heddle_from_parts(3, parts, 0, HEDDLE_FLOAT64, HEDDLE_SHAPE(20, 30));
    heddle_array *plain = heddle_reshape(
        heddle_astype(heddle_arange(heddle_scalar((int64_t)600), NULL, NULL), HEDDLE_FLOAT64),
        HEDDLE_SHAPE(20, 30));
    same(a, plain, "from parts", 0);
    same(heddle_sum(a, .axis = 0), heddle_sum(plain, .axis = 0), "from parts, sum", 0);
    heddle_array *kept = heddle_keep(heddle_sqrt(a));
    CHECK_EQ(atomic_load(&n_returned), 0);

    /* along the other axis; parts as wide as they are */
    struct heddle_part_source columns[] = {lent(1, 0, 0), lent(1, 1, 1)};
    columns[0].extent = columns[1].extent = 30;
    heddle_array *b = heddle_from_parts(2, columns, 1, HEDDLE_FLOAT64, HEDDLE_SHAPE(1, 60));
    same(b,
         heddle_getitem(heddle_reshape(plain, HEDDLE_SHAPE(10, 60)),
                        HEDDLE_INDEX(HEDDLE_SLICE(0, 1))),
         "from parts, columns", 0);

    /* bad ones are given back */
    struct heddle_part_source wrong[] = {lent(7, 0, 1), lent(3, 7, 0)};
    CHECK_EQ(heddle_status_of(heddle_from_parts(2, wrong, 0, HEDDLE_FLOAT64, HEDDLE_SHAPE(20, 30))),
             HEDDLE_ESHAPE);
    CHECK_EQ(atomic_load(&n_returned), 2);
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_returned),
             4); /* what is kept, and not computed yet, needs the others */
    double *x = values(kept);
    CHECK_NUM(x[599], sqrt(599.0));
    free(x);
    heddle_release(kept);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_returned), 7);
}

static void test_text_and_creation(void)
{
    const struct heddle_distribution halves = {.cut[1] = {HEDDLE_CUT_PARTS, 2, NULL},
                                               HEDDLE_PLACES(heddle_cpu(0), heddle_cpu(1))};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_reshape(
        heddle_arange(heddle_scalar(6.0), NULL, NULL, .distribution = NULL), HEDDLE_SHAPE(2, 3));
    heddle_array *d = heddle_distribute(a, &halves);
    int64_t n = 0;
    char *text = NULL;
    CHECK_EQ(heddle_parts_text(d, &text), HEDDLE_OK);
    CHECK_STR(text,
              "array([[0., 1.],\n       [3., 4.]])@<CPU 0>; array([[2.],\n       [5.]])@<CPU 1>");
    heddle_free(text);
    const struct heddle_distribution three = cut(0, HEDDLE_CUT_PARTS, 3);
    heddle_array *z = heddle_zeros(HEDDLE_SHAPE(6, 2), .distribution = &three);
    CHECK_EQ(heddle_count_parts(z, &n), HEDDLE_OK);
    CHECK_EQ(n, 3);
    struct heddle_distribution wrong = three;
    wrong.cut[0].n = -1;
    CHECK_EQ(heddle_status_of(heddle_ones(HEDDLE_SHAPE(6), .distribution = &wrong)), HEDDLE_EARG);
    heddle_scope_close(scope);
}

int main(void)
{
    const struct heddle_config config = {.devices = "cpu", .cpu_workers = 3, .inline_bytes = -1};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    for (int i = 0; i < 3; i++) teams[i] = heddle_cpu(i % n_cpus);
    test_values();
    test_strided_update();
    test_mixed();
    test_scans();
    test_product();
    test_queries();
    test_reshape();
    test_text_and_creation();
    test_from_parts();
    check_nothing_left();
    return check_done();
}
