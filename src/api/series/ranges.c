/* Ranges that grow by factors, and powers. Entry points: heddle_logspace_with, heddle_geomspace_with,
 * heddle_vander_with. */
#include "api/compose/compose.h"

#include "base/memory.h"
#include "base/options.h"

#include <heddle/create.h>
#include <heddle/series.h>

static heddle_array *range(heddle_array *start, heddle_array *stop, int64_t num,
                           const struct heddle_logspace_options *o)
{
    struct heddle_linspace_options linear = {.size = sizeof linear,
                                             .endpoint_excluded = o->endpoint_excluded};
    return heddle_linspace_with(start, stop, num, &linear);
}

/* The array to return when the arguments are bad. */
static heddle_array *check_ends(const char *name, heddle_array *start, heddle_array *stop,
                                int64_t num, const struct heddle_logspace_options *options,
                                struct heddle_logspace_options *o)
{
    heddle_array *const ends[2] = {start, stop};
    heddle_array *const bad = heddle__bad_operand(name, 2, ends);
    if (bad) return bad;
    if (heddle__options(name, options, o, sizeof *o) != HEDDLE_OK ||
        (o->dtype && heddle__check_dtype(name, o->dtype) != HEDDLE_OK))
        return heddle__error_last();
    for (int i = 0; i < 2; i++)
        if (ends[i]->ndim > 0)
            return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: argument %d has shape %s", name,
                                       i + 1, HEDDLE_SHAPE_OF(ends[i]));
    if (num < 0 || num > HEDDLE_MAX_SIZE)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: num is %lld", name, (long long)num);
    return NULL;
}

static heddle_array *logspace(heddle_array *start, heddle_array *stop, int64_t num,
                              const struct heddle_logspace_options *o)
{
    return heddle_pow(heddle_scalar_float(o->base != 0 ? o->base : 10), range(start, stop, num, o));
}

static heddle_array *geomspace(heddle_array *start, heddle_array *stop, int64_t num,
                               const struct heddle_logspace_options *o)
{
    const bool complex = heddle__kind_rank((enum heddle_dtype)start->dtype) == 3 ||
                         heddle__kind_rank((enum heddle_dtype)stop->dtype) == 3;
    const enum heddle_dtype dtype = complex ? HEDDLE_COMPLEX128 : HEDDLE_FLOAT64;
    heddle_array *from = heddle_astype(start, dtype), *to = heddle_astype(stop, dtype);

    /* turned so that it starts on the positive axis, where the logarithm is real */
    heddle_array *turn = heddle_sign(from);
    heddle_array *low = heddle_log10(heddle_divide(from, turn));
    heddle_array *high = heddle_log10(heddle_divide(to, turn));
    heddle_array *r = heddle_pow(heddle_scalar_float(10), range(low, high, num, o));
    r = heddle_multiply(r, turn);
    heddle_array *index = heddle__index_along(num, 0, 1);
    if (num > 0) r = heddle_where(heddle_equal(index, heddle_scalar_int(0)), from, r);
    if (num > 1 && !o->endpoint_excluded)
        r = heddle_where(heddle_equal(index, heddle_scalar_int(num - 1)), to, r);
    return r;
}

typedef heddle_array *spaced(heddle_array *start, heddle_array *stop, int64_t num,
                             const struct heddle_logspace_options *o);

static heddle_array *between(const char *name, spaced *f, heddle_array *start, heddle_array *stop,
                             int64_t num, const struct heddle_logspace_options *options)
{
    struct heddle_logspace_options o;
    heddle_array *const bad = check_ends(name, start, stop, num, options, &o);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = f(start, stop, num, &o);
    return heddle__scope_leave(&scope, o.dtype ? heddle_astype(r, o.dtype) : r);
}

heddle_array *heddle_logspace_with(heddle_array *start, heddle_array *stop, int64_t num,
                                   const struct heddle_logspace_options *o)
{
    return between("logspace", logspace, start, stop, num, o);
}

heddle_array *heddle_geomspace_with(heddle_array *start, heddle_array *stop, int64_t num,
                                    const struct heddle_logspace_options *o)
{
    return between("geomspace", geomspace, start, stop, num, o);
}

heddle_array *heddle_vander_with(heddle_array *x, int n,
                                 const struct heddle_vander_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("vander", 1, &x);
    if (bad) return bad;
    struct heddle_vander_options o;
    if (heddle__options("vander", options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (x->ndim != 1)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_vander: shape %s has not one axis",
                                   HEDDLE_SHAPE_OF(x));
    if (n < 0) return heddle__error_array(HEDDLE_EARG, "heddle_vander: %d powers", n);

    /* build: each power is the one before times x */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const enum heddle_dtype dtype =
        x->dtype == HEDDLE_UINT64                             ? HEDDLE_FLOAT64
        : heddle__kind_rank((enum heddle_dtype)x->dtype) < 2  ? HEDDLE_INT64
        : heddle__kind_rank((enum heddle_dtype)x->dtype) == 2 ? HEDDLE_FLOAT64
                                                              : HEDDLE_COMPLEX128;
    x = heddle_astype(x, dtype);
    heddle_array **powers = heddle__alloc((size_t)(n ? n : 1) * sizeof *powers);
    heddle_array *power = heddle_astype(heddle__constant(1, dtype), dtype), *r = NULL;
    const int64_t shape[2] = {x->size, n};
    power = heddle_broadcast_to(power, 1, &x->size);
    for (int i = 0; i < n && powers; i++) {
        powers[o.increasing ? i : n - 1 - i] = power;
        power = i == 0 ? x : heddle_multiply(power, x);
    }
    if (!powers)
        r = heddle__error_array(HEDDLE_ENOMEM, "heddle_vander: no memory for %d powers", n);
    else if (n == 0)
        r = heddle__hand_out(heddle__make_zeros(dtype, 2, shape));
    else
        r = heddle_stack(n, powers, 1);
    heddle__free(powers);
    return heddle__scope_leave(&scope, r);
}
