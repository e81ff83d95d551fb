/* Reductions that keep a short axis of work on pairs, which are computed index by index: their values against loops, for
 * arrays that have this axis first, last, between the others, backwards or moved. Whole numbers, so that all are exact.
 * Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "each_way.h"
#include "random_words.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 40, MOST_COMPONENTS = 6, ROOM = MOST * MOST_COMPONENTS };

/* Points are a row each of a and b (FIRST: a column; BETWEEN: rows of a, columns of b), and components are seen ... */
enum layout { LAST, BACKWARDS, FIRST, BETWEEN, MOVED, TURNED, N_LAYOUTS };
static const char *const differences[] = {
    "d = a[:, None, :] - b[None, :, :]; w = sum(d * d, axis=2)[:, :, None]",
    "d = a[:, None, ::-1] - b[None, :, ::-1]; w = sum(d * d, axis=-1, keepdims=True)",
    "d = a[:, :, None] - b[:, None, :]; w = sum(d * d, axis=0)[None]",
    "d = a[:, :, None] - b[None, :, :]; w = sum(d * d, axis=1, keepdims=True)",
    "d = a[:, None, :] - b[None, :, :]; w = sum(d * d, axis=2)[:, :, None]",
    "d = a[:, None, :] - b[None, :, :]; w = sum(d * d, axis=2)[:, :, None]",
};
static const char *const products[] = {
    "d * w",
    "d * w",
    "d * w",
    "d * w",
    "permute_dims(d * w, (2, 0, 1)) + 0",
    "d * w + d[..., ::-1]",
};

enum reduction { SUM, MAX, ARGMIN, BOTH, N_REDUCTIONS };
static const char *const names[] = {"sum", "max", "argmin", "sum"};

struct instance {
    enum heddle_dtype dtype;
    enum layout layout;
    enum reduction reduction; /* BOTH: over pairs, so that only components are kept */
    int n, m, k;
    bool over_a; /* the points of a are reduced, not those of b */
};

static int64_t as_dtype(enum heddle_dtype dtype, int64_t x)
{
    return dtype == HEDDLE_INT8 ? (int8_t)x : dtype == HEDDLE_UINT8 ? (uint8_t)x : x;
}

/* Component k of d * w of points i and j; TURNED: with the one that is as far from the other end. */
static int64_t element(const struct instance *c, const int64_t *a, const int64_t *b, int i, int j,
                       int k)
{
    int64_t w = 0, d[MOST_COMPONENTS];
    for (int l = 0; l < c->k; l++) {
        d[l] = as_dtype(c->dtype, a[i * c->k + l] - b[j * c->k + l]);
        w += as_dtype(c->dtype, d[l] * d[l]);
    }
    return d[k] * w + (c->layout == TURNED ? d[c->k - 1 - k] : 0);
}

static int64_t reduced(const struct instance *c, const int64_t *a, const int64_t *b, int kept,
                       int k)
{
    int64_t all = 0, best = 0;
    const int n = c->over_a ? c->n : c->m;
    for (int other = 0; other < n; other++) {
        const int64_t x = element(c, a, b, c->over_a ? other : kept, c->over_a ? kept : other, k);
        if (c->reduction == SUM || c->reduction == BOTH) all += x;
        if (c->reduction == MAX) all = other == 0 || x > all ? x : all;
        if (c->reduction == ARGMIN) all = other == 0 || x < best ? other : all;
        if (other == 0 || x < best) best = x;
    }
    return all;
}

static heddle_array *points(const struct instance *c, const int64_t *x, int n, bool columns)
{
    int64_t values[ROOM];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < c->k; k++) values[columns ? k * n + i : i * c->k + k] = x[i * c->k + k];
    const int64_t shape[2] = {columns ? c->k : n, columns ? n : c->k};
    return heddle_astype(heddle_asarray(values, HEDDLE_INT64, 2, shape), c->dtype);
}

/* The axes that are reduced, of d * w as the text has it: an axis, or two. */
static void axes_text(const struct instance *c, char text[16])
{
    static const int axis_of_a[] = {0, 0, 1, 0, 1, 0}, axis_of_b[] = {1, 1, 2, 2, 2, 1};
    const int a = axis_of_a[c->layout], b = axis_of_b[c->layout];
    if (c->reduction == BOTH)
        snprintf(text, 16, "(%d, %d)", a, b);
    else
        snprintf(text, 16, "%d", c->over_a ? a : b);
}

static void check_instance(const struct instance *c)
{
    int64_t a[ROOM], b[ROOM], got[ROOM] = {0};
    const bool narrow = c->dtype == HEDDLE_INT8 || c->dtype == HEDDLE_UINT8;
    for (int i = 0; i < ROOM; i++) {
        a[i] = as_dtype(c->dtype, narrow ? (int64_t)random_word() : word_below(9) - 4);
        b[i] = as_dtype(c->dtype, narrow ? (int64_t)random_word() : word_below(9) - 4);
    }
    heddle_scope scope = heddle_scope_open();
    char axes[16], text[256];
    axes_text(c, axes);
    snprintf(text, sizeof text, "%s; astype(%s(%s, axis=%s), int64)", differences[c->layout],
             names[c->reduction], products[c->layout], axes);
    const struct heddle_binding both[] = {
        {"a", points(c, a, c->n, c->layout == FIRST)},
        {"b", points(c, b, c->m, c->layout == FIRST || c->layout == BETWEEN)}};
    heddle_array *r = heddle_expr(text, 2, both);
    const int n_kept = c->reduction == BOTH ? 1 : c->over_a ? c->m : c->n;
    CHECK_EQ(heddle_read(r, got, (int64_t)sizeof *got * n_kept * c->k), HEDDLE_OK);
    /* where components come first in the result */
    const bool first = c->layout == FIRST || c->layout == MOVED ||
                       (c->layout == BETWEEN && c->over_a && c->reduction != BOTH);
    for (int i = 0; i < n_kept; i++)
        for (int k = 0; k < c->k; k++) {
            const int of = c->layout == BACKWARDS ? c->k - 1 - k : k;
            int64_t want = reduced(c, a, b, i, of);
            if (c->reduction == BOTH)
                for (int other = 1; other < (c->over_a ? c->m : c->n); other++)
                    want += reduced(c, a, b, other, of);
            const int64_t x = got[first ? k * n_kept + i : i * c->k + k];
            CHECK(x == want, "%s of %s, points %d, %d, at (%d, %d): %lld, not %lld", text,
                  heddle_dtype_name(c->dtype), c->n, c->m, i, k, (long long)x, (long long)want);
        }
    heddle_scope_close(scope);
}

static void test_all(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT8,
                                               HEDDLE_UINT8, HEDDLE_INT32};
    static const int counts[] = {1, 15, 16, 17, MOST};
    for (int layout = 0; layout < N_LAYOUTS; layout++)
        for (int reduction = 0; reduction < N_REDUCTIONS; reduction++)
            for (int k = 1; k <= MOST_COMPONENTS; k++) {
                const struct instance c = {
                    .dtype = dtypes[word_below(sizeof dtypes / sizeof *dtypes)],
                    .layout = (enum layout)layout,
                    .reduction = (enum reduction)reduction,
                    .n = counts[word_below(sizeof counts / sizeof *counts)],
                    .m = counts[word_below(sizeof counts / sizeof *counts)],
                    .k = k,
                    .over_a = random_word() & 1,
                };
                check_instance(&c);
            }
}

/* ---- Outer products --------------------------------------------------------------------------------- */

/* Sums, or the largest, of a[:, :, None] * b[:, None, :] over all rows; `weighted` by a number for each row. */
static void check_outer(int rows, int m, int n, bool largest, bool weighted)
{
    enum { MOST_ROWS = 1100, MOST_OUTER = 6 };
    static int64_t a[MOST_ROWS * MOST_OUTER], b[MOST_ROWS * MOST_OUTER], c[MOST_ROWS];
    int64_t want[MOST_OUTER * MOST_OUTER], got[MOST_OUTER * MOST_OUTER] = {0};
    for (int i = 0; i < rows * m; i++) a[i] = word_below(19) - 9;
    for (int i = 0; i < rows * n; i++) b[i] = word_below(19) - 9;
    for (int i = 0; i < rows; i++) c[i] = weighted ? word_below(5) - 1 : 1;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < m * n; k++) {
            const int64_t x = c[i] * a[i * m + k / n] * b[i * n + k % n];
            if (i == 0)
                want[k] = x;
            else if (largest)
                want[k] = x > want[k] ? x : want[k];
            else
                want[k] += x;
        }
    heddle_scope scope = heddle_scope_open();
    const enum heddle_dtype dtype = rows % 2 ? HEDDLE_FLOAT64 : HEDDLE_INT32;
    const struct heddle_binding both[] = {
        {"a", heddle_astype(heddle_asarray(a, HEDDLE_INT64, HEDDLE_SHAPE(rows, m)), dtype)},
        {"b", heddle_astype(heddle_asarray(b, HEDDLE_INT64, HEDDLE_SHAPE(rows, n)), dtype)},
        {"c", heddle_astype(heddle_asarray(c, HEDDLE_INT64, HEDDLE_SHAPE(rows)), dtype)}};
    char text[128];
    snprintf(text, sizeof text, "astype(%s(%sa[:, :, None] * b[:, None, :], axis=0), int64)",
             largest ? "max" : "sum", weighted ? "c[:, None, None] * " : "");
    heddle_array *r = heddle_expr(text, 3, both);
    CHECK_EQ(heddle_read(r, got, (int64_t)sizeof *got * m * n), HEDDLE_OK);
    for (int k = 0; k < m * n; k++)
        CHECK(got[k] == want[k], "%s, %d rows, %d by %d, at %d: %lld, not %lld", text, rows, m, n,
              k, (long long)got[k], (long long)want[k]);
    heddle_scope_close(scope);
}

static void test_outer(void)
{
    static const int counts[] = {1, 1023, 1024, 1025};
    for (int m = 1; m <= 6; m++)
        for (int n = 1; n <= 6; n++)
            check_outer(counts[word_below(4)], m, n, word_below(4) == 0, word_below(2) == 0);
}

static void test(void)
{
    for (int i = 0; i < CHECK_SOME(4, 1); i++) test_all();
    test_outer();
}

int main(void)
{
    return check_each_way(test);
}
