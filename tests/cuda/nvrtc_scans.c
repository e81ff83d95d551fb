/* Generated sources of scans with elementwise work, with no GPU: all dtypes, operations and forms compile. */
#include "check.h"
#include "cuda/compile.h"
#include "cuda/extra.h"
#include "families/scan/cuda_work.h"

#include <base/memory.h>
#include <stdlib.h>

/* x * c before, y + x after; x is walked across its columns, if it has any. */
static void build_work(struct build *b, enum heddle_dtype d, const int64_t extent[3], bool before)
{
    const int64_t across[HEDDLE_MAX_NDIM] = {extent[1] * extent[2], 1, extent[2] > 1 ? 2 : 0};
    build_begin(b, 3, 3, extent);
    const int x = build_load(b, d, NULL, across, 5),
              y = before ? build_number(b, d, 3) : build_load(b, d, NULL, NULL, 0);
    const int v = build_op(b, before ? HEDDLE_OP_MULTIPLY : HEDDLE_OP_ADD, d, x, y);
    build_store(b, v, d, NULL, NULL, 0);
    build_seal(b, 0);
    b->buffer[0] = 2;
    b->buffer[1] = b->buffer[b->program.n_operands - 1] = 1;
}

static void check_compiles(enum heddle_dtype d, enum heddle_scan_operation operation,
                           const int64_t extent[3], int form, int phase)
{
    static struct build before, after;
    build_work(&before, d, extent, true);
    build_work(&after, d, extent, false);
    struct heddle_scan s = {.dtype = (uint8_t)d,
                            .operation = (uint8_t)operation,
                            .columns = extent[2] > 1,
                            .outer = extent[0],
                            .n = extent[1],
                            .inner = extent[2],
                            .in = 0,
                            .out = 1};
    CHECK(heddle__scan_takes(&s, &before.launch, true), "work before");
    CHECK(heddle__scan_takes(&s, &after.launch, false), "work after");
    s.before = &before.launch;
    s.after = &after.launch;
    const struct heddle_scan_shape shape = {.form = form, .width = 8};
    struct heddle_scan_class c;
    heddle__scan_class(&s, (enum heddle_scan_phase)phase, &shape, &c);
    char *source = heddle__scan_source(&s, &c), *cubin = NULL;
    size_t size = 0;
    CHECK(source && heddle__compile(source, 90, &cubin, &size) == HEDDLE_OK && size > 0,
          "operation %d of %s, form %d, phase %d: %s", operation, heddle_dtype_name(d), form, phase,
          heddle_last_error());
    heddle__free(cubin);
    heddle__free(source);
}

int main(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_INT32,
                                               HEDDLE_INT64, HEDDLE_COMPLEX64};
    static const struct {
        int64_t extent[3];
        int form, phase;
    } forms[] = {{{3, 5000, 1}, HEDDLE_SCAN_CHUNKS, HEDDLE_SCAN_WHOLE},
                 {{3, 400, 1}, HEDDLE_SCAN_WARP_ROWS, HEDDLE_SCAN_WHOLE},
                 {{3, 30, 1}, HEDDLE_SCAN_SHORT_ROWS, HEDDLE_SCAN_WHOLE},
                 {{3, 70, 9}, HEDDLE_SCAN_COLUMNS, HEDDLE_SCAN_WHOLE},
                 {{3, 700, 9}, HEDDLE_SCAN_COLUMN_CHUNKS, HEDDLE_SCAN_TOTALS},
                 {{3, 700, 9}, HEDDLE_SCAN_COLUMN_CHUNKS, HEDDLE_SCAN_APPLY}};
    /* every form for one dtype, every dtype and operation for one form */
    for (int f = 0; f < 6; f++)
        check_compiles(HEDDLE_FLOAT32, HEDDLE_SCAN_ADD, forms[f].extent, forms[f].form,
                       forms[f].phase);
    for (int d = 0; d < 5; d++)
        for (int op = d % 2; op < (dtypes[d] == HEDDLE_COMPLEX64 ? 2 : 4); op += 2)
            check_compiles(dtypes[d], (enum heddle_scan_operation)op, forms[d % 2].extent,
                           forms[d % 2].form, forms[d % 2].phase);
    check_compiles(HEDDLE_UINT64, HEDDLE_SCAN_MAXIMUM, forms[3].extent, forms[3].form,
                   forms[3].phase);
    return check_done();
}
