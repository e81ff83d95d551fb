/* Elementwise functions that are made of others, NumPy's names for them, and comparisons with a tolerance.
 * Of a Python scalar the result is strong, as in elementwise.c. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

#include <limits.h>
#include <math.h>

CALL(call_around)
{
    (void)f;
    heddle_array *x;
    int64_t decimals = 0;
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_optional_int(run, &args[1], "decimals", &decimals))
        return false;
    if (decimals < -400 || decimals > 400)
        return heddle__expr_fail(run, HEDDLE_ERANGE, args[1].at, "%lld decimals",
                                 (long long)decimals);
    return heddle__expr_from_array(run, heddle_around(x, (int)decimals), at, out);
}

/* Of integers float64, where round leaves them. */
CALL(call_rint)
{
    (void)f;
    heddle_array *x;
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    const char kind = heddle_dtype_kind(heddle_dtype_of(x));
    if (kind != 'F' && kind != 'C') x = heddle_astype(x, HEDDLE_FLOAT64);
    return heddle__expr_from_array(run, heddle_round(x), at, out);
}

CALL(call_angle)
{
    (void)f;
    heddle_array *x;
    bool degrees = false;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_bool(run, &args[1], "deg", &degrees) &&
           heddle__expr_from_array(run, degrees ? heddle_degrees(heddle_angle(x)) : heddle_angle(x),
                                   at, out);
}

CALL(call_nan_to_num)
{
    (void)f;
    heddle_array *x;
    struct heddle_nan_to_num_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_optional_array(run, &args[2], false, &o.nan) &&
           heddle__expr_to_optional_array(run, &args[3], false, &o.posinf) &&
           heddle__expr_to_optional_array(run, &args[4], false, &o.neginf) &&
           heddle__expr_from_array(run, heddle_nan_to_num_with(x, &o), at, out);
}

/* A tolerance as the option has it: none is negative. */
static bool to_tolerance(struct run *run, const struct value *v, const char *what, double *out)
{
    if (!heddle__expr_to_double(run, v, what, out)) return false;
    if (heddle__expr_given(v) && *out == 0) *out = -1;
    return true;
}

CALL(call_close)
{
    heddle_array *a, *b;
    struct heddle_isclose_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_array(run, &args[1], true, &b) &&
           to_tolerance(run, &args[2], "rtol", &o.rtol) &&
           to_tolerance(run, &args[3], "atol", &o.atol) &&
           heddle__expr_to_bool(run, &args[4], "equal_nan", &o.equal_nan) &&
           heddle__expr_from_array(run, f->close(a, b, &o), at, out);
}

CALL(call_divmod)
{
    (void)f;
    heddle_array *a, *b;
    const bool strong = heddle__expr_is_scalar(&args[0]) && heddle__expr_is_scalar(&args[1]);
    if (!heddle__expr_to_array(run, &args[0], strong, &a) ||
        !heddle__expr_to_array(run, &args[1], strong, &b))
        return false;
    heddle_array *const both[2] = {heddle_floor_divide(a, b), heddle_remainder(a, b)};
    return heddle__expr_from_arrays(run, HEDDLE_OK, 2, both, VALUE_TUPLE, at, out);
}

/* x 2**n, where n is an integer: the dtype is that of x. */
CALL(call_ldexp)
{
    (void)f;
    heddle_array *x, *n;
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_array(run, &args[1], true, &n))
        return false;
    const char kind = heddle_dtype_kind(heddle_dtype_of(x));
    if (kind != 'F') x = heddle_astype(x, HEDDLE_FLOAT64);
    return heddle__expr_from_array(run, heddle_ldexp(x, heddle_astype(n, heddle_dtype_of(x))), at,
                                   out);
}

/* A number from 0.5 to 1 and the power of 2 that gives x; what is 0, infinite or NaN, and 0. */
CALL(call_frexp)
{
    (void)f;
    heddle_array *x;
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    if (heddle_dtype_kind(heddle_dtype_of(x)) != 'F') x = heddle_astype(x, HEDDLE_FLOAT64);
    heddle_array *const above = heddle_add(heddle_logb(x), heddle_scalar_float(1));
    heddle_array *const n = heddle_where(heddle_isfinite(above), above, heddle_scalar_float(0));
    heddle_array *const both[2] = {heddle_ldexp(x, heddle_negative(n)),
                                   heddle_astype(n, HEDDLE_INT32)};
    return heddle__expr_from_arrays(run, HEDDLE_OK, 2, both, VALUE_TUPLE, at, out);
}

/* From x to the next number away from 0. */
CALL(call_spacing)
{
    (void)f;
    heddle_array *x;
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    if (heddle_dtype_kind(heddle_dtype_of(x)) != 'F') x = heddle_astype(x, HEDDLE_FLOAT64);
    heddle_array *const away = heddle_copysign(heddle_scalar_float(INFINITY), x);
    return heddle__expr_from_array(run, heddle_subtract(heddle_nextafter(x, away), x), at, out);
}

CALL(call_array_equal)
{
    (void)f;
    heddle_array *a, *b;
    bool equal_nan = false;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &b) ||
        !heddle__expr_to_bool(run, &args[2], "equal_nan", &equal_nan))
        return false;
    if (equal_nan) { /* numbers where both are NaN */
        heddle_array *const nan[2] = {heddle_isnan(a), heddle_isnan(b)},
                            *zero = heddle_scalar_int(0);
        heddle_array *const same = heddle_array_equal(nan[0], nan[1]);
        a = heddle_where(nan[0], zero, a);
        b = heddle_where(nan[1], zero, b);
        return heddle__expr_from_array(run, heddle_logical_and(same, heddle_array_equal(a, b)), at,
                                       out);
    }
    return heddle__expr_from_array(run, heddle_array_equal(a, b), at, out);
}

/* Whether all are equal of what broadcasts; false of shapes that do not. */
CALL(call_array_equiv)
{
    (void)f;
    heddle_array *a, *b;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &b))
        return false;
    heddle_array *r = heddle_equal(a, b);
    r = heddle_status_of(r) == HEDDLE_ESHAPE ? heddle_array_equal(a, b) : heddle_all_with(r, NULL);
    return heddle__expr_from_array(run, r, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define CLOSE(name)                                                                                \
    {                                                                                              \
#name, "a/x b/y rtol= atol= equal_nan=", call_close,                                       \
        {                                                                                          \
            .close = heddle_##name##_with                                                          \
        }                                                                                          \
    }

static const struct function rows[] = {
    PLAIN(round, "a/x decimals=", call_around),
    PLAIN(around, "a/x decimals=", call_around),
    PLAIN(rint, "x/a", call_rint),
    UNARY(fix, trunc),
    UNARY(fabs, fabs),
    UNARY(degrees, degrees),
    UNARY(rad2deg, degrees),
    UNARY(radians, radians),
    UNARY(deg2rad, radians),
    PLAIN(angle, "z/x deg=", call_angle),
    UNARY(sinc, sinc),
    UNARY(isposinf, isposinf),
    UNARY(isneginf, isneginf),
    UNARY(isreal, isreal),
    UNARY(iscomplex, iscomplex),
    BINARY(heaviside, heaviside),
    BINARY(float_power, float_power),
    PLAIN(nan_to_num, "x/a copy= nan= posinf= neginf=", call_nan_to_num),
    PLAIN(divmod, "x1/a x2/b", call_divmod),
    CLOSE(isclose),
    CLOSE(allclose),
    PLAIN(array_equal, "a1/a a2/b equal_nan=", call_array_equal),
    PLAIN(array_equiv, "a1/a a2/b", call_array_equiv),
    PLAIN(ldexp, "x1/a x2/b", call_ldexp),
    PLAIN(frexp, "x", call_frexp),
    PLAIN(spacing, "x", call_spacing),
};

TABLE(special);
