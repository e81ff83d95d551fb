/* Kernels of one body, and from text, beside loops written by hand with OpenMP over the same data. Other programs may use
 * the machine: the least of all runs, of the time that passed and of the processor's, of all threads.
 *
 *     OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive micro_single_source [ROUNDS]      a line for each kernel
 */
#include "timing.h"

#include <heddle.h>
#include <heddle/must.h>
#include <heddle/single_source.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 24, RUNS = 10 };
static int64_t used = N; /* of them in use */

/* clang-format off */
HEDDLE_ELEMENTWISE(difference, (float x, float y), (float z), { z = (x - y) * (x - y); })
HEDDLE_ELEMENTWISE(polynomial, (float x, float y), (float z), {
    const float t = x * y;
    z = ((((((((0.1f * t + 0.2f) * t + 0.3f) * t + 0.4f) * t + 0.5f) * t + 0.6f) * t + 0.7f) * t + 0.8f) * t + 0.9f) / (1.0f + t * t);
})
HEDDLE_ELEMENTWISE(series, (float x, float y, int terms), (float z), {
    for (int k = 0; k < terms; k++) z = z * x + y;
})
HEDDLE_ELEMENTWISE(escape, (float x, float y, int most), (float z), {
    float re = 0;
    float im = 0;
    for (int k = 0; k < most && re * re + im * im <= 4.0f; k++) {
        const float next = re * re - im * im + x;
        im = 2.0f * re * im + y;
        re = next;
        z += 1.0f;
    }
})
/* clang-format on */

static float *x, *y, *z;
static volatile int given = 24; /* the number that the kernels are given */

/* The same by hand. */
static void difference_by_hand(void)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < used; i++) z[i] = (x[i] - y[i]) * (x[i] - y[i]);
}

static void polynomial_by_hand(void)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < used; i++) {
        const float t = x[i] * y[i];
        float p = 0.1f;
        p = p * t + 0.2f;
        p = p * t + 0.3f;
        p = p * t + 0.4f;
        p = p * t + 0.5f;
        p = p * t + 0.6f;
        p = p * t + 0.7f;
        p = p * t + 0.8f;
        p = p * t + 0.9f;
        z[i] = p / (1.0f + t * t);
    }
}

static void series_by_hand(void)
{
    const int terms = given;
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < used; i++) {
        float sum = 0;
        for (int k = 0; k < terms; k++) sum = sum * x[i] + y[i];
        z[i] = sum;
    }
}

static void escape_by_hand(void)
{
    const int most = given;
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < used; i++) {
        float re = 0, im = 0, count = 0;
        for (int k = 0; k < most && re * re + im * im <= 4.0f; k++) {
            const float next = re * re - im * im + x[i];
            im = 2.0f * re * im + y[i];
            re = next;
            count += 1.0f;
        }
        z[i] = count;
    }
}

struct least {
    double passed, processor; /* seconds */
};

static const struct least none = {1e9, 1e9};

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count(struct least *l, double passed, double by_processor)
{
    if (passed < l->passed) l->passed = passed;
    if (by_processor < l->processor) l->processor = by_processor;
}

static void by_hand(void (*loop)(void), struct least *l)
{
    for (int run = 0; run < RUNS; run++) {
        const double start = now(), before = processor();
        loop();
        count(l, now() - start, processor() - before);
    }
}

static void by_kernel(heddle_kernel *kernel, heddle_array *a, heddle_array *b, int n_in,
                      float *last, struct least *l)
{
    for (int run = 0; run < RUNS; run++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *in[3] = {a, b, heddle_scalar(given)};
        const double start = now(), before = processor();
        heddle_array *result = heddle_kernel_apply(kernel, n_in, in);
        HEDDLE_MUST(heddle_wait(result));
        count(l, now() - start, processor() - before);
        if (run == 0) HEDDLE_MUST(heddle_read(result, last, used * (int64_t)sizeof *last));
        heddle_scope_close(scope);
    }
}

static void print(const char *what, const struct least *l, const struct least *hand)
{
    printf("  %s %8.3f ms (%4.2f), %8.3f of the processors (%4.2f)", what, 1e3 * l->passed,
           hand->passed / l->passed, 1e3 * l->processor, hand->processor / l->processor);
}

static void compare(const char *name, heddle_kernel *kernel, const char *operation,
                    void (*loop)(void), int n_in, int rounds, heddle_array *a, heddle_array *b)
{
    struct least hand = none, single = none, of_text = none;
    float *got = malloc(N * sizeof *got), worst = 0;
    heddle_kernel *text =
        operation ? heddle_kernel_elementwise("float x, float y", "float z", operation, name)
                  : NULL;
    for (int round = 0; round < rounds; round++) {
        by_hand(loop, &hand);
        usleep(20000);
        if (text) by_kernel(text, a, b, n_in, got, &of_text);
        by_kernel(kernel, a, b, n_in, got, &single);
        usleep(20000);
    }
    for (int64_t i = 0; i < used; i++)
        worst = fmaxf(worst, fabsf(got[i] - z[i]) / (1 + fabsf(z[i])));
    printf("%-10s", name);
    print("by hand", &hand, &hand);
    print("single source", &single, &hand);
    if (text) print("text", &of_text, &hand);
    printf("  differ by %g\n", (double)worst);
    heddle_kernel_release(kernel);
    heddle_kernel_release(text);
    free(got);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    x = malloc(N * sizeof *x);
    y = malloc(N * sizeof *y);
    z = malloc(N * sizeof *z);
    for (int64_t i = 0; i < N; i++) {
        x[i] = (float)(i * 7919 % 1000) / 400 - 1.8f;
        y[i] = (float)(i * 104729 % 1000) / 1000 - 0.5f;
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(N));
    heddle_array *b = heddle_asarray(y, HEDDLE_FLOAT32, HEDDLE_SHAPE(N));
    compare("difference", difference(), "z = (x - y) * (x - y)", difference_by_hand, 2, rounds, a,
            b);
    compare("polynomial", polynomial(),
            "float t = x * y; z = ((((((((0.1f * t + 0.2f) * t + 0.3f) * t + 0.4f) * t + 0.5f) * t "
            "+ 0.6f) * t + 0.7f) "
            "* t + 0.8f) * t + 0.9f) / (1.0f + t * t)",
            polynomial_by_hand, 2, rounds, a, b);
    used = N / 16; /* these take longer */
    const struct heddle_index few = HEDDLE_TO(used);
    a = heddle_getitem(a, 1, &few);
    b = heddle_getitem(b, 1, &few);
    HEDDLE_MUST(heddle_eval(a));
    HEDDLE_MUST(heddle_eval(b));
    compare("series", series(), NULL, series_by_hand, 3, rounds, a, b);
    compare("escape", escape(), NULL, escape_by_hand, 3, rounds, a, b);
    heddle_scope_close(scope);
    return 0;
}
