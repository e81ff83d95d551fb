/* What you learn: a convolution is a product of Fourier transforms. An image is blurred by a Gaussian: transformed,
 * multiplied by the transform of the Gaussian, and transformed back; real images have transforms of half the size. The
 * cost does not depend on how wide the Gaussian is. */
#include "common.h"

enum { ROWS = 96, COLUMNS = 130 }; /* any length will do */

/* Distances from the corner, to and fro, as the transform sees the image: as a torus. */
static heddle_array *distances(int64_t n)
{
    return heddle_multiply(heddle_fft_fftfreq(n), heddle_scalar((double)n));
}

static heddle_array *gaussian(double width)
{
    heddle_array *y = heddle_expand_dims(distances(ROWS), 1), *x = distances(COLUMNS);
    heddle_array *g = heddle_exp(heddle_multiply(heddle_add(heddle_square(y), heddle_square(x)),
                                                 heddle_scalar(-0.5 / (width * width))));
    return heddle_divide(g, heddle_sum(g)); /* brightness stays */
}

static heddle_array *blurred(heddle_array *image, heddle_array *kernel)
{
    heddle_array *product = heddle_multiply(heddle_fft_rfft2(image), heddle_fft_rfft2(kernel));
    return heddle_fft_irfft2(product, .s = HEDDLE_LENGTHS(ROWS, COLUMNS));
}

/* One element, as the definition has it. */
static double by_definition(const double *image, const double *kernel, int row, int column)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += image[i * COLUMNS + j] *
                   kernel[(row - i + ROWS) % ROWS * COLUMNS + (column - j + COLUMNS) % COLUMNS];
    return sum;
}

int main(void)
{
    static double image[ROWS * COLUMNS], kernel[ROWS * COLUMNS];
    heddle_scope scope = heddle_scope_open();
    for (int i = 20; i < 60; i++) /* a bright rectangle, and a point */
        for (int j = 30; j < 90; j++) image[i * COLUMNS + j] = 1;
    image[80 * COLUMNS + 110] = 50;

    heddle_array *a = heddle_asarray(image, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    heddle_array *g = gaussian(3);
    heddle_array *soft = blurred(a, g);
    EXPECT("reading the kernel", heddle_read(g, kernel, sizeof kernel), HEDDLE_OK);

    EXPECT("brightness", value_at(heddle_sum(soft), 0), 40 * 60 + 50);
    EXPECT("within the rectangle", value_at(soft, 40 * COLUMNS + 60),
           by_definition(image, kernel, 40, 60));
    EXPECT("at its edge", value_at(soft, 20 * COLUMNS + 45), by_definition(image, kernel, 20, 45));
    EXPECT("the point", value_at(soft, 80 * COLUMNS + 110), by_definition(image, kernel, 80, 110));

    /* twice is once with the squares of the widths added */
    heddle_array *twice = blurred(blurred(a, gaussian(3)), gaussian(4)),
                 *once = blurred(a, gaussian(5));
    heddle_array *off = heddle_max(heddle_abs(heddle_subtract(twice, once)));
    EXPECT("twice, beside once", value_at(off, 0) < 1e-12, 1);
    heddle_scope_close(scope);
    return examples_failed();
}
