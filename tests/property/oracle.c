/* Random programs with an eager oracle. Entry points: oracle.h. */
#include "property/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static double round_to(enum heddle_dtype dtype, double x)
{
    switch (dtype) {
    case HEDDLE_FLOAT32: return (double)(float)x;
    case HEDDLE_INT64: return (double)(int64_t)x;
    case HEDDLE_INT32: return (double)(int32_t)(int64_t)x;
    case HEDDLE_BOOL: return x != 0;
    default: return x;
    }
}

static struct value value_new(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    struct value v = {.dtype = dtype, .ndim = ndim, .size = 1, .exact = true};
    for (int d = 0; d < ndim; d++) v.size *= v.shape[d] = shape[d];
    v.data = malloc((size_t)(v.size + 1) * sizeof *v.data);
    return v;
}

static void inherit(struct value *v, const struct value *from)
{
    v->exact = v->exact && from->exact;
    v->by_blas = v->by_blas || from->by_blas;
    v->by_libm = v->by_libm || from->by_libm;
    if (from->spread > v->spread) v->spread = from->spread;
}

static double epsilon(enum heddle_dtype dtype)
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

static enum heddle_dtype random_dtype(struct random *r)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT64, HEDDLE_FLOAT32,
                                               HEDDLE_INT64,   HEDDLE_INT32,   HEDDLE_BOOL};
    return dtypes[random_below(r, 6)];
}

static struct value make_leaf(struct random *r, bool large)
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
        v.data[i] = round_to(v.dtype, x);
        store(bytes, v.dtype, i, v.data[i]);
    }
    v.array = heddle_asarray(bytes, v.dtype, ndim, shape);
    free(bytes);
    return v;
}

static struct value make_range(struct random *r)
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
static double broadcast_at(const struct value *v, int ndim, const int64_t *shape, int64_t i)
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

static bool broadcast_shape(const struct value *a, const struct value *b, int *ndim, int64_t *shape)
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

static bool is_float(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_FLOAT64 || dtype == HEDDLE_FLOAT32;
}

static struct value make_cast(const struct value *a, enum heddle_dtype dtype)
{
    struct value v = value_new(dtype, a->ndim, a->shape);
    inherit(&v, a);
    if (dtype == HEDDLE_FLOAT32 && !a->exact) v.spread += epsilon(dtype);
    for (int64_t i = 0; i < v.size; i++) v.data[i] = round_to(dtype, a->data[i]);
    v.array = heddle_astype(a->array, dtype);
    return v;
}

/* Whether a cast keeps the oracle meaningful: rounding to integers needs exact values in range. */
static bool can_cast(const struct value *a, enum heddle_dtype dtype)
{
    if (is_float(dtype) || a->dtype == dtype) return true;
    if (!a->exact) return false;
    for (int64_t i = 0; i < a->size; i++)
        if (!(fabs(a->data[i]) < 1e6)) return false;
    return true;
}

static double largest(const struct value *a)
{
    double most = 0;
    for (int64_t i = 0; i < a->size; i++)
        if (!(fabs(a->data[i]) <= most)) most = fabs(a->data[i]);
    return most;
}

/* ---- Operations ------------------------------------------------------------------------------------------- */

static bool make_unary(struct random *r, const struct value *a, struct value *out)
{
    if (!is_float(a->dtype)) {
        if (a->dtype == HEDDLE_BOOL || !(largest(a) < 30000)) return false;
        *out = value_new(a->dtype, a->ndim, a->shape);
        const int64_t op = random_below(r, 3);
        for (int64_t i = 0; i < a->size; i++)
            out->data[i] = op == 0   ? -a->data[i]
                           : op == 1 ? fabs(a->data[i])
                                     : a->data[i] * a->data[i];
        out->array = op == 0   ? heddle_negative(a->array)
                     : op == 1 ? heddle_abs(a->array)
                               : heddle_square(a->array);
        return true;
    }
    static double (*const functions[])(double) = {sin, cos, tanh, atan, exp, log1p};
    static heddle_array *(*const twins[])(heddle_array *) = {heddle_sin,  heddle_cos, heddle_tanh,
                                                             heddle_atan, heddle_exp, heddle_log1p};
    if (!(largest(a) < 50)) return false;
    *out = value_new(a->dtype, a->ndim, a->shape);
    inherit(out, a);
    const int64_t op = random_below(r, 9);
    for (int64_t i = 0; i < a->size; i++) {
        const double x = a->data[i];
        out->data[i] = op == 6   ? -x
                       : op == 7 ? floor(x)
                       : op == 8 ? sqrt(fabs(x))
                       : op == 5 ? log1p(fabs(x))
                       : op == 4 ? exp(-fabs(x))
                                 : functions[op](x);
        out->data[i] = round_to(a->dtype, out->data[i]);
    }
    if (op == 7 && !a->exact) {
        free(out->data);
        return false;
    }
    heddle_array *x = op == 8 || op == 5 ? heddle_abs(a->array) : a->array;
    if (op == 4) x = heddle_negative(heddle_abs(a->array));
    out->array = op == 6   ? heddle_negative(x)
                 : op == 7 ? heddle_floor(x)
                 : op == 8 ? heddle_sqrt(x)
                           : twins[op](x);
    if (op < 6) {
        out->exact = false;
        out->by_libm = true;
        out->spread = 16 * epsilon(a->dtype) +
                      2 * a->spread * largest(a) / (largest(out) > 0 ? largest(out) : 1);
    } else if (op == 8 && !a->exact) {
        out->spread = sqrt(a->spread * largest(a)) / (largest(out) > 0 ? largest(out) : 1) +
                      4 * epsilon(a->dtype);
    }
    return true;
}

static double apply_binary(int64_t op, double x, double y)
{
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return isnan(x) || isnan(y) ? NAN : x > y ? x : y;
    case 4: return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
    case 5: return x < y;
    case 6: return x >= y;
    default: return x == y;
    }
}

static bool make_binary(struct random *r, const struct value *a, const struct value *b,
                        struct value *out)
{
    static heddle_array *(*const twins[])(heddle_array *, heddle_array *) = {
        heddle_add,     heddle_subtract, heddle_multiply,      heddle_maximum,
        heddle_minimum, heddle_less,     heddle_greater_equal, heddle_equal};
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM];
    if (!broadcast_shape(a, b, &ndim, shape)) return false;
    const int64_t op = random_below(r, 8);
    const enum heddle_dtype common = heddle_result_type(a->dtype, b->dtype);
    if (common == HEDDLE_BOOL && op < 3) return false;
    const double bound = is_float(common) ? 1e6 : 30000;
    if (!(largest(a) < bound && largest(b) < bound)) return false;
    if (op >= 5 && !(a->exact && b->exact)) return false;
    *out = value_new(op >= 5 ? HEDDLE_BOOL : common, ndim, shape);
    inherit(out, a);
    inherit(out, b);
    for (int64_t i = 0; i < out->size; i++) {
        const double x = round_to(common, broadcast_at(a, ndim, shape, i));
        const double y = round_to(common, broadcast_at(b, ndim, shape, i));
        out->data[i] = round_to(out->dtype, apply_binary(op, x, y));
    }
    out->array = twins[op](a->array, b->array);
    if (!out->exact) /* relative to the largest element of the result, which may cancel */
        out->spread = (a->spread * largest(a) + b->spread * largest(b)) *
                          (op == 2 ? largest(a) + largest(b) + 1 : 1) /
                          (largest(out) > 0 ? largest(out) : 1) +
                      2 * epsilon(common);
    return true;
}

static bool make_where(const struct value *c, const struct value *a, const struct value *b,
                       struct value *out)
{
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM];
    if (c->dtype != HEDDLE_BOOL || !c->exact || !broadcast_shape(a, b, &ndim, shape)) return false;
    struct value both = {.ndim = ndim};
    memcpy(both.shape, shape, sizeof shape);
    if (!broadcast_shape(&both, c, &ndim, shape)) return false;
    *out = value_new(heddle_result_type(a->dtype, b->dtype), ndim, shape);
    inherit(out, a);
    inherit(out, b);
    for (int64_t i = 0; i < out->size; i++)
        out->data[i] = round_to(out->dtype, broadcast_at(c, ndim, shape, i) != 0
                                                ? broadcast_at(a, ndim, shape, i)
                                                : broadcast_at(b, ndim, shape, i));
    if (!out->exact) {
        const double most = largest(a) > largest(b) ? largest(a) : largest(b);
        out->spread =
            (out->spread + epsilon(out->dtype)) * most / (largest(out) > 0 ? largest(out) : 1);
    }
    out->array = heddle_where(c->array, a->array, b->array);
    return true;
}

/* A random slice of each axis; start[] and step[] say which elements. */
static int64_t random_slice(struct random *r, int64_t extent, struct heddle_index *index,
                            int64_t *start, int64_t *step)
{
    static const int64_t steps[] = {1, 1, 1, 2, 3, -1, -2};
    *step = steps[random_below(r, 7)];
    *index = (struct heddle_index)HEDDLE_STEP(*step);
    if (extent == 0) {
        *start = 0;
        return 0;
    }
    const int64_t from = random_below(r, extent), n = 1 + random_below(r, extent - from);
    if (*step > 0) {
        index->has_start = index->has_stop = true;
        index->start = *start = from;
        index->stop = from + n;
    } else {
        index->has_start = true;
        index->start = *start = from + n - 1;
        index->has_stop = from > 0;
        index->stop = from - 1;
    }
    const int64_t by = *step > 0 ? *step : -*step;
    return (n + by - 1) / by;
}

static bool make_slice(struct random *r, const struct value *a, struct value *out)
{
    if (a->ndim == 0) return false;
    struct heddle_index index[HEDDLE_MAX_NDIM];
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM], shape[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++)
        shape[d] = random_slice(r, a->shape[d], &index[d], &start[d], &step[d]);
    *out = value_new(a->dtype, a->ndim, shape);
    inherit(out, a);
    for (int64_t i = 0; i < out->size; i++) {
        int64_t at = 0, along = 1, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at += (start[d] + rest % shape[d] * step[d]) * along;
            rest /= shape[d];
            along *= a->shape[d];
        }
        out->data[i] = a->data[at];
    }
    if (!out->exact) out->spread *= largest(a) / (largest(out) > 0 ? largest(out) : 1);
    out->array = heddle_getitem(a->array, a->ndim, index);
    return true;
}

static bool make_set_item(struct random *r, const struct value *a, const struct value *b,
                          struct value *out)
{
    if (a->ndim == 0 || !can_cast(b, a->dtype) || b->ndim > a->ndim) return false;
    if (!is_float(a->dtype) && is_float(b->dtype)) return false;
    struct heddle_index index[HEDDLE_MAX_NDIM];
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM], shape[HEDDLE_MAX_NDIM], n = 1;
    for (int d = 0; d < a->ndim; d++)
        n *= shape[d] = random_slice(r, a->shape[d], &index[d], &start[d], &step[d]);
    for (int d = 1; d <= b->ndim; d++)
        if (b->shape[b->ndim - d] != 1 && b->shape[b->ndim - d] != shape[a->ndim - d]) return false;
    *out = value_new(a->dtype, a->ndim, a->shape);
    memcpy(out->data, a->data, (size_t)a->size * sizeof *a->data);
    inherit(out, a);
    inherit(out, b);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0, along = 1, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at += (start[d] + rest % shape[d] * step[d]) * along;
            rest /= shape[d];
            along *= a->shape[d];
        }
        out->data[at] = round_to(a->dtype, broadcast_at(b, a->ndim, shape, i));
    }
    if (!out->exact) {
        const double most = largest(a) > largest(b) ? largest(a) : largest(b);
        out->spread =
            (out->spread + epsilon(a->dtype)) * most / (largest(out) > 0 ? largest(out) : 1);
    }
    out->array = heddle_set_item(a->array, a->ndim, index, b->array);
    return true;
}

static bool make_permute(struct random *r, const struct value *a, struct value *out)
{
    if (a->ndim < 2) return false;
    int axes[HEDDLE_MAX_NDIM];
    int64_t shape[HEDDLE_MAX_NDIM], along[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) axes[d] = d;
    for (int d = a->ndim - 1; d > 0; d--) {
        const int e = (int)random_below(r, d + 1), t = axes[d];
        axes[d] = axes[e];
        axes[e] = t;
    }
    int64_t n = 1;
    for (int d = a->ndim - 1; d >= 0; d--) {
        along[d] = n;
        n *= a->shape[d];
    }
    for (int d = 0; d < a->ndim; d++) shape[d] = a->shape[axes[d]];
    *out = value_new(a->dtype, a->ndim, shape);
    inherit(out, a);
    for (int64_t i = 0; i < a->size; i++) {
        int64_t at = 0, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at += rest % shape[d] * along[axes[d]];
            rest /= shape[d];
        }
        out->data[i] = a->data[at];
    }
    out->array = heddle_permute_dims(a->array, a->ndim, axes);
    return true;
}

static bool make_reshape(struct random *r, const struct value *a, struct value *out)
{
    if (a->size == 0) return false;
    int64_t shape[3] = {1, 1, a->size};
    for (int d = 0; d < 2; d++) {
        static const int64_t factors[] = {2, 3, 5, 7, 17};
        const int64_t f = factors[random_below(r, 5)];
        if (shape[2] % f == 0) {
            shape[d] = f;
            shape[2] /= f;
        }
    }
    *out = value_new(a->dtype, 3, shape);
    inherit(out, a);
    memcpy(out->data, a->data, (size_t)a->size * sizeof *a->data);
    out->array = heddle_reshape(a->array, 3, shape);
    return true;
}

static bool make_concat(const struct value *a, const struct value *b, struct value *out)
{
    if (a->ndim == 0 || a->ndim != b->ndim) return false;
    for (int d = 1; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d]) return false;
    int64_t shape[HEDDLE_MAX_NDIM];
    memcpy(shape, a->shape, sizeof shape);
    shape[0] += b->shape[0];
    *out = value_new(heddle_result_type(a->dtype, b->dtype), a->ndim, shape);
    inherit(out, a);
    inherit(out, b);
    for (int64_t i = 0; i < out->size; i++)
        out->data[i] = round_to(out->dtype, i < a->size ? a->data[i] : b->data[i - a->size]);
    if (!out->exact) out->spread += epsilon(out->dtype);
    out->array = heddle_concat(HEDDLE_ARRAYS(a->array, b->array), 0);
    return true;
}

static bool make_reduce(struct random *r, const struct value *a, struct value *out)
{
    if (a->ndim == 0 || a->size == 0) return false;
    const int64_t op = random_below(r, 6); /* sum max min any argmax mean */
    unsigned mask = (unsigned)random_below(r, 1 << a->ndim);
    if (mask == 0) mask = (1u << a->ndim) - 1;
    if ((op == 1 || op == 2 || op == 4) && !a->exact && op == 4) return false;
    if (op == 3 && !a->exact) return false;
    if (op == 4) mask = (1u << a->ndim) - 1;
    if (!is_float(a->dtype) && !(largest(a) < 1e5)) return false;
    if (a->dtype == HEDDLE_BOOL && (op == 1 || op == 2)) return false;

    int64_t shape[HEDDLE_MAX_NDIM], n_reduced = 1;
    int ndim = 0, n_axes = 0, axes[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) {
        if (mask >> d & 1) {
            n_reduced *= a->shape[d];
            axes[n_axes++] = d;
        } else {
            shape[ndim++] = a->shape[d];
        }
    }
    const enum heddle_dtype dtype = op == 3              ? HEDDLE_BOOL
                                    : op == 4            ? HEDDLE_INT64
                                    : is_float(a->dtype) ? a->dtype
                                    : op == 5            ? HEDDLE_FLOAT64
                                    : op == 0            ? HEDDLE_INT64
                                                         : a->dtype;
    *out = value_new(dtype, ndim, shape);
    inherit(out, a);
    long double *best = malloc((size_t)(out->size + 1) * sizeof *best);
    for (int64_t i = 0; i < out->size; i++) {
        out->data[i] = 0;
        best[i] = op == 1 || op == 4 ? -INFINITY : op == 2 ? INFINITY : 0;
    }
    for (int64_t i = 0; i < a->size; i++) {
        int64_t at = 0, along = 1, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            if (!(mask >> d & 1)) {
                at += rest % a->shape[d] * along;
                along *= a->shape[d];
            }
            rest /= a->shape[d];
        }
        const double x = a->data[i];
        if (op == 0 || op == 5) best[at] += x;
        if (op == 1 && x > best[at]) best[at] = x;
        if (op == 2 && x < best[at]) best[at] = x;
        if (op == 3 && x != 0) best[at] = 1;
        if (op == 4 && x > best[at]) {
            best[at] = x;
            out->data[at] = (double)i;
        }
    }
    for (int64_t i = 0; i < out->size && op != 4; i++)
        out->data[i] = round_to(dtype, (double)(op == 5 ? best[i] / n_reduced : best[i]));
    free(best);
    if ((op == 0 || op == 5) && is_float(dtype)) {
        out->exact = false;
        const double sums = largest(a) * (op == 5 ? 1 : (double)n_reduced);
        out->spread =
            (a->spread + 64 * epsilon(dtype)) * sums / (largest(out) > 0 ? largest(out) : 1);
    }
    const struct heddle_reduce_options o = {.axes = axes, .n_axes = n_axes};
    static heddle_array *(*const twins[])(heddle_array *, const struct heddle_reduce_options *) = {
        heddle_sum_with, heddle_max_with,    heddle_min_with,
        heddle_any_with, heddle_argmax_with, heddle_mean_with};
    out->array = op == 4 ? heddle_argmax_with(a->array, NULL) : twins[op](a->array, &o);
    return true;
}

static bool make_matmul(const struct value *a, const struct value *b, struct value *out)
{
    if (a->ndim != 2 || b->ndim != 2 || a->shape[1] != b->shape[0]) return false;
    const enum heddle_dtype dtype = heddle_result_type(a->dtype, b->dtype);
    if (dtype == HEDDLE_BOOL || a->shape[1] == 0 || !(largest(a) < 1000 && largest(b) < 1000) ||
        (double)a->size * (double)b->shape[1] > 4e6)
        return false;
    const int64_t shape[2] = {a->shape[0], b->shape[1]}, k = a->shape[1];
    *out = value_new(dtype, 2, shape);
    inherit(out, a);
    inherit(out, b);
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++) sum += a->data[i * k + l] * b->data[l * shape[1] + j];
            out->data[i * shape[1] + j] = round_to(dtype, sum);
        }
    if (is_float(dtype)) {
        out->exact = false;
        out->by_blas = true;
        out->spread = (a->spread + b->spread + 64 * epsilon(dtype)) * largest(a) * largest(b) *
                      (double)k / (largest(out) > 0 ? largest(out) : 1);
    }
    out->array = heddle_matmul(a->array, b->array);
    return true;
}

static bool make_one(struct random *r, int n, const struct value *values, struct value *out)
{
    const struct value *a = &values[random_below(r, n)], *b = &values[random_below(r, n)],
                       *c = &values[random_below(r, n)];
    switch (random_below(r, 14)) {
    case 0:
    case 1: return make_unary(r, a, out);
    case 2:
    case 3:
    case 4:
    case 5: return make_binary(r, a, b, out);
    case 6: return make_slice(r, a, out);
    case 7: return make_permute(r, a, out);
    case 8: return make_where(c, a, b, out);
    case 9: return make_set_item(r, a, b, out);
    case 10: return make_reshape(r, a, out);
    case 11: return make_reduce(r, a, out);
    case 12:
        if (make_matmul(a, b, out)) return true;
        return make_concat(a, b, out);
    default: {
        const enum heddle_dtype dtype = random_dtype(r);
        if (!can_cast(a, dtype)) return false;
        *out = make_cast(a, dtype);
        return true;
    }
    }
}

heddle_array *(*random_wrap)(heddle_array *a);

static void wrap(struct value *v)
{
    if (random_wrap) v->array = random_wrap(v->array);
}

int random_program(struct random *r, int n, bool large, struct value *values)
{
    int made = 0, tries = 0;
    while (made < n && made < 3) {
        values[made] = random_below(r, 6) ? make_leaf(r, large) : make_range(r);
        wrap(&values[made++]);
    }
    while (made < n && tries++ < 40 * n)
        if (make_one(r, made, values, &values[made])) wrap(&values[made++]);
    return made;
}

void values_free(int n, struct value *values)
{
    for (int i = 0; i < n; i++) free(values[i].data);
}
