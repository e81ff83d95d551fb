/* Entry points: meaning.h. */
#include "graph/meaning.h"

#include "array/parts.h"
#include "graph/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double complex number(union heddle_scalar v, enum heddle_dtype dtype)
{
    const union heddle_scalar c = heddle__convert(v, dtype, HEDDLE_COMPLEX128);
    return CMPLX(c.c128[0], c.c128[1]);
}

/* What the dtype makes of a value. */
static double complex rounded(double complex x, enum heddle_dtype dtype)
{
    const union heddle_scalar v = {.c128 = {creal(x), cimag(x)}};
    return number(heddle__convert(v, HEDDLE_COMPLEX128, dtype), dtype);
}

static double complex data_at(const heddle_array *a, const int64_t *index)
{
    int64_t n = 0;
    for (int d = 0; d < a->ndim; d++) n = n * a->shape[d] + index[d];
    const size_t width = heddle_dtype_size((enum heddle_dtype)a->dtype);
    union heddle_scalar v = {.c128 = {0, 0}};
    memcpy(&v, (const unsigned char *)a->storage->data + (size_t)n * width, width);
    return number(v, (enum heddle_dtype)a->dtype);
}

/* Operations that the tests use. */
static double complex apply(const heddle_array *a, const double complex *x)
{
    switch (a->op) {
    case HEDDLE_OP_ADD: return x[0] + x[1];
    case HEDDLE_OP_SUBTRACT: return x[0] - x[1];
    case HEDDLE_OP_MULTIPLY: return x[0] * x[1];
    case HEDDLE_OP_DIVIDE: return creal(x[0]) / creal(x[1]);
    case HEDDLE_OP_FLOOR_DIVIDE: return floor(creal(x[0]) / creal(x[1]));
    case HEDDLE_OP_BITWISE_RIGHT_SHIFT: return floor(ldexp(creal(x[0]), -(int)creal(x[1])));
    case HEDDLE_OP_BITWISE_AND: return (double)((int64_t)creal(x[0]) & (int64_t)creal(x[1]));
    case HEDDLE_OP_NEGATIVE: return -x[0];
    case HEDDLE_OP_FLOOR: return floor(creal(x[0]));
    case HEDDLE_OP_EQUAL: return x[0] == x[1];
    case HEDDLE_OP_LESS: return creal(x[0]) < creal(x[1]);
    case HEDDLE_OP_MAXIMUM: return fmax(creal(x[0]), creal(x[1]));
    case HEDDLE_OP_MINIMUM: return fmin(creal(x[0]), creal(x[1]));
    case HEDDLE_OP_WHERE: return x[0] != 0 ? x[1] : x[2];
    default: fprintf(stderr, "meaning: op %s\n", heddle__ops[a->op].name); exit(2);
    }
}

static void unravel(int64_t n, const heddle_array *a, int64_t *index)
{
    for (int d = a->ndim - 1; d >= 0; d--) {
        index[d] = n % a->shape[d];
        n /= a->shape[d];
    }
}

static double complex reduce_at(const heddle_array *a, const int64_t *index)
{
    const heddle_array *x = a->in[0];
    double complex r = a->op == HEDDLE_REDUCE_PROD || a->op == HEDDLE_REDUCE_ALL;
    bool first = true;
    for (int64_t n = 0; n < x->size; n++) {
        int64_t at[HEDDLE_MAX_NDIM];
        unravel(n, x, at);
        bool here = true;
        for (int d = 0, k = 0; d < x->ndim; d++)
            if (!(a->axes & 1u << d)) here &= at[d] == index[k++];
        if (!here) continue;
        const double complex v = meaning_at(x, at);
        switch (a->op) {
        case HEDDLE_REDUCE_SUM: r += v; break;
        case HEDDLE_REDUCE_PROD: r *= v; break;
        case HEDDLE_REDUCE_MAX: r = first || creal(v) > creal(r) ? v : r; break;
        case HEDDLE_REDUCE_MIN: r = first || creal(v) < creal(r) ? v : r; break;
        case HEDDLE_REDUCE_NANMAX: r = first ? v : fmax(creal(v), creal(r)); break;
        case HEDDLE_REDUCE_NANMIN: r = first ? v : fmin(creal(v), creal(r)); break;
        case HEDDLE_REDUCE_ANY: r = r != 0 || v != 0; break;
        case HEDDLE_REDUCE_ALL: r = r != 0 && v != 0; break;
        default: fprintf(stderr, "meaning: reduction %d\n", a->op); exit(2);
        }
        first = false;
    }
    return r;
}

static double complex assemble_at(const heddle_array *a, const int64_t *index)
{
    for (int i = 1; i < a->n_in; i++) {
        int64_t at[HEDDLE_MAX_NDIM];
        bool here = true;
        for (int d = 0; d < a->ndim && here; d++) {
            const int64_t way = index[d] - a->landings[i].start[d], step = a->landings[i].step[d];
            at[d] = way / step;
            here = way >= 0 && way % step == 0 && at[d] < a->in[i]->shape[d];
        }
        if (here) return meaning_at(a->in[i], at);
    }
    return meaning_at(a->in[0], index);
}

static double complex matmul_at(const heddle_array *a, const int64_t *index)
{
    const heddle_array *x = a->in[0], *y = a->in[1];
    int64_t xi[HEDDLE_MAX_NDIM], yi[HEDDLE_MAX_NDIM];
    memcpy(xi, index, sizeof(int64_t) * a->ndim);
    memcpy(yi, index, sizeof(int64_t) * a->ndim);
    double complex r = 0;
    for (int64_t k = 0; k < x->shape[a->ndim - 1]; k++) {
        xi[a->ndim - 1] = k;
        yi[a->ndim - 2] = k;
        r += meaning_at(x, xi) * meaning_at(y, yi);
    }
    return r;
}

static double complex value_at(const heddle_array *a, const int64_t *index)
{
    int64_t at[HEDDLE_MAX_NDIM];
    switch ((enum heddle_node_kind)a->kind) {
    case HEDDLE_NODE_DATA: return data_at(a, index);
    case HEDDLE_NODE_CONSTANT: return number(a->value, (enum heddle_dtype)a->dtype);
    case HEDDLE_NODE_INDEX: return (double)index[0];
    case HEDDLE_NODE_CAST:
    case HEDDLE_NODE_DISTRIBUTE: return meaning_at(a->in[0], index);
    case HEDDLE_NODE_REDUCE: return reduce_at(a, index);
    case HEDDLE_NODE_ASSEMBLE: return assemble_at(a, index);
    case HEDDLE_NODE_FAMILY:
        return strcmp(heddle__family_of(a)->name, "matmul") == 0 ? matmul_at(a, index) : NAN;
    case HEDDLE_NODE_MAP: {
        double complex x[3];
        for (int i = 0; i < a->n_in; i++) x[i] = meaning_at(a->in[i], index);
        return apply(a, x);
    }
    case HEDDLE_NODE_VIEW:
        for (int d = 0; d < a->map->n; d++) {
            at[d] = a->map->offset[d];
            if (a->map->axis[d] >= 0) at[d] += a->map->step[d] * index[a->map->axis[d]];
        }
        return meaning_at(a->in[0], at);
    case HEDDLE_NODE_RESHAPE: {
        int64_t n = 0;
        for (int d = 0; d < a->ndim; d++) n = n * a->shape[d] + index[d];
        unravel(n, a->in[0], at);
        return meaning_at(a->in[0], at);
    }
    case HEDDLE_NODE_OUTPUT:
    case HEDDLE_NODE_TUPLE:
    case HEDDLE_NODE_ERROR: break;
    }
    return CMPLX(NAN, NAN);
}

double complex meaning_at(const heddle_array *a, const int64_t *index)
{
    return rounded(value_at(a, index), (enum heddle_dtype)a->dtype);
}

double meaning_nth(const heddle_array *a, int64_t n)
{
    int64_t index[HEDDLE_MAX_NDIM];
    unravel(n, a, index);
    return creal(meaning_at(a, index));
}
