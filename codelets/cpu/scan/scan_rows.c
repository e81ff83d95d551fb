/* Rows that are scanned one by one, and columns side by side. Entry point: scan_rows.h. */
#include "cpu/scan/scan_rows.h"

#include "rows.h"

#include <string.h>

#define SCAN_BODY "cpu/scan/row.h"
#include "cpu/scan/types.h"

typedef void scan_row(const void *x, void *y, int64_t n);
typedef void scan_columns(const void *x, void *y, int64_t n, int64_t columns, int64_t x_apart,
                          int64_t y_apart);

/* A launch, as threads walk it. */
struct walk {
    const struct heddle_launch *launch;
    void *const *buffers;
    int in, out; /* operands */
    enum heddle_dtype dtype;
    int operation;
    int64_t n;
};

/* Where the row of kept index `at`, over the first n_axes kept axes, begins in an operand. */
static char *row_at(const struct walk *w, int operand, int64_t at, int n_axes)
{
    const struct heddle_launch *l = w->launch;
    const struct heddle_access *a = &l->access[operand];
    const int64_t size =
        (int64_t)heddle_dtype_size((enum heddle_dtype)l->program->operand_dtype[operand]);
    int64_t offset = a->offset;
    for (int d = n_axes - 1; d >= 0; d--) {
        offset += at % l->geometry.extent[d] * a->stride[d];
        at /= l->geometry.extent[d];
    }
    return (char *)w->buffers[l->buffer[operand]] + offset * size;
}

static enum heddle_status no_kernel(const struct walk *w)
{
    return heddle__fail(HEDDLE_EINTERNAL, "scan: no rows of %lld elements of %s", (long long)w->n,
                        heddle_dtype_name(w->dtype));
}

static enum heddle_status run_rows(const struct walk *w)
{
    static scan_row *const all[HEDDLE_SCAN_OPERATIONS][HEDDLE_N_DTYPES] = HEDDLE_SCANS(row_alone);
    scan_row *const scan = all[w->operation][w->dtype];
    const int n_kept = w->launch->geometry.n_kept;
    const int64_t n_rows = heddle__kept_size(&w->launch->geometry);
    if (!scan || w->n > heddle__scan_most(false)) return no_kernel(w);
    for (int64_t i = 0; i < n_rows; i++)
        scan(row_at(w, w->in, i, n_kept), row_at(w, w->out, i, n_kept), w->n);
    return HEDDLE_OK;
}

/* Along the last kept axis longer than 1, where both operands lie along it; else columns are one by one. */
static enum heddle_status run_columns(const struct walk *w)
{
    static scan_columns *const all[HEDDLE_SCAN_OPERATIONS][HEDDLE_N_DTYPES] =
        HEDDLE_SCANS(columns_alone);
    scan_columns *const scan = all[w->operation][w->dtype];
    const struct heddle_launch *l = w->launch;
    const struct heddle_geometry *g = &l->geometry;
    const struct heddle_access *in = &l->access[w->in], *out = &l->access[w->out];
    int n_axes = g->n_kept, along = g->n_kept;
    int64_t columns = 1;
    while (along < g->ndim - 1 && g->extent[along] == 1) along++;
    while (n_axes > 0 && g->extent[n_axes - 1] == 1) n_axes--;
    if (n_axes > 0 && in->stride[n_axes - 1] == 1 && out->stride[n_axes - 1] == 1)
        columns = g->extent[--n_axes];
    if (!scan || w->n > heddle__scan_most(true)) return no_kernel(w);
    const int64_t n_calls = heddle__kept_size(g) / columns;
    for (int64_t i = 0; i < n_calls; i++)
        scan(row_at(w, w->in, i, n_axes), row_at(w, w->out, i, n_axes), w->n, columns,
             in->stride[along], out->stride[along]);
    return HEDDLE_OK;
}

enum heddle_status heddle__cpu_scan(const struct heddle_launch *launch, void *const buffers[])
{
    const struct heddle_program *p = launch->program;
    struct walk w = {.launch = launch,
                     .buffers = buffers,
                     .in = p->instrs[0].a,
                     .out = p->stores[0].operand,
                     .operation = p->scan - 1,
                     .n = heddle__reduced_size(&launch->geometry)};
    w.dtype = (enum heddle_dtype)p->operand_dtype[w.out];
    if (w.n == 0 || heddle__kept_size(&launch->geometry) == 0) return HEDDLE_OK;
    return p->sequential ? run_columns(&w) : run_rows(&w);
}
