/* A long straight line over many elements is one compiled function on CPUs, and the operations over few or with functions that
 * have vectors of their own: both give the bits of a plain loop. */
#include "check_heddle.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1 << 22, PIECES = 64 };

#define BODY(...)                                                                                  \
    static const char text[] = #__VA_ARGS__;                                                       \
    static void plain(const double *px, const double *py, double *pz, int64_t count)               \
    {                                                                                              \
        for (int64_t k = 0; k < count; k++) {                                                      \
            const double x = px[k], y = py[k];                                                     \
            double z = 0;                                                                          \
            __VA_ARGS__                                                                            \
            pz[k] = z;                                                                             \
        }                                                                                          \
    }
BODY(
    double a = x * 0.5 + y; double b = a * a - 3; double c = sqrt(fabs(b)) + x / (y + 2);
    if (a < b) { c = c * 1.25 - a; } else {
        c = a / 3 + b * 0.125;
    } z = ((((((a * 0.1 + b) * 0.2 - c) * 0.3 + x) * 0.4 - y) * 0.5 + a) * 0.6 + b) * 0.7 - c;
    z += fmax(a, c) * fmin(b, x);)

static bool is_one_function(heddle_array *a)
{
    char *said = NULL;
    CHECK_EQ(heddle_explain(a, HEDDLE_EXPLAIN_GRAPH, &said), HEDDLE_OK);
    const bool is = said && strstr(said, "kernel");
    heddle_free(said);
    return is;
}

int main(void)
{
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *z = malloc(N * sizeof *z),
           *got = malloc(N * sizeof *got);
    if (!x || !y || !z || !got) return 1;
    for (int64_t k = 0; k < N; k++) {
        x[k] = (double)(k * 7919 % 100003) / 1000 - 50;
        y[k] = (double)(k * 104729 % 99991) / 3000;
    }
    plain(x, y, z, N);

    heddle_kernel *kernel = heddle_kernel_elementwise("T x, T y", "T z", text, "long_text");
    heddle_kernel *costly =
        heddle_kernel_elementwise("T x, T y", "T z",
                                  "double w = exp(-x * x); z = (w + 1) * (w + 2) "
                                  "* (w + 3) * (w + 4) * (w + 5) * (w + 6) * "
                                  "(w + 7) * (w + 8) * (w + 9) * (w + y)",
                                  "costly");
    heddle_scope scope = heddle_scope_open();
    heddle_array *ax = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(N), .borrow = true);
    heddle_array *ay = heddle_asarray(y, HEDDLE_FLOAT64, HEDDLE_SHAPE(N), .borrow = true);
    heddle_array *whole = heddle_kernel_apply(kernel, HEDDLE_ARRAYS(ax, ay));
    const char *compiler = getenv("HEDDLE_CC");
    CHECK_EQ(is_one_function(whole), !compiler || *compiler);
    CHECK(!is_one_function(heddle_kernel_apply(costly, HEDDLE_ARRAYS(ax, ay))));
    CHECK_EQ(heddle_read(whole, got, N * sizeof *got), HEDDLE_OK);
    CHECK(memcmp(got, z, N * sizeof *z) == 0, "one function differs");

    for (int64_t k = 0; k < PIECES; k++) {
        const int64_t from = k * (N / PIECES), to = from + N / PIECES;
        heddle_array *piece = heddle_kernel_apply(
            kernel, HEDDLE_ARRAYS(heddle_getitem(ax, HEDDLE_INDEX(HEDDLE_SLICE(from, to))),
                                  heddle_getitem(ay, HEDDLE_INDEX(HEDDLE_SLICE(from, to)))));
        if (k == 0) CHECK(!is_one_function(piece), "a short piece is a function");
        CHECK_EQ(heddle_read(piece, got + from, (N / PIECES) * sizeof *got), HEDDLE_OK);
    }
    CHECK(memcmp(got, z, N * sizeof *z) == 0, "operations differ");
    heddle_scope_close(scope);
    heddle_kernel_release(kernel);
    heddle_kernel_release(costly);
    check_nothing_left();
    free(x);
    free(y);
    free(z);
    free(got);
    return check_done();
}
