/* Values of the oracle, without operations: random numbers, elements, leaves, casts, broadcasting.
 * Entry points: oracle_values.h, and oracle.h, "random" and value_check. */
#include "property/oracle_values.h"

#include <math.h>
#include <stdlib.h>

/* ---- Random numbers: splitmix64 (Steele, Lea, Flood 2014) ---------------------------------------- */

uint64_t random_next(struct random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

int64_t random_below(struct random *r, int64_t n)
{
    return n < 1 ? 0 : (int64_t)(random_next(r) % (uint64_t)n);
}

double random_unit(struct random *r)
{
    return (double)(random_next(r) >> 11) * 0x1p-53;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

double value_round(enum heddle_dtype dtype, double x)
{
    switch (dtype) {
    case HEDDLE_FLOAT32: return (double)(float)x;
    case HEDDLE_INT64: return (double)(int64_t)x;
    case HEDDLE_INT32: return (double)(int32_t)(int64_t)x;
    case HEDDLE_BOOL: return x != 0;
    default: return x;
    }
}

struct value value_new(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    struct value v = {.dtype = dtype, .ndim = ndim, .size = 1, .exact = true};
    for (int d = 0; d < ndim; d++) v.size *= v.shape[d] = shape[d];
    v.data = malloc((size_t)(v.size + 1) * sizeof *v.data);
    return v;
}

void value_inherit(struct value *v, const struct value *from)
{
    v->exact = v->exact && from->exact;
    v->by_blas = v->by_blas || from->by_blas;
    v->by_libm = v->by_libm || from->by_libm;
    if (from->spread > v->spread) v->spread = from->spread;
}

double value_epsilon(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_FLOAT32 ? 0x1p-23 : 0x1p-52;
}

static void store(void *to, enum heddle_dtype dtype, int64_t i, double x)
{
    switch (dtype) {
    case HEDDLE_FLOAT64: ((double *)to)[i] = x; break;
    case HEDDLE_FLOAT32: ((float *)to)[i] = (float)x; break;
    case HEDDLE_INT64: ((int64_t *)to)[i] = (int64_t)x; break;
    case HEDDLE_INT32: ((int32_t *)to)[i] = (int32_t)x; break;
    default: ((bool *)to)[i] = x != 0;
    }
}

static double load(const void *from, enum heddle_dtype dtype, int64_t i)
{
    switch (dtype) {
    case HEDDLE_FLOAT64: return ((const double *)from)[i];
    case HEDDLE_FLOAT32: return (double)((const float *)from)[i];
    case HEDDLE_INT64: return (double)((const int64_t *)from)[i];
    case HEDDLE_INT32: return ((const int32_t *)from)[i];
    default: return ((const bool *)from)[i];
    }
}

int64_t value_check(const struct value *v, const void *elements, double *got)
{
    double largest = 0;
    for (int64_t i = 0; i < v->size; i++)
        if (fabs(v->data[i]) > largest) largest = fabs(v->data[i]);
    const double allowed = v->exact ? 0 : v->spread * largest + 1e-300;
    for (int64_t i = 0; i < v->size; i++) {
        *got = load(elements, v->dtype, i);
        if (isnan(*got) && isnan(v->data[i])) continue;
        if (!(fabs(*got - v->data[i]) <= allowed) && *got != v->data[i]) return i;
    }
    return -1;
}

/* ---- Making values -------------------------------------------------------------------------------------- */

enum heddle_dtype random_dtype(struct random *r)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT64, HEDDLE_FLOAT32,
                                               HEDDLE_INT64,   HEDDLE_INT32,   HEDDLE_BOOL};
    return dtypes[random_below(r, 6)];
}

struct value value_leaf(struct random *r, bool large)
{
    static const int64_t extents[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
    int64_t shape[4];
    int ndim = (int)random_below(r, 4);
    for (int d = 0; d < ndim; d++) shape[d] = extents[random_below(r, 10)];
    if (large && random_below(r, 2)) {
        ndim = 1 + (int)random_below(r, 3);
        for (int d = 0; d < ndim; d++)
            shape[d] = ndim == 1   ? 1000 + random_below(r, 300000)
                       : ndim == 2 ? 1 + random_below(r, 700)
                                   : 1 + random_below(r, 70);
    }
    struct value v = value_new(random_dtype(r), ndim, shape);
    char *bytes = malloc((size_t)(v.size + 1) * heddle_dtype_size(v.dtype));
    for (int64_t i = 0; i < v.size; i++) {
        double x = random_unit(r) * 4 - 2;
        if (v.dtype == HEDDLE_INT64 || v.dtype == HEDDLE_INT32)
            x = (double)random_below(r, 21) - 10;
        if (v.dtype == HEDDLE_BOOL) x = (double)random_below(r, 2);
        v.data[i] = value_round(v.dtype, x);
        store(bytes, v.dtype, i, v.data[i]);
    }
    v.array = heddle_asarray(bytes, v.dtype, ndim, shape);
    free(bytes);
    return v;
}

struct value value_range(struct random *r)
{
    const int64_t n = 1 + random_below(r, 60);
    struct value v = value_new(HEDDLE_INT64, 1, &n);
    const int64_t start = random_below(r, 11) - 5, step = 1 + random_below(r, 4);
    for (int64_t i = 0; i < n; i++) v.data[i] = (double)(start + i * step);
    v.array =
        heddle_arange(heddle_scalar(start), heddle_scalar(start + n * step), heddle_scalar(step));
    return v;
}

/* The element of `v` that broadcasts to flat index `i` of `shape`. */
double value_broadcast_at(const struct value *v, int ndim, const int64_t *shape, int64_t i)
{
    int64_t at = 0, along = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        const int64_t index = i % shape[d];
        i /= shape[d];
        const int e = d - (ndim - v->ndim);
        if (e < 0) continue;
        if (v->shape[e] != 1) at += index * along;
        along *= v->shape[e];
    }
    return v->data[at];
}

bool value_broadcast_shape(const struct value *a, const struct value *b, int *ndim, int64_t *shape)
{
    *ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    int64_t size = 1;
    for (int d = 1; d <= *ndim; d++) {
        const int64_t x = d <= a->ndim ? a->shape[a->ndim - d] : 1;
        const int64_t y = d <= b->ndim ? b->shape[b->ndim - d] : 1;
        if (x != y && x != 1 && y != 1) return false;
        shape[*ndim - d] = x == 1 ? y : x;
        size *= shape[*ndim - d];
    }
    return size <= 400000;
}

bool value_is_float(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_FLOAT64 || dtype == HEDDLE_FLOAT32;
}

struct value value_cast(const struct value *a, enum heddle_dtype dtype)
{
    struct value v = value_new(dtype, a->ndim, a->shape);
    value_inherit(&v, a);
    if (dtype == HEDDLE_FLOAT32 && !a->exact) v.spread += value_epsilon(dtype);
    for (int64_t i = 0; i < v.size; i++) v.data[i] = value_round(dtype, a->data[i]);
    v.array = heddle_astype(a->array, dtype);
    return v;
}

/* Whether a cast keeps the oracle meaningful: rounding to integers needs exact values in range. */
bool value_can_cast(const struct value *a, enum heddle_dtype dtype)
{
    if (value_is_float(dtype) || a->dtype == dtype) return true;
    if (!a->exact) return false;
    for (int64_t i = 0; i < a->size; i++)
        if (!(fabs(a->data[i]) < 1e6)) return false;
    return true;
}

double value_largest(const struct value *a)
{
    double most = 0;
    for (int64_t i = 0; i < a->size; i++)
        if (!(fabs(a->data[i]) <= most)) most = fabs(a->data[i]);
    return most;
}
