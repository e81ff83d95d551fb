/* What you learn: the singular value decomposition. Principal components of measurements that are mixtures of two hidden
 * signals: two directions explain nearly all of the variance, and give the measurements back. */
#include "common.h"

enum { SAMPLES = 500, SENSORS = 12 };

static heddle_array *wave(double frequency)
{
    heddle_array *t = heddle_arange(heddle_scalar((double)SAMPLES), NULL, NULL);
    return heddle_sin(
        heddle_multiply(t, heddle_scalar(2 * 3.141592653589793 * frequency / SAMPLES)));
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    /* (samples, 2) signals, the first of them twice as large, times (2, sensors) weights, plus a little of a third one. */
    heddle_array *large = heddle_multiply(wave(3), heddle_scalar(2.0));
    heddle_array *signals = heddle_stack(2, (heddle_array *[]){large, wave(7)}, 1);
    heddle_array *sensor = heddle_arange(heddle_scalar((double)SENSORS), NULL, NULL);
    heddle_array *weights =
        heddle_stack(2,
                     (heddle_array *[]){heddle_cos(sensor),
                                        heddle_cos(heddle_multiply(sensor, heddle_scalar(2.5)))},
                     0);
    heddle_array *noise = heddle_multiply(
        heddle_scalar(0.01), heddle_outer(wave(50), heddle_sin(heddle_square(sensor))));
    heddle_array *data = heddle_add(heddle_matmul(signals, weights), noise);

    /* Components: the right singular vectors of the centred data; variances: the squares of the singular values. */
    heddle_array *centred = heddle_subtract(data, heddle_mean(data, .axis = 0));
    heddle_array *u, *s, *vh;
    HEDDLE_MUST(heddle_linalg_svd(centred, &u, &s, &vh, .thin = true));
    heddle_array *variance = heddle_divide(heddle_square(s), heddle_scalar((double)SAMPLES - 1));
    heddle_array *share = heddle_divide(variance, heddle_sum(variance));
    const double first = value_at(share, 0), second = value_at(share, 1);
    printf("shares of the variance: %.4f %.4f\n", first, second);
    expect_true("two explain nearly all", first + second > 0.9999 && first + second < 1);
    expect_true("the large one comes first", first > 2 * second);

    /* The same variances as the covariance matrix has eigenvalues. */
    heddle_array *eigenvalues = heddle_linalg_eigvalsh(heddle_cov(heddle_matrix_transpose(data)));
    heddle_array *off = heddle_subtract(heddle_flip(eigenvalues), variance);
    expect_true("eigenvalues of the covariance",
                HEDDLE_MUST_ITEM(heddle_max(heddle_abs(off))) < 1e-12);

    /* Two numbers a sample instead of twelve, and back. */
    heddle_array *two = heddle_getitem(vh, HEDDLE_INDEX(HEDDLE_SLICE(0, 2)));
    heddle_array *scores = heddle_matmul(centred, heddle_matrix_transpose(two));
    EXPECT("numbers a sample", heddle_shape(scores)[1], 2);
    heddle_array *rest = heddle_subtract(centred, heddle_matmul(scores, two));
    const double error = HEDDLE_MUST_ITEM(heddle_max(heddle_abs(rest)));
    expect_true("what is lost is the little", error < 0.011 && error > 1e-4);
    heddle_array *unit =
        heddle_subtract(heddle_matmul(two, heddle_matrix_transpose(two)), heddle_eye(2, 2));
    expect_true("components are orthonormal",
                HEDDLE_MUST_ITEM(heddle_max(heddle_abs(unit))) < 1e-13);
    heddle_scope_close(scope);
    return examples_failed();
}
