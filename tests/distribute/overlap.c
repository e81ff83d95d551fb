/* Proves that a declared overlap shows each part what its neighbours have, clipped at the ends of the
 * array, in views and in functions over parts; that it moves halos, belongs to the distribution,
 * and costs nothing where nobody looks. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>

enum { ROWS = 97, COLUMNS = 41 };

static heddle_place teams[3];

static heddle_array *source(void)
{
    heddle_array *i = heddle_arange(heddle_scalar((double)(ROWS * COLUMNS)), NULL, NULL);
    return heddle_reshape(i, HEDDLE_SHAPE(ROWS, COLUMNS));
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Every part's view has its box, widened, with the right elements. */
static void check_views(heddle_array *a, const struct heddle_distribution *d)
{
    int64_t n = 0;
    CHECK_EQ(heddle_count_parts(a, &n), HEDDLE_OK);
    for (int64_t p = 0; p < n; p++) {
        struct heddle_part_info info;
        struct heddle_part_view v;
        CHECK_EQ(heddle_part(a, p, &info), HEDDLE_OK);
        CHECK(heddle_part_acquire(a, p, HEDDLE_ANYWHERE, &v) == HEDDLE_OK, "%s",
              heddle_last_error());
        CHECK_EQ(v.part, p);
        for (int k = 0; k < 2 && info.size > 0; k++) {
            const int64_t lo = larger(info.lo[k] - d->overlap[k].before, 0);
            const int64_t hi = smaller(info.hi[k] + d->overlap[k].after, heddle_shape(a)[k]);
            CHECK_EQ(v.lo[k], lo);
            CHECK_EQ(v.shape[k], hi - lo);
            CHECK_EQ(v.before[k], info.lo[k] - lo);
            CHECK_EQ(v.after[k], hi - info.hi[k]);
        }
        int64_t wrong = 0;
        const double *x = v.data;
        for (int64_t i = 0; info.size > 0 && i < v.shape[0]; i++)
            for (int64_t j = 0; j < v.shape[1]; j++)
                wrong += *x++ != (double)((v.lo[0] + i) * COLUMNS + v.lo[1] + j);
        CHECK_EQ(wrong, 0);
        heddle_part_release(&v);
    }
}

static void test_views(void)
{
    static const int64_t sizes[] = {40, 0, 1, 56}, bounds[] = {3, 20, COLUMNS};
    const struct heddle_distribution all[] = {
        {.cut[0] = {HEDDLE_CUT_PARTS, 3, NULL},
         .overlap[0] = {1, 1},
         .n_places = 3,
         .places = teams},
        {.cut[0] = {HEDDLE_CUT_SIZES, 4, sizes},
         .overlap[0] = {2, 5},
         .n_places = 2,
         .places = teams},
        {.cut = {{HEDDLE_CUT_BLOCKS, 30, NULL}, {HEDDLE_CUT_BOUNDS, 3, bounds}},
         .overlap = {{1, 0}, {30, 2}},
         .n_places = 3,
         .places = teams},
        {.cut[1] = {HEDDLE_CUT_PARTS, 4, NULL}, .overlap[1] = {0, 1000}},
        {.overlap[0] = {3, 3}},
    };
    heddle_scope scope = heddle_scope_open();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        check_views(heddle_distribute(source(), &all[k]), &all[k]);

    /* elementwise results and updates have it; a copy of the distribution, too */
    heddle_array *u = heddle_distribute(source(), &all[0]);
    CHECK_EQ(heddle_wait(u), HEDDLE_OK);
    check_views(heddle_add(u, heddle_scalar(0.0)), &all[0]);
    check_views(heddle_set_item(u, HEDDLE_INDEX(HEDDLE_AT(0)),
                                heddle_arange(heddle_scalar((double)COLUMNS), NULL, NULL)),
                &all[0]);
    check_views(heddle_distribute_like(source(), u), &all[0]);

    /* text is of the parts alone */
    const struct heddle_distribution halves = {
        .cut[0] = {HEDDLE_CUT_PARTS, 2, NULL}, .overlap[0] = {1, 1}, HEDDLE_PLACES(teams[0])};
    char *text = NULL;
    heddle_array *four = heddle_arange(heddle_scalar(4.0), NULL, NULL);
    CHECK_EQ(heddle_parts_text(heddle_distribute(four, &halves), &text), HEDDLE_OK);
    CHECK_STR(text, "array([0., 1.])@<CPU 0>; array([2., 3.])@<CPU 0>");
    heddle_free(text);
    heddle_scope_close(scope);
}

/* The mean of the four neighbours; on the border of the array as it was. */
static enum heddle_status relax(const struct heddle_part_view *in, void *out, void *user)
{
    const double *x = in->data;
    double *y = out;
    const int64_t width = in->shape[1];
    (void)user;
    for (int64_t i = in->before[0]; i < in->shape[0] - in->after[0]; i++)
        for (int64_t j = in->before[1]; j < width - in->after[1]; j++) {
            const int64_t row = in->lo[0] + i, column = in->lo[1] + j;
            const double *c = x + i * width + j;
            if (row == 0 || row == ROWS - 1 || column == 0 || column == COLUMNS - 1)
                *y++ = *c;
            else
                *y++ = 0.25 * (c[width] + c[-width] + c[1] + c[-1]);
        }
    return HEDDLE_OK;
}

static heddle_array *relax_by_slices(heddle_array *u)
{
    heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2), HEDDLE_SLICE(1, -1)));
    heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2), HEDDLE_SLICE(1, -1)));
    heddle_array *right = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_FROM(2)));
    heddle_array *left = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_TO(-2)));
    heddle_array *sum = heddle_add(heddle_add(heddle_add(down, up), right), left);
    return heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)),
                           heddle_multiply(heddle_scalar(0.25), sum));
}

static void same(heddle_array *a, heddle_array *b, const char *what)
{
    static double x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    CHECK(heddle_read(a, x, sizeof x) == HEDDLE_OK, "%s", heddle_error(a));
    CHECK(heddle_read(b, y, sizeof y) == HEDDLE_OK, "%s", heddle_error(b));
    CHECK(memcmp(x, y, sizeof x) == 0, "%s", what);
}

static void test_stencil(void)
{
    const struct heddle_distribution blocks = {
        .cut = {{HEDDLE_CUT_PARTS, 3, NULL}, {HEDDLE_CUT_PARTS, 2, NULL}},
        .overlap = {{1, 1}, {1, 1}},
        .n_places = 3,
        .places = teams};
    heddle_scope scope = heddle_scope_open();
    heddle_array *u = heddle_distribute(source(), &blocks), *v = u, *plain = source();
    for (int k = 0; k < 5; k++) { /* lazy: all steps are one evaluation */
        v = heddle_map_parts(v, HEDDLE_FLOAT64, relax);
        plain = relax_by_slices(plain);
        u = relax_by_slices(u);
    }
    same(v, plain, "a stencil over parts with overlap");
    same(u, plain, "a stencil of slices over parts with overlap");
    int64_t n = 0;
    CHECK_EQ(heddle_count_parts(v, &n), HEDDLE_OK);
    CHECK_EQ(n, 6);
    heddle_scope_close(scope);
}

/* Only halos move, and nobody may call that implicit. */
static void test_movement(void)
{
    const struct heddle_distribution rows = {.cut[0] = {HEDDLE_CUT_PARTS, 3, NULL},
                                             .overlap[0] = {1, 1},
                                             .n_places = 3,
                                             .places = teams};
    heddle_scope scope = heddle_scope_open();
    heddle_array *u = heddle_distribute(source(), &rows);
    CHECK_EQ(heddle_wait(u), HEDDLE_OK);
    heddle_array *v = heddle_map_parts(u, HEDDLE_FLOAT64, relax);
    char *text = NULL;
    CHECK_EQ(heddle_explain(v, HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
    CHECK_HAS(text, "halo  0 operations in 4 tasks");
    CHECK_HAS(text, "overlap  0 operations in 3 tasks");
    CHECK_HAS(text, "map_parts  1 operation in 3 tasks");
    heddle_free(text);
    CHECK(heddle_wait(v) == HEDDLE_OK, "%s", heddle_error(v));
    struct heddle_part_view view;
    CHECK(heddle_part_acquire(u, 1, HEDDLE_ANYWHERE, &view) == HEDDLE_OK, "%s",
          heddle_last_error());
    heddle_part_release(&view);

    /* to declare it, or no more, is another name for the same parts */
    struct heddle_distribution without = rows;
    without.overlap[0] = (struct heddle_overlap){0, 0};
    struct heddle_statistics before, after;
    heddle_statistics_get(&before);
    heddle_array *w = heddle_distribute(u, &without);
    CHECK_EQ(heddle_wait(w), HEDDLE_OK);
    CHECK_EQ(heddle_wait(heddle_distribute(w, &rows)), HEDDLE_OK);
    heddle_statistics_get(&after);
    CHECK_EQ(after.cpu_tasks, before.cpu_tasks);
    CHECK_EQ(heddle_part_acquire(w, 1, HEDDLE_ANYWHERE, &view), HEDDLE_OK);
    CHECK_EQ(view.before[0], 0);
    heddle_part_release(&view);
    heddle_scope_close(scope);
}

int main(void)
{
    const struct heddle_config config = {
        .devices = "cpu", .cpu_workers = 3, .cpu_threads = 3, .movement = HEDDLE_MOVE_FORBIDDEN};
    const struct heddle_config freely = {.devices = "cpu", .cpu_workers = 3, .cpu_threads = 3};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    for (int i = 0; i < 3; i++) teams[i] = heddle_cpu(i % n_cpus);
    test_views();
    if (n_cpus > 1) test_movement();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&freely), HEDDLE_OK);
    test_stencil();
    check_nothing_left();
    return check_done();
}
