/* What you learn: Fourier transforms, elementwise work and reductions in one iteration. An object is found from the
 * magnitudes of its transform, where the phases are lost: by turns its transform gets the magnitudes that were measured, and
 * the object what is known of it (Fienup's hybrid input-output, then error reduction), as in diffraction imaging. */
#include "common.h"

enum { SIDE = 64 };

/* A few smooth hills of different heights inside a triangle, which is no mirror image of itself. */
static heddle_array *object(heddle_array **window)
{
    heddle_array *i = heddle_arange(heddle_scalar((double)SIDE), NULL, NULL);
    heddle_array *zero = heddle_scalar(0.0), *corner = heddle_scalar(16.0);
    heddle_array *x = heddle_expand_dims(heddle_subtract(i, corner), 1),
                 *y = heddle_subtract(i, corner);
    heddle_array *below =
        heddle_less(heddle_add(x, heddle_multiply(heddle_scalar(2.0), y)), heddle_scalar(44.0));
    *window = heddle_logical_and(
        below, heddle_logical_and(heddle_greater_equal(x, zero), heddle_greater_equal(y, zero)));
    static const double hill[5][4] = {
        {20, 20, 5, 1}, {30, 22, 4, 0.8}, {22, 30, 3, 1.5}, {40, 18, 6, 0.6}, {28, 26, 3, 0.9}};
    heddle_array *sum = heddle_scalar(0.0);
    for (int k = 0; k < 5; k++) {
        heddle_array *down = heddle_square(heddle_subtract(i, heddle_scalar(hill[k][0]))),
                     *across = heddle_square(heddle_subtract(i, heddle_scalar(hill[k][1])));
        heddle_array *far = heddle_add(heddle_expand_dims(down, 1), across);
        heddle_array *bell =
            heddle_exp(heddle_divide(far, heddle_scalar(-hill[k][2] * hill[k][2])));
        sum = heddle_add(sum, heddle_multiply(heddle_scalar(hill[k][3]), bell));
    }
    return heddle_where(*window, sum, zero);
}

/* How far the magnitudes of a guess's transform are from the measured ones, relative to them. */
static heddle_array *distance(heddle_array *spectrum, heddle_array *magnitude)
{
    heddle_array *off = heddle_square(heddle_subtract(heddle_abs(spectrum), magnitude));
    return heddle_sqrt(heddle_divide(heddle_sum(off), heddle_sum(heddle_square(magnitude))));
}

/* One iteration: the guess with the measured magnitudes, and then what is known of the object, which is positive inside
 * the window. `beta` 0: what contradicts it is cut off; else it is pushed back. */
static heddle_array *iterate(heddle_array *guess, heddle_array *magnitude, heddle_array *window,
                             double beta, double *error)
{
    heddle_array *spectrum = heddle_fft_fft2(guess);
    heddle_array *size = heddle_maximum(heddle_abs(spectrum), heddle_scalar(1e-30));
    heddle_array *phase = heddle_divide(spectrum, size);
    heddle_array *image = heddle_real(heddle_fft_ifft2(heddle_multiply(phase, magnitude)));
    heddle_array *zero = heddle_scalar(0.0);
    heddle_array *fits = heddle_logical_and(window, heddle_greater_equal(image, zero));
    heddle_array *otherwise =
        beta > 0 ? heddle_subtract(guess, heddle_multiply(heddle_scalar(beta), image)) : zero;
    heddle_array *next = heddle_where(fits, image, otherwise);
    heddle_array *off = distance(spectrum, magnitude);
    HEDDLE_MUST(heddle_eval_all(HEDDLE_ARRAYS(next, off)));
    *error = HEDDLE_MUST_ITEM(off);
    return next;
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *window, *truth = object(&window);
    heddle_array *magnitude = heddle_abs(heddle_fft_fft2(truth));
    HEDDLE_MUST(heddle_eval_all(HEDDLE_ARRAYS(truth, magnitude, window)));

    /* Random numbers inside the window to begin with. */
    struct heddle_generator rng = heddle_rng(7);
    heddle_array *guess = heddle_keep(heddle_where(
        window, heddle_random_uniform(&rng, HEDDLE_SHAPE(SIDE, SIDE)), heddle_scalar(0.0)));
    double first = 0, error = 0;
    for (int n = 0; n < 200; n++) {
        heddle_scope step = heddle_scope_open();
        const double beta = n % 50 < 40 ? 0.9 : 0; /* rounds of both kinds */
        heddle_array *next = heddle_keep(iterate(guess, magnitude, window, beta, &error));
        if (n == 0) first = error;
        if (n % 50 == 49) printf("%3d iterations: error %.2e\n", n + 1, error);
        heddle_release(guess);
        guess = next;
        heddle_scope_close(step);
    }
    expect_true("the error falls a hundredfold", error < first / 100);
    heddle_array *off = heddle_sum(heddle_square(heddle_subtract(guess, truth)));
    const double apart =
        sqrt(HEDDLE_MUST_ITEM(heddle_divide(off, heddle_sum(heddle_square(truth)))));
    printf("off the object by %.2e\n", apart);
    expect_true("and the object is found", apart < 0.02);
    heddle_release(guess);
    heddle_scope_close(scope);
    return examples_failed();
}
