/* Windows of signals: bartlett, hanning, hamming, blackman, kaiser. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

#include <math.h>

static heddle_array *times(double factor, heddle_array *x)
{
    return heddle_multiply(heddle_scalar_float(factor), x);
}

static heddle_array *plus(double number, heddle_array *x)
{
    return heddle_add(heddle_scalar_float(number), x);
}

/* ---- Windows ---------------------------------------------------------------------------------------------- */

/* M points, 2 i - (M - 1) for i from 0, over M - 1; of one point that is 1 everywhere. */
static bool points(struct run *run, const struct value *v, heddle_array **out, bool *one)
{
    double m = 0;
    if (!heddle__expr_to_double(run, v, "the number of points", &m)) return false;
    if (!(m < 1e15)) return heddle__expr_fail(run, HEDDLE_ERANGE, v->at, "%g points", m);
    *one = m == 1;
    heddle_array *const i = heddle_arange(
        heddle_scalar_float(1 - m), heddle_scalar_float(m < 1 ? 1 - m : m), heddle_scalar_float(2));
    *out = *one ? i : times(1 / (m - 1), i);
    return true;
}

/* a0 + a1 cos(pi x) + a2 cos(2 pi x); f->number chooses the row. */
CALL(call_cosines)
{
    static const double of[][3] = {{0.5, 0.5, 0}, {0.54, 0.46, 0}, {0.42, 0.5, 0.08}};
    const double *a = of[f->number], pi = 3.14159265358979323846;
    heddle_array *x;
    bool one;
    if (!points(run, &args[0], &x, &one)) return false;
    heddle_array *r = plus(a[0], times(a[1], heddle_cos(times(pi, x))));
    if (a[2] != 0) r = heddle_add(r, times(a[2], heddle_cos(times(2 * pi, x))));
    return heddle__expr_from_array(run, one ? heddle_ones_like(r) : r, at, out);
}

/* A triangle. */
CALL(call_bartlett)
{
    (void)f;
    heddle_array *x;
    bool one;
    return points(run, &args[0], &x, &one) &&
           heddle__expr_from_array(
               run, one ? heddle_ones_like(x) : plus(1, heddle_negative(heddle_abs(x))), at, out);
}

CALL(call_kaiser)
{
    (void)f;
    heddle_array *x, *beta;
    bool one;
    if (!points(run, &args[0], &x, &one) || !heddle__expr_to_array(run, &args[1], false, &beta))
        return false;
    if (one) return heddle__expr_from_array(run, heddle_ones_like(x), at, out);
    heddle_array *const root = heddle_sqrt(plus(1, heddle_negative(heddle_square(x))));
    heddle_array *const whole = heddle_astype(beta, HEDDLE_FLOAT64);
    return heddle__expr_from_array(
        run, heddle_divide(heddle_i0(heddle_multiply(whole, root)), heddle_i0(whole)), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    {"hanning", "M", call_cosines, {.number = 0}},  {"hamming", "M", call_cosines, {.number = 1}},
    {"blackman", "M", call_cosines, {.number = 2}}, PLAIN(bartlett, "M", call_bartlett),
    PLAIN(kaiser, "M beta", call_kaiser),
};

TABLE(windows);
