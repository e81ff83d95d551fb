/* Functions of samples, and ranges that grow by factors. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/series.h>

CALL(call_logspace)
{
    heddle_array *start, *stop;
    int64_t num = 50;
    bool endpoint = true;
    struct heddle_logspace_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], false, &start) ||
        !heddle__expr_to_array(run, &args[1], false, &stop) ||
        !heddle__expr_to_optional_int(run, &args[2], "num", &num) ||
        !heddle__expr_to_bool(run, &args[3], "endpoint", &endpoint) ||
        !heddle__expr_to_nonzero(run, &args[4], "base", &o.base) ||
        !heddle__expr_to_dtype(run, &args[5], &o.dtype))
        return false;
    o.endpoint_excluded = !endpoint;
    return heddle__expr_from_array(run, f->logspace(start, stop, num, &o), at, out);
}

CALL(call_geomspace)
{
    struct value all[6] = {args[0], args[1], args[2], args[3], {.kind = VALUE_ABSENT}, args[4]};
    return call_logspace(run, f, at, all, out);
}

CALL(call_vander)
{
    (void)f;
    heddle_array *x;
    struct heddle_vander_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    int64_t n = heddle_ndim(x) == 1 ? heddle_size(x) : 0;
    if (!heddle__expr_to_optional_int(run, &args[1], "N", &n) ||
        !heddle__expr_to_bool(run, &args[2], "increasing", &o.increasing))
        return false;
    if (n < 0 || n > INT32_MAX)
        return heddle__expr_fail(run, HEDDLE_ERANGE, args[1].at, "%lld powers", (long long)n);
    return heddle__expr_from_array(run, heddle_vander_with(x, (int)n, &o), at, out);
}

CALL(call_interp)
{
    (void)f;
    heddle_array *x, *xp, *fp;
    struct heddle_interp_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_array(run, &args[1], true, &xp) &&
           heddle__expr_to_array(run, &args[2], true, &fp) &&
           heddle__expr_to_optional_array(run, &args[3], false, &o.left) &&
           heddle__expr_to_optional_array(run, &args[4], false, &o.right) &&
           heddle__expr_from_array(run, heddle_interp_with(x, xp, fp, &o), at, out);
}

CALL(call_convolve)
{
    static const char *const words[] = {"full", "same", "valid"};
    heddle_array *a, *v;
    int mode = -1;
    struct heddle_convolve_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &v) ||
        !heddle__expr_to_word(run, &args[2], "mode is", 3, words, &mode))
        return false;
    o.mode = (enum heddle_convolution)(mode + 1); /* no word: the default */
    return heddle__expr_from_array(run, f->convolve(a, v, &o), at, out);
}

static heddle_array *as_floating(heddle_array *x)
{
    const char kind = heddle_dtype_kind(heddle_dtype_of(x));
    return kind == 'F' || kind == 'C' ? x : heddle_astype(x, HEDDLE_FLOAT64);
}

CALL(call_unwrap)
{
    (void)f;
    heddle_array *a;
    struct heddle_unwrap_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_double(run, &args[1], "discont", &o.discont) &&
           heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis) &&
           heddle__expr_to_nonzero(run, &args[3], "period", &o.period) &&
           heddle__expr_from_array(
               run, heddle_unwrap_with(args[3].kind == VALUE_FLOAT ? as_floating(a) : a, &o), at,
               out);
}

/* The part behind the point and the whole part. */
CALL(call_modf)
{
    (void)f;
    heddle_array *x;
    if (!heddle__expr_to_array(run, &args[0], true, &x)) return false;
    x = as_floating(x);
    heddle_array *whole = heddle_trunc(x);
    heddle_array *rest =
        heddle_where(heddle_isinf(x), heddle_scalar_float(0), heddle_subtract(x, whole));
    heddle_array *const both[2] = {heddle_copysign(rest, x), whole};
    return heddle__expr_from_arrays(run, HEDDLE_OK, 2, both, VALUE_TUPLE, at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    {"logspace",
     "start stop num= endpoint= base= dtype=",
     call_logspace,
     {.logspace = heddle_logspace_with}},
    {"geomspace",
     "start stop num= endpoint= dtype=",
     call_geomspace,
     {.logspace = heddle_geomspace_with}},
    PLAIN(vander, "x N= increasing=", call_vander),
    PLAIN(interp, "x xp fp left= right=", call_interp),
    {"convolve", "a v mode=", call_convolve, {.convolve = heddle_convolve_with}},
    {"correlate", "a v mode=", call_convolve, {.convolve = heddle_correlate_with}},
    {"polyval", "p x", heddle__expr_call_binary, {.binary = heddle_polyval}},
    PLAIN(unwrap, "p discont= axis= | period=", call_unwrap),
    PLAIN(modf, "x", call_modf),
};

TABLE(series);
