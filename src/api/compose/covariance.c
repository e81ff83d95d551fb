/* Covariance and correlation of variables. Entry points: heddle_cov_with, heddle_corrcoef_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/assemble.h>
#include <heddle/linalg.h>
#include <heddle/special.h>
#include <heddle/statistics.h>

/* Variables as rows, in float64 or complex128. */
static heddle_array *rows_of(heddle_array *a, bool by_columns, enum heddle_dtype dtype)
{
    heddle_array *x = heddle_astype(a, dtype);
    if (a->ndim < 2) return heddle_reshape(x, 2, (const int64_t[]){1, a->size});
    return by_columns ? heddle_matrix_transpose(x) : x;
}

/* What both functions check; the array to return at once, or NULL. */
static heddle_array *check(const char *name, heddle_array *a,
                           const struct heddle_cov_options *given, struct heddle_cov_options *o)
{
    if (heddle__options(name, given, o, sizeof *o) != HEDDLE_OK) return heddle__error_last();
    heddle_array *const each[2] = {a, o->more};
    heddle_array *const bad = heddle__bad_operand(name, o->more ? 2 : 1, each);
    if (bad) return bad;
    for (int i = 0; i < 2 && each[i]; i++)
        if (each[i]->ndim > 2)
            return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: shape %s has more than two axes",
                                       name, HEDDLE_SHAPE_OF(each[i]));
    return NULL;
}

/* A matrix; the scope is the caller's. */
static heddle_array *covariance(heddle_array *a, const struct heddle_cov_options *o)
{
    heddle_array *const both[2] = {a, o->more};
    enum heddle_dtype dtype = heddle__promote(o->more ? 2 : 1, both);
    dtype = heddle__kind_rank(dtype) == 3 ? HEDDLE_COMPLEX128 : HEDDLE_FLOAT64;
    heddle_array *x = rows_of(a, o->by_columns, dtype);
    if (o->more) {
        heddle_array *const rows[2] = {x, rows_of(o->more, o->by_columns, dtype)};
        x = heddle_concat(2, rows, 0);
    }
    if (heddle_status_of(x) != HEDDLE_OK) return x;
    x = heddle_subtract(x, heddle__reduce_mask(heddle_mean_with, x, 2, true, HEDDLE_DTYPE_NONE));
    const double correction = o->has_correction ? o->correction : o->biased ? 0 : 1;
    const double n = (double)x->shape[1] - correction;
    heddle_array *c = heddle_matmul(x, heddle_matrix_transpose(heddle_conj(x)));
    return heddle_multiply(c, heddle_scalar_float(1 / (n > 0 ? n : 0)));
}

/* Without the axes of a single variable. */
static heddle_array *squeezed(heddle_array *c)
{
    return c->size == 1 ? heddle_reshape(c, 0, NULL) : c;
}

heddle_array *heddle_cov_with(heddle_array *a, const struct heddle_cov_options *options)
{
    struct heddle_cov_options o;
    heddle_array *const bad = check("cov", a, options, &o);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, squeezed(covariance(a, &o)));
}

heddle_array *heddle_corrcoef_with(heddle_array *a, const struct heddle_cov_options *options)
{
    struct heddle_cov_options o;
    heddle_array *const bad = check("corrcoef", a, options, &o);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *c = covariance(a, &o);
    if (c->size == 1) return heddle__scope_leave(&scope, squeezed(heddle_divide(c, c)));
    heddle_array *deviation = heddle_sqrt(heddle_real(heddle_diag(c, 0)));
    heddle_array *r = heddle_divide(c, heddle_expand_dims(deviation, 1));
    r = heddle_divide(r, deviation);
    heddle_array *low = heddle_scalar_int(-1), *high = heddle_scalar_int(1);
    if (heddle__kind_rank((enum heddle_dtype)r->dtype) == 3) {
        r = heddle__complex(heddle_clip(heddle_real(r), low, high),
                            heddle_clip(heddle_imag(r), low, high));
    } else {
        r = heddle_clip(r, low, high); /* rounding goes beyond */
    }
    return heddle__scope_leave(&scope, r);
}
