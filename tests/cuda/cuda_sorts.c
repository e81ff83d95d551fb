/* Sorting: rows with positions and elements, and the phases of lines of runs. Entry point: test_sorts. */
#include "check.h"
#include "cuda/families.h"
#include "families/sort/sort.h"
#include "families/sort_lines.h"

#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__sort_cuda;

enum { MOST = 5000 };

static const int64_t *keys;

static int compare(const void *p, const void *q)
{
    const int64_t i = *(const int64_t *)p, j = *(const int64_t *)q;
    return keys[i] != keys[j] ? (keys[i] > keys[j]) - (keys[i] < keys[j]) : (i > j) - (i < j);
}

/* Positions and, beside them, elements. */
static void test_rows(int64_t rows, int64_t n)
{
    static int64_t in[MOST], positions[MOST], elements[MOST], order[MOST];
    for (int64_t i = 0; i < rows * n; i++) in[i] = (int64_t)(families_random() >> 58) - 32;
    const struct heddle_sort call = {.dtype = HEDDLE_INT64,
                                     .element_bytes = 8,
                                     .positions = 1,
                                     .with_elements = 1,
                                     .rows = rows,
                                     .n = n,
                                     .in = 0,
                                     .out = 1,
                                     .elements = 2};
    void *buffers[3] = {families_to_gpu(in, sizeof in), families_to_gpu(in, sizeof in),
                        families_to_gpu(in, sizeof in)};
    struct heddle_kernel_context k = {.buffers = buffers,
                                      .scratch = gpu_alloc(heddle__sort_scratch(&call, 0)),
                                      .stream = gpu_stream()};
    CHECK(heddle__sort_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(positions, buffers[1], sizeof positions);
    families_from_gpu(elements, buffers[2], sizeof elements);
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

void test_sorts(void)
{
    const struct sort_machine machine = {.run = heddle__sort_cuda.run,
                                         .put = families_to_gpu,
                                         .get = families_from_gpu,
                                         .free_all = gpu_free_all,
                                         .context = {.stream = gpu_stream()}};
    test_rows(1, MOST);
    test_rows(7, 500);
    sort_lines(&machine, 150);
}
