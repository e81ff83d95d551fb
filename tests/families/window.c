/* Sums over windows: all of a convolution, one product after the other in the order of the longer row, and what a mode has of it. */
#include "families/cases.h"

#include <math.h>
#include <stdlib.h>

/* `row` has n elements, `taps` m <= n, all numbers of the dtype; result k of n + m - 1. *magnitude: of the terms. */
static double place(enum heddle_dtype dtype, const double *row, int64_t n, const double *taps,
                    int64_t m, int64_t k, double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (int64_t i = k - m + 1 < 0 ? 0 : k - m + 1; i <= k && i < n; i++) {
        const double term = value_round(dtype, row[i] * taps[k - i]);
        sum = dtype == HEDDLE_BOOL ? sum != 0 || term != 0 : value_round(dtype, sum + term);
        *magnitude += fabs(term);
    }
    return sum;
}

bool window_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    const bool is_float = value_is_float(a->dtype);
    if (a->size == 0 || a->size > 200000 || !(value_largest(a) < (is_float ? 1e30 : 1e6)))
        return false;
    const int64_t most = a->size > 20000 ? 40 : 300, m = 1 + random_below(r, most);
    const int64_t n_long = a->size > m ? a->size : m, n_short = a->size > m ? m : a->size;
    const bool correlate = random_below(r, 2), first = random_below(r, 4),
               longer = a->size > m || (a->size == m && first);
    const enum heddle_convolution mode =
        (enum heddle_convolution)(HEDDLE_CONVOLUTION_FULL + random_below(r, 3));

    /* taps, as they are and turned round where a correlation has them; so is the row, if it is what slides */
    double *taps = malloc((size_t)m * sizeof *taps), *given = malloc((size_t)m * sizeof *given),
           *row = malloc((size_t)a->size * sizeof *row);
    for (int64_t i = 0; i < m; i++) {
        const double x =
            a->dtype == HEDDLE_BOOL ? (double)random_below(r, 2) : (double)random_below(r, 9) - 4;
        given[i] = is_float ? value_round(a->dtype, x / 3) : x;
    }
    for (int64_t i = 0; i < m; i++) taps[i] = given[correlate && first ? m - 1 - i : i];
    for (int64_t i = 0; i < a->size; i++)
        row[i] = a->data[correlate && !first ? a->size - 1 - i : i];

    /* what the mode has */
    const bool left = correlate && (first ? m > a->size : a->size > m); /* what slides is longer */
    int64_t from = 0, n = n_long + n_short - 1;
    if (mode == HEDDLE_CONVOLUTION_SAME) {
        from = left ? n_short / 2 : (n_short - 1) / 2;
        n = n_long;
    } else if (mode == HEDDLE_CONVOLUTION_VALID) {
        from = n_short - 1;
        n = n_long - n_short + 1;
    }
    *out = value_new(a->dtype, 1, &n);
    value_inherit(out, a);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double magnitude;
        out->data[i] = longer ? place(a->dtype, row, a->size, taps, m, from + i, &magnitude)
                              : place(a->dtype, taps, m, row, a->size, from + i, &magnitude);
        if (magnitude > largest) largest = magnitude;
    }
    if (is_float && !a->exact) {
        const double all = value_largest(out) > 0 ? value_largest(out) : 1;
        out->spread = (a->spread * value_largest(a) * 4 / 3 * (double)n_short +
                       (double)n_short * value_epsilon(a->dtype) * largest) /
                      all;
    }

    const int64_t size = a->size;
    heddle_array *x = heddle_reshape(a->array, 1, &size),
                 *v = heddle_astype(heddle_asarray(given, HEDDLE_FLOAT64, 1, &m), a->dtype);
    const struct heddle_convolve_options options = {.size = sizeof options, .mode = mode};
    out->array = (correlate ? heddle_correlate_with
                            : heddle_convolve_with)(first ? x : v, first ? v : x, &options);
    free(row);
    free(given);
    free(taps);
    return true;
}
