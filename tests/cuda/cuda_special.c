/* Reductions of special values (kernels/special_lines.h) by each row of reductions.def and each dtype that
 * it accepts, by a thread, a warp, a block and in chunks, against the oracle. Entry point: test_special. */
#include "check.h"
#include "cuda/passes.h"
#include "kernels/oracle.h"
#include "kernels/special_lines.h"

#include <stdlib.h>

static void test_lines(enum heddle_dtype d, int from, int64_t n, bool sequential)
{
    struct random_program r;
    if (lines_make(&r, d, from, n, sequential) == 0) return;
    const struct heddle_program *p = &r.build.program;
    void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    build_seal(&r.build, sequential);
    random_save(&r, input);
    if (pass != PREPARED) random_reference(&r);
    random_save(&r, want);
    random_restore(&r, input);
    if (pass_run(&r.build, r.data, r.bytes, p->n_operands, "special values"))
        for (int k = 0; k < p->n_reductions; k++) {
            const enum heddle_dtype result = (enum heddle_dtype)p->reductions[k].result;
            for (int line = 0; line < N_LINES; line++)
                CHECK(oracle_same(result, r.data[k + 1], line, want[k + 1], line),
                      "%s of %s, line %d of %lld elements, sequential %d, %s",
                      heddle__reductions[p->reductions[k].op].name, heddle_dtype_name(d), line,
                      (long long)n, sequential, pass_names[pass]);
        }
    random_drop(&r, input);
    random_drop(&r, want);
    random_free(&r);
}

void test_special(void)
{
    static const int64_t lengths[] = {1, 2, 7, 16, 17, 40, 300, 1025, 5000};
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++)
        for (int from = 0; from < HEDDLE_N_REDUCTIONS; from += LINES_TOGETHER) {
            for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k += HEDDLE_EMULATED ? 2 : 1)
                test_lines((enum heddle_dtype)d, from, lengths[k], false);
            test_lines((enum heddle_dtype)d, from, 100, true);
            if (d % 4 != 0) continue; /* in chunks: a few dtypes */
            test_lines((enum heddle_dtype)d, from, 70000, false);
            test_lines((enum heddle_dtype)d, from, 1000, true);
        }
}
