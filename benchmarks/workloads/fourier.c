/* See fourier.h. */
#include "fourier.h"

#include "bench.h"

#include <string.h>

static int record_fft(void *context, heddle_array **out)
{
    out[0] = heddle_fft_fft(context);
    return 1;
}

static int record_fft2(void *context, heddle_array **out)
{
    out[0] = heddle_fft_fft2(context);
    return 1;
}

static int record_rfft(void *context, heddle_array **out)
{
    out[0] = heddle_fft_rfft(context);
    return 1;
}

static heddle_array *input(int ndim, const int64_t *shape, bool is_complex, bool is_single)
{
    heddle_array *re = bench_input(ndim, shape, -1, 1, is_single ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64);
    if (!is_complex) return re;
    heddle_scope scope = heddle_scope_open();
    heddle_array *both = bench_ready(heddle_multiply(re, heddle_scalar_complex(1, 0.5)));
    heddle_scope_close(scope);
    heddle_release(re);
    return both;
}

void run_fourier(const char *name, int64_t n)
{
    static const struct {
        const char *begin;
        bench_record *record;
        int ndim;
        int64_t shape[3]; /* 0: n */
    } cases[] = {
        {"fft2_images_", record_fft2, 3, {0, 512, 512}},
        {"fft2_", record_fft2, 2, {0, 0}},
        {"rfft_", record_rfft, 2, {0, 4096}},
        {"several_fft2_", record_fft2, 2, {0, 0}},
        {"fft_", record_fft, 1, {0}},
    };
    size_t k = 0;
    while (strncmp(name, cases[k].begin, strlen(cases[k].begin)) != 0) k++;
    int64_t shape[3];
    for (int d = 0; d < 3; d++) shape[d] = cases[k].shape[d] ? cases[k].shape[d] : n;
    const bool is_single = strstr(name, "c64") || strstr(name, "f32");
    heddle_array *a = input(cases[k].ndim, shape, strstr(name, "_c") != NULL, is_single);
    const struct bench_times t = bench_time(cases[k].record, a);
    bench_line(name, n, 2 * heddle_nbytes(a), &t);
    heddle_release(a);
}
