/* Norms of vectors and of matrices. Entry points: heddle_linalg_vector_norm_with, heddle_linalg_matrix_norm_with,
 * heddle_linalg_norm_with. */
#include "api/linalg/matrices.h"
#include "base/options.h"

#include <heddle/create.h>
#include <heddle/spectral.h>

#include <math.h>

/* The largest of the magnitudes over the mask; 0, if there are none. */
static heddle_array *largest(heddle_array *size, unsigned mask, bool keepdims)
{
    return heddle__reduce_mask(heddle__reduced_count(size, mask) > 0 ? heddle_max_with
                                                                     : heddle_sum_with,
                               size, mask, keepdims, HEDDLE_DTYPE_NONE);
}

/* The largest or the least. */
static heddle_array *extreme(heddle_array *size, bool is_largest, unsigned mask, bool keepdims)
{
    return is_largest
               ? largest(size, mask, keepdims)
               : heddle__reduce_mask(heddle_min_with, size, mask, keepdims, HEDDLE_DTYPE_NONE);
}

/* abs(a)**2, by no root of sums. */
static heddle_array *squares(heddle_array *a)
{
    if (heddle_dtype_kind((enum heddle_dtype)a->dtype) != 'C') return heddle_square(a);
    return heddle_add(heddle_square(heddle_real(a)), heddle_square(heddle_imag(a)));
}

/* sum(abs(a)**p)**(1/p) over the axes of the mask. */
static heddle_array *power_norm(heddle_array *a, double p, unsigned mask, bool keepdims)
{
    const bool is_one = p >= 1 && p <= 1, is_two = p >= 2 && p <= 2;
    if (is_two)
        return heddle_sqrt(
            heddle__reduce_mask(heddle_sum_with, squares(a), mask, keepdims, HEDDLE_DTYPE_NONE));
    heddle_array *size = heddle_abs(a), *sum;
    const enum heddle_dtype dtype = (enum heddle_dtype)size->dtype;
    if (heddle_status_of(size) != HEDDLE_OK) return size;
    if (isinf(p)) return extreme(size, p > 0, mask, keepdims);
    if (!(p < 0) && !(p > 0) && !isnan(p)) {
        heddle_array *some = heddle_astype(heddle_not_equal(a, heddle_scalar(0)), dtype);
        return heddle__reduce_mask(heddle_sum_with, some, mask, keepdims, HEDDLE_DTYPE_NONE);
    }
    sum = heddle__reduce_mask(heddle_sum_with, is_one ? size : heddle_pow(size, heddle_scalar(p)),
                              mask, keepdims, HEDDLE_DTYPE_NONE);
    return is_one ? sum : heddle_pow(sum, heddle_scalar(1 / p));
}

enum which { SUM, LARGEST, LEAST };

/* Of the singular values. */
static heddle_array *spectral_norm(heddle_array *a, enum which which, bool keepdims)
{
    heddle_array *s = heddle_linalg_svdvals(a);
    if (heddle_status_of(s) != HEDDLE_OK) return s;
    const unsigned last = 1u << (s->ndim - 1);
    heddle_array *r =
        which == SUM ? heddle__reduce_mask(heddle_sum_with, s, last, keepdims, HEDDLE_DTYPE_NONE)
                     : extreme(s, which == LARGEST, last, keepdims);
    if (!keepdims || heddle_status_of(r) != HEDDLE_OK) return r;
    return heddle_expand_dims(r, -1);
}

/* The largest (or least) sum of magnitudes along `sums`, of what is along `best`. */
static heddle_array *sum_norm(heddle_array *a, int sums, int best, bool is_largest, bool keepdims)
{
    heddle_array *r =
        heddle__reduce_mask(heddle_sum_with, heddle_abs(a), 1u << sums, true, HEDDLE_DTYPE_NONE);
    if (heddle_status_of(r) != HEDDLE_OK) return r;
    r = extreme(r, is_largest, 1u << best, true);
    return keepdims || heddle_status_of(r) != HEDDLE_OK
               ? r
               : heddle_squeeze(r, 2, (const int[]){sums, best});
}

/* Of the last two axes. */
static heddle_array *norm_of_matrices(const char *name, heddle_array *a,
                                      const struct heddle_linalg_norm_options *o)
{
    const int rows = a->ndim - 2, columns = a->ndim - 1;
    const double p = o->p, size = fabs(p);
    switch (o->kind) {
    case HEDDLE_NORM_NUCLEAR: return spectral_norm(a, SUM, o->keepdims);
    case HEDDLE_NORM_P: break;
    default: return power_norm(a, 2, 1u << rows | 1u << columns, o->keepdims);
    }
    if (size >= 1 && size <= 1) return sum_norm(a, rows, columns, p > 0, o->keepdims);
    if (isinf(p)) return sum_norm(a, columns, rows, p > 0, o->keepdims);
    if (size >= 2 && size <= 2) return spectral_norm(a, p > 0 ? LARGEST : LEAST, o->keepdims);
    return heddle__error_array(HEDDLE_EARG,
                               "heddle_%s: .p is %g; matrices have norms of 1, 2 and infinity, and "
                               "their negatives",
                               name, p);
}

/* The operand in a floating dtype, and the options. */
static heddle_array *begin(const char *name, heddle_array *a,
                           const struct heddle_linalg_norm_options *options,
                           struct heddle_linalg_norm_options *o)
{
    heddle_array *bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    if (heddle__options(name, options, o, sizeof *o) != HEDDLE_OK) return heddle__error_last();
    if ((unsigned)o->kind > HEDDLE_NORM_NUCLEAR)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: .kind is %d", name, (int)o->kind);
    if (o->kind != HEDDLE_NORM_P && (o->p < 0 || o->p > 0))
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: .p without HEDDLE_NORM_P", name);
    return heddle__hand_out(heddle__make_cast(a, heddle__mean_dtype(a)));
}

static heddle_array *of_vectors(const char *name, heddle_array *a,
                                const struct heddle_linalg_norm_options *o)
{
    unsigned mask = 0;
    if (o->kind > HEDDLE_NORM_P)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: a norm of matrices", name);
    if (heddle__axes_option(name, o->has_axis, o->axis, &o->axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    return power_norm(a, o->kind == HEDDLE_NORM_P ? o->p : 2, mask, o->keepdims);
}

/* Matrices over two axes: the first one's rows, the second one's columns. */
static heddle_array *over_axes(const char *name, heddle_array *a,
                               const struct heddle_linalg_norm_options *o)
{
    int axes[2] = {0, 0};
    unsigned mask = 0;
    if (heddle__axes_mask(name, 2, o->axes.at, a, &mask) != HEDDLE_OK) return heddle__error_last();
    for (int i = 0; i < 2; i++)
        axes[i] = o->axes.at[i] < 0 ? o->axes.at[i] + a->ndim : o->axes.at[i];
    int order[HEDDLE_MAX_NDIM], n = 0;
    for (int d = 0; d < a->ndim; d++)
        if (!(mask & 1u << d)) order[n++] = d;
    order[n++] = axes[0];
    order[n++] = axes[1];
    struct heddle_linalg_norm_options without = *o;
    without.keepdims = false;
    heddle_array *r = norm_of_matrices(name, heddle_permute_dims(a, a->ndim, order), &without);
    if (!o->keepdims || heddle_status_of(r) != HEDDLE_OK) return r;
    struct heddle_shape s = {.ndim = a->ndim};
    for (int d = 0; d < a->ndim; d++) s.extent[d] = mask & 1u << d ? 1 : a->shape[d];
    return heddle_reshape(r, s.ndim, s.extent);
}

heddle_array *heddle_linalg_vector_norm_with(heddle_array *a,
                                             const struct heddle_linalg_norm_options *options)
{
    struct heddle_linalg_norm_options o;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = begin("linalg_vector_norm", a, options, &o);
    if (heddle_status_of(a) == HEDDLE_OK) a = of_vectors("linalg_vector_norm", a, &o);
    return heddle__scope_leave(&scope, a);
}

heddle_array *heddle_linalg_matrix_norm_with(heddle_array *a,
                                             const struct heddle_linalg_norm_options *options)
{
    static const char name[] = "linalg_matrix_norm";
    struct heddle_linalg_norm_options o;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = begin(name, a, options, &o);
    if (heddle_status_of(a) == HEDDLE_OK) {
        if (a->ndim < 2)
            a = heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: shape %s: a matrix has two axes",
                                    name, HEDDLE_SHAPE_OF(a));
        else if (o.has_axis || o.axis || o.axes.count)
            a = heddle__error_array(HEDDLE_EARG, "heddle_%s: matrices are the last two axes", name);
        else
            a = norm_of_matrices(name, a, &o);
    }
    return heddle__scope_leave(&scope, a);
}

/* Which of them it is. */
static heddle_array *norm(heddle_array *a, struct heddle_linalg_norm_options *o)
{
    static const char name[] = "linalg_norm";
    if (o->axes.count == 2 && !o->has_axis) return over_axes(name, a, o);
    if (o->has_axis || o->axes.count || o->kind == HEDDLE_NORM_DEFAULT || a->ndim == 1)
        return of_vectors(name, a, o);
    if (a->ndim == 2) return norm_of_matrices(name, a, o);
    return heddle__error_array(HEDDLE_ESHAPE,
                               "heddle_%s: shape %s: without axes it takes a vector or a matrix",
                               name, HEDDLE_SHAPE_OF(a));
}

heddle_array *heddle_linalg_norm_with(heddle_array *a,
                                      const struct heddle_linalg_norm_options *options)
{
    struct heddle_linalg_norm_options o;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = begin("linalg_norm", a, options, &o);
    if (heddle_status_of(a) == HEDDLE_OK) a = norm(a, &o);
    return heddle__scope_leave(&scope, a);
}
