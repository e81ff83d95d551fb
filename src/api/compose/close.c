/* Comparisons of whole arrays and with a tolerance. Entry points: heddle_isclose_with, heddle_allclose_with,
 * heddle_array_equal. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/special.h>

static double tolerance(double given, double otherwise)
{
    return given == 0 ? otherwise : given < 0 ? 0 : given;
}

/* |a - b| <= atol + rtol |b| of finite b, or equal. */
static heddle_array *close_to(heddle_array *a, heddle_array *b,
                              const struct heddle_isclose_options *o)
{
    heddle_array *y = heddle_astype(b, heddle__mean_dtype(b));
    if (b->weak && heddle__kind_rank((enum heddle_dtype)b->dtype) >= 2) y = b;
    heddle_array *rtol = heddle_scalar_float(tolerance(o->rtol, 1e-5));
    heddle_array *atol = heddle_scalar_float(tolerance(o->atol, 1e-8));
    heddle_array *limit = heddle_add(heddle_multiply(heddle_abs(y), rtol), atol);
    heddle_array *near = heddle_less_equal(heddle_abs(heddle_subtract(a, y)), limit);
    near = heddle_logical_and(near, heddle_isfinite(y));
    near = heddle_logical_or(near, heddle_equal(a, y));
    if (!o->equal_nan) return near;
    return heddle_logical_or(near, heddle_logical_and(heddle_isnan(a), heddle_isnan(y)));
}

static heddle_array *isclose(const char *name, heddle_array *a, heddle_array *b,
                             const struct heddle_isclose_options *given, bool all)
{
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand(name, 2, x);
    if (bad) return bad;
    struct heddle_isclose_options o;
    struct heddle_shape shape;
    if (heddle__options(name, given, &o, sizeof o) != HEDDLE_OK ||
        heddle__broadcast_all(name, 2, x, &shape) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = close_to(a, b, &o);
    return heddle__scope_leave(&scope, all ? heddle_all_with(r, NULL) : r);
}

heddle_array *heddle_isclose_with(heddle_array *a, heddle_array *b,
                                  const struct heddle_isclose_options *options)
{
    return isclose("isclose", a, b, options, false);
}

heddle_array *heddle_allclose_with(heddle_array *a, heddle_array *b,
                                   const struct heddle_isclose_options *options)
{
    return isclose("allclose", a, b, options, true);
}

heddle_array *heddle_array_equal(heddle_array *a, heddle_array *b)
{
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("array_equal", 2, x);
    if (bad) return bad;
    if (!heddle__same_shape(a->ndim, a->shape, b->ndim, b->shape))
        return heddle__constant(0, HEDDLE_BOOL);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_all_with(heddle_equal(a, b), NULL));
}
