/* The frequencies of transforms, and their order. Entry points: heddle_fft_fftfreq_with, heddle_fft_rfftfreq_with,
 * heddle_fft_fftshift_with, heddle_fft_ifftshift_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/create.h>
#include <heddle/fft.h>

static enum heddle_status check(const char *name, int64_t n,
                                const struct heddle_fftfreq_options *given,
                                struct heddle_fftfreq_options *o)
{
    const enum heddle_status status = heddle__options(name, given, o, sizeof *o);
    if (status != HEDDLE_OK) return status;
    if (o->dtype == HEDDLE_DTYPE_NONE) o->dtype = HEDDLE_FLOAT64;
    if (o->d == 0) o->d = 1;
    HEDDLE_REQUIRE(n >= 1, HEDDLE_ESHAPE, "heddle_%s: %lld elements", name, (long long)n);
    HEDDLE_REQUIRE(heddle_dtype_kind(o->dtype) == 'F', HEDDLE_EDTYPE,
                   "heddle_%s: .dtype %s is not real floating", name, heddle_dtype_name(o->dtype));
    return HEDDLE_OK;
}

/* The first `length` of the frequencies: multiples of 1 / (n d), negative from the middle on. */
static heddle_array *frequencies(const char *name, int64_t n, int64_t length, bool negative,
                                 const struct heddle_fftfreq_options *options)
{
    struct heddle_fftfreq_options o;
    if (check(name, n, options, &o) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const struct heddle_create_options create = {
        .size = sizeof create, .dtype = HEDDLE_INT64, .distribution = o.distribution};
    heddle_array *k = heddle_arange_with(heddle_scalar_int(length), NULL, NULL, &create);
    if (negative)
        k = heddle_where(heddle_less(k, heddle_scalar_int((n + 1) / 2)), k,
                         heddle_subtract(k, heddle_scalar_int(n)));
    heddle_array *step = heddle_scalar_float(1 / ((double)n * o.d));
    heddle_array *r = heddle_multiply(heddle_astype(k, HEDDLE_FLOAT64), step);
    return heddle__scope_leave(&scope, heddle_astype(r, o.dtype));
}

heddle_array *heddle_fft_fftfreq_with(int64_t n, const struct heddle_fftfreq_options *o)
{
    return frequencies("fft_fftfreq", n, n, true, o);
}

heddle_array *heddle_fft_rfftfreq_with(int64_t n, const struct heddle_fftfreq_options *o)
{
    return frequencies("fft_rfftfreq", n, n / 2 + 1, false, o);
}

static heddle_array *shifted(const char *name, bool back, heddle_array *a,
                             const struct heddle_fftshift_options *options)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_fftshift_options o;
    unsigned mask = 0;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axes_option(name, false, 0, &o.axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    int64_t shift[HEDDLE_MAX_NDIM] = {0};
    for (int d = 0; d < a->ndim; d++)
        if (mask >> d & 1) shift[d] = back ? -(a->shape[d] / 2) : a->shape[d] / 2;
    heddle_array *r = heddle__rolled(a, shift);
    return heddle__scope_leave(&scope, r);
}

heddle_array *heddle_fft_fftshift_with(heddle_array *a, const struct heddle_fftshift_options *o)
{
    return shifted("fft_fftshift", false, a, o);
}

heddle_array *heddle_fft_ifftshift_with(heddle_array *a, const struct heddle_fftshift_options *o)
{
    return shifted("fft_ifftshift", true, a, o);
}
