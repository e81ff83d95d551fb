/* Inference of shapes and dtypes, with the standard's promotion and NumPy's weak scalars, and the
 * texts of errors about them. Makes no nodes. Entry points: infer.h. */
#include "graph/infer.h"

#include "graph/check.h"

#include <stdio.h>
#include <string.h>

/* ---- Shapes ------------------------------------------------------------------------------------- */

struct heddle_shape_text heddle__shape_text(int ndim, const int64_t *shape)
{
    struct heddle_shape_text t;
    size_t n = 0;
    t.text[n++] = '(';
    for (int d = 0; d < ndim; d++) {
        const int written =
            snprintf(t.text + n, sizeof t.text - n, d ? ", %lld" : "%lld", (long long)shape[d]);
        n += (size_t)written;
        if (n > sizeof t.text - 3) n = sizeof t.text - 3;
    }
    if (ndim == 1) t.text[n++] = ',';
    t.text[n++] = ')';
    t.text[n] = 0;
    return t;
}

bool heddle__same_shape(int ndim, const int64_t *shape, int other_ndim, const int64_t *other)
{
    if (ndim != other_ndim) return false;
    for (int d = 0; d < ndim; d++)
        if (shape[d] != other[d]) return false;
    return true;
}

enum heddle_status heddle__check_shape(const char *name, int ndim, const int64_t *shape)
{
    HEDDLE_REQUIRE(ndim >= 0, HEDDLE_EARG, "heddle_%s: ndim is %d", name, ndim);
    HEDDLE_REQUIRE(ndim <= HEDDLE_MAX_NDIM, HEDDLE_ESHAPE, "heddle_%s: %d axes, more than %d", name,
                   ndim, HEDDLE_MAX_NDIM);
    HEDDLE_REQUIRE(shape || ndim == 0, HEDDLE_EARG, "heddle_%s: shape is NULL", name);
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) {
        HEDDLE_REQUIRE(shape[d] >= 0, HEDDLE_ESHAPE, "heddle_%s: negative extent in shape %s", name,
                       heddle__shape_text(ndim, shape).text);
        if (shape[d] == 0) continue;
        HEDDLE_REQUIRE(shape[d] <= HEDDLE_MAX_SIZE / size, HEDDLE_ESHAPE,
                       "heddle_%s: shape %s has too many elements", name,
                       heddle__shape_text(ndim, shape).text);
        size *= shape[d];
    }
    return HEDDLE_OK;
}

bool heddle__broadcast(struct heddle_shape *shape, int ndim, const int64_t *other)
{
    /* axes align at the end: make room for the other's leading ones */
    const int more = ndim - shape->ndim;
    if (more > 0) {
        memmove(shape->extent + more, shape->extent, (size_t)shape->ndim * sizeof *shape->extent);
        for (int d = 0; d < more; d++) shape->extent[d] = 1;
        shape->ndim = ndim;
    }
    /* extents must be equal, or one of them 1 */
    int64_t *extent = shape->extent + (shape->ndim - ndim);
    for (int d = 0; d < ndim; d++) {
        if (extent[d] == other[d] || other[d] == 1) continue;
        if (extent[d] != 1) return false;
        extent[d] = other[d];
    }
    return true;
}

enum heddle_status heddle__broadcast_all(const char *name, int n, heddle_array *const operands[],
                                         struct heddle_shape *shape)
{
    bool same = true;
    shape->ndim = operands[0]->ndim;
    memcpy(shape->extent, operands[0]->shape, sizeof shape->extent);
    for (int i = 1; i < n; i++) {
        const heddle_array *x = operands[i];
        if (heddle__same_shape(shape->ndim, shape->extent, x->ndim, x->shape)) continue;
        same = false;
        const struct heddle_shape before = *shape;
        if (heddle__broadcast(shape, x->ndim, x->shape)) continue;
        return heddle__fail(HEDDLE_ESHAPE, "heddle_%s: shapes %s and %s do not broadcast", name,
                            heddle__shape_text(before.ndim, before.extent).text,
                            HEDDLE_SHAPE_OF(x));
    }
    return same ? HEDDLE_OK : heddle__check_shape(name, shape->ndim, shape->extent);
}

/* ---- Dtypes ------------------------------------------------------------------------------------- */

enum heddle_status heddle__check_dtype(const char *name, enum heddle_dtype dtype)
{
    HEDDLE_REQUIRE(heddle_dtype_size(dtype) > 0, HEDDLE_EDTYPE, "heddle_%s: %d is no dtype", name,
                   (int)dtype);
    return HEDDLE_OK;
}

enum heddle_status heddle__check_cast(const char *name, enum heddle_dtype from,
                                      enum heddle_dtype to)
{
    const enum heddle_status status = heddle__check_dtype(name, to);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(
        heddle_dtype_kind(from) != 'C' || heddle_dtype_kind(to) == 'C' || to == HEDDLE_BOOL,
        HEDDLE_EDTYPE, "heddle_%s: dtype %s to %s drops the imaginary part: heddle_real does", name,
        heddle_dtype_name(from), heddle_dtype_name(to));
    return HEDDLE_OK;
}

int heddle__kind_rank(enum heddle_dtype dtype)
{
    switch (heddle_dtype_kind(dtype)) {
    case 'B': return 0;
    case 'I':
    case 'U': return 1;
    case 'F': return 2;
    default: return 3;
    }
}

/* The dtype of an array that meets a weak scalar of a higher kind. */
static enum heddle_dtype lifted(enum heddle_dtype dtype, int scalar_rank)
{
    if (scalar_rank == 1) return HEDDLE_INT64;
    if (scalar_rank == 2) return HEDDLE_FLOAT64;
    return dtype == HEDDLE_FLOAT32 ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128;
}

enum heddle_dtype heddle__promote(int n, heddle_array *const operands[])
{
    enum heddle_dtype strong = HEDDLE_DTYPE_NONE, weak = HEDDLE_DTYPE_NONE;
    for (int i = 0; i < n; i++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)operands[i]->dtype;
        enum heddle_dtype *const side = operands[i]->weak ? &weak : &strong;
        *side = *side && *side != dtype ? heddle_result_type(*side, dtype) : dtype;
    }
    if (!weak) return strong;
    if (!strong) return weak;
    const int rank = heddle__kind_rank(weak);
    return rank <= heddle__kind_rank(strong) ? strong : lifted(strong, rank);
}

bool heddle__int_fits(int64_t value, enum heddle_dtype dtype)
{
    if (heddle__kind_rank(dtype) != 1) return true;
    const union heddle_scalar v = {.i64 = value};
    const union heddle_scalar there = heddle__convert(v, HEDDLE_INT64, dtype);
    if (heddle_dtype_kind(dtype) == 'U' && value < 0) return false;
    return heddle__convert(there, dtype, HEDDLE_INT64).i64 == value;
}

enum heddle_status heddle__check_value(const char *name, const heddle_array *x,
                                       enum heddle_dtype dtype)
{
    HEDDLE_REQUIRE(heddle__kind_rank((enum heddle_dtype)x->dtype) < 3 ||
                       heddle__kind_rank(dtype) == 3,
                   HEDDLE_EDTYPE, "heddle_%s: value of dtype %s into an array of %s", name,
                   heddle_dtype_name((enum heddle_dtype)x->dtype), heddle_dtype_name(dtype));
    HEDDLE_REQUIRE(!x->weak || x->dtype != HEDDLE_INT64 || heddle__int_fits(x->value.i64, dtype),
                   HEDDLE_ERANGE, "heddle_%s: scalar %lld is out of range of %s", name,
                   (long long)x->value.i64, heddle_dtype_name(dtype));
    return HEDDLE_OK;
}

enum heddle_status heddle__check_range(const char *name, int n, heddle_array *const operands[],
                                       enum heddle_dtype dtype)
{
    for (int i = 0; i < n; i++) {
        const heddle_array *x = operands[i];
        if (!x->weak || x->dtype != HEDDLE_INT64) continue;
        HEDDLE_REQUIRE(heddle__int_fits(x->value.i64, dtype), HEDDLE_ERANGE,
                       "heddle_%s: scalar %lld, argument %d, is out of range of %s", name,
                       (long long)x->value.i64, i + 1, heddle_dtype_name(dtype));
    }
    return HEDDLE_OK;
}

const char *heddle__accepts_text(unsigned accepts)
{
    switch (accepts) {
    case HEDDLE_ACCEPTS_NUM: return "numbers, not bool";
    case HEDDLE_ACCEPTS_REAL: return "real numbers";
    case HEDDLE_ACCEPTS_ANYR: return "real numbers and bool";
    case HEDDLE_ACCEPTS_FLT: return "floating-point numbers";
    case HEDDLE_ACCEPTS_RFLT: return "real floating-point numbers";
    case HEDDLE_ACCEPTS_CPX: return "complex numbers";
    case HEDDLE_ACCEPTS_INT: return "integers";
    case HEDDLE_ACCEPTS_INTB: return "integers and bool";
    case HEDDLE_ACCEPTS_BOOL: return "bool";
    default: return "all dtypes";
    }
}

/* ---- Operands ----------------------------------------------------------------------------------- */

heddle_array *heddle__bad_operand(const char *name, int n, heddle_array *const operands[])
{
    for (int i = 0; i < n; i++) {
        if (!operands[i])
            return heddle__error_array(HEDDLE_EARG, "heddle_%s: argument %d is NULL", name, i + 1);
        if (heddle__checking() && heddle__check_array(name, i + 1, operands[i]) != HEDDLE_OK)
            return heddle__error_last();
        if (operands[i]->kind == HEDDLE_NODE_ERROR)
            return heddle__adopt(heddle__retain(operands[i]));
    }
    return NULL;
}
