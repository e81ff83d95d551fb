/* What you learn: one body for CPUs and GPUs (heddle/single_source.h), here with a loop that data end: escape counts of
 * the Mandelbrot set. The compiler of this program makes the function for CPUs, NVRTC that for GPUs. */
#include "common.h"

#include <heddle/single_source.h>
#include <string.h>

HEDDLE_ELEMENTWISE(escape, (double re, double im, int most), (int count), {
    double x = 0;
    double y = 0;
    while (count < most && x * x + y * y <= 4) {
        const double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        count++;
    }
})

enum { WIDTH = 300, HEIGHT = 200, MOST = 200 };

/* The same without Heddle and without complex numbers in one place: how often z = z * z + c stays within 2. */
static int expected(double re, double im)
{
    double z[2] = {0, 0};
    for (int n = 0; n < MOST; n++) {
        const double square[2] = {z[0] * z[0] - z[1] * z[1], 2 * z[0] * z[1]};
        if (z[0] * z[0] + z[1] * z[1] > 4) return n;
        z[0] = square[0] + re;
        z[1] = square[1] + im;
    }
    return MOST;
}

int main(void)
{
    static int counts[HEIGHT][WIDTH];
    static double plane[2][WIDTH];
    heddle_scope scope = heddle_scope_open();
    heddle_array *re = heddle_linspace(heddle_scalar(-2.0), heddle_scalar(1.0), WIDTH);
    heddle_array *im = heddle_linspace(heddle_scalar(-1.0), heddle_scalar(1.0), HEIGHT);
    HEDDLE_MUST(heddle_read(re, plane[0], sizeof plane[0]));
    HEDDLE_MUST(heddle_read(im, plane[1], HEIGHT * sizeof(double)));

    heddle_kernel *kernel = escape();
    heddle_array *rows = heddle_reshape(im, HEDDLE_SHAPE(HEIGHT, 1));
    heddle_array *picture =
        heddle_kernel_apply(kernel, HEDDLE_ARRAYS(re, rows, heddle_scalar(MOST)));
    HEDDLE_MUST(heddle_read(picture, counts, sizeof counts));

    int n_differ = 0, n_inside = 0;
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++) {
            n_differ += counts[i][j] != expected(plane[0][j], plane[1][i]);
            n_inside += counts[i][j] == MOST;
        }
    for (int i = 0; i < HEIGHT; i += 10) {
        for (int j = 0; j < WIDTH; j += 4) putchar(" .:-=+*#%@"[counts[i][j] * 9 / MOST]);
        putchar('\n');
    }
    /* a product that is fused, and one that is not, may differ in an orbit's last digits, where orbits are chaotic */
    expect_true("counts are those of a plain loop", n_differ <= WIDTH * HEIGHT / 1000);
    const double area = 6.0 * n_inside / (WIDTH * HEIGHT);
    expect_true("its area is about 1.51", fabs(area - 1.51) < 0.04);
    expect_true("above and below are alike",
                memcmp(counts[0], counts[HEIGHT - 1], sizeof counts[0]) == 0);
    heddle_kernel_release(kernel);
    heddle_scope_close(scope);
    return examples_failed();
}
