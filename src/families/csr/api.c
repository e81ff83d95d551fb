/* Products of sparse matrices: an operation over their three arrays and x. Entry point: heddle_csr_matmul. */
#include "families/csr/csr.h"
#include "families/gather/gather.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <string.h>

static enum heddle_status check(const struct heddle_csr *a, const heddle_array *x)
{
    HEDDLE_REQUIRE((x->ndim == 1 || x->ndim == 2) && x->shape[0] == a->columns, HEDDLE_ESHAPE,
                   "heddle_csr_matmul: shapes (%lld, %lld) and %s do not fit", (long long)a->rows,
                   (long long)a->columns, HEDDLE_SHAPE_OF(x));
    return HEDDLE_OK;
}

/* The dtype that the kernels compute in. */
static enum heddle_dtype computed_in(enum heddle_dtype dtype)
{
    return heddle__kind_rank(dtype) < 2 ? HEDDLE_INT64 : heddle__computed_in(dtype);
}

/* Lanes for a row of average length: more for longer ones (kernel.h). */
static int64_t lanes_for(int64_t rows, int64_t entries)
{
    const int64_t average = rows > 0 ? entries / rows : 0;
    return average < 3 ? 1 : average < 5 ? 2 : average < 16 ? 4 : 8;
}

/* indices and indptr as int32 if both are, else as int64; owned. */
static bool as_indices(const struct heddle_csr *a, heddle_array *out[2])
{
    out[0] = heddle__as_indices(a->indices);
    out[1] = heddle__as_indices(a->indptr);
    for (int i = 0; i < 2 && out[0] && out[1] && out[0]->dtype != out[1]->dtype; i++)
        out[i] = heddle__recast(out[i], HEDDLE_INT64);
    return out[0] && out[1];
}

heddle_array *heddle_csr_matmul(const struct heddle_csr *a, heddle_array *x)
{
    /* check */
    if (!a) return heddle__error_array(HEDDLE_EARG, "heddle_csr_matmul: the matrix is NULL");
    heddle_array *const all[4] = {a->data, a->indices, a->indptr, x};
    heddle_array *const bad = heddle__bad_operand("csr_matmul", 4, all);
    if (bad) return bad;
    if (check(a, x) != HEDDLE_OK) return heddle__error_last();
    heddle_array *const factors[2] = {a->data, x};
    const enum heddle_dtype dtype = heddle__promote(2, factors), in = computed_in(dtype);
    const struct heddle_shape s = {x->ndim, {a->rows, x->ndim > 1 ? x->shape[1] : 0}};
    if (heddle__check_shape("csr_matmul", s.ndim, s.extent) != HEDDLE_OK)
        return heddle__error_last();
    if (a->rows == 0 || x->size == 0 || a->data->size == 0)
        return heddle__hand_out(heddle__make_zeros(dtype, s.ndim, s.extent));

    /* build */
    struct heddle_csr_params params;
    memset(&params, 0, sizeof params);
    params.lanes = lanes_for(a->rows, a->data->size);
    params.n_parts = a->n_parts;
    for (int i = 0; i <= a->n_parts && a->n_parts > 1; i++) {
        params.row[i] = a->row[i];
        params.entry[i] = a->entry[i];
    }
    heddle_array *indices[2] = {NULL};
    heddle_array *const data = heddle__make_cast(a->data, in), *const dense =
                                                                   heddle__make_cast(x, in);
    heddle_array *r = NULL;
    if (data && dense && as_indices(a, indices)) {
        heddle_array *const operands[4] = {data, indices[0], indices[1], dense};
        r = heddle__make_operation(&heddle__csr_family, in, s.ndim, s.extent, 4, operands, &params,
                                   NULL);
    }
    heddle__release(data);
    heddle__release(dense);
    heddle__release(indices[0]);
    heddle__release(indices[1]);
    return heddle__hand_out(heddle__recast(r, dtype));
}
