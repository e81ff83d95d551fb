/* How time grows with size: a line for each size, with the median time of recording, evaluating and waiting for
 * each expression, data where the library keeps them. benchmarks/sizes.py runs it beside NumPy.
 *
 *   micro_sizes [MOST]   elements, from 1000 in half decades */
#include "time_expression.h"

#include <math.h>

#define SECONDS 0.25 /* for each figure */

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
               time_expression(fma_, SECONDS), time_expression(dot, SECONDS),
               time_expression(exponential, SECONDS), time_expression(unit, SECONDS));
        fflush(stdout);
        heddle_scope_close(scope);
    }
    for (int64_t m = 16; m <= 4096 && (double)(m * m) <= most; m *= 2) {
        heddle_scope scope = heddle_scope_open();
        make(m * m, 2, (const int64_t[]){m, m});
        printf("%lld a@b %.3f\n", (long long)m, time_expression(product, SECONDS));
        fflush(stdout);
        heddle_scope_close(scope);
    }
    return 0;
}
