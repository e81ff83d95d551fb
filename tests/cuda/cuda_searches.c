/* Searches: rows of any length, values of each width, NaNs, against counts. Entry point: test_searches. */
#include "check.h"
#include "cuda/families.h"
#include "families/search/kernel.h"

#include <math.h>
#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__search_cuda;

enum { MOST = 200, VALUES = 3000 };

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    if (a != a || b != b) return (a != a) - (b != b);
    return (a > b) - (a < b);
}

static void put(enum heddle_dtype dtype, void *to, int64_t i, double x)
{
    switch (dtype) {
    case HEDDLE_INT8: ((int8_t *)to)[i] = (int8_t)x; break;
    case HEDDLE_INT32: ((int32_t *)to)[i] = (int32_t)x; break;
    case HEDDLE_FLOAT32: ((float *)to)[i] = (float)x; break;
    default: ((double *)to)[i] = x; break;
    }
}

static void test_search(enum heddle_dtype dtype, int64_t n, int64_t size, bool right)
{
    static double row[MOST], x[VALUES];
    static char there[2][VALUES * 8];
    static int64_t got[VALUES];
    const bool is_float = heddle_dtype_kind(dtype) == 'F';
    const size_t bytes = heddle_dtype_size(dtype);
    for (int64_t i = 0; i < n + size; i++) {
        double *to = i < n ? &row[i] : &x[i - n];
        *to = (double)(families_random() >> 40 & 63) - 32;
        if (is_float && families_random() >> 60 == 0) *to = NAN;
    }
    qsort(row, (size_t)n, sizeof *row, compare);
    for (int64_t i = 0; i < n; i++) put(dtype, there[0], i, row[i]);
    for (int64_t i = 0; i < size; i++) put(dtype, there[1], i, x[i]);
    const struct heddle_search call = {.dtype = (uint8_t)dtype,
                                       .right = right,
                                       .n = n,
                                       .size = size,
                                       .sorted = 0,
                                       .values = 1,
                                       .out = 2};
    void *buffers[3] = {families_to_gpu(there[0], (size_t)n * bytes),
                        families_to_gpu(there[1], (size_t)size * bytes),
                        families_to_gpu(got, sizeof got)};
    struct heddle_kernel_context k = {.buffers = buffers, .stream = gpu_stream()};
    CHECK(heddle__search_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(got, buffers[2], (size_t)size * sizeof *got);
    gpu_free_all();
    int64_t bad = -1;
    for (int64_t i = 0; i < size && bad < 0; i++) {
        int64_t before = 0;
        for (int64_t j = 0; j < n; j++) {
            const int order = compare(&row[j], &x[i]);
            before += order < 0 || (right && order == 0);
        }
        if (got[i] != before) bad = i;
    }
    CHECK(bad < 0, "%s, %lld of %lld: value %lld", heddle_dtype_name(dtype), (long long)n,
          (long long)size, (long long)bad);
}

void test_searches(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT8, HEDDLE_INT32, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64};
    static const int64_t lengths[] = {1, 2, 3, 64, MOST}, sizes[] = {1, 255, VALUES};
    for (int d = 0; d < 4; d++)
        for (int n = 0; n < 5; n++)
            for (int m = 0; m < 3; m++) test_search(dtypes[d], lengths[n], sizes[m], (n + m) % 2);
}
