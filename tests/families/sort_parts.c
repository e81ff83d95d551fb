/* Sorting arrays whose axis is cut into parts: the bits are those of one part, whatever the parts are, and each part is
 * sorted where it lives. Through StarPU, and on an invented machine. */
#include "check_heddle.h"

#include "machine/machine.h"
#include "random_words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 100000, MAX_PARTS = 80 };

enum kind { ANY, FEW_VALUES, EQUAL, ASCENDING, DESCENDING, SPECIAL, N_KINDS };

static double draw(enum kind kind, int64_t i)
{
    static const double special[] = {NAN, 0.0, -0.0, INFINITY, -INFINITY, 1};
    switch (kind) {
    case FEW_VALUES: return (double)(random_word() % 5);
    case EQUAL: return 3;
    case ASCENDING: return floor((double)(i % 300) / 3);
    case DESCENDING: return 100 - floor((double)i / 1000);
    case SPECIAL: return special[random_word() % 6];
    default: return (double)(int64_t)random_word() * 1e-17;
    }
}

static heddle_place places[16];
static int n_places, n_gpus;

static void find_places(void)
{
    int n_cpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    n_places = 0;
    for (int i = 0; i < n_gpus && n_places < 8; i++) places[n_places++] = heddle_gpu(i);
    for (int i = 0; i < n_cpus && n_places < 16; i++) places[n_places++] = heddle_cpu(i);
}

/* Cuts axis `axis` into `parts`, one place after the other; with `uneven` at random: some have one element, some none. */
static heddle_array *distribute(heddle_array *a, int axis, int parts, bool uneven)
{
    int64_t bounds[MAX_PARTS];
    const int64_t extent = heddle_shape(a)[axis];
    for (int i = 0; i < parts; i++) {
        const int64_t last = i > 0 ? bounds[i - 1] : 0, even = extent * (i + 1) / parts;
        const uint64_t how = uneven ? random_word() % 6 : 5;
        bounds[i] = how == 0 ? last : how == 1 ? last + 1 : even + (int64_t)(random_word() % 3);
        if (bounds[i] < last) bounds[i] = last;
        if (bounds[i] > extent || i == parts - 1) bounds[i] = extent;
    }
    struct heddle_distribution d = {.places = places, .n_places = random_word() % 4 ? n_places : 0};
    if (!uneven) d.n_places = n_places;
    d.cut[axis] = (struct heddle_cut){HEDDLE_CUT_BOUNDS, parts, bounds};
    return heddle_distribute(a, &d);
}

static bool plan_has(heddle_array *a, const char *what)
{
    char *text = NULL;
    CHECK_EQ(heddle_explain(a, HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
    const bool has = text && strstr(text, what);
    heddle_free(text);
    return has;
}

static void test(enum heddle_dtype dtype, enum kind kind, int64_t rows, int64_t n, int parts,
                 bool uneven)
{
    static double x[MOST];
    static char whole[MOST * 8], cut[MOST * 8];
    const bool descending = random_word() % 2, positions = random_word() % 2;
    const int axis = rows > 1 && random_word() % 2 ? 0 : 1;
    const int64_t shape[2] = {axis == 0 ? n : rows, axis == 0 ? rows : n};
    heddle_scope scope = heddle_scope_open();
    for (int64_t i = 0; i < rows * n; i++) x[i] = draw(kind, i);
    heddle_array *a = heddle_astype(heddle_abs(heddle_asarray(x, HEDDLE_FLOAT64, 2, shape)), dtype);
    if (heddle_dtype_kind(dtype) == 'F')
        a = heddle_astype(heddle_asarray(x, HEDDLE_FLOAT64, 2, shape), dtype);
    const struct heddle_sort_options o = {.axis = axis, .has_axis = true, .descending = descending};
    heddle_array *(*const f)(heddle_array *, const struct heddle_sort_options *) =
        positions ? heddle_argsort_with : heddle_sort_with;
    heddle_array *one = f(a, &o), *many = f(distribute(a, axis, parts, uneven), &o);
    const int64_t bytes = heddle_nbytes(one);
    if (!uneven &&
        n_gpus > 1) { /* each GPU makes one run of its part, or two if it has to send all of them */
        char one_run[64], two_runs[64];
        snprintf(one_run, sizeof one_run, "operation in %d tasks", parts);
        snprintf(two_runs, sizeof two_runs, "operation in %d tasks", 2 * parts);
        CHECK(plan_has(many, one_run) || plan_has(many, two_runs), "%d parts", parts);
    }
    CHECK(n < 7 || plan_has(many, "exchange"), "%d parts of %lld are sorted as one", parts,
          (long long)n);
    CHECK(heddle_read(one, whole, bytes) == HEDDLE_OK, "%s", heddle_error(one));
    CHECK(heddle_read(many, cut, bytes) == HEDDLE_OK, "%s", heddle_error(many));
    CHECK(memcmp(whole, cut, (size_t)bytes) == 0,
          "%s, kind %d, %lld rows of %lld, axis %d, %d parts%s%s: other bits than one part",
          heddle_dtype_name(dtype), kind, (long long)rows, (long long)n, axis, parts,
          descending ? ", descending" : "", positions ? ", positions" : "");
    heddle_scope_close(scope);
}

/* What is made of sorts: they get it by themselves. */
static void test_others(void)
{
    enum { N = 5000 };
    static int32_t x[N];
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < N; i++) x[i] = (int32_t)(random_word() % 700);
    heddle_array *a = heddle_asarray(x, HEDDLE_INT32, HEDDLE_SHAPE(1, N)),
                 *b = distribute(a, 1, 7, true);
    double medians[2];
    CHECK_EQ(heddle_read_as(heddle_median(a), HEDDLE_FLOAT64, &medians[0], 8), HEDDLE_OK);
    CHECK_EQ(heddle_read_as(heddle_median(b), HEDDLE_FLOAT64, &medians[1], 8), HEDDLE_OK);
    CHECK_NUM(medians[1], medians[0]);
    heddle_array *u = heddle_unique_values(a), *v = heddle_unique_values(b);
    static int32_t values[2][N];
    CHECK_EQ(heddle_size(u), heddle_size(v));
    CHECK_EQ(heddle_read(u, values[0], heddle_nbytes(u)), HEDDLE_OK);
    CHECK_EQ(heddle_read(v, values[1], heddle_nbytes(u)), HEDDLE_OK);
    CHECK(memcmp(values[0], values[1], (size_t)heddle_nbytes(u)) == 0, "unique of parts");
    heddle_scope_close(scope);
}

int main(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT8,
                                               HEDDLE_UINT64};
    static const int parts[] = {2, 3, 8, 64, 65, MAX_PARTS};
    static const int64_t lengths[] = {2, 7, 400, 30000};
    const struct heddle_config config = {.inline_bytes = -1, .part_bytes = 1 << 12};
    CHECK_EQ(machine_configure(&config), HEDDLE_OK);
    find_places();
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int n = 0; n < 4; n++)
            for (int k = 0; k < (n < 3 ? 6 : 3);
                 k++) /* as many parts as n has elements, and more */
                test(dtypes[random_word() % 4], (enum kind)kind, random_word() % 2 ? 1 : 3,
                     lengths[n], parts[k], true);
    for (int kind = 0; kind < N_KINDS; kind++) {
        test(HEDDLE_FLOAT64, (enum kind)kind, 1, 30000, 2, false);
        test(HEDDLE_FLOAT64, (enum kind)kind, 1, 30000, 4, false);
    }
    test_others();
    heddle_shutdown();
    return check_done();
}
