/* Sorting by dtype, order of the data and size: a line for each, with the median time of recording, evaluating and waiting.
 * benchmarks/sorts.py runs it beside NumPy.
 *
 *   micro_sorts [MOST]   elements, from 10^4 on in decades */
#include <heddle.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;
    return (p > q) - (p < q);
}

static double once(heddle_array *a)
{
    const double start = now();
    heddle_scope scope = heddle_scope_open();
    heddle_array *r = heddle_sort(a);
    if (heddle_wait(r) != HEDDLE_OK) {
        fprintf(stderr, "%s\n", heddle_error(r));
        exit(1);
    }
    const double time = now() - start;
    heddle_scope_close(scope);
    return time;
}

static double median(heddle_array *a)
{
    enum { MOST = 1000 };
    static double times[MOST];
    int n = 0;
    for (int i = 0; i < 3; i++) once(a);
    for (const double start = now(); n < MOST && (n < 5 || now() - start < 0.5);)
        times[n++] = once(a);
    qsort(times, (size_t)n, sizeof *times, compare);
    return times[n / 2];
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
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, 1, &n);
    free(x);
    return a;
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
                heddle_array *a = heddle_astype(make(orders[k], n), dtypes[d]);
                heddle_wait(a);
                printf("%s %s %lld %.2f\n", heddle_dtype_name(dtypes[d]), orders[k], (long long)n,
                       1e6 * median(a));
                fflush(stdout);
                heddle_scope_close(scope);
            }
    return 0;
}
