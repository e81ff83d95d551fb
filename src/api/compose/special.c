/* Elementwise functions that are made of others. Entry points: heddle/special.h, but for comparisons
 * (close.c). */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/special.h>

#include <math.h>

#define PI 3.14159265358979323846

/* The array to return at once; NULL when x is real. */
static heddle_array *not_real(const char *name, heddle_array *x)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &x);
    if (bad || heddle__kind_rank((enum heddle_dtype)x->dtype) < 3) return bad;
    return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: dtype %s; accepts real numbers and bool",
                               name, heddle_dtype_name((enum heddle_dtype)x->dtype));
}

heddle_array *heddle_fabs(heddle_array *x)
{
    heddle_array *const bad = not_real("fabs", x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_abs(heddle_astype(x, heddle__mean_dtype(x))));
}

heddle_array *heddle_float_power(heddle_array *a, heddle_array *b)
{
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("float_power", 2, x);
    if (bad) return bad;
    const enum heddle_dtype dtype =
        heddle__kind_rank(heddle__promote(2, x)) == 3 ? HEDDLE_COMPLEX128 : HEDDLE_FLOAT64;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *exponent = b->weak ? b : heddle_astype(b, dtype); /* a weak one may be a square */
    return heddle__scope_leave(&scope, heddle_pow(heddle_astype(a, dtype), exponent));
}

static heddle_array *scaled(const char *name, heddle_array *x, double factor)
{
    heddle_array *const bad = not_real(name, x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_multiply(x, heddle_scalar_float(factor)));
}

heddle_array *heddle_degrees(heddle_array *x)
{
    return scaled("degrees", x, 180 / PI);
}

heddle_array *heddle_radians(heddle_array *x)
{
    return scaled("radians", x, PI / 180);
}

heddle_array *heddle_angle(heddle_array *x)
{
    heddle_array *const bad = heddle__bad_operand("angle", 1, &x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_atan2(heddle_imag(x), heddle_real(x)));
}

heddle_array *heddle_sinc(heddle_array *x)
{
    heddle_array *const bad = heddle__bad_operand("sinc", 1, &x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *y = heddle_multiply(x, heddle_scalar_float(PI));
    heddle_array *r = heddle_where(heddle_equal(y, heddle_scalar_int(0)), heddle_scalar_float(1),
                                   heddle_divide(heddle_sin(y), y));
    return heddle__scope_leave(&scope, r);
}

heddle_array *heddle_heaviside(heddle_array *x, heddle_array *at0)
{
    heddle_array *const both[2] = {x, at0};
    heddle_array *const bad = heddle__bad_operand("heaviside", 2, both);
    if (bad) return bad;
    enum heddle_dtype dtype = heddle__promote(2, both);
    if (heddle__kind_rank(dtype) == 3) return not_real("heaviside", x->dtype == dtype ? x : at0);
    if (heddle__kind_rank(dtype) < 2) dtype = HEDDLE_FLOAT64;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *zero = heddle_scalar_int(0), *v = heddle_astype(x, dtype);
    heddle_array *step = heddle_astype(heddle_greater(v, zero), dtype);
    heddle_array *r = heddle_where(heddle_equal(v, zero), heddle_astype(at0, dtype), step);
    return heddle__scope_leave(&scope, heddle_where(heddle_isnan(v), v, r));
}

heddle_array *heddle_around(heddle_array *x, int decimals)
{
    heddle_array *const bad = heddle__bad_operand("around", 1, &x);
    if (bad) return bad;
    const enum heddle_dtype dtype = (enum heddle_dtype)x->dtype;
    const bool is_integer = heddle__kind_rank(dtype) < 2;
    if (decimals == 0 || (is_integer && decimals > 0)) return heddle_round(x);

    /* as NumPy: integers by way of float64 */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *factor = heddle_scalar_float(pow(10, decimals < 0 ? -decimals : decimals));
    heddle_array *r = decimals > 0 ? heddle_multiply(x, factor) : heddle_divide(x, factor);
    r = heddle_round(r);
    r = decimals > 0 ? heddle_divide(r, factor) : heddle_multiply(r, factor);
    return heddle__scope_leave(&scope, is_integer ? heddle_astype(r, dtype) : r);
}

/* ---- Kinds of numbers --------------------------------------------------------------------------- */

static heddle_array *is_value(const char *name, heddle_array *x, double value)
{
    heddle_array *const bad = not_real(name, x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_equal(x, heddle_scalar_float(value)));
}

heddle_array *heddle_isposinf(heddle_array *x)
{
    return is_value("isposinf", x, INFINITY);
}

heddle_array *heddle_isneginf(heddle_array *x)
{
    return is_value("isneginf", x, -INFINITY);
}

heddle_array *heddle_isreal(heddle_array *x)
{
    heddle_array *const bad = heddle__bad_operand("isreal", 1, &x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_equal(heddle_imag(x), heddle_scalar_int(0)));
}

heddle_array *heddle_iscomplex(heddle_array *x)
{
    heddle_array *const bad = heddle__bad_operand("iscomplex", 1, &x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle_not_equal(heddle_imag(x), heddle_scalar_int(0)));
}

/* ---- Finite numbers ------------------------------------------------------------------------------- */

/* Of real numbers. The replacements are of x's dtype. */
static heddle_array *replaced(heddle_array *x, const struct heddle_nan_to_num_options *with)
{
    x = heddle_where(heddle_isnan(x), with->nan, x);
    x = heddle_where(heddle_equal(x, heddle_scalar_float(INFINITY)), with->posinf, x);
    return heddle_where(heddle_equal(x, heddle_scalar_float(-INFINITY)), with->neginf, x);
}

heddle_array *heddle_nan_to_num_with(heddle_array *x, const struct heddle_nan_to_num_options *given)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("nan_to_num", 1, &x);
    if (bad) return bad;
    struct heddle_nan_to_num_options o;
    if (heddle__options("nan_to_num", given, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    heddle_array *with[3];
    int n = 0;
    if (o.nan) with[n++] = o.nan;
    if (o.posinf) with[n++] = o.posinf;
    if (o.neginf) with[n++] = o.neginf;
    heddle_array *const bad_option = heddle__bad_operand("nan_to_num", n, with);
    if (bad_option) return bad_option;
    const enum heddle_dtype dtype = (enum heddle_dtype)x->dtype, part = heddle__real_dtype(dtype);
    if (heddle__kind_rank(dtype) < 2) return heddle__hand_out(heddle__make_cast(x, dtype));

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct heddle_finfo limits;
    heddle_finfo_get(part, &limits);
    const double most = limits.max;
    o.nan = heddle_astype(o.nan ? o.nan : heddle_scalar_int(0), part);
    o.posinf = heddle_astype(o.posinf ? o.posinf : heddle_scalar_float(most), part);
    o.neginf = heddle_astype(o.neginf ? o.neginf : heddle_scalar_float(-most), part);
    if (dtype == part) return heddle__scope_leave(&scope, replaced(x, &o));
    heddle_array *r = heddle__complex(replaced(heddle_real(x), &o), replaced(heddle_imag(x), &o));
    return heddle__scope_leave(&scope, r);
}
