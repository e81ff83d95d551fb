/* Kernels of one body, and from text, beside loops written by hand with OpenMP over the same data: the least time of all
 * runs, as other programs may use the machine.
 *
 *     OMP_NUM_THREADS=2 micro_single_source [ROUNDS]      a line for each kernel
 */
#include "timing.h"

#include <heddle.h>
#include <heddle/must.h>
#include <heddle/single_source.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 21, RUNS = 20 };

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
    for (int64_t i = 0; i < N; i++) z[i] = (x[i] - y[i]) * (x[i] - y[i]);
}

static void polynomial_by_hand(void)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < N; i++) {
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
    for (int64_t i = 0; i < N; i++) {
        float sum = 0;
        for (int k = 0; k < terms; k++) sum = sum * x[i] + y[i];
        z[i] = sum;
    }
}

static void escape_by_hand(void)
{
    const int most = given;
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < N; i++) {
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

static double least_by_hand(void (*loop)(void))
{
    double least = 1e9;
    for (int run = 0; run < RUNS; run++) {
        const double start = now();
        loop();
        const double took = now() - start;
        if (took < least) least = took;
    }
    return least;
}

static double least_of(heddle_kernel *kernel, heddle_array *a, heddle_array *b, int n_in,
                       float *last)
{
    double least = 1e9;
    for (int run = 0; run < RUNS; run++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *in[3] = {a, b, heddle_scalar(given)};
        const double start = now();
        heddle_array *result = heddle_kernel_apply(kernel, n_in, in);
        HEDDLE_MUST(heddle_wait(result));
        const double took = now() - start;
        if (took < least) least = took;
        if (run == 0) HEDDLE_MUST(heddle_read(result, last, N * sizeof *last));
        heddle_scope_close(scope);
    }
    return least;
}

static void compare(const char *name, heddle_kernel *kernel, const char *operation,
                    void (*loop)(void), int n_in, int rounds, heddle_array *a, heddle_array *b)
{
    double least[3] = {1e9, 1e9, 1e9};
    float *got = malloc(N * sizeof *got);
    heddle_kernel *text = heddle_kernel_elementwise(
        n_in == 3 ? "float x, float y, int m" : "float x, float y", "float z", operation, name);
    for (int round = 0; round < rounds; round++) {
        const double by[3] = {least_by_hand(loop),
                              (usleep(20000), least_of(kernel, a, b, n_in, got)),
                              operation ? least_of(text, a, b, n_in, got) : 1e9};
        for (int i = 0; i < 3; i++)
            if (by[i] < least[i]) least[i] = by[i];
        usleep(20000);
    }
    float worst = 0;
    for (int64_t i = 0; i < N; i++) worst = fmaxf(worst, fabsf(got[i] - z[i]) / (1 + fabsf(z[i])));
    printf("%-12s by hand %8.3f ms   single source %8.3f ms, %5.2f of its speed", name,
           1e3 * least[0], 1e3 * least[1], least[0] / least[1]);
    if (operation) printf("   text %8.3f ms, %5.2f", 1e3 * least[2], least[0] / least[2]);
    printf("   differ by %g\n", (double)worst);
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
    compare("series", series(), NULL, series_by_hand, 3, rounds, a, b);
    compare("escape", escape(), NULL, escape_by_hand, 3, rounds, a, b);
    heddle_scope_close(scope);
    return 0;
}
