/* What recording costs: nanoseconds an operation for chains over arrays of 1000 elements, scope and
 * release included, nothing evaluated. Usage: record [SECONDS] */
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHAIN = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

static void measure(const char *name, double seconds,
                    heddle_array *(*step)(heddle_array *, heddle_array *))
{
    const double values[1000] = {0};
    heddle_array *a = heddle_asarray(values, HEDDLE_FLOAT64, HEDDLE_SHAPE(1000), .borrow = true);
    double best = 1;
    for (const double end = now() + seconds; now() < end;) {
        const double start = now();
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = a;
        for (int i = 0; i < CHAIN; i++) x = step(x, a);
        heddle_scope_close(scope);
        const double one = (now() - start) / CHAIN;
        if (one < best) best = one;
    }
    heddle_release(a);
    printf("%-24s %6.1f ns\n", name, best * 1e9);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.5;
    measure("x + a", seconds, add);
    measure("x * 0.5", seconds, scale);
    measure("x + a[::-1]", seconds, shift);
    measure("a + sum(x)", seconds, reduce);
    return 0;
}
