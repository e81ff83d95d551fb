/* What recording costs: nanoseconds an operation for chains over arrays of 1000 elements, and for
 * Black-Scholes as text and as the calls that the text stands for; scope and release included,
 * nothing evaluated. Usage: record [SECONDS] */
#include "timing.h"

#include <heddle.h>
#include <stdio.h>

enum { CHAIN = 1000, TEXTS = 100 };

static heddle_array *add(heddle_array *x, heddle_array *a)
{
    return heddle_add(x, a);
}

static heddle_array *scale(heddle_array *x, heddle_array *a)
{
    (void)a;
    return heddle_multiply(x, heddle_scalar(0.5)); /* a scalar and its constant: three nodes */
}

static heddle_array *shift(heddle_array *x, heddle_array *a)
{
    return heddle_add(x, heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(-1)))); /* a view */
}

static heddle_array *reduce(heddle_array *x, heddle_array *a)
{
    return heddle_add(a, heddle_sum(x)); /* a reduction and a broadcast */
}

static const char black_scholes[] = "sq = 0.3 * sqrt(T)\n"
                                    "d1 = (log(S / K) + (0.02 + 0.5 * 0.3 * 0.3) * T) / sq\n"
                                    "d2 = d1 - sq\n"
                                    "n1 = 0.5 * (1 + erf(d1 * 0.7071067811865475))\n"
                                    "n2 = 0.5 * (1 + erf(d2 * 0.7071067811865475))\n"
                                    "disc = K * exp(-0.02 * T)\n"
                                    "call = S * n1 - disc * n2\n"
                                    "put = call - S + disc";

static heddle_array *expr_parse(heddle_array *x, heddle_array *a)
{
    struct heddle_binding out[] = {{"call", NULL}, {"put", NULL}};
    (void)x;
    heddle_expr_run(black_scholes, HEDDLE_BIND_ALL({"S", a}, {"K", a}, {"T", a}), 2, out);
    return out[1].array;
}

static heddle_array *half_of_1_plus_erf(heddle_array *d)
{
    heddle_array *scaled = heddle_multiply(d, heddle_scalar(0.7071067811865475));
    return heddle_multiply(heddle_scalar(0.5), heddle_add(heddle_scalar(1), heddle_erf(scaled)));
}

static heddle_array *expr_calls(heddle_array *x, heddle_array *a)
{
    heddle_array *const s = a, *const k = a, *const t = a;
    (void)x;
    heddle_array *sq = heddle_multiply(heddle_scalar(0.3), heddle_sqrt(t));
    heddle_array *drift = heddle_multiply(heddle_scalar(0.02 + 0.5 * 0.3 * 0.3), t);
    heddle_array *d1 = heddle_divide(heddle_add(heddle_log(heddle_divide(s, k)), drift), sq);
    heddle_array *n1 = half_of_1_plus_erf(d1);
    heddle_array *n2 = half_of_1_plus_erf(heddle_subtract(d1, sq));
    heddle_array *disc = heddle_multiply(k, heddle_exp(heddle_multiply(heddle_scalar(-0.02), t)));
    heddle_array *call = heddle_subtract(heddle_multiply(s, n1), heddle_multiply(disc, n2));
    return heddle_add(heddle_subtract(call, s), disc);
}

static void measure(const char *name, double seconds, int n,
                    heddle_array *(*step)(heddle_array *, heddle_array *))
{
    const double values[1000] = {0};
    heddle_array *a = heddle_asarray(values, HEDDLE_FLOAT64, HEDDLE_SHAPE(1000), .borrow = true);
    double best = 1;
    for (const double end = now() + seconds; now() < end;) {
        const double start = now();
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = a;
        for (int i = 0; i < n; i++) x = step(x, a);
        heddle_scope_close(scope);
        const double one = (now() - start) / n;
        if (one < best) best = one;
    }
    heddle_release(a);
    printf("%-24s %6.1f ns\n", name, best * 1e9);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.5;
    measure("x + a", seconds, CHAIN, add);
    measure("x * 0.5", seconds, CHAIN, scale);
    measure("x + a[::-1]", seconds, CHAIN, shift);
    measure("a + sum(x)", seconds, CHAIN, reduce);
    measure("expr_parse", seconds, TEXTS, expr_parse);
    measure("expr_parse as calls", seconds, TEXTS, expr_calls);
    return 0;
}
