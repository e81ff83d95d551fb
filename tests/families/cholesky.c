/* Cholesky factors: row by row, by the textbook. */
#include "families/dominant.h"

#include <math.h>
#include <stdlib.h>

bool cholesky_case(struct random *r, const struct value *a, const struct value *b,
                   struct value *out)
{
    (void)b;
    struct dominant d;
    if (!dominant_of(a, true, true, false, &d)) return false;
    const bool upper = random_below(r, 2);
    const int64_t n = d.n;
    *out = dominant_result(a, &d, n, n);
    for (int64_t m = 0; m < d.batch; m++) {
        const double *x = d.data + m * n * n;
        double *l = out->data + m * n * n; /* L[i, j], or U[j, i] */
#define L(i, j) l[upper ? (j)*n + (i) : (i)*n + (j)]
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                double sum = x[i * n + j];
                for (int64_t k = 0; k < j; k++) sum -= L(i, k) * L(j, k);
                L(i, j) = i == j ? sqrt(sum) : sum / L(j, j);
            }
#undef L
    }
    out->array = heddle_linalg_cholesky(d.array, .upper = upper);
    free(d.data);
    return true;
}
