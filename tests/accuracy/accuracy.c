/* How far the elementary functions are from the exact values, against long double, which has 11 bits more than a double:
 * random points, half of them where the function is used most, half of all magnitudes (tests/exact.h: functions that want more,
 * or that libm has not). Prints the table of
 * docs/accuracy.md; fails if an error is more than 4 units in the last place.
 *
 *   accuracy [POINTS]    for each function and dtype (20000)
 *
 * accuracy_cuda is the same on a GPU. */
#include "exact.h"

#include <float.h>
#include <heddle.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ULPS = 4 };
enum range {
    ANY,
    POSITIVE,
    UP_TO_1,
    FROM_1,
    USUAL,
    CANCELS,
    WHOLE
}; /* of the other half of the points */

typedef heddle_array *function(heddle_array *, heddle_array *);
typedef long double exact(long double, long double);

/* ---- The functions --------------------------------------------------------------------------------------- */

#define UNARY(F)                                                                                   \
    F(sqrt, sqrtl, 0, 10, POSITIVE)                                                                \
    F(cbrt, cbrtl, -10, 10, ANY)                                                                   \
    F(exp, expl, -700, 700, UP_TO_1)                                                               \
    F(exp2, exp2l, -1000, 1000, UP_TO_1)                                                           \
    F(expm1, expm1l, -40, 80, UP_TO_1)                                                             \
    F(log, logl, 0, 10, POSITIVE)                                                                  \
    F(log1p, log1pl, -1, 10, POSITIVE)                                                             \
    F(log2, log2l, 0, 10, POSITIVE)                                                                \
    F(log10, log10l, 0, 10, POSITIVE)                                                              \
    F(sin, sinl, -10, 10, ANY)                                                                     \
    F(cos, cosl, -10, 10, ANY)                                                                     \
    F(tan, tanl, -10, 10, ANY)                                                                     \
    F(asin, asinl, -1, 1, UP_TO_1)                                                                 \
    F(acos, acosl, -1, 1, UP_TO_1)                                                                 \
    F(atan, atanl, -10, 10, ANY)                                                                   \
    F(sinh, sinhl, -80, 80, UP_TO_1)                                                               \
    F(cosh, coshl, -80, 80, UP_TO_1)                                                               \
    F(tanh, tanhl, -10, 10, ANY)                                                                   \
    F(asinh, asinhl, -10, 10, ANY)                                                                 \
    F(acosh, acoshl, 1, 10, FROM_1)                                                                \
    F(atanh, atanhl, -1, 1, UP_TO_1)                                                               \
    F(erf, erfl, -5, 5, ANY)                                                                       \
    F(erfc, erfcl, -5, 9, UP_TO_1)                                                                 \
    F(i0, true_i0, -20, 20, UP_TO_1)
#define BINARY(F)                                                                                  \
    F(pow, powl, 0, 20, USUAL)                                                                     \
    F(hypot, hypotl, -10, 10, ANY)                                                                 \
    F(atan2, atan2l, -10, 10, ANY)                                                                 \
    F(logaddexp, true_log_add_exp, -3, 3, ANY)                                                     \
    F(logaddexp2, true_log_add_exp2, -3, 3, ANY)

#define CALL_1(name, oracle, low, high, range)                                                     \
    static heddle_array *call_##name(heddle_array *x, heddle_array *y)                             \
    {                                                                                              \
        (void)y;                                                                                   \
        return heddle_##name(x);                                                                   \
    }                                                                                              \
    static long double exact_##name(long double x, long double y)                                  \
    {                                                                                              \
        (void)y;                                                                                   \
        return oracle(x);                                                                          \
    }
UNARY(CALL_1)
#define ROW_1(name, oracle, low, high, range)                                                      \
    {#name, call_##name, exact_##name, low, high, range, 1},
#define ROW_2(name, oracle, low, high, range) {#name, heddle_##name, oracle, low, high, range, 2},

static const struct row {
    const char *name;
    function *call;
    exact *oracle;
    double low, high;
    enum range range;
    int arity;
} rows[] = {UNARY(ROW_1) BINARY(ROW_2){"logaddexp near 0", heddle_logaddexp, true_log_add_exp, 0, 1,
                                       CANCELS, 2},
            {"logaddexp2 near 0", heddle_logaddexp2, true_log_add_exp2, 0, 1, CANCELS, 2},
            {"pow, whole", heddle_pow, powl, -80, 80, WHOLE, 2},
            /* below normal numbers, down to 0 */
            {"exp, least of float32", call_exp, exact_exp, -104.5, -86.5, USUAL, 1},
            {"exp, least of float64", call_exp, exact_exp, -746.5, -707.5, USUAL, 1},
            {"exp2, least of float32", call_exp2, exact_exp2, -150.5, -124.5, USUAL, 1},
            {"exp2, least of float64", call_exp2, exact_exp2, -1076.5, -1020.5, USUAL, 1}};

/* ---- Points ----------------------------------------------------------------------------------------------- */

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double point(const struct row *row, bool usual, bool single)
{
    if (usual || row->range == USUAL) return row->low + (row->high - row->low) * uniform();
    const double least = single ? -125 : -1020, most = single ? 126 : 1020;
    const double from = row->range == FROM_1 ? 0 : least, to = row->range == UP_TO_1 ? 0 : most;
    const double size = exp2(from + (to - from) * uniform());
    return row->range == POSITIVE || row->range == FROM_1 || uniform() < 0.5 ? size : -size;
}

/* ---- Errors ------------------------------------------------------------------------------------------------ */

struct worst {
    double ulps, x, y;
};

/* In units in the last place of the exact value as the dtype holds it; 0 where both overflow. */
static double error_of(double got, long double want, bool single)
{
    const double rounded = single ? (double)(float)want : (double)want;
    if (isnan(want) && isnan(got)) return 0;
    if (isinf(rounded)) return got == rounded ? 0 : INFINITY;
    int exponent;
    frexp(rounded, &exponent);
    const int least = single ? FLT_MIN_EXP - FLT_MANT_DIG : DBL_MIN_EXP - DBL_MANT_DIG;
    const int last = exponent - (single ? FLT_MANT_DIG : DBL_MANT_DIG);
    return (double)fabsl(
        ldexpl((long double)got - want, -(last > least && rounded != 0 ? last : least)));
}

static void set(void *at, int64_t i, double value, bool single)
{
    if (single)
        ((float *)at)[i] = (float)value;
    else
        ((double *)at)[i] = value;
}

static double get(const void *at, int64_t i, bool single)
{
    return single ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

/* y so that the sum of the exponentials of x and y is 1, or beside it. */
static void cancel(const struct row *row, double *x, double *y)
{
    const double log_2 = row->call == heddle_logaddexp ? 1 : 0.69314718055994530942;
    const double share = uniform() < 0.5 ? uniform() : exp2(-60 * uniform());
    *x = log(share) / log_2;
    *y = log1p(-share) / log_2 * (1 + exp2(-20 * uniform()));
}

/* Whole y, and x of both signs so that the power is in the range, at its ends for every fourth. */
static void make_whole(const struct row *row, bool single, double *x, double *y)
{
    const double most = single ? 128 : 1024, share = uniform() < 0.25 ? 1 : 2 * uniform() - 1;
    *y = rint(row->low + (row->high - row->low) * uniform());
    const double size = exp2(share * (most - uniform()) / (fabs(*y) + 1));
    *x = uniform() < 0.5 ? size : -size;
}

static struct worst measure(const struct row *row, bool single, int64_t n, void *const data[3])
{
    struct worst worst = {0, 0, 0};
    for (int64_t i = 0; i < n; i++) {
        const bool usual = i % 2 == 0;
        double x = point(row, usual, single), y = point(row, usual, single);
        if (row->range == CANCELS) cancel(row, &x, &y);
        if (row->range == WHOLE) make_whole(row, single, &x, &y);
        set(data[0], i, x, single);
        set(data[1], i, y, single);
    }
    const enum heddle_dtype dtype = single ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64;
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_asarray(data[0], dtype, HEDDLE_SHAPE(n)),
                 *y = heddle_asarray(data[1], dtype, HEDDLE_SHAPE(n)), *r = row->call(x, y);
    if (heddle_read(r, data[2], heddle_nbytes(r)) != HEDDLE_OK) worst.ulps = INFINITY;
    heddle_scope_close(scope);
    for (int64_t i = 0; i < n; i++) {
        const double a = get(data[0], i, single), b = get(data[1], i, single);
        const double ulps = error_of(get(data[2], i, single), row->oracle(a, b), single);
        if (!(ulps <= worst.ulps)) worst = (struct worst){ulps, a, b};
    }
    return worst;
}

static void print(const struct row *row, const struct worst *w)
{
    printf(" %.2f | `%.9g`", w->ulps, w->x);
    if (row->arity == 2) printf(" `%.9g`", w->y);
    printf(" |");
}

#ifdef ON_GPU
/* Whether nothing is to be measured: 77 without a GPU. */
static int begin(void)
{
    int n_cpus, n_gpus = 0;
    if (heddle_count_places(&n_cpus, &n_gpus) == HEDDLE_OK && n_gpus > 0) return 0;
    fprintf(stderr, "skipped: no GPU\n");
    return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
}

/* Whether kernels ran there. */
static bool ran(void)
{
    struct heddle_statistics statistics;
    heddle_statistics_get(&statistics);
    return statistics.gpu_kernels > 0;
}
#else
static int begin(void)
{
    return 0;
}

static bool ran(void)
{
    return true;
}
#endif

int main(int argc, char **argv)
{
    const int skip = begin();
    if (skip) return skip;
    const int64_t n = argc > 1 ? strtoll(argv[1], NULL, 10) : 20000;
    void *const data[3] = {malloc((size_t)n * 8), malloc((size_t)n * 8), malloc((size_t)n * 8)};
    int failed = 0;
    printf("| function | float32 | at | float64 | at |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && data[0] && data[1] && data[2]; i++) {
        if (rows[i].range == CANCELS && EXACT_CANCELS > 1e-30L) continue; /* no exact values */
        printf("| `%s` |", rows[i].name);
        for (int single = 1; single >= 0; single--) {
            const struct worst w = measure(&rows[i], single, n, data);
            print(&rows[i], &w);
            failed += !(w.ulps <= MOST_ULPS);
        }
        printf("\n");
    }
    for (int i = 0; i < 3; i++) free(data[i]);
    fprintf(stderr, "%d errors above %d units in the last place\n", failed, MOST_ULPS);
    return failed || !ran() ? 1 : 0;
}
