/* Fourier transforms: sums over all elements of a line in long double, axis after axis, of which the real and the
 * imaginary parts are added, as values are real. */
#include "families/cases.h"

#include <math.h>
#include <stdlib.h>

struct complex_value {
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM], size;
    long double *re, *im;
};

static struct complex_value complex_new(int ndim, const int64_t *shape)
{
    struct complex_value v = {.ndim = ndim, .size = 1};
    for (int d = 0; d < ndim; d++) v.size *= v.shape[d] = shape[d];
    v.re = calloc((size_t)v.size + 1, sizeof *v.re);
    v.im = calloc((size_t)v.size + 1, sizeof *v.im);
    return v;
}

static void complex_free(struct complex_value *v)
{
    free(v->re);
    free(v->im);
}

/* A transform of length n along an axis, of which the first `kept` elements stay; elements beyond the end are 0. With
 * `mirrored` the operand has the first half of lines, whose other half is its conjugate. */
static void transform(struct complex_value *v, int axis, int64_t n, int64_t kept, int sign,
                      bool mirrored)
{
    const long double turn = 6.283185307179586476925286766559L / (long double)n;
    int64_t shape[HEDDLE_MAX_NDIM], inner = 1;
    for (int d = 0; d < v->ndim; d++) {
        shape[d] = d == axis ? kept : v->shape[d];
        if (d > axis) inner *= v->shape[d];
    }
    struct complex_value r = complex_new(v->ndim, shape);
    const int64_t extent = v->shape[axis];
    for (int64_t i = 0; i < r.size; i++) {
        const int64_t k = i / inner % kept, first = i / (inner * kept) * inner * extent + i % inner;
        for (int64_t j = 0; j < n; j++) {
            const bool other = mirrored && j > n / 2;
            const int64_t from = other ? n - j : j;
            if (from >= extent) continue;
            const long double angle = (long double)sign * turn * (long double)(j * k % n);
            const long double c = cosl(angle), s = sinl(angle), re = v->re[first + from * inner];
            long double im = v->im[first + from * inner];
            if (other) im = -im;
            if (mirrored && (from == 0 || 2 * from == n)) im = 0;
            r.re[i] += re * c - im * s;
            r.im[i] += re * s + im * c;
        }
    }
    complex_free(v);
    *v = r;
}

bool fft_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (a->ndim == 0 || a->size == 0 || a->size > 20000 || !(value_largest(a) < 1e6)) return false;
    const enum heddle_dtype dtype = a->dtype == HEDDLE_FLOAT32 ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64;
    enum { COMPLEX, REAL, TO_REAL } what = (int)random_below(r, 3);
    const bool inverse = what == COMPLEX ? random_below(r, 2) : what == TO_REAL;
    struct heddle_fftn_options o = {.size = sizeof o,
                                    .norm = (enum heddle_fft_norm)random_below(r, 3)};

    /* the axes, at random, and their lengths */
    int n_axes = 1 + (int)random_below(r, a->ndim < 3 ? a->ndim : 3);
    double sums = 1, all = 1, steps = 0;
    for (int i = 0; i < n_axes; i++) {
        int axis;
        bool again;
        do {
            axis = (int)random_below(r, a->ndim);
            again = false;
            for (int k = 0; k < i; k++) again |= o.axes.at[k] == axis;
        } while (again);
        o.axes.at[i] = axis;
        const int64_t extent = a->shape[axis];
        const bool doubles = what == TO_REAL && i == n_axes - 1;
        o.s.at[i] = doubles && extent > 1     ? 2 * (extent - 1)
                    : random_below(r, 3) == 0 ? 1 + random_below(r, 2 * extent)
                                              : extent;
        sums *= (double)o.s.at[i];
        all *= fmax((double)o.s.at[i], (double)extent);
        steps += log2((double)o.s.at[i]) + 1;
    }
    o.axes.count = o.s.count = n_axes;
    if (all * (double)a->size > 4e6) return false;

    /* the value: the special axis is the last of the list */
    struct complex_value v = complex_new(a->ndim, a->shape);
    for (int64_t i = 0; i < a->size; i++) {
        v.re[i] = a->data[i];
        v.im[i] = what == REAL ? 0 : a->data[a->size - 1 - i];
    }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n_axes; i++) {
            const bool special = what != COMPLEX && i == n_axes - 1;
            if ((pass == 0) != (what == TO_REAL ? !special : what == REAL ? special : true))
                continue;
            const int64_t n = o.s.at[i];
            transform(&v, o.axes.at[i], n, what == REAL && special ? n / 2 + 1 : n,
                      inverse ? 1 : -1, what == TO_REAL && special);
        }
    const double factor = o.norm == HEDDLE_FFT_ORTHO                   ? 1 / sqrt(sums)
                          : (o.norm == HEDDLE_FFT_BACKWARD) == inverse ? 1 / sums
                                                                       : 1;
    *out = value_new(dtype, v.ndim, v.shape);
    value_inherit(out, a);
    for (int64_t i = 0; i < v.size; i++)
        out->data[i] = value_round(dtype, (double)((v.re[i] + v.im[i]) * factor));
    complex_free(&v);
    out->exact = false;
    out->by_libm = true; /* the CPU's transforms, or the GPU's */
    const double largest = value_largest(out) > 0 ? value_largest(out) : 1;
    out->spread = (a->spread + 8 * steps * value_epsilon(dtype)) * 4 * value_largest(a) * sums *
                  factor / largest;

    /* the operation */
    heddle_array *x = heddle_astype(a->array, dtype), *y;
    if (what != REAL) {
        heddle_array *flat = heddle_reshape(x, HEDDLE_SHAPE(a->size));
        heddle_array *flipped = heddle_reshape(heddle_flip(flat), a->ndim, a->shape);
        x = heddle_add(x, heddle_multiply(flipped, heddle_scalar_complex(0, 1)));
    }
    y = what == REAL      ? heddle_fft_rfftn_with(x, &o)
        : what == TO_REAL ? heddle_fft_irfftn_with(x, &o)
        : inverse         ? heddle_fft_ifftn_with(x, &o)
                          : heddle_fft_fftn_with(x, &o);
    out->array = what == TO_REAL ? y : heddle_add(heddle_real(y), heddle_imag(y));
    return true;
}
