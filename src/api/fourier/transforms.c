/* Transforms along one axis and along several. Real numbers become complex ones by rfft and are its inverse's result;
 * hfft and ihfft are these of conjugates. Entry points: heddle_fft_*_with of fft.h, but frequencies and shifts. */
#include "api/compose/compose.h"

#include "base/options.h"
#include "families/fft/fft.h"

#include <heddle/fft.h>

#include <math.h>

/* What a function does along its axes, of which the last one may be special. */
enum what { COMPLEX, REAL, TO_REAL };

struct transform {
    const char *name;
    enum what what;
    bool inverse;
    bool of_conjugate, conjugate; /* hfft, ihfft: before and after */
    enum heddle_fft_norm norm;
    int n; /* axes, in the order of the caller */
    int axis[HEDDLE_MAX_NDIM];
    int64_t length[HEDDLE_MAX_NDIM]; /* of the transforms */
};

/* ---- Checks ------------------------------------------------------------------------------------------ */

static enum heddle_status check_norm(const struct transform *t)
{
    HEDDLE_REQUIRE((unsigned)t->norm <= HEDDLE_FFT_FORWARD, HEDDLE_EARG,
                   "heddle_%s: .norm %d is none", t->name, (int)t->norm);
    return HEDDLE_OK;
}

static enum heddle_status check_dtype(const struct transform *t, const heddle_array *a)
{
    HEDDLE_REQUIRE(t->what != REAL || heddle__kind_rank((enum heddle_dtype)a->dtype) < 3,
                   HEDDLE_EDTYPE, "heddle_%s: dtype %s; accepts real numbers", t->name,
                   heddle_dtype_name((enum heddle_dtype)a->dtype));
    return HEDDLE_OK;
}

/* Sets the length along axis i: that given or, if `given` is not positive, what the extent says. */
static enum heddle_status set_length(struct transform *t, int i, const heddle_array *a,
                                     bool is_given, int64_t given)
{
    const int64_t extent = a->shape[t->axis[i]];
    const bool doubles = t->what == TO_REAL && i == t->n - 1;
    t->length[i] = is_given ? given : doubles ? 2 * (extent - 1) : extent;
    HEDDLE_REQUIRE(t->length[i] >= 1, HEDDLE_ESHAPE,
                   "heddle_%s: a transform of %lld elements along axis %d of shape %s", t->name,
                   (long long)t->length[i], t->axis[i], HEDDLE_SHAPE_OF(a));
    HEDDLE_REQUIRE(t->length[i] < HEDDLE_MAX_SIZE, HEDDLE_ESHAPE, "heddle_%s: too many elements",
                   t->name);
    return HEDDLE_OK;
}

/* ---- Building ---------------------------------------------------------------------------------------- */

/* In float32 or float64, or complex of these. */
static heddle_array *converted(heddle_array *a, bool to_complex)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype,
                            computed = heddle__computed_in(dtype);
    const bool single = computed == HEDDLE_FLOAT32 || computed == HEDDLE_COMPLEX64;
    const enum heddle_dtype real = single ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64;
    const enum heddle_dtype complex = single ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128;
    return heddle_astype(a, to_complex ? complex : real);
}

/* The axis cut off or filled up with zeros. */
static heddle_array *resized(heddle_array *a, int axis, int64_t extent)
{
    if (extent <= a->shape[axis])
        return extent < a->shape[axis] ? heddle__slice(a, axis, 0, extent) : a;
    int64_t widths[2 * HEDDLE_MAX_NDIM] = {0};
    widths[2 * axis + 1] = extent - a->shape[axis];
    return heddle_pad_with(a, 2 * a->ndim, widths, NULL);
}

static double factor(const struct transform *t, bool inverse)
{
    double n = 1;
    for (int i = 0; i < t->n; i++) n *= (double)t->length[i];
    if (t->norm == HEDDLE_FFT_ORTHO) return 1 / sqrt(n);
    return (t->norm == HEDDLE_FFT_BACKWARD) == inverse ? 1 / n : 1;
}

static heddle_array *node(heddle_array *a, enum heddle_fft_kind kind, unsigned axes, bool inverse,
                          int64_t n, double factor_)
{
    if (heddle_status_of(a) != HEDDLE_OK || axes == 0) return a;
    return heddle__hand_out(heddle__fft(a, kind, axes, inverse, n, factor_));
}

/* All of a transform of real numbers, of which `half` has indices 0 .. n / 2 along `axis`: the rest is the conjugate of what has the
 * opposite index along each transformed axis. */
static heddle_array *mirrored(heddle_array *half, unsigned axes, int axis, int64_t n)
{
    int64_t shift[HEDDLE_MAX_NDIM] = {0};
    struct heddle_axes flipped = {0};
    if (heddle_status_of(half) != HEDDLE_OK || n < 3) return half;
    for (int d = 0; d < half->ndim; d++) {
        if (!(axes >> d & 1)) continue;
        flipped.at[flipped.count++] = d;
        shift[d] = d != axis && half->shape[d] > 1; /* index 0 is opposite to itself */
    }
    heddle_array *rest = heddle__slice(half, axis, 1, n - n / 2);
    rest = heddle_flip(rest, .axes = flipped);
    rest = heddle_conj(heddle__rolled(rest, shift));
    heddle_array *const both[2] = {half, rest};
    return heddle_concat(2, both, axis);
}

/* Along which of its axes a transform of real numbers is done by half, the innermost that is not short: number of the axis, or -1. */
static int halved_axis(const struct transform *t, const heddle_array *a)
{
    enum { SHORT = 32, FEW = 512 }; /* where putting it together costs more */
    int at = -1;
    if (t->what != COMPLEX || heddle__kind_rank((enum heddle_dtype)a->dtype) >= 3 || a->size < FEW)
        return -1;
    for (int i = 0; i < t->n; i++)
        if (t->length[i] >= SHORT && (at < 0 || t->axis[i] > t->axis[at])) at = i;
    return at;
}

/* Half of the transform along that axis, all of it along the others, and the rest from these: half of the work and memory. */
static heddle_array *by_half(const struct transform *t, heddle_array *a, unsigned axes, int at)
{
    const unsigned special = 1u << t->axis[at];
    const double all = factor(t, t->inverse);
    a = node(a, HEDDLE_FFT_R2C, special, false, t->length[at], axes == special ? all : 1);
    a = node(a, HEDDLE_FFT_C2C, axes & ~special, false, 0, all);
    a = mirrored(a, axes, t->axis[at], t->length[at]);
    return t->inverse ? heddle_conj(a) : a;
}

static heddle_array *build(const struct transform *t, heddle_array *a)
{
    const int last = t->n - 1;
    const int halved = halved_axis(t, a);
    unsigned axes = 0;
    a = converted(a, t->what != REAL && halved < 0);
    for (int i = 0; i < t->n && heddle_status_of(a) == HEDDLE_OK; i++) {
        const bool half = t->what == TO_REAL && i == last;
        a = resized(a, t->axis[i], half ? t->length[i] / 2 + 1 : t->length[i]);
        axes |= 1u << t->axis[i];
    }
    if (t->of_conjugate) a = heddle_conj(a);
    if (t->n == 0) return a;
    if (halved >= 0) return by_half(t, a, axes, halved);
    const unsigned special = 1u << t->axis[last];
    /* hfft is an inverse that is called a transform, and has its factor */
    const double all = factor(t, t->inverse != (t->of_conjugate || t->conjugate));
    if (t->what == COMPLEX) return node(a, HEDDLE_FFT_C2C, axes, t->inverse, 0, all);
    if (t->what == REAL) {
        const bool one = axes == special;
        a = node(a, HEDDLE_FFT_R2C, special, false, t->length[last], one ? all : 1);
        a = node(a, HEDDLE_FFT_C2C, axes & ~special, false, 0, all);
    } else {
        a = node(a, HEDDLE_FFT_C2C, axes & ~special, true, 0, 1);
        a = node(a, HEDDLE_FFT_C2R, special, true, t->length[last], all);
    }
    return t->conjugate ? heddle_conj(a) : a;
}

static heddle_array *transform(const struct transform *t, heddle_array *a)
{
    struct heddle_shape shape = {.ndim = a->ndim};
    bool empty = false;
    for (int d = 0; d < a->ndim; d++) shape.extent[d] = a->shape[d];
    for (int i = 0; i < t->n; i++)
        shape.extent[t->axis[i]] =
            t->what == REAL && i == t->n - 1 ? t->length[i] / 2 + 1 : t->length[i];
    for (int d = 0; d < a->ndim; d++) empty |= shape.extent[d] == 0;
    if (heddle__check_shape(t->name, shape.ndim, shape.extent) != HEDDLE_OK)
        return heddle__error_last();

    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r;
    if (empty) {
        const enum heddle_dtype dtype = (enum heddle_dtype)converted(a, true)->dtype;
        r = heddle__zeros(t->what == TO_REAL ? heddle__real_dtype(dtype) : dtype, &shape);
    } else {
        r = build(t, a);
    }
    return heddle__scope_leave(&scope, r);
}

/* ---- Along one axis ---------------------------------------------------------------------------------- */

static heddle_array *along_one(struct transform t, heddle_array *a,
                               const struct heddle_fft_options *options)
{
    heddle_array *const bad = heddle__bad_operand(t.name, 1, &a);
    if (bad) return bad;
    struct heddle_fft_options o;
    if (heddle__options(t.name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    t.norm = o.norm;
    t.n = 1;
    if (check_dtype(&t, a) != HEDDLE_OK || check_norm(&t) != HEDDLE_OK ||
        heddle__axis_option(t.name, o.has_axis, o.axis, -1, a, &t.axis[0]) != HEDDLE_OK ||
        set_length(&t, 0, a, o.n != 0, o.n) != HEDDLE_OK)
        return heddle__error_last();
    return transform(&t, a);
}

#define ALONG_ONE(function, ...)                                                                   \
    heddle_array *heddle_fft_##function##_with(heddle_array *a,                                    \
                                               const struct heddle_fft_options *o)                 \
    {                                                                                              \
        return along_one((struct transform){.name = "fft_" #function, __VA_ARGS__}, a, o);         \
    }
ALONG_ONE(fft, .what = COMPLEX)
ALONG_ONE(ifft, .what = COMPLEX, .inverse = true)
ALONG_ONE(rfft, .what = REAL)
ALONG_ONE(irfft, .what = TO_REAL, .inverse = true)
ALONG_ONE(hfft, .what = TO_REAL, .inverse = true, .of_conjugate = true)
ALONG_ONE(ihfft, .what = REAL, .conjugate = true)

/* ---- Along several axes ------------------------------------------------------------------------------ */

/* The axes in the caller's order; `fallback`: how many of the last there are by default, 0: all. */
static enum heddle_status set_axes(struct transform *t, const heddle_array *a,
                                   const struct heddle_fftn_options *o, int fallback)
{
    const bool given = o->axes.count != 0;
    HEDDLE_REQUIRE(o->axes.count >= -1 && o->axes.count <= HEDDLE_MAX_NDIM && o->s.count >= 0 &&
                       o->s.count <= HEDDLE_MAX_NDIM,
                   HEDDLE_EARG, "heddle_%s: %d axes and %d lengths", t->name, o->axes.count,
                   o->s.count);
    int n = given ? o->axes.count : fallback ? fallback : o->s.count ? o->s.count : a->ndim;
    if (n < 0) n = 0;
    HEDDLE_REQUIRE(o->s.count == 0 || o->s.count == n, HEDDLE_EARG,
                   "heddle_%s: %d lengths for %d axes", t->name, o->s.count, n);
    HEDDLE_REQUIRE(given || n <= a->ndim, HEDDLE_EAXIS, "heddle_%s: shape %s has no %d axes",
                   t->name, HEDDLE_SHAPE_OF(a), n);
    HEDDLE_REQUIRE(n > 0 || t->what == COMPLEX, HEDDLE_EAXIS, "heddle_%s: shape %s, and no axis",
                   t->name, HEDDLE_SHAPE_OF(a));
    t->n = n;
    unsigned mask = 0;
    for (int i = 0; i < n; i++) {
        const enum heddle_status status = heddle__axis(
            t->name, given ? o->axes.at[i] : a->ndim - n + i, a->ndim, a->shape, &t->axis[i]);
        if (status != HEDDLE_OK) return status;
        HEDDLE_REQUIRE(!(mask >> t->axis[i] & 1), HEDDLE_EARG, "heddle_%s: axis %d is named twice",
                       t->name, t->axis[i]);
        mask |= 1u << t->axis[i];
    }
    for (int i = 0; i < n; i++) {
        const enum heddle_status status =
            set_length(t, i, a, o->s.count > 0 && o->s.at[i] != -1, o->s.at[i]);
        if (status != HEDDLE_OK) return status;
    }
    return HEDDLE_OK;
}

static heddle_array *along_several(struct transform t, int fallback, heddle_array *a,
                                   const struct heddle_fftn_options *options)
{
    heddle_array *const bad = heddle__bad_operand(t.name, 1, &a);
    if (bad) return bad;
    struct heddle_fftn_options o;
    if (heddle__options(t.name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    t.norm = o.norm;
    if (check_dtype(&t, a) != HEDDLE_OK || check_norm(&t) != HEDDLE_OK ||
        set_axes(&t, a, &o, fallback) != HEDDLE_OK)
        return heddle__error_last();
    return transform(&t, a);
}

#define ALONG_SEVERAL(function, n, ...)                                                            \
    heddle_array *heddle_fft_##function##_with(heddle_array *a,                                    \
                                               const struct heddle_fftn_options *o)                \
    {                                                                                              \
        return along_several((struct transform){.name = "fft_" #function, __VA_ARGS__}, n, a, o);  \
    }
ALONG_SEVERAL(fftn, 0, .what = COMPLEX)
ALONG_SEVERAL(ifftn, 0, .what = COMPLEX, .inverse = true)
ALONG_SEVERAL(rfftn, 0, .what = REAL)
ALONG_SEVERAL(irfftn, 0, .what = TO_REAL, .inverse = true)
ALONG_SEVERAL(fft2, 2, .what = COMPLEX)
ALONG_SEVERAL(ifft2, 2, .what = COMPLEX, .inverse = true)
ALONG_SEVERAL(rfft2, 2, .what = REAL)
ALONG_SEVERAL(irfft2, 2, .what = TO_REAL, .inverse = true)
