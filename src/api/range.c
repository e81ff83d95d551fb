/* Ranges and the identity matrix, made of index nodes and elementwise operations, so that they fuse
 * and occupy no memory. Arguments that are not constants are evaluated at the call.
 * Entry points: heddle_arange_with, heddle_linspace_with, heddle_eye_with. */
#include "api/distribution.h"
#include "base/options.h"
#include "graph/evaluator.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/create.h>
#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <math.h>

/* A 0-d real argument as a number. */
struct number {
    bool is_int;
    __int128 i; /* of any dtype */
    double f;
};

static enum heddle_status number_of(const char *name, int position, heddle_array *a,
                                    struct number *out)
{
    /* check */
    HEDDLE_REQUIRE(a->ndim == 0, HEDDLE_ESHAPE, "heddle_%s: argument %d has shape %s, not ()", name,
                   position, HEDDLE_SHAPE_OF(a));
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    const int rank = heddle__kind_rank(dtype);
    HEDDLE_REQUIRE(rank < 3, HEDDLE_EDTYPE,
                   "heddle_%s: dtype %s of argument %d; accepts real "
                   "numbers",
                   name, heddle_dtype_name(dtype), position);

    /* its value */
    union heddle_scalar v = a->value;
    if (!heddle__is_constant(a)) {
        const enum heddle_status status =
            heddle__read_now(a, &v, (int64_t)heddle_dtype_size(dtype));
        if (status != HEDDLE_OK)
            return heddle__fail(status, "heddle_%s: argument %d: %s", name, position,
                                heddle_last_error());
    }
    out->is_int = rank < 2;
    out->i = heddle__convert(v, dtype, HEDDLE_INT64).i64;
    if (dtype == HEDDLE_UINT64) out->i = v.u64;
    out->f = heddle__convert(v, dtype, HEDDLE_FLOAT64).f64;
    return HEDDLE_OK;
}

/* An operand of values computed in `dtype`: int64, uint64 (which wraps) or float64. */
static heddle_array *scalar_of(struct number x, enum heddle_dtype dtype)
{
    const uint64_t wrapped = (uint64_t)x.i;
    if (dtype == HEDDLE_UINT64) return heddle_asarray_with(&wrapped, dtype, HEDDLE_NO_SHAPE, NULL);
    return dtype == HEDDLE_INT64 ? heddle_scalar_int((int64_t)x.i) : heddle_scalar_float(x.f);
}

/* ---- arange ------------------------------------------------------------------------------------- */

struct range {
    struct number start, stop, step;
    bool is_int;
    int64_t n;
    enum heddle_dtype dtype; /* in which the values are computed */
};

static bool fits(__int128 x, enum heddle_dtype dtype)
{
    return dtype == HEDDLE_UINT64 ? x >= 0 && x <= UINT64_MAX : x >= INT64_MIN && x <= INT64_MAX;
}

/* int64 if all values fit, or uint64; float64 of others. */
static enum heddle_status value_dtype(struct range *r)
{
    const __int128 first = r->n ? r->start.i : 0, last = first + (r->n ? r->n - 1 : 0) * r->step.i;
    r->dtype = r->is_int ? HEDDLE_INT64 : HEDDLE_FLOAT64;
    if (!r->is_int || (fits(first, HEDDLE_INT64) && fits(last, HEDDLE_INT64))) return HEDDLE_OK;
    HEDDLE_REQUIRE(fits(first, HEDDLE_UINT64) && fits(last, HEDDLE_UINT64), HEDDLE_ERANGE,
                   "heddle_arange: values that no integer dtype has");
    r->dtype = HEDDLE_UINT64;
    return HEDDLE_OK;
}

static enum heddle_status range_length(struct range *r)
{
    if (r->is_int) {
        HEDDLE_REQUIRE(r->step.i != 0, HEDDLE_EARG, "heddle_arange: step is 0");
        const __int128 step = r->step.i, way = r->stop.i - r->start.i;
        const __int128 n = (way + step - (step > 0 ? 1 : -1)) / step;
        const bool some = step > 0 ? way > 0 : way < 0;
        HEDDLE_REQUIRE(!some || n <= HEDDLE_MAX_SIZE, HEDDLE_ESHAPE,
                       "heddle_arange: too many elements");
        r->n = some ? (int64_t)n : 0;
        return HEDDLE_OK;
    }
    HEDDLE_REQUIRE(r->step.f != 0, HEDDLE_EARG, "heddle_arange: step is 0");
    const double n = ceil((r->stop.f - r->start.f) / r->step.f);
    HEDDLE_REQUIRE(!isnan(n), HEDDLE_EARG, "heddle_arange: from %g to %g by %g is no range",
                   r->start.f, r->stop.f, r->step.f);
    HEDDLE_REQUIRE(n <= (double)HEDDLE_MAX_SIZE, HEDDLE_ESHAPE,
                   "heddle_arange: %g elements are too many", n);
    r->n = n > 0 ? (int64_t)n : 0;
    return HEDDLE_OK;
}

static enum heddle_status range_arguments(heddle_array *start, heddle_array *stop,
                                          heddle_array *step, struct range *r)
{
    *r = (struct range){.start = {.is_int = true}, .step = {.is_int = true, .i = 1, .f = 1}};
    enum heddle_status status;
    HEDDLE_TRY(number_of("arange", 1, start, stop ? &r->start : &r->stop));
    if (stop) HEDDLE_TRY(number_of("arange", 2, stop, &r->stop));
    if (step) HEDDLE_TRY(number_of("arange", 3, step, &r->step));
    r->is_int = r->start.is_int && r->stop.is_int && r->step.is_int;
    HEDDLE_TRY(range_length(r));
    /* NumPy's step: the difference of the first two values */
    if (!r->is_int) r->step.f = (r->start.f + r->step.f) - r->start.f;
    HEDDLE_TRY(value_dtype(r));
fail:
    return status;
}

static heddle_array *make_arange(heddle_array *start, heddle_array *stop, heddle_array *step,
                                 enum heddle_dtype dtype)
{
    /* check */
    heddle_array *given[3] = {start};
    int n_given = 1;
    if (stop) given[n_given++] = stop;
    if (step) given[n_given++] = step;
    heddle_array *const bad = heddle__bad_operand("arange", n_given, given);
    if (bad) return bad;
    struct range r;
    if (range_arguments(start, stop, step, &r) != HEDDLE_OK) return heddle__error_last();
    if (!dtype) dtype = r.dtype;
    if (heddle__check_dtype("arange", dtype) != HEDDLE_OK) return heddle__error_last();

    /* build: start + index * step */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__hand_out(heddle__make_index(r.n));
    x = heddle_astype(x, r.dtype);
    const bool unit = r.is_int ? r.step.i == 1 : r.step.f == 1;
    const bool from_0 = r.is_int ? r.start.i == 0 : r.start.f == 0;
    if (!unit) x = heddle_multiply(x, scalar_of(r.step, r.dtype));
    if (!from_0) x = heddle_add(x, scalar_of(r.start, r.dtype));
    return heddle__scope_leave(&scope, heddle_astype(x, dtype));
}

/* ---- linspace ----------------------------------------------------------------------------------- */

static heddle_array *make_linspace(heddle_array *start, heddle_array *stop, int64_t num,
                                   enum heddle_dtype dtype, bool endpoint);

/* Of complex ends: each part by itself. The arguments are good. */
static heddle_array *complex_linspace(heddle_array *start, heddle_array *stop, int64_t num,
                                      enum heddle_dtype dtype, bool endpoint)
{
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *re =
        make_linspace(heddle_real(start), heddle_real(stop), num, HEDDLE_FLOAT64, endpoint);
    heddle_array *im =
        make_linspace(heddle_imag(start), heddle_imag(stop), num, HEDDLE_FLOAT64, endpoint);
    heddle_array *x = heddle_add(re, heddle_multiply(im, heddle_scalar_complex(0, 1)));
    return heddle__scope_leave(&scope, heddle_astype(x, dtype));
}

static heddle_array *make_linspace(heddle_array *start, heddle_array *stop, int64_t num,
                                   enum heddle_dtype dtype, bool endpoint)
{
    /* check */
    heddle_array *const given[2] = {start, stop};
    heddle_array *const bad = heddle__bad_operand("linspace", 2, given);
    if (bad) return bad;
    if (heddle__kind_rank((enum heddle_dtype)start->dtype) == 3 ||
        heddle__kind_rank((enum heddle_dtype)stop->dtype) == 3)
        return complex_linspace(start, stop, num, dtype ? dtype : HEDDLE_COMPLEX128, endpoint);
    if (!dtype) dtype = HEDDLE_FLOAT64;
    struct number from, to;
    if (number_of("linspace", 1, start, &from) != HEDDLE_OK ||
        number_of("linspace", 2, stop, &to) != HEDDLE_OK ||
        heddle__check_dtype("linspace", dtype) != HEDDLE_OK)
        return heddle__error_last();
    if (num < 0 || num > HEDDLE_MAX_SIZE)
        return heddle__error_array(HEDDLE_EARG, "heddle_linspace: num is %lld", (long long)num);

    /* build in float64: start + index * step, the last one exactly stop */
    const double intervals = (double)(endpoint ? num - 1 : num);
    const double step = intervals > 0 ? (to.f - from.f) / intervals : 0;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *index = heddle__hand_out(heddle__make_index(num));
    heddle_array *x = heddle_multiply(index, heddle_scalar_float(step));
    x = heddle_add(x, heddle_scalar_float(from.f));
    if (endpoint && num > 1)
        x = heddle_where(heddle_equal(index, heddle_scalar_int(num - 1)), heddle_scalar_float(to.f),
                         x);
    if (heddle__kind_rank(dtype) == 1) x = heddle_floor(x); /* as NumPy does */
    return heddle__scope_leave(&scope, heddle_astype(x, dtype));
}

/* ---- eye ---------------------------------------------------------------------------------------- */

static heddle_array *make_eye(int64_t rows, int64_t columns, enum heddle_dtype dtype, int64_t k)
{
    /* check */
    const int64_t shape[2] = {rows, columns < 0 ? rows : columns};
    if (heddle__check_dtype("eye", dtype) != HEDDLE_OK ||
        heddle__check_shape("eye", 2, shape) != HEDDLE_OK)
        return heddle__error_last();
    if (k <= -rows || k >= shape[1]) return heddle__hand_out(heddle__make_zeros(dtype, 2, shape));

    /* build: column == row + k */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *row = heddle__hand_out(heddle__make_index(rows));
    heddle_array *column = heddle__hand_out(heddle__make_index(shape[1]));
    row = heddle_expand_dims(row, 1);
    if (k != 0) row = heddle_add(row, heddle_scalar_int(k));
    return heddle__scope_leave(&scope, heddle_astype(heddle_equal(column, row), dtype));
}

/* ---- With options --------------------------------------------------------------------------- */

heddle_array *heddle_arange_with(heddle_array *start, heddle_array *stop, heddle_array *step,
                                 const struct heddle_create_options *options)
{
    struct heddle_create_options o;
    if (heddle__options("arange", options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    return heddle__then_distributed("arange", make_arange(start, stop, step, o.dtype),
                                    o.distribution);
}

heddle_array *heddle_linspace_with(heddle_array *start, heddle_array *stop, int64_t num,
                                   const struct heddle_linspace_options *options)
{
    struct heddle_linspace_options o;
    if (heddle__options("linspace", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    return heddle__then_distributed(
        "linspace", make_linspace(start, stop, num, o.dtype, !o.endpoint_excluded), o.distribution);
}

heddle_array *heddle_eye_with(int64_t rows, int64_t columns,
                              const struct heddle_eye_options *options)
{
    struct heddle_eye_options o;
    if (heddle__options("eye", options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    const enum heddle_dtype dtype = o.dtype ? o.dtype : HEDDLE_FLOAT64;
    return heddle__then_distributed("eye", make_eye(rows, columns, dtype, o.k), o.distribution);
}
