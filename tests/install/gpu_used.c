/* Does work reach the GPU? Runs a large expression with HEDDLE_DEVICES=gpu and looks at the
 * counters. Skipped (77) without a GPU, unless HEDDLE_TEST_GPU is set. */
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const bool required = getenv("HEDDLE_TEST_GPU") != NULL;
    const int skip = required ? 1 : 77;
    struct heddle_device devices[64];
    struct heddle_statistics statistics;
    double sum = 0;
    int n = 0, gpus = 0;
    const int64_t length = (int64_t)1 << 24;

    if (!HEDDLE_HAVE_CUDA) {
        printf("built without CUDA\n");
        return skip;
    }
    if (heddle_devices(64, devices, &n) != HEDDLE_OK) {
        printf("no devices: %s\n", heddle_last_error());
        return skip;
    }
    for (int i = 0; i < n && i < 64; i++) {
        const struct heddle_device *d = &devices[i];
        printf("%s: %s%s%s\n", d->name, d->model, d->used ? "" : ", not used: ", d->why_not);
        if (d->used && d->name[0] == 'g') gpus++;
    }
    if (gpus == 0) {
        printf("no GPU is used\n");
        return skip;
    }
    heddle_shutdown();
    heddle_configure(&(struct heddle_config){.devices = "gpu"});

    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_ones(HEDDLE_SHAPE(length), .dtype = HEDDLE_FLOAT32);
    heddle_array *y = heddle_multiply(heddle_add(x, x), heddle_scalar(1.5));
    heddle_array *s = heddle_sum(y, .dtype = HEDDLE_FLOAT64);
    if (heddle_read(s, &sum, sizeof sum) != HEDDLE_OK) printf("%s\n", heddle_error(s));
    heddle_scope_close(scope);
    heddle_statistics_get(&statistics);
    printf("sum %g of %g; %lld tasks and %lld kernels on GPUs\n", sum, 3.0 * (double)length,
           (long long)statistics.gpu_tasks, (long long)statistics.gpu_kernels);
    return sum == 3.0 * (double)length && statistics.gpu_kernels > 0 ? 0 : 1;
}
