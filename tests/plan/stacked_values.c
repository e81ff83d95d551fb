/* Reductions along the axis along which arrays are stacked, which are computed without the stack: their values against loops,
 * for 2 to 17 arrays (one more than are taken apart), which are shifted and reversed slices of one. Whole numbers, so that all are
 * exact, and NaN among floating-point numbers. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "each_way.h"
#include "random_words.h"

#include <heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300, MOST_STACKED = 17, MOST_VALUES = MOST + MOST_STACKED };

enum reduction { SUM, MAX, MIN, NANMAX, NANMIN, ARGMAX, ARGMIN, ANY, ALL, N_REDUCTIONS };
static const char *const reductions[] = {"sum",    "max",    "min", "nanmax", "nanmin",
                                         "argmax", "argmin", "any", "all"};

/* What is done with the stack s, of which s[k] has factor[k], before it is reduced; w has a number for each column. */
enum work { NONE, WEIGHTED, TWICE, BACKWARDS, MIXED, N_WORKS };
static const char *const works[] = {"s", "s * w", "s + s", "s[::-1]", "s - m"};
static const char *const turned_works[] = {"s", "s * w[:, None]", "s + s", "s[:, ::-1]", "s - m.T"};

struct instance {
    enum heddle_dtype dtype;
    enum reduction reduction;
    enum work work;
    int n, k;      /* k arrays of n */
    bool last;     /* they are stacked along the last axis */
    bool reversed; /* the second one runs backwards */
    int factor[MOST_STACKED];
};

static double element(const struct instance *c, const double *x, const double *w, const double *m,
                      int i, int k)
{
    const int of = c->work == BACKWARDS ? c->k - 1 - k : k;
    const int at = c->reversed && of == 1 ? c->n - 1 - i : of + i;
    const double s = x[at] * c->factor[of];
    return c->work == WEIGHTED ? s * w[i]
           : c->work == TWICE  ? s + s
           : c->work == MIXED  ? s - m[of * c->n + i]
                               : s;
}

/* Whether y takes the place of the best so far: the first NaN does. */
static bool is_better(enum reduction r, double y, double best)
{
    if (r == NANMAX || r == NANMIN) return isnan(best) || (r == NANMAX ? y > best : y < best);
    if (isnan(y) || isnan(best)) return isnan(y) && !isnan(best);
    return r == MAX || r == ARGMAX ? y > best : y < best;
}

static double wanted(const struct instance *c, const double *x, const double *w, const double *m,
                     int i)
{
    double best = element(c, x, w, m, i, 0), sum = best;
    bool any = best != 0, all = any;
    int at = 0;
    for (int k = 1; k < c->k; k++) {
        const double y = element(c, x, w, m, i, k);
        sum += y;
        any = any || y != 0;
        all = all && y != 0;
        if (is_better(c->reduction, y, best)) {
            best = y;
            at = k;
        }
    }
    switch (c->reduction) {
    case SUM: return sum;
    case ANY: return any;
    case ALL: return all;
    case ARGMAX:
    case ARGMIN: return at;
    default: return best;
    }
}

static heddle_array *of_dtype(const struct instance *c, double *x, int ndim, const int64_t *shape)
{
    return heddle_astype(heddle_asarray(x, HEDDLE_FLOAT64, ndim, shape), c->dtype);
}

static void write_text(const struct instance *c, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "s = stack((");
    for (int k = 0; k < c->k; k++) {
        if (c->reversed && k == 1)
            n += (size_t)snprintf(text + n, size - n, "x[%d::-1] * %d, ", c->n - 1, c->factor[k]);
        else
            n += (size_t)snprintf(text + n, size - n, "x[%d:%d] * %d, ", k, k + c->n, c->factor[k]);
    }
    snprintf(text + n, size - n, "), axis=%d); astype(%s(%s, axis=%d), float64)", c->last,
             reductions[c->reduction], (c->last ? turned_works : works)[c->work], c->last);
}

static void check_instance(const struct instance *c)
{
    static double x[MOST_VALUES], w[MOST], m[MOST * MOST_STACKED], got[MOST];
    const bool is_real = heddle_dtype_kind(c->dtype) == 'F';
    for (int i = 0; i < c->n + c->k; i++)
        x[i] = is_real && word_below(9) == 0 ? NAN : (double)word_below(7) - 3;
    for (int i = 0; i < c->n; i++) w[i] = (double)word_below(3);
    for (int i = 0; i < c->n * c->k; i++) m[i] = (double)word_below(9) - 4;
    memset(got, 0, sizeof got);
    heddle_scope scope = heddle_scope_open();
    char text[1024];
    write_text(c, text, sizeof text);
    const struct heddle_binding bindings[] = {{"x", of_dtype(c, x, HEDDLE_SHAPE(c->n + c->k))},
                                              {"w", of_dtype(c, w, HEDDLE_SHAPE(c->n))},
                                              {"m", of_dtype(c, m, HEDDLE_SHAPE(c->k, c->n))}};
    heddle_array *r = heddle_expr(text, 3, bindings);
    CHECK_EQ(heddle_read(r, got, (int64_t)sizeof *got * c->n), HEDDLE_OK);
    for (int i = 0; i < c->n; i++) {
        const double want = wanted(c, x, w, m, i);
        CHECK(got[i] == want || (isnan(got[i]) && isnan(want)), "%s of %s at %d: %g, not %g", text,
              heddle_dtype_name(c->dtype), i, got[i], want);
    }
    heddle_scope_close(scope);
}

/* ---- Work on the stack, and on what it is reduced to -------------------------------------------------- */

/* `d * sum(d) + s` of d = s - max(s), for each element of the stack; `mixed`: and a number of another array for each. */
static void check_apart(enum heddle_dtype dtype, int n, int k, bool last, bool mixed)
{
    static double x[MOST_VALUES], m[MOST * MOST_STACKED], got[MOST * MOST_STACKED];
    struct instance c = {.dtype = dtype, .n = n, .k = k, .last = last};
    for (int i = 0; i < k; i++) c.factor[i] = (int)word_below(3) + 1;
    for (int i = 0; i < n + k; i++) x[i] = (double)word_below(7) - 3;
    for (int i = 0; i < n * k; i++) m[i] = mixed ? (double)word_below(9) - 4 : 0;
    heddle_scope scope = heddle_scope_open();
    char text[1024];
    write_text(&c, text, sizeof text);
    char *const after = strchr(text, ';');
    snprintf(after, sizeof text - (size_t)(after - text),
             "; d = s - max(s, axis=%d, keepdims=True); y = d * sum(d, axis=%d)[%s] + s%s; "
             "astype(y, float64)",
             last, last, last ? ":, None" : "None",
             !mixed ? ""
             : last ? " - m.T"
                    : " - m");
    const struct heddle_binding bindings[] = {{"x", of_dtype(&c, x, HEDDLE_SHAPE(n + k))},
                                              {"m", of_dtype(&c, m, HEDDLE_SHAPE(k, n))}};
    heddle_array *r = heddle_expr(text, 2, bindings);
    CHECK_EQ(heddle_read(r, got, (int64_t)sizeof *got * n * k), HEDDLE_OK);
    for (int i = 0; i < n; i++) {
        double most = -INFINITY, sum = 0;
        for (int j = 0; j < k; j++) most = fmax(most, x[i + j] * c.factor[j]);
        for (int j = 0; j < k; j++) sum += x[i + j] * c.factor[j] - most;
        for (int j = 0; j < k; j++) {
            const double s = x[i + j] * c.factor[j], want = (s - most) * sum + s - m[j * n + i],
                         y = got[last ? i * k + j : j * n + i];
            CHECK(y == want, "%s of %s at %d, %d: %g, not %g", text, heddle_dtype_name(dtype), j, i,
                  y, want);
        }
    }
    heddle_scope_close(scope);
}

static void test_apart(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT16,
                                               HEDDLE_INT32};
    static const int counts[] = {1, 7, 64, 257, MOST};
    for (int k = 2; k <= MOST_STACKED; k++)
        for (int way = 0; way < 4; way++)
            check_apart(dtypes[word_below(4)], counts[word_below(5)], k, way & 1, way & 2);
}

static void test(void)
{
    test_apart();
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_FLOAT16,
                                               HEDDLE_INT8,    HEDDLE_INT16,   HEDDLE_INT32,
                                               HEDDLE_INT64};
    static const int counts[] = {1, 7, 64, 257, MOST};
    for (int turn = 0; turn < CHECK_SOME(6, 2); turn++)
        for (int reduction = 0; reduction < N_REDUCTIONS; reduction++)
            for (int k = 2; k <= MOST_STACKED; k++) {
                struct instance c = {
                    .dtype = dtypes[word_below(sizeof dtypes / sizeof *dtypes)],
                    .reduction = (enum reduction)reduction,
                    .work = (enum work)word_below(N_WORKS),
                    .n = counts[word_below(sizeof counts / sizeof *counts)],
                    .k = k,
                    .last = random_word() & 1,
                    .reversed = random_word() & 1,
                };
                for (int i = 0; i < k; i++) c.factor[i] = (int)word_below(3) + 1;
                check_instance(&c);
            }
}

int main(void)
{
    return check_each_way(test);
}
