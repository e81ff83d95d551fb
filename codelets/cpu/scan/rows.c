/* Rows that are scanned one by one. Entry point: rows.h. */
#include "cpu/scan/rows.h"

#include <string.h>

#define SCAN_BODY "cpu/scan/row.h"
#include "cpu/scan/types.h"

typedef void scan_row(const void *x, void *y, int64_t n);

static scan_row *row_of(const struct heddle_program *p)
{
    static scan_row *const rows[HEDDLE_SCAN_OPERATIONS][HEDDLE_N_DTYPES] = HEDDLE_SCANS(row_alone);
    const int operation = p->scan - 1;
    enum heddle_dtype d = (enum heddle_dtype)p->operand_dtype[p->stores[0].operand];
    if (operation <= HEDDLE_SCAN_MULTIPLY && d == HEDDLE_UINT32)
        d = HEDDLE_INT32; /* the same bits */
    if (operation <= HEDDLE_SCAN_MULTIPLY && d == HEDDLE_UINT64) d = HEDDLE_INT64;
    return rows[operation][d];
}

/* Where the row of kept index `at` begins in an operand. */
static char *row_at(const struct heddle_launch *l, int operand, int64_t at, void *const buffers[])
{
    const struct heddle_access *a = &l->access[operand];
    const size_t size = heddle_dtype_size((enum heddle_dtype)l->program->operand_dtype[operand]);
    int64_t offset = a->offset;
    for (int d = l->geometry.n_kept - 1; d >= 0; d--) {
        offset += at % l->geometry.extent[d] * a->stride[d];
        at /= l->geometry.extent[d];
    }
    return (char *)buffers[l->buffer[operand]] + offset * (int64_t)size;
}

enum heddle_status heddle__cpu_scan(const struct heddle_launch *launch, void *const buffers[])
{
    const struct heddle_program *p = launch->program;
    const int64_t n = heddle__reduced_size(&launch->geometry),
                  n_rows = heddle__kept_size(&launch->geometry);
    scan_row *const scan = row_of(p);
    if (!scan || n > HEDDLE_SCAN_CHUNK)
        return heddle__fail(HEDDLE_EINTERNAL, "scan: no rows of %lld elements of %s", (long long)n,
                            heddle_dtype_name((enum heddle_dtype)p->operand_dtype[0]));
    for (int64_t i = 0; i < n_rows && n > 0; i++)
        scan(row_at(launch, p->instrs[0].a, i, buffers),
             row_at(launch, p->stores[0].operand, i, buffers), n);
    return HEDDLE_OK;
}
