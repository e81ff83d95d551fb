/* Sums, means, variances, scans and what is built of them have the same bits however an array is cut: random cuts of both
 * axes, placed at random on one or several processors of one kind. Those of one part are the reference.
 *
 *   same_bits cpu|gpu [CUTS]    skipped (77) without such processors */
#include "check_heddle.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

enum { ROWS = 1009, COLUMNS = 517, N_MAX = 7, PLACES_MAX = 8 };

/* Of sizes from 10^-12 to 10^12, so that another order of additions shows. */
static heddle_array *source(enum heddle_dtype dtype)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *i = heddle_astype(
                     heddle_arange(heddle_scalar((int64_t)ROWS * COLUMNS), NULL, NULL),
                     HEDDLE_FLOAT64),
                 *u = heddle_remainder(heddle_multiply(i, heddle_scalar(0.6180339887498949)),
                                       heddle_scalar(1.0)),
                 *v = heddle_remainder(heddle_multiply(i, heddle_scalar(0.7548776662466927)),
                                       heddle_scalar(1.0));
    heddle_array *size =
        heddle_pow(heddle_scalar(10.0),
                   heddle_subtract(heddle_multiply(u, heddle_scalar(24.0)), heddle_scalar(12.0)));
    heddle_array *a = heddle_multiply(size, heddle_subtract(v, heddle_scalar(0.5)));
    a = heddle_astype(heddle_reshape(a, HEDDLE_SHAPE(ROWS, COLUMNS)), dtype);
    CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    heddle_keep(a);
    heddle_scope_close(scope);
    return a;
}

#define RESULTS(F)                                                                                 \
    F(sum, heddle_sum(a))                                                                          \
    F(sum_0, heddle_sum(a, .axis = 0))                                                             \
    F(sum_1, heddle_sum(a, .axis = 1))                                                             \
    F(part, heddle_sum(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(3, -5), HEDDLE_STEP(2)))))      \
    F(mean, heddle_mean(a))                                                                        \
    F(var, heddle_var(a))                                                                          \
    F(std_1, heddle_std(a, .axis = 1))                                                             \
    F(prod_1, heddle_prod(heddle_add(heddle_sin(a), heddle_scalar(1.5)), .axis = 1))               \
    F(scan_0, heddle_cumulative_sum(a, .axis = 0))                                                 \
    F(scan_1, heddle_cumulative_sum(a, .axis = 1))                                                 \
    F(scan, heddle_cumulative_sum(heddle_reshape(a, HEDDLE_SHAPE(ROWS *COLUMNS))))                 \
    F(product, heddle_cumulative_prod(heddle_add(heddle_sin(a), heddle_scalar(1.5)), .axis = 0))

#define NAME(name, expression) #name,
static const char *const names[] = {RESULTS(NAME)};
enum { N_RESULTS = sizeof names / sizeof *names };

/* The bytes of all results; *n_bytes of each. */
static void compute(heddle_array *a, void *out[N_RESULTS], int64_t n_bytes[N_RESULTS])
{
#define RESULT(name, expression) expression,
    heddle_scope scope = heddle_scope_open();
    heddle_array *const results[] = {RESULTS(RESULT)};
    CHECK(heddle_eval_all(N_RESULTS, results) == HEDDLE_OK, "%s", heddle_last_error());
    for (int i = 0; i < N_RESULTS; i++) {
        n_bytes[i] = heddle_nbytes(results[i]);
        out[i] = malloc((size_t)n_bytes[i]);
        CHECK(heddle_read(results[i], out[i], n_bytes[i]) == HEDDLE_OK, "%s: %s", names[i],
              heddle_error(results[i]));
    }
    heddle_scope_close(scope);
}

static void free_all(void *out[N_RESULTS])
{
    for (int i = 0; i < N_RESULTS; i++) free(out[i]);
}

/* Some parts of random extents, 0 among them. */
static struct heddle_cut random_cut(int64_t extent, int64_t ends[N_MAX])
{
    const int64_t n = 1 + word_below(N_MAX);
    for (int64_t i = 0; i < n - 1; i++) {
        int64_t at = word_below(extent + 1), k = i;
        for (; k > 0 && ends[k - 1] > at; k--) ends[k] = ends[k - 1];
        ends[k] = at;
    }
    ends[n - 1] = extent;
    return (struct heddle_cut){HEDDLE_CUT_BOUNDS, n, ends};
}

static void test(enum heddle_dtype dtype, int n_cuts, int n_places, const heddle_place *all)
{
    heddle_array *a = source(dtype), *one = heddle_to(a, all[0]);
    void *expected[N_RESULTS], *got[N_RESULTS];
    int64_t n_bytes[N_RESULTS], n[N_RESULTS];
    compute(one, expected, n_bytes);
    heddle_release(one);
    for (int k = 0; k < n_cuts; k++) {
        int64_t ends[2][N_MAX];
        heddle_place places[PLACES_MAX];
        const int used = 1 + (int)word_below(PLACES_MAX), most = 1 + (int)word_below(n_places);
        for (int i = 0; i < used; i++) places[i] = all[word_below(most)];
        const struct heddle_distribution d = {
            .cut = {random_cut(ROWS, ends[0]), random_cut(COLUMNS, ends[1])},
            .n_places = used,
            .places = places};
        heddle_array *cut = heddle_distribute(a, &d);
        compute(cut, got, n);
        for (int i = 0; i < N_RESULTS; i++)
            CHECK(n[i] == n_bytes[i] && memcmp(got[i], expected[i], (size_t)n[i]) == 0,
                  "%s of %s, cut %d: %lld x %lld parts, %d places", names[i],
                  heddle_dtype_name(dtype), k, (long long)d.cut[0].n, (long long)d.cut[1].n, most);
        free_all(got);
        heddle_release(cut);
    }
    free_all(expected);
    heddle_release(a);
}

int main(int argc, char **argv)
{
    const bool gpu = argc > 1 && !strcmp(argv[1], "gpu");
    const int n_cuts = argc > 2 ? atoi(argv[2]) : 8;
    int n_cpus = 0, n_gpus = 0;
    const enum heddle_status status = heddle_count_places(&n_cpus, &n_gpus);
    int n = gpu ? n_gpus : n_cpus;
    if (status != HEDDLE_OK || n == 0) {
        fprintf(stderr, "skipped: no %s\n", gpu ? "GPU" : "CPU team");
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    }
    heddle_place all[PLACES_MAX];
    if (n > PLACES_MAX) n = PLACES_MAX;
    for (int i = 0; i < n; i++) all[i] = gpu ? heddle_gpu(i) : heddle_cpu(i);
    test(HEDDLE_FLOAT64, n_cuts, n, all);
    test(HEDDLE_FLOAT32, n_cuts, n, all);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    return check_done();
}
