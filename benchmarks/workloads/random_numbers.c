/* See random_numbers.h. */
#include "random_numbers.h"

#include "bench.h"

#include <string.h>

static int64_t n_numbers;

static int record_uniform(void *context, heddle_array **out)
{
    out[0] = heddle_random_uniform(context, 1, &n_numbers);
    return 1;
}

static int record_uniform32(void *context, heddle_array **out)
{
    out[0] = heddle_random_uniform(context, 1, &n_numbers, .dtype = HEDDLE_FLOAT32);
    return 1;
}

static int record_normal(void *context, heddle_array **out)
{
    out[0] = heddle_random_standard_normal(context, 1, &n_numbers);
    return 1;
}

static int record_poisson(void *context, heddle_array **out)
{
    out[0] = heddle_random_poisson(context, 1, &n_numbers, heddle_scalar(35.0));
    return 1;
}

/* The share of points of the unit square in the circle: no number is stored. */
static int record_pi(void *context, heddle_array **out)
{
    heddle_array *x = heddle_random_uniform(context, 1, &n_numbers);
    heddle_array *y = heddle_random_uniform(context, 1, &n_numbers);
    heddle_array *r = heddle_add(heddle_multiply(x, x), heddle_multiply(y, y));
    out[0] = heddle_mean(heddle_less(r, heddle_scalar(1.0)));
    return 1;
}

void run_random(const char *name, int64_t n)
{
    static const struct {
        const char *name;
        bench_record *record;
        int bytes; /* that an element has in memory */
    } operations[] = {{"random_uniform_f64", record_uniform, 8},
                      {"random_uniform_f32", record_uniform32, 4},
                      {"random_normal_f64", record_normal, 8},
                      {"random_poisson", record_poisson, 8},
                      {"random_pi", record_pi, 0}};
    struct heddle_generator rng = heddle_rng(0);
    size_t i = 0;
    while (strcmp(name, operations[i].name) != 0) i++;
    n_numbers = n;
    const struct bench_times t = bench_time(operations[i].record, &rng);
    bench_line(name, n, n * operations[i].bytes, &t);
}
