/* Proves where parts live when places are a grid or several axes are colored, and that redistributions
 * between any two layouts keep the values and, repeated, use one plan. */
#include "check.h"

#include <heddle.h>
#include <stdlib.h>

enum { ROWS = 23, COLUMNS = 17, N_TEAMS = 4 };

static heddle_place teams[N_TEAMS];

static heddle_array *counting(int64_t first)
{
    heddle_array *i = heddle_arange(heddle_scalar(first), heddle_scalar(first + ROWS * COLUMNS),
                                    NULL, .dtype = HEDDLE_FLOAT64);
    return heddle_reshape(i, HEDDLE_SHAPE(ROWS, COLUMNS));
}

static void check_values(heddle_array *a, int64_t first)
{
    static double x[ROWS * COLUMNS];
    CHECK(heddle_read(a, x, sizeof x) == HEDDLE_OK, "%s", heddle_error(a));
    int64_t wrong = 0;
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) wrong += x[i] != (double)(first + i);
    CHECK_EQ(wrong, 0);
}

/* Element (i, j) lives at teams[where(i, j)]. */
static void check_places(const struct heddle_distribution *d, int (*where)(int64_t i, int64_t j))
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_distribute(counting(0), d);
    check_values(a, 0);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++) {
            int64_t part = -1;
            struct heddle_part_info info = {.place = -1};
            CHECK_EQ(heddle_part_at(a, (const int64_t[]){i, j}, &part), HEDDLE_OK);
            CHECK_EQ(heddle_part(a, part, &info), HEDDLE_OK);
            CHECK_EQ(info.place, teams[where(i, j)]);
        }
    heddle_scope_close(scope);
}

static int scalapack(int64_t i, int64_t j)
{
    return (int)(i / 4 % 2 * 2 + j / 3 % 2);
}

static int quarters(int64_t i, int64_t j)
{
    return (i >= 12) * 2 + (j >= 9);
}

static int column_of_places(int64_t i, int64_t j)
{
    (void)i;
    return (int)(j % 4);
}

static int64_t row_color[ROWS], column_color[COLUMNS];

static int both_colors(int64_t i, int64_t j)
{
    return (int)((row_color[i] * 3 + column_color[j]) % N_TEAMS);
}

static int mixed(int64_t i, int64_t j)
{
    return (int)(row_color[i] % 2 * 2 + j / 5 % 2);
}

static void test_places(void)
{
    uint64_t seed = 7;
    for (int i = 0; i < ROWS; i++)
        row_color[i] = (int64_t)((seed = seed * 6364136223846793005u + 1) >> 33) % 4;
    for (int j = 0; j < COLUMNS; j++)
        column_color[j] = (int64_t)((seed = seed * 6364136223846793005u + 1) >> 33) % 3;
#define FOUR .n_places = N_TEAMS, .places = teams
    const struct heddle_cut colored_rows = {HEDDLE_CUT_COLORS, 4, row_color};
    const struct heddle_cut colored_columns = {HEDDLE_CUT_COLORS, 3, column_color};
    check_places(&(const struct heddle_distribution){.cut = {{HEDDLE_CUT_BLOCKS, 4, NULL},
                                                             {HEDDLE_CUT_BLOCKS, 3, NULL}},
                                                     .grid = {2, 2},
                                                     FOUR},
                 scalapack);
    check_places(&(const struct heddle_distribution){.cut = {{HEDDLE_CUT_PARTS, 0, NULL},
                                                             {HEDDLE_CUT_PARTS, 0, NULL}},
                                                     .grid = {2, 2},
                                                     FOUR},
                 quarters);
    check_places(&(const struct heddle_distribution){.cut = {{HEDDLE_CUT_BLOCKS, 5, NULL},
                                                             {HEDDLE_CUT_BLOCKS, 1, NULL}},
                                                     .grid = {0, 4},
                                                     FOUR},
                 column_of_places);
    check_places(&(const struct heddle_distribution){.cut = {colored_rows, colored_columns}, FOUR},
                 both_colors);
    check_places(
        &(const struct heddle_distribution){
            .cut = {colored_rows, {HEDDLE_CUT_BLOCKS, 5, NULL}}, .grid = {2, 2}, FOUR},
        mixed);
}

/* The plan of a redistribution is kept: there is nothing to hold, or to make, for the next. */
static void test_plans(void)
{
    const struct heddle_distribution rows = {.cut[0] = {HEDDLE_CUT_PARTS, 0, NULL}, FOUR};
    const struct heddle_distribution blocks = {
        .cut = {{HEDDLE_CUT_BLOCKS, 4, NULL}, {HEDDLE_CUT_BLOCKS, 3, NULL}}, .grid = {2, 2}, FOUR};
    struct heddle_statistics s;
    heddle_statistics_reset();
    for (int64_t k = 0; k < 20; k++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = heddle_distribute(counting(k), &rows);
        CHECK_EQ(heddle_wait(a), HEDDLE_OK);
        heddle_array *b = heddle_distribute(a, &blocks); /* all to all */
        CHECK_EQ(heddle_eval(b), HEDDLE_OK);
        heddle_array *c = heddle_to(b, teams[1]); /* gather */
        CHECK_EQ(heddle_eval(c), HEDDLE_OK);
        check_values(heddle_distribute(c, &rows), k); /* scatter */
        heddle_scope_close(scope);
    }
    heddle_statistics_get(&s);
    CHECK_EQ(s.evaluations, 80);
    CHECK(s.plans_made <= 4 + 20, "%lld plans", (long long)s.plans_made); /* counting(k) differs */
    const int64_t made = s.plans_made;
    heddle_statistics_reset();
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_distribute(counting(1), &rows), *first = a;
    CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    heddle_statistics_reset();
    for (int k = 0; k < 50; k++) { /* there and back */
        a = heddle_distribute(a, &blocks);
        CHECK_EQ(heddle_wait(a), HEDDLE_OK);
        a = heddle_distribute(a, &rows);
        CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    }
    heddle_statistics_get(&s);
    CHECK_EQ(s.evaluations, 100);
    CHECK(s.plans_made <= 2, "%lld plans, %lld before", (long long)s.plans_made, (long long)made);
    check_values(a, 1);
    check_values(first, 1);
    heddle_scope_close(scope);
}

/* Joined arrays stay where they are; an update of an expression stays where its operand is. */
static void test_joined(void)
{
    const struct heddle_distribution rows = {.cut[0] = {HEDDLE_CUT_PARTS, 3, NULL}, FOUR};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_distribute(counting(0), &rows);
    heddle_array *b = heddle_to(counting(ROWS * COLUMNS), teams[1]);
    heddle_array *zeros = heddle_zeros(HEDDLE_SHAPE(2, COLUMNS));
    heddle_array *c = heddle_concat(HEDDLE_ARRAYS(a, heddle_add(b, heddle_scalar(0.0)), zeros), 0);
    CHECK(heddle_wait(c) == HEDDLE_OK, "%s", heddle_error(c));
    int64_t bounds[8] = {0}, n = 0;
    CHECK_EQ(heddle_boundaries(c, 0, 8, bounds, &n), HEDDLE_OK);
    CHECK_EQ(n, 6);
    static const int64_t expected[] = {0, 8, 16, ROWS, 2 * ROWS, 2 * ROWS + 2};
    for (int i = 0; i < 6; i++) CHECK_EQ(bounds[i], expected[i]);
    const heddle_place places[] = {teams[0], teams[1], teams[2], teams[1], HEDDLE_ANYWHERE};
    for (int64_t part = 0; part < 5; part++) {
        struct heddle_part_info info = {.place = -1};
        CHECK_EQ(heddle_part(c, part, &info), HEDDLE_OK);
        CHECK_EQ(info.place, places[part]);
    }
    static double x[(2 * ROWS + 2) * COLUMNS];
    CHECK_EQ(heddle_read(c, x, sizeof x), HEDDLE_OK);
    int64_t wrong = 0;
    for (int64_t i = 0; i < 2 * ROWS * COLUMNS; i++) wrong += x[i] != (double)i;
    CHECK_EQ(wrong, 0);
    CHECK_NUM(x[2 * ROWS * COLUMNS], 0);

    heddle_array *u = heddle_set_item(heddle_multiply(a, heddle_scalar(2.0)),
                                      HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(1.0));
    CHECK_EQ(heddle_count_parts(u, &n), HEDDLE_OK);
    CHECK_EQ(n, 3);
    struct heddle_part_info info = {.place = -1};
    CHECK_EQ(heddle_part(u, 2, &info), HEDDLE_OK);
    CHECK_EQ(info.place, teams[2]);
    heddle_scope_close(scope);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    const struct heddle_distribution wrong[] = {
        {.cut[0] = {HEDDLE_CUT_PARTS, 0, NULL}, .grid = {2, 3}, FOUR},
        {.cut[0] = {HEDDLE_CUT_PARTS, 4, NULL}, .grid = {2, 2}},
        {.cut[0] = {HEDDLE_CUT_PARTS, 4, NULL}, .grid = {-1}, FOUR},
        {.cut[0] = {HEDDLE_CUT_PARTS, 4, NULL}, .grid = {4, 1, 1}, FOUR},
        {.cut[0] = {HEDDLE_CUT_PARTS, 4, NULL}, .overlap[1] = {1, -1}, FOUR},
        {.cut[0] = {HEDDLE_CUT_PARTS, 4, NULL}, .overlap[2] = {1, 1}, FOUR},
    };
    static const char *const says[] = {"4 places are not",    "0 places are not",
                                       "axis 0: -1 places",   "axis 2",
                                       "overlap of 1 and -1", "axis 2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        heddle_array *r = heddle_distribute(counting(0), &wrong[i]);
        CHECK_EQ(heddle_status_of(r), HEDDLE_EARG);
        CHECK_HAS(heddle_error(r), says[i]);
    }
    heddle_scope_close(scope);
}

int main(void)
{
    const struct heddle_config config = {
        .devices = "cpu", .cpu_workers = N_TEAMS, .cpu_threads = N_TEAMS};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    for (int one = 0; one < N_TEAMS; one++) { /* two teams tell them apart */
        for (int i = 0; i < N_TEAMS; i++) teams[i] = heddle_cpu(i == one && n_cpus > 1);
        test_places();
    }
    for (int i = 0; i < N_TEAMS; i++) teams[i] = heddle_cpu(i % n_cpus);
    test_plans();
    test_joined();
    test_errors();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    return check_done();
}
