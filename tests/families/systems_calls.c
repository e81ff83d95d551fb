/* Small systems against elimination in long double. Entry point: systems_calls.h. */
#include "families/systems_calls.h"

#include "check.h"
#include "families/factor/kernel_systems.h"
#include "families/gauss.h"
#include "random_words.h"

#include <math.h>
#include <string.h>

enum { N = HEDDLE_SYSTEMS_ROWS, LANES = HEDDLE_SYSTEMS_IN_LANES };
enum { BATCH = 40, FEW = 9 /* of those that are not in lanes */, MOST = FEW * N * N };
_Static_assert(BATCH *LANES *LANES <= MOST, "all that are in lanes");

static double a[MOST], b[MOST], got[MOST];
static long double want[MOST];
static float narrow[MOST];

static double number(void)
{
    return (double)(int64_t)random_word() * 0x1p-63;
}

/* Element i, j of what is right of the matrix. */
static double right(const struct heddle_systems *s, int64_t system, int i, int j)
{
    return s->what == HEDDLE_SYSTEMS_INVERT ? i == j : b[(system * s->n + i) * s->columns + j];
}

/* What system `at` gives. */
static void solve(const struct heddle_systems *s, int64_t at, long double *to)
{
    const int n = s->n, columns = heddle__systems_is_of_matrix(s) ? 0 : s->columns;
    long double x[N * N], pivots[N], *y = columns > 0 ? to : x;
    for (int i = 0; i < n * n; i++) x[i] = a[at * n * n + i];
    for (int i = 0; i < n * columns; i++) y[i] = right(s, at, i / columns, i % columns);
    const int64_t zero = gauss(n, columns, x, y, pivots);
    CHECK(zero == n, "oracle");
    if (s->what == HEDDLE_SYSTEMS_PIVOTS) memcpy(to, pivots, (size_t)n * sizeof *to);
    if (s->what != HEDDLE_SYSTEMS_DETERMINANT) return;
    to[0] = 1;
    for (int k = 0; k < n; k++) to[0] *= pivots[k];
}

/* Random matrices whose rows are apart in size, so that rounding does not choose the pivots. */
static void fill(int n, int64_t batch)
{
    for (int64_t i = 0; i < batch * n * n; i++) a[i] = (float)(0.1 * number());
    for (int64_t at = 0; at < batch; at++) /* one large element a row and column, anywhere */
        for (int i = 0, by = (int)(random_word() % (uint64_t)n); i < n; i++)
            a[(at * n + i) * n + (i + by) % n] += random_word() % 2 ? 2 : -3;
    for (int64_t i = 0; i < MOST; i++) b[i] = (float)number();
}

static void *put_numbers(const struct systems_machine *m, bool single, const double *from)
{
    if (!single) return m->put(from, MOST * sizeof *from);
    for (int i = 0; i < MOST; i++) narrow[i] = (float)from[i];
    return m->put(narrow, sizeof narrow);
}

/* Runs the call. The status and, of a singular matrix, its number and pivot. */
static enum heddle_status run(const struct systems_machine *m, const struct heddle_systems *s,
                              int64_t words[HEDDLE_REPORT_WORDS])
{
    const bool single = s->dtype == HEDDLE_FLOAT32;
    void *buffers[3] = {put_numbers(m, single, a), put_numbers(m, single, b),
                        put_numbers(m, single, b)};
    struct heddle_kernel_context k = m->context;
    int64_t scratch[8] = {0};
    k.buffers = buffers;
    k.scratch = m->put(scratch, sizeof scratch);
    if (m->report) {
        memset((void *)(uintptr_t)m->report, 0, HEDDLE_REPORT_WORDS * sizeof *words);
        k.report = (struct heddle_report){m->report, 77};
    }
    enum heddle_status status = m->run(s, &k);
    m->get(single ? (void *)narrow : got, buffers[2], single ? sizeof narrow : sizeof got);
    for (int i = 0; i < MOST && single; i++) got[i] = narrow[i];
    m->free_all();
    if (m->report && m->report[0] == 77) {
        for (int i = 0; i < HEDDLE_REPORT_WORDS; i++) words[i] = m->report[i];
        status = HEDDLE_ESINGULAR;
    } else if (status == HEDDLE_ESINGULAR) {
        long long matrix, pivot;
        CHECK_EQ(sscanf(heddle_last_error(),
                        "heddle_linalg_inv: matrix %lld is singular: pivot %lld", &matrix, &pivot),
                 2);
        words[1] = matrix;
        words[2] = pivot;
    }
    return status;
}

static struct heddle_systems call_of(int what, bool single, int n, int columns, int64_t batch)
{
    return (struct heddle_systems){.dtype = single ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64,
                                   .what = (uint8_t)what,
                                   .name = HEDDLE_FACTOR_INV,
                                   .n = n,
                                   .columns = what == HEDDLE_SYSTEMS_INVERT ? n : columns,
                                   .batch = batch,
                                   .matrix = 1000,
                                   .a = 0,
                                   .b = 1,
                                   .out = 2};
}

static void check_values(const struct systems_machine *m, int what, bool single, int n, int columns,
                         int64_t batch)
{
    const struct heddle_systems s = call_of(what, single, n, columns, batch);
    const int64_t each = heddle__systems_each(&s);
    int64_t words[HEDDLE_REPORT_WORDS], bad = -1;
    fill(n, batch);
    for (int64_t i = 0; i < batch; i++) solve(&s, i, want + i * each);
    CHECK(run(m, &s, words) == HEDDLE_OK, "%s", heddle_last_error());
    const double epsilon = single ? 0x1p-23 : 0x1p-52;
    for (int64_t at = 0; at < batch; at++) {
        long double size = 1;
        for (int64_t k = at * each; k < (at + 1) * each; k++)
            size = fabsl(want[k]) > size ? fabsl(want[k]) : size;
        for (int64_t k = at * each; k < (at + 1) * each && bad < 0; k++)
            if (!(fabsl(got[k] - want[k]) <= 64 * n * epsilon * size)) bad = k;
    }
    CHECK(bad < 0, "%d: %d x %d, %d columns, %lld systems: element %lld is %g, not %Lg", what, n, n,
          columns, (long long)batch, (long long)bad, bad < 0 ? 0 : got[bad],
          bad < 0 ? 0 : want[bad]);
    /* nobody writes behind the last system */
    CHECK(batch * each == MOST ||
              got[batch * each] == (single ? (float)b[batch * each] : b[batch * each]),
          "behind it");
}

/* Two of several are singular: the first is named, with its first pivot that is 0. */
static void check_singular(const struct systems_machine *m, bool single, int n, int64_t batch)
{
    const struct heddle_systems s = call_of(HEDDLE_SYSTEMS_INVERT, single, n, n, batch);
    const int64_t first = (int64_t)(random_word() % (uint64_t)batch);
    const int column = (int)(random_word() % (uint64_t)n);
    int64_t words[HEDDLE_REPORT_WORDS] = {0};
    fill(n, batch);
    for (int i = 0; i < n; i++) {
        a[(first * n + i) * n + column] = a[(first * n + i) * n + n - 1] = 0;
        a[((batch - 1) * n + i) * n + column] = 0;
    }
    CHECK_EQ(run(m, &s, words), HEDDLE_ESINGULAR);
    CHECK_EQ(words[1], 1000 + first);
    CHECK_EQ(words[2], column);
    /* of determinants that is no error */
    const struct heddle_systems d = call_of(HEDDLE_SYSTEMS_DETERMINANT, single, n, 0, batch);
    CHECK_EQ(run(m, &d, words), HEDDLE_OK);
    CHECK(got[first] == 0, "the determinant is %g", got[first]);
}

/* What is no number stays in its system. */
static void check_nan(const struct systems_machine *m, bool single, int n)
{
    enum { AT = 3, SYSTEMS = 9 };
    const struct heddle_systems s = call_of(HEDDLE_SYSTEMS_DETERMINANT, single, n, 0, SYSTEMS);
    int64_t words[HEDDLE_REPORT_WORDS];
    fill(n, SYSTEMS);
    for (int64_t i = 0; i < SYSTEMS; i++) solve(&s, i, want + i);
    for (int i = 0; i < n * n; i++) a[AT * n * n + i] = NAN;
    CHECK_EQ(run(m, &s, words), HEDDLE_OK);
    for (int i = 0; i < SYSTEMS; i++)
        CHECK(i == AT ? isnan(got[i]) : fabsl(got[i] - want[i]) < 1e-4L * (1 + fabsl(want[i])),
              "determinant %d of %d is %g", i, n, got[i]);
}

void systems_calls(const struct systems_machine *m)
{
    static const int64_t batches[] = {1, 2, 7, 8, FEW, 16, 17, BATCH};
    static const int large[] = {17, 31, 32, 33, 48, 63, 64};
    enum {
        N_BATCHES = sizeof batches / sizeof *batches,
        N_FEW = 5,
        N_LARGE = sizeof large / sizeof *large
    };
    for (int single = 0; single < 2; single++)
        for (int i = 1; i <= LANES + N_LARGE; i++) {
            const bool in_lanes = i <= LANES;
            const int n = in_lanes ? i : large[i - LANES - 1],
                      n_batches = in_lanes ? N_BATCHES : N_FEW;
            const int most = in_lanes ? LANES : HEDDLE_SYSTEMS_COLUMNS;
            for (int what = 0; what < HEDDLE_N_SYSTEMS; what++)
                check_values(m, what, single, n, 1 + (int)(random_word() % (uint64_t)most),
                             batches[random_word() % (uint64_t)n_batches]);
            check_values(m, HEDDLE_SYSTEMS_SOLVE, single, n, n,
                         in_lanes ? BATCH : FEW); /* n: each number of columns once */
            check_values(m, HEDDLE_SYSTEMS_SOLVE, single, n, most + n % 2 - 1,
                         FEW); /* few rows, too */
            check_values(m, HEDDLE_SYSTEMS_INVERT, single, n, n, batches[(n + single) % n_batches]);
            check_singular(m, single, n, batches[n % n_batches]);
            check_nan(m, single, n);
        }
    for (int n = 1; n < LANES; n++) /* more columns than lanes have */
        check_values(m, HEDDLE_SYSTEMS_SOLVE, n % 2, n, LANES + 1 + 3 * n, FEW);
}
