/* Searches: rows of any length, values of each width, NaNs, against counts; members; heights of lines. Entry point: test_searches. */
#include "check.h"
#include "cuda/device.h"
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

/* Whether it is what must come of value i, of which `before` elements are before or, `right`, at most equal. */
static bool is_right(enum heddle_search_what what, const void *got, int64_t i, int64_t before,
                     bool is_member)
{
    if (what == HEDDLE_SEARCH_MEMBER) return ((const bool *)got)[i] == is_member;
    return ((const int64_t *)got)[i] == before;
}

static void test_search(enum heddle_dtype dtype, int64_t n, int64_t size,
                        enum heddle_search_what what)
{
    const bool right = what == HEDDLE_SEARCH_RIGHT;
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
                                       .what = (uint8_t)what,
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
    families_from_gpu(got, buffers[2], (size_t)size * (what == HEDDLE_SEARCH_MEMBER ? 1 : 8));
    gpu_free_all();
    int64_t bad = -1;
    for (int64_t i = 0; i < size && bad < 0; i++) {
        int64_t before = 0;
        bool is_member = false;
        for (int64_t j = 0; j < n; j++) {
            const int order = compare(&row[j], &x[i]);
            before += order < 0 || (right && order == 0);
            is_member = is_member || row[j] == x[i];
        }
        if (!is_right(what, got, i, before, is_member)) bad = i;
    }
    CHECK(bad < 0, "%s, %lld of %lld: value %lld", heddle_dtype_name(dtype), (long long)n,
          (long long)size, (long long)bad);
}

/* Long rows and so many values that a multiprocessor has one table for all of its threads, which is not the whole row, or is: row
 * element k is 3 (k / 2), so that value v has 2 ceil(v / 3) elements before it. */
static void test_long(int64_t n, int64_t size, enum heddle_search_what what)
{
    int32_t *const row = malloc((size_t)n * sizeof *row), *const x =
                                                              malloc((size_t)size * sizeof *x);
    int64_t *const got = malloc((size_t)size * sizeof *got);
    for (int64_t k = 0; k < n; k++) row[k] = (int32_t)(3 * (k / 2));
    for (int64_t i = 0; i < size; i++)
        x[i] = (int32_t)(families_random() % (uint64_t)(3 * n)) - (int32_t)(n / 2);
    const struct heddle_search call = {
        .dtype = HEDDLE_INT32, .what = (uint8_t)what, .n = n, .size = size, .values = 1, .out = 2};
    void *buffers[3] = {families_to_gpu(row, (size_t)n * sizeof *row),
                        families_to_gpu(x, (size_t)size * sizeof *x),
                        families_to_gpu(got, (size_t)size * sizeof *got)};
    struct heddle_kernel_context k = {.buffers = buffers, .stream = gpu_stream()};
    CHECK(heddle__search_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(got, buffers[2], (size_t)size * sizeof *got);
    gpu_free_all();
    int64_t bad = -1;
    for (int64_t i = 0; i < size && bad < 0; i++) {
        int64_t before = x[i] <= 0 ? 0 : 2 * (((int64_t)x[i] + 2) / 3);
        if (what == HEDDLE_SEARCH_RIGHT && x[i] >= 0 && x[i] % 3 == 0) before += 2;
        if (got[i] != (before < n ? before : n)) bad = i;
    }
    CHECK(bad < 0, "row of %lld, %lld values: value %lld is at %lld", (long long)n, (long long)size,
          (long long)bad, bad < 0 ? 0LL : (long long)got[bad]);
    free(row);
    free(x);
    free(got);
}

/* The line through (k, 3 k + 1) is exact at quarters, wherever it is found; beside the points the heights of the ends. */
static void test_lines(int64_t n, int64_t size)
{
    static double row[MOST], heights[MOST], x[VALUES], got[VALUES];
    for (int64_t i = 0; i < n; i++) {
        row[i] = (double)(i * i); /* unlike widths */
        heights[i] = 3 * row[i] + 1;
    }
    const double most = row[n - 1];
    for (int64_t i = 0; i < size; i++)
        x[i] = i % 50 == 7 ? NAN : (double)(families_random() % (uint64_t)(most * 4 + 40)) / 4 - 5;
    const struct heddle_search call = {.dtype = HEDDLE_FLOAT64,
                                       .what = HEDDLE_SEARCH_LINE,
                                       .n = n,
                                       .size = size,
                                       .values = 1,
                                       .heights = 2,
                                       .out = 3};
    void *buffers[4] = {families_to_gpu(row, (size_t)n * 8), families_to_gpu(x, (size_t)size * 8),
                        families_to_gpu(heights, (size_t)n * 8), families_to_gpu(got, sizeof got)};
    struct heddle_kernel_context k = {.buffers = buffers, .stream = gpu_stream()};
    CHECK(heddle__search_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(got, buffers[3], (size_t)size * 8);
    gpu_free_all();
    int64_t bad = -1;
    for (int64_t i = 0; i < size && bad < 0; i++) {
        const double want = x[i] < 0 ? 1 : 3 * (x[i] > most ? most : x[i]) + 1;
        if (!(got[i] == want) && !(isnan(got[i]) && isnan(x[i]))) bad = i;
    }
    CHECK(bad < 0, "line of %lld points, %lld values: value %lld", (long long)n, (long long)size,
          (long long)bad);
}

void test_searches(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT8, HEDDLE_INT32, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64};
    static const int64_t lengths[] = {1, 2, 3, 64, MOST}, sizes[] = {1, 255, VALUES};
    for (int d = 0; d < 4; d++)
        for (int n = 0; n < 5; n++)
            for (int m = 0; m < 3; m++)
                for (int what = 0; what < HEDDLE_SEARCH_LINE; what++)
                    test_search(dtypes[d], lengths[n], sizes[m], (enum heddle_search_what)what);
    int multiprocessors;
    CHECK_EQ(heddle__cuda_processors(&multiprocessors), HEDDLE_OK);
    static const int64_t long_lengths[] = {2047, 2048, 5000, 32767, 32768, 100000};
    for (int n = 0; n < 6; n++)
        for (int64_t each = 4095; each <= 65536; each = 2 * each + 1) {
            test_long(long_lengths[n], each * multiprocessors + 1, HEDDLE_SEARCH_LEFT);
            test_long(long_lengths[n], each * multiprocessors - 7, HEDDLE_SEARCH_RIGHT);
        }
    for (int n = 0; n < 5; n++)
        for (int m = 0; m < 3; m++) test_lines(lengths[n], sizes[m]);
}
