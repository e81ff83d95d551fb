/* Sorting by dtype, order of the data and size: a line for each, with the median time of recording, evaluating and waiting.
 * benchmarks/sorts.py runs it beside NumPy.
 *
 *   micro_sorts [MOST]   elements, from 10^4 on in decades */
#include "time_expression.h"

static heddle_array *a;

static heddle_array *sorted(void)
{
    return heddle_sort(a);
}

/* 'random', 'sorted' or 'equal' numbers below 10^9. */
static heddle_array *make(const char *order, int64_t n)
{
    static uint64_t state = 88172645463325252ULL;
    double *x = malloc((size_t)n * sizeof *x);
    if (!x) exit(1);
    for (int64_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x[i] = order[0] == 'r'   ? (double)(state >> 11) * 0x1p-53 * 1e9
               : order[0] == 's' ? (double)i * (1e9 / (double)n)
                                 : 7;
    }
    heddle_array *numbers = heddle_asarray(x, HEDDLE_FLOAT64, 1, &n);
    free(x);
    return numbers;
}

int main(int argc, char **argv)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT64,
                                               HEDDLE_INT32};
    static const char *const orders[] = {"random", "sorted", "equal"};
    const double most = argc > 1 ? atof(argv[1]) : 1e7;
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 3; k++)
            for (int64_t n = 10000; (double)n <= most; n *= 10) {
                heddle_scope scope = heddle_scope_open();
                a = heddle_astype(make(orders[k], n), dtypes[d]);
                heddle_wait(a);
                printf("%s %s %lld %.2f\n", heddle_dtype_name(dtypes[d]), orders[k], (long long)n,
                       time_expression(sorted, 0.5));
                fflush(stdout);
                heddle_scope_close(scope);
            }
    return 0;
}
