/* Sorting: rows with positions and elements, and the phases of lines of runs. Entry point: test_sorts. */
#include "check.h"
#include "cuda/families.h"
#include "families/sort/sort.h"
#include "families/sort_lines.h"

#include <stdlib.h>
#include <string.h>

extern const struct heddle_cuda_kernel heddle__sort_cuda;

enum { MOST = 12300 };

static const int64_t *keys;

static int compare(const void *p, const void *q)
{
    const int64_t i = *(const int64_t *)p, j = *(const int64_t *)q;
    return keys[i] != keys[j] ? (keys[i] > keys[j]) - (keys[i] < keys[j]) : (i > j) - (i < j);
}

/* Positions and, beside them, elements, of int64 or int32. */
static void test_rows(enum heddle_dtype dtype, int64_t rows, int64_t n)
{
    static int64_t in[MOST], positions[MOST], elements[MOST], order[MOST];
    static int32_t narrow[MOST];
    for (int64_t i = 0; i < rows * n; i++) {
        in[i] = (int64_t)(families_random() >> 58) - 32;
        narrow[i] = (int32_t)in[i];
    }
    const bool wide = dtype == HEDDLE_INT64;
    const struct heddle_sort call = {.dtype = (uint8_t)dtype,
                                     .element_bytes = wide ? 8 : 4,
                                     .positions = 1,
                                     .with_elements = 1,
                                     .rows = rows,
                                     .n = n,
                                     .in = 0,
                                     .out = 1,
                                     .elements = 2};
    void *buffers[3] = {wide ? families_to_gpu(in, sizeof in)
                             : families_to_gpu(narrow, sizeof narrow),
                        families_to_gpu(in, sizeof in), families_to_gpu(in, sizeof in)};
    struct heddle_kernel_context k = {.buffers = buffers,
                                      .scratch = gpu_alloc(heddle__sort_scratch(&call, 0)),
                                      .stream = gpu_stream()};
    CHECK(heddle__sort_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(positions, buffers[1], sizeof positions);
    if (wide)
        families_from_gpu(elements, buffers[2], sizeof elements);
    else
        families_from_gpu(narrow, buffers[2], sizeof narrow);
    for (int64_t i = 0; i < rows * n && !wide; i++) elements[i] = narrow[i];
    gpu_free_all();
    int64_t bad = -1;
    for (int64_t row = 0; row < rows && bad < 0; row++) {
        keys = in + row * n;
        for (int64_t i = 0; i < n; i++) order[i] = i;
        qsort(order, (size_t)n, sizeof *order, compare);
        for (int64_t i = 0; i < n && bad < 0; i++)
            if (positions[row * n + i] != order[i] || elements[row * n + i] != keys[order[i]])
                bad = row * n + i;
    }
    CHECK(bad < 0, "%lld rows of %lld: element %lld", (long long)rows, (long long)n,
          (long long)bad);
}

static int compare_bytes(const void *p, const void *q)
{
    return *(const int8_t *)p - *(const int8_t *)q;
}

/* Elements alone, of which many are the largest and the smallest that there are. */
static void test_rows_of_bytes(int64_t rows, int64_t n, bool descending)
{
    static int8_t in[MOST], out[MOST], row[MOST];
    for (int64_t i = 0; i < rows * n; i++) {
        const uint64_t r = families_random();
        in[i] = r & 0x300 ? (int8_t)r : r & 0x400 ? INT8_MAX : INT8_MIN;
    }
    const struct heddle_sort call = {.dtype = HEDDLE_INT8,
                                     .element_bytes = 1,
                                     .descending = descending,
                                     .rows = rows,
                                     .n = n,
                                     .in = 0,
                                     .out = 1};
    void *buffers[2] = {families_to_gpu(in, sizeof in), families_to_gpu(in, sizeof in)};
    struct heddle_kernel_context k = {.buffers = buffers,
                                      .scratch = gpu_alloc(heddle__sort_scratch(&call, 0)),
                                      .stream = gpu_stream()};
    CHECK(heddle__sort_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(out, buffers[1], sizeof out);
    gpu_free_all();
    int64_t bad = -1;
    for (int64_t r = 0; r < rows && bad < 0; r++) {
        memcpy(row, in + r * n, (size_t)n);
        qsort(row, (size_t)n, 1, compare_bytes);
        for (int64_t i = 0; i < n && bad < 0; i++)
            if (out[r * n + i] != row[descending ? n - 1 - i : i]) bad = r * n + i;
    }
    CHECK(bad < 0, "%lld rows of %lld bytes: element %lld", (long long)rows, (long long)n,
          (long long)bad);
}

void test_sorts(void)
{
    const struct sort_machine machine = {.run = heddle__sort_cuda.run,
                                         .put = families_to_gpu,
                                         .get = families_from_gpu,
                                         .free_all = gpu_free_all,
                                         .context = {.stream = gpu_stream()}};
    test_rows(HEDDLE_INT64, 1, MOST);
    test_rows(HEDDLE_INT32, 1, MOST);
    static const int64_t borders[] = {1,   2,   3,   4,   5,    8,    9,    15,  16,  17,
                                      24,  25,  32,  33,  64,   65,   100,  128, 129, 200,
                                      256, 257, 512, 513, 1536, 1537, 4096, 4097};
    for (int i = 0; i < (int)(sizeof borders / sizeof *borders); i++) {
        test_rows(HEDDLE_INT64, 3, borders[i]);
        test_rows(HEDDLE_INT32, 3, borders[i]);
        if (9 * borders[i] <= MOST) test_rows(HEDDLE_INT32, 9, borders[i]); /* several a block */
        if (borders[i] <= 65) {
            test_rows(HEDDLE_INT64, 131, borders[i]);
            test_rows(HEDDLE_INT32, 128, borders[i]);
            test_rows_of_bytes(150, borders[i], i % 2);
        }
        test_rows_of_bytes(3, borders[i], false);
        test_rows_of_bytes(2, borders[i], true);
    }
    sort_lines(&machine, 150);
}
