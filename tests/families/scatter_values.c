/* The CPU kernel that writes by position, by teams of 1 to 16 threads: all dtypes, rows, parts of an array, duplicates,
 * positions that stand for indices out of range, few updates and enough for buckets. Against a loop. */
#include "check.h"
#include "families/scatter_calls.h"
#include "graph/family.h"
#include "kernels.h"
#include "kernels/test_team.h"

#include <heddle/dtype.h>
#include <heddle/array.h>
#include <stdlib.h>
#include <string.h>

extern const struct heddle_cpu_kernel heddle__scatter_cpu;
extern const struct heddle_family_info heddle__scatter_family;

enum { MOST = 20000, UNTOUCHED = 0x33 };

static int64_t positions[MOST];

static void test_scatter(int number, int n_threads, bool with_bad)
{
    struct heddle_scatter s;
    scatter_call(&s, MOST);
    const size_t bytes = (size_t)(s.n_rows * s.row) * s.element_bytes,
                 value_bytes = (size_t)(s.n * s.row) * s.element_bytes;
    char *in = malloc(bytes), *out = malloc(bytes), *values = malloc(value_bytes);
    void *scratch = malloc(heddle__scatter_family.scratch_bytes(&s, n_threads) + 1);
    if (!in || !out || !values || !scratch) exit(1);
    scatter_positions(&s, positions);
    const int axis = (int)scatter_below(s.n_axes);
    if (with_bad) positions[scatter_below(s.n)] = HEDDLE_SCATTER_BAD(axis) + 40;
    scatter_random((enum heddle_dtype)s.dtype, in, bytes);
    scatter_random((enum heddle_dtype)s.dtype, values, value_bytes);
    memset(out, UNTOUCHED, bytes);

    void *buffers[4] = {in, positions, values, out};
    struct heddle_kernel_context k = {
        .buffers = buffers, .team = test_team(n_threads), .scratch = scratch};
    const enum heddle_status status = heddle__scatter_cpu.run(&s, &k);
    CHECK_EQ(status, with_bad ? HEDDLE_EINDEX : HEDDLE_OK);
    if (with_bad) {
        CHECK(strstr(heddle_last_error(), "40") != NULL, "%s", heddle_last_error());
    } else {
        scatter_by_loop(&s, positions, values, in);
        CHECK(memcmp(in, out, bytes) == 0,
              "case %d: %s %s, %lld updates of rows of %lld, %d threads", number,
              s.add ? "add" : "set", heddle_dtype_name((enum heddle_dtype)s.dtype), (long long)s.n,
              (long long)s.row, n_threads);
    }
    free(in);
    free(out);
    free(values);
    free(scratch);
}

int main(void)
{
    static const int threads[] = {1, 2, 4, 7, 16};
    for (int k = 0; k < 400; k++) test_scatter(k, threads[k % 5], k % 9 == 0);
    test_teams_close();
    return check_done();
}
