/* Sparse matrices from others: transposed, scaled, dense. Entry points: heddle_csr_transpose, heddle_csr_multiply,
 * heddle_csr_to_dense, heddle_csr_rows. */
#include "api/sparse/sparse.h"

#include <heddle/create.h>
#include <heddle/gather.h>
#include <heddle/scatter.h>
#include <heddle/search.h>
#include <heddle/sort.h>

/* How many rows begin before the entry or with it, less one. */
static heddle_array *rows_of(const struct heddle_csr *a)
{
    heddle_array *const entries = heddle__index_along(a->data->size, 0, 1);
    return heddle_subtract(heddle_searchsorted(a->indptr, entries, .side = HEDDLE_SIDE_RIGHT),
                           heddle_scalar_int(1));
}

heddle_array *heddle_csr_rows(const struct heddle_csr *a)
{
    if (!a) return heddle__csr_null("csr_rows");
    heddle_array *const bad = heddle__csr_bad("csr_rows", a, a->data);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, rows_of(a));
}

struct heddle_csr heddle_csr_transpose(const struct heddle_csr *a)
{
    if (!a) return heddle__csr_error(heddle__csr_null("csr_transpose"));
    heddle_array *const bad = heddle__csr_bad("csr_transpose", a, a->data);
    if (bad) return heddle__csr_error(bad);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    /* read by index, so that an index that is out of range is an error */
    heddle_array *const columns = heddle_take(heddle__index_along(a->columns, 0, 1),
                                              heddle__csr_checked(a->indices, a->columns));
    heddle_array *const order = heddle_argsort(columns);
    return heddle__csr_leave(&scope, heddle_take(a->data, order), heddle_take(rows_of(a), order),
                             heddle__csr_starts(heddle_take(columns, order), a->columns),
                             a->columns, a->rows);
}

/* The elements of x, which broadcasts to the matrix, where its entries are. */
static heddle_array *where_entries_are(const struct heddle_csr *a, heddle_array *x)
{
    const int64_t shape[2] = {a->rows, a->columns};
    struct heddle_shape s = {2, {a->rows, a->columns}};
    if (!heddle__broadcast(&s, x->ndim, x->shape) || s.ndim != 2 || s.extent[0] != a->rows ||
        s.extent[1] != a->columns)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_csr_multiply: shape %s does not broadcast to (%lld, "
                                   "%lld)",
                                   HEDDLE_SHAPE_OF(x), (long long)a->rows, (long long)a->columns);
    const bool by_row = x->ndim == 2 && x->shape[0] > 1, by_column = x->shape[x->ndim - 1] > 1;
    heddle_array *const columns = heddle__csr_checked(a->indices, a->columns);
    if (by_row && !by_column) return heddle_take(heddle__flat(x), rows_of(a));
    if (!by_row && by_column) return heddle_take(heddle__flat(x), columns);
    if (!by_row) return heddle_reshape(x, 0, NULL);
    return heddle_getitem(heddle_broadcast_to(x, 2, shape),
                          HEDDLE_INDEX(HEDDLE_BY(rows_of(a)), HEDDLE_BY(columns)));
}

struct heddle_csr heddle_csr_multiply(const struct heddle_csr *a, heddle_array *x)
{
    if (!a) return heddle__csr_error(heddle__csr_null("csr_multiply"));
    heddle_array *const bad = heddle__csr_bad("csr_multiply", a, x);
    if (bad) return heddle__csr_error(bad);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const factor = x->ndim == 0 ? x : where_entries_are(a, x);
    heddle_array *const data = heddle__scope_leave(&scope, heddle_multiply(a->data, factor));
    if (heddle_status_of(data) != HEDDLE_OK) return heddle__csr_error(data);
    struct heddle_csr r = *a;
    r.data = data;
    return r;
}

heddle_array *heddle_csr_to_dense(const struct heddle_csr *a)
{
    if (!a) return heddle__csr_null("csr_to_dense");
    heddle_array *const bad = heddle__csr_bad("csr_to_dense", a, a->data);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const zeros =
        heddle_zeros(HEDDLE_SHAPE(a->rows, a->columns), .dtype = (enum heddle_dtype)a->data->dtype);
    heddle_array *const columns = heddle__csr_checked(a->indices, a->columns);
    return heddle__scope_leave(
        &scope,
        heddle_add_at(zeros, HEDDLE_INDEX(HEDDLE_BY(rows_of(a)), HEDDLE_BY(columns)), a->data));
}
