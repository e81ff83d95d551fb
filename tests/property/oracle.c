/* Random programs with an eager oracle. Entry points: oracle.h. */
#include "families/cases.h"
#include "property/oracle_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Operations ------------------------------------------------------------------------------------------- */

static bool make_unary(struct random *r, const struct value *a, struct value *out)
{
    if (!value_is_float(a->dtype)) {
        if (a->dtype == HEDDLE_BOOL || !(value_largest(a) < 30000)) return false;
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
    if (!(value_largest(a) < 50)) return false;
    *out = value_new(a->dtype, a->ndim, a->shape);
    value_inherit(out, a);
    const int64_t op = random_below(r, 9);
    for (int64_t i = 0; i < a->size; i++) {
        const double x = a->data[i];
        out->data[i] = op == 6   ? -x
                       : op == 7 ? floor(x)
                       : op == 8 ? sqrt(fabs(x))
                       : op == 5 ? log1p(fabs(x))
                       : op == 4 ? exp(-fabs(x))
                                 : functions[op](x);
        out->data[i] = value_round(a->dtype, out->data[i]);
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
        out->spread =
            16 * value_epsilon(a->dtype) +
            2 * a->spread * value_largest(a) / (value_largest(out) > 0 ? value_largest(out) : 1);
    } else if (op == 8 && !a->exact) {
        out->spread =
            sqrt(a->spread * value_largest(a)) / (value_largest(out) > 0 ? value_largest(out) : 1) +
            4 * value_epsilon(a->dtype);
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
    if (!value_broadcast_shape(a, b, &ndim, shape)) return false;
    const int64_t op = random_below(r, 8);
    const enum heddle_dtype common = heddle_result_type(a->dtype, b->dtype);
    if (common == HEDDLE_BOOL && op < 3) return false;
    const double bound = value_is_float(common) ? 1e6 : 30000;
    if (!(value_largest(a) < bound && value_largest(b) < bound)) return false;
    if (op >= 5 && !(a->exact && b->exact)) return false;
    *out = value_new(op >= 5 ? HEDDLE_BOOL : common, ndim, shape);
    value_inherit(out, a);
    value_inherit(out, b);
    for (int64_t i = 0; i < out->size; i++) {
        const double x = value_round(common, value_broadcast_at(a, ndim, shape, i));
        const double y = value_round(common, value_broadcast_at(b, ndim, shape, i));
        out->data[i] = value_round(out->dtype, apply_binary(op, x, y));
    }
    out->array = twins[op](a->array, b->array);
    if (!out->exact) /* relative to the largest element of the result, which may cancel */
        out->spread = (a->spread * value_largest(a) + b->spread * value_largest(b)) *
                          (op == 2 ? value_largest(a) + value_largest(b) + 1 : 1) /
                          (value_largest(out) > 0 ? value_largest(out) : 1) +
                      2 * value_epsilon(common);
    return true;
}

static bool make_where(const struct value *c, const struct value *a, const struct value *b,
                       struct value *out)
{
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM];
    if (c->dtype != HEDDLE_BOOL || !c->exact || !value_broadcast_shape(a, b, &ndim, shape))
        return false;
    struct value both = {.ndim = ndim};
    memcpy(both.shape, shape, sizeof shape);
    if (!value_broadcast_shape(&both, c, &ndim, shape)) return false;
    *out = value_new(heddle_result_type(a->dtype, b->dtype), ndim, shape);
    value_inherit(out, a);
    value_inherit(out, b);
    for (int64_t i = 0; i < out->size; i++)
        out->data[i] = value_round(out->dtype, value_broadcast_at(c, ndim, shape, i) != 0
                                                   ? value_broadcast_at(a, ndim, shape, i)
                                                   : value_broadcast_at(b, ndim, shape, i));
    if (!out->exact) {
        const double most =
            value_largest(a) > value_largest(b) ? value_largest(a) : value_largest(b);
        out->spread = (out->spread + value_epsilon(out->dtype)) * most /
                      (value_largest(out) > 0 ? value_largest(out) : 1);
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
    value_inherit(out, a);
    for (int64_t i = 0; i < out->size; i++) {
        int64_t at = 0, along = 1, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at += (start[d] + rest % shape[d] * step[d]) * along;
            rest /= shape[d];
            along *= a->shape[d];
        }
        out->data[i] = a->data[at];
    }
    if (!out->exact)
        out->spread *= value_largest(a) / (value_largest(out) > 0 ? value_largest(out) : 1);
    out->array = heddle_getitem(a->array, a->ndim, index);
    return true;
}

static bool make_set_item(struct random *r, const struct value *a, const struct value *b,
                          struct value *out)
{
    if (a->ndim == 0 || !value_can_cast(b, a->dtype) || b->ndim > a->ndim) return false;
    if (!value_is_float(a->dtype) && value_is_float(b->dtype)) return false;
    struct heddle_index index[HEDDLE_MAX_NDIM];
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM], shape[HEDDLE_MAX_NDIM], n = 1;
    for (int d = 0; d < a->ndim; d++)
        n *= shape[d] = random_slice(r, a->shape[d], &index[d], &start[d], &step[d]);
    for (int d = 1; d <= b->ndim; d++)
        if (b->shape[b->ndim - d] != 1 && b->shape[b->ndim - d] != shape[a->ndim - d]) return false;
    *out = value_new(a->dtype, a->ndim, a->shape);
    memcpy(out->data, a->data, (size_t)a->size * sizeof *a->data);
    value_inherit(out, a);
    value_inherit(out, b);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0, along = 1, rest = i;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at += (start[d] + rest % shape[d] * step[d]) * along;
            rest /= shape[d];
            along *= a->shape[d];
        }
        out->data[at] = value_round(a->dtype, value_broadcast_at(b, a->ndim, shape, i));
    }
    if (!out->exact) {
        const double most =
            value_largest(a) > value_largest(b) ? value_largest(a) : value_largest(b);
        out->spread = (out->spread + value_epsilon(a->dtype)) * most /
                      (value_largest(out) > 0 ? value_largest(out) : 1);
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
    value_inherit(out, a);
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
    value_inherit(out, a);
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
    value_inherit(out, a);
    value_inherit(out, b);
    for (int64_t i = 0; i < out->size; i++)
        out->data[i] = value_round(out->dtype, i < a->size ? a->data[i] : b->data[i - a->size]);
    if (!out->exact) out->spread += value_epsilon(out->dtype);
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
    if (!value_is_float(a->dtype) && !(value_largest(a) < 1e5)) return false;
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
    const enum heddle_dtype dtype = op == 3                    ? HEDDLE_BOOL
                                    : op == 4                  ? HEDDLE_INT64
                                    : value_is_float(a->dtype) ? a->dtype
                                    : op == 5                  ? HEDDLE_FLOAT64
                                    : op == 0                  ? HEDDLE_INT64
                                                               : a->dtype;
    *out = value_new(dtype, ndim, shape);
    value_inherit(out, a);
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
        out->data[i] = value_round(dtype, (double)(op == 5 ? best[i] / n_reduced : best[i]));
    free(best);
    if ((op == 0 || op == 5) && value_is_float(dtype)) {
        out->exact = false;
        const double sums = value_largest(a) * (op == 5 ? 1 : (double)n_reduced);
        out->spread = (a->spread + 64 * value_epsilon(dtype)) * sums /
                      (value_largest(out) > 0 ? value_largest(out) : 1);
    }
    struct heddle_reduce_options o = {.axes.count = n_axes ? n_axes : -1};
    memcpy(o.axes.at, axes, (size_t)n_axes * sizeof *axes);
    static heddle_array *(*const twins[])(heddle_array *, const struct heddle_reduce_options *) = {
        heddle_sum_with, heddle_max_with,    heddle_min_with,
        heddle_any_with, heddle_argmax_with, heddle_mean_with};
    out->array = op == 4 ? heddle_argmax_with(a->array, NULL) : twins[op](a->array, &o);
    return true;
}

/* Of one of the kernel families. */
static bool make_family(struct random *r, const struct value *a, const struct value *b,
                        struct value *out)
{
    return families_cases[random_below(r, n_families_cases)].make(r, a, b, out);
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
        if (make_family(r, a, b, out)) return true;
        return make_concat(a, b, out);
    default: {
        const enum heddle_dtype dtype = random_dtype(r);
        if (!value_can_cast(a, dtype)) return false;
        *out = value_cast(a, dtype);
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
        values[made] = random_below(r, 6) ? value_leaf(r, large) : value_range(r);
        wrap(&values[made++]);
    }
    while (made < n && tries++ < 40 * n)
        if (make_one(r, made, values, &values[made])) wrap(&values[made++]);
    return made;
}

int random_case(struct random *r, int family, bool large, struct value *values)
{
    enum { LEAVES = 8, TRIES = 2000 };
    family_case *const make = families_cases[family].make;
    for (int tries = 0; tries < TRIES; tries++) {
        const int at = tries % LEAVES, n = tries < LEAVES ? at + 1 : LEAVES;
        if (tries >= LEAVES) free(values[at].data);
        values[at] = value_leaf(r, large);
        wrap(&values[at]);
        const struct value *a = &values[random_below(r, n)], *b = &values[random_below(r, n)];
        if (!make(r, a, b, &values[n])) continue;
        wrap(&values[n]);
        return n + 1;
    }
    return 0;
}

void values_free(int n, struct value *values)
{
    for (int i = 0; i < n; i++) free(values[i].data);
}
