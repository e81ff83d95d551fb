/* Sparse matrices of arrays, of coordinates and of dense matrices. Entry points: heddle_csr_make,
 * heddle_csr_from_coordinates, heddle_csr_from_dense, sparse.h. */
#include "api/sparse/sparse.h"

#include "graph/evaluator.h"

#include <heddle/create.h>
#include <heddle/gather.h>
#include <heddle/mask.h>
#include <heddle/scatter.h>
#include <heddle/search.h>
#include <heddle/sets.h>

struct heddle_csr heddle__csr_error(heddle_array *error)
{
    return (struct heddle_csr){.data = error, .indices = error, .indptr = error, .n_parts = 1};
}

heddle_array *heddle__csr_null(const char *name)
{
    return heddle__error_array(HEDDLE_EARG, "heddle_%s: the matrix is NULL", name);
}

heddle_array *heddle__csr_bad(const char *name, const struct heddle_csr *a, heddle_array *x)
{
    heddle_array *const all[4] = {a->data, a->indices, a->indptr, x};
    return heddle__bad_operand(name, 4, all);
}

struct heddle_csr heddle__csr_leave(struct heddle_scope_state *scope, heddle_array *data,
                                    heddle_array *indices, heddle_array *indptr, int64_t rows,
                                    int64_t columns)
{
    struct heddle_csr r = {.rows = rows, .columns = columns, .n_parts = 1};
    heddle_array *const made[3] = {data, indices, indptr};
    heddle_array **const out[3] = {&r.data, &r.indices, &r.indptr};
    if (heddle__leave_with(scope, 3, made, out) != HEDDLE_OK)
        return heddle__csr_error(heddle__error_last());
    return r;
}

heddle_array *heddle__csr_checked(heddle_array *indices, int64_t extent)
{
    heddle_array *const beyond = heddle__constant(extent, HEDDLE_INT64);
    return heddle_where(heddle_less(indices, heddle_scalar_int(0)), beyond,
                        heddle_astype(indices, HEDDLE_INT64));
}

heddle_array *heddle__csr_starts(heddle_array *sorted, int64_t n)
{
    return heddle_searchsorted(sorted, heddle__index_along(n + 1, 0, 1));
}

/* ---- Of arrays ------------------------------------------------------------------------------------ */

static enum heddle_status check_vector(const char *name, const char *what, const heddle_array *a,
                                       int64_t extent, bool integers)
{
    HEDDLE_REQUIRE(a->ndim == 1 && a->size == extent, HEDDLE_ESHAPE,
                   "heddle_%s: %s has shape %s, not (%lld,)", name, what, HEDDLE_SHAPE_OF(a),
                   (long long)extent);
    const char kind = heddle_dtype_kind((enum heddle_dtype)a->dtype);
    HEDDLE_REQUIRE(!integers || kind == 'I' || kind == 'U', HEDDLE_EDTYPE,
                   "heddle_%s: %s of dtype %s; they are integers", name, what,
                   heddle_dtype_name((enum heddle_dtype)a->dtype));
    return HEDDLE_OK;
}

static enum heddle_status check_extents(const char *name, int64_t rows, int64_t columns)
{
    return heddle__check_shape(name, 2, (const int64_t[]){rows, columns});
}

struct heddle_csr heddle_csr_make(heddle_array *data, heddle_array *indices, heddle_array *indptr,
                                  int64_t rows, int64_t columns)
{
    heddle_array *const all[3] = {data, indices, indptr};
    heddle_array *const bad = heddle__bad_operand("csr_make", 3, all);
    if (bad) return heddle__csr_error(bad);
    if (check_extents("csr_make", rows, columns) != HEDDLE_OK ||
        check_vector("csr_make", "data", data, data->size, false) != HEDDLE_OK ||
        check_vector("csr_make", "indices", indices, data->size, true) != HEDDLE_OK ||
        check_vector("csr_make", "indptr", indptr, rows + 1, true) != HEDDLE_OK)
        return heddle__csr_error(heddle__error_last());
    return (struct heddle_csr){.data = data,
                               .indices = indices,
                               .indptr = indptr,
                               .rows = rows,
                               .columns = columns,
                               .n_parts = 1};
}

/* ---- Of coordinates ------------------------------------------------------------------------------- */

/* Reads the coordinates: all are in 0..extent-1. */
static enum heddle_status check_range(const char *what, heddle_array *coordinates, int64_t extent)
{
    int64_t least = 0, most = 0;
    if (coordinates->size == 0) return HEDDLE_OK;
    heddle_array *ends[2] = {heddle_min(coordinates), heddle_max(coordinates)};
    for (int i = 0; i < 2; i++) ends[i] = heddle_astype(ends[i], HEDDLE_INT64);
    enum heddle_status status = heddle__evaluate_now(2, ends);
    if (status == HEDDLE_OK) status = heddle__read_now(ends[0], &least, sizeof least);
    if (status == HEDDLE_OK) status = heddle__read_now(ends[1], &most, sizeof most);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(least >= 0 && most < extent, HEDDLE_EINDEX,
                   "heddle_csr_from_coordinates: %s %lld is out of range for %lld", what,
                   (long long)(least < 0 ? least : most), (long long)extent);
    return HEDDLE_OK;
}

static enum heddle_status check_coordinates(heddle_array *data, heddle_array *row,
                                            heddle_array *column, int64_t rows, int64_t columns)
{
    static const char name[] = "csr_from_coordinates";
    enum heddle_status status = check_extents(name, rows, columns);
    if (status == HEDDLE_OK) status = check_vector(name, "data", data, data->size, false);
    if (status == HEDDLE_OK) status = check_vector(name, "row", row, data->size, true);
    if (status == HEDDLE_OK) status = check_vector(name, "column", column, data->size, true);
    if (status == HEDDLE_OK) status = check_range("row", row, rows);
    if (status == HEDDLE_OK) status = check_range("column", column, columns);
    return status;
}

struct heddle_csr heddle_csr_from_coordinates(heddle_array *data, heddle_array *row,
                                              heddle_array *column, int64_t rows, int64_t columns)
{
    heddle_array *const all[3] = {data, row, column};
    heddle_array *const bad = heddle__bad_operand("csr_from_coordinates", 3, all);
    if (bad) return heddle__csr_error(bad);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *places = NULL, *which = NULL;
    enum heddle_status status = check_coordinates(data, row, column, rows, columns);
    heddle_array *const width = heddle__constant(columns, HEDDLE_INT64);
    if (status == HEDDLE_OK)
        status = heddle_unique_inverse_with(
            heddle_add(heddle_multiply(heddle_astype(row, HEDDLE_INT64), width), column), &places,
            &which, NULL);
    if (status != HEDDLE_OK) {
        heddle__scope_leave(&scope, heddle__error_memory()); /* which nobody owns */
        return heddle__csr_error(heddle__error_last());
    }
    /* equal places add up, in the order in which they come */
    heddle_array *const zeros =
        heddle_zeros(HEDDLE_SHAPE(places->size), .dtype = (enum heddle_dtype)data->dtype);
    heddle_array *const sums = heddle_add_at(zeros, HEDDLE_INDEX(HEDDLE_BY(which)), data);
    return heddle__csr_leave(&scope, sums, heddle_remainder(places, width),
                             heddle__csr_starts(heddle_floor_divide(places, width), rows), rows,
                             columns);
}

/* ---- Of a dense matrix ------------------------------------------------------------------------------ */

struct heddle_csr heddle_csr_from_dense(heddle_array *a)
{
    heddle_array *const bad = heddle__bad_operand("csr_from_dense", 1, &a);
    if (bad) return heddle__csr_error(bad);
    if (a->ndim != 2)
        return heddle__csr_error(heddle__error_array(
            HEDDLE_ESHAPE, "heddle_csr_from_dense: shape %s has not two axes", HEDDLE_SHAPE_OF(a)));
    const int64_t rows = a->shape[0], columns = a->shape[1];
    heddle_array *at[2] = {NULL, NULL};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    if (heddle_nonzero(a, 2, at) != HEDDLE_OK) {
        heddle__scope_leave(&scope, heddle__error_memory());
        return heddle__csr_error(heddle__error_last());
    }
    return heddle__csr_leave(&scope,
                             heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(at[0]), HEDDLE_BY(at[1]))),
                             at[1], heddle__csr_starts(at[0], rows), rows, columns);
}
