/* How time grows with size: a line for each size, with the median time of recording, evaluating and waiting for
 * each expression, data where the library keeps them. benchmarks/sizes.py runs it beside NumPy.
 *
 *   micro_sizes [MOST]   elements, from 1000 in half decades */
#include <heddle.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static heddle_array *a, *b;

static heddle_array *fma_(void)
{
    return heddle_add(heddle_multiply(a, b), a);
}

static heddle_array *dot(void)
{
    return heddle_sum(heddle_multiply(a, b));
}

static heddle_array *exponential(void)
{
    return heddle_exp(a);
}

static heddle_array *unit(void)
{
    return heddle_divide(a, heddle_sqrt(heddle_sum(heddle_multiply(a, a))));
}

static heddle_array *product(void)
{
    return heddle_matmul(a, b);
}

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

static double once(heddle_array *(*expression)(void))
{
    const double start = now();
    heddle_scope scope = heddle_scope_open();
    heddle_array *r = expression();
    if (heddle_wait(r) != HEDDLE_OK) {
        fprintf(stderr, "%s\n", heddle_error(r));
        exit(1);
    }
    heddle_scope_close(scope);
    return now() - start;
}

/* Microseconds: the median of runs of a quarter of a second, after some that do not count. */
static double median(heddle_array *(*expression)(void))
{
    enum { MOST = 2000 };
    static double times[MOST];
    int n = 0;
    for (double start = now(); now() - start < 0.05;) once(expression);
    for (double start = now(); n < MOST && (n < 5 || now() - start < 0.25);)
        times[n++] = once(expression);
    qsort(times, (size_t)n, sizeof *times, compare);
    return times[n / 2] * 1e6;
}

static void make(int64_t n, int ndim, const int64_t *shape)
{
    heddle_array *x = heddle_arange(heddle_scalar((double)n), NULL, NULL);
    a = heddle_reshape(heddle_sin(x), ndim, shape);
    b = heddle_reshape(heddle_cos(x), ndim, shape);
    heddle_wait(a);
    heddle_wait(b);
}

int main(int argc, char **argv)
{
    const double most = argc > 1 ? atof(argv[1]) : 1e8;
    heddle_start();
    for (int k = 0; pow(10, 3 + 0.5 * k) <= most * 1.01; k++) {
        const int64_t n = (int64_t)(pow(10, 3 + 0.5 * k) + 0.5);
        heddle_scope scope = heddle_scope_open();
        make(n, 1, &n);
        printf("%lld a*b+a %.3f sum(a*b) %.3f exp(a) %.3f a/norm(a) %.3f\n", (long long)n,
               median(fma_), median(dot), median(exponential), median(unit));
        fflush(stdout);
        heddle_scope_close(scope);
    }
    for (int64_t m = 16; m <= 4096 && (double)(m * m) <= most; m *= 2) {
        heddle_scope scope = heddle_scope_open();
        make(m * m, 2, (const int64_t[]){m, m});
        printf("%lld a@b %.3f\n", (long long)m, median(product));
        fflush(stdout);
        heddle_scope_close(scope);
    }
    return 0;
}
