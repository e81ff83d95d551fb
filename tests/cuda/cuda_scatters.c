/* Elements written by position on a GPU: all dtypes, rows, parts of an array, duplicates, positions that stand for indices
 * out of range; sums of what rounds in the order of the updates. Against loops. Entry point: test_scatters. */
#include "check.h"
#include "cuda/families.h"
#include "families/scatter_calls.h"
#include "graph/family.h"

#include <heddle/dtype.h>
#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__scatter_cuda;
extern const struct heddle_family_info heddle__scatter_family;

enum { TAG = 78, UNTOUCHED = 0x33 };

static void test_scatter(int number, bool with_bad)
{
    struct heddle_scatter s;
    scatter_call(&s, 3000);
    const size_t bytes = (size_t)(s.n_rows * s.row) * s.element_bytes,
                 value_bytes = (size_t)(s.n * s.row) * s.element_bytes;
    char *in = malloc(bytes), *out = malloc(bytes), *values = malloc(value_bytes);
    int64_t *positions = malloc((size_t)s.n * 8);
    if (!in || !out || !values || !positions) exit(1);
    scatter_positions(&s, positions);
    const int axis = (int)scatter_below(s.n_axes);
    const int64_t wrong =
        (int64_t[]){-7, 40, HEDDLE_SCATTER_FAR, -HEDDLE_SCATTER_FAR}[scatter_below(4)];
    if (with_bad) positions[scatter_below(s.n)] = HEDDLE_SCATTER_BAD(axis) + wrong;
    scatter_random((enum heddle_dtype)s.dtype, in, bytes);
    scatter_random((enum heddle_dtype)s.dtype, values, value_bytes);
    memset(out, UNTOUCHED, bytes);

    int64_t report[HEDDLE_REPORT_WORDS] = {-1, -1, -1, -1};
    void *buffers[4] = {families_to_gpu(in, bytes), families_to_gpu(positions, (size_t)s.n * 8),
                        families_to_gpu(values, value_bytes), families_to_gpu(out, bytes)};
    int64_t *words = families_to_gpu(report, sizeof report);
    struct heddle_kernel_context k = {
        .buffers = buffers,
        .stream = gpu_stream(),
        .scratch = gpu_alloc(heddle__scatter_family.scratch_bytes(&s, 0) + 1),
        .report = {words, TAG}};
    CHECK(heddle__scatter_cuda.run(&s, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(out, buffers[3], bytes);
    families_from_gpu(report, words, sizeof report);
    gpu_free_all();
    scatter_by_loop(&s, positions, values, in);
    CHECK(memcmp(in, out, bytes) == 0, "case %d: %s %s, %lld updates of rows of %lld", number,
          s.add ? "add" : "set", heddle_dtype_name((enum heddle_dtype)s.dtype), (long long)s.n,
          (long long)s.row);
    CHECK_EQ(report[0], with_bad ? TAG : -1);
    CHECK_EQ(report[1], with_bad ? wrong : -1);
    CHECK_EQ(report[2], with_bad ? s.shape[axis] : -1);
    CHECK_EQ(report[3], with_bad ? s.name : -1);
    free(in);
    free(out);
    free(values);
    free(positions);
}

void test_scatters(void)
{
    for (int k = 0; k < 200; k++) test_scatter(k, k % 4 == 0);
}
