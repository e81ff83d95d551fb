/* Triangular equations, by substitution; of columns, or of one vector. */
#include "families/dominant.h"

#include <stdlib.h>

/* One column of X of T x = b, in place; t(i, j) is T's element. */
static void substitute(int64_t n, const double *t, bool transposed, bool lower, bool unit,
                       double *x, int64_t stride)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = lower ? step : n - 1 - step;
        double sum = x[i * stride];
        for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); j++)
            sum -= (transposed ? t[j * n + i] : t[i * n + j]) * x[j * stride];
        x[i * stride] = unit ? sum : sum / t[i * n + i];
    }
}

bool triangular_case(struct random *r, const struct value *a, const struct value *b,
                     struct value *out)
{
    (void)b;
    struct dominant t, x = {.data = NULL};
    if (!dominant_of(a, true, false, false, &t)) return false;
    const bool lower = random_below(r, 2), transposed = random_below(r, 2),
               unit = random_below(r, 2),
               vector = t.batch == 1 && t.ndim == 2 && random_below(r, 2);
    if (!dominant_of(a, false, false, random_below(r, 2), &x) || x.m != t.n) {
        free(t.data);
        free(x.data);
        return false;
    }
    heddle_array *right =
        vector ? heddle_getitem(x.array, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(0))) : x.array;
    const int64_t n = t.n, columns = vector ? 1 : x.n;
    *out = dominant_result(a, &t, n, columns);
    out->spread = 4 * (t.spread + x.spread);
    if (vector) {
        out->ndim = 1;
        out->shape[0] = n;
    }
    for (int64_t i = 0; i < t.batch; i++)
        for (int64_t j = 0; j < columns; j++) {
            double *to = out->data + i * n * columns + j;
            for (int64_t k = 0; k < n; k++) to[k * columns] = x.data[(i * n + k) * x.n + j];
            substitute(n, t.data + i * n * n, transposed, lower != transposed, unit, to, columns);
        }
    out->array = heddle_linalg_solve_triangular(t.array, right, .lower = lower,
                                                .transposed = transposed, .unit_diagonal = unit);
    free(t.data);
    free(x.data);
    return true;
}
