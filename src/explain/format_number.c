/* Floating-point numbers as decimal digits, as NumPy's dragon4 calls lay them out. Digits come from
 * %e, which rounds correctly; the shortest ones are found by reading them back.
 * Entry points: format_number.h. */
#include "explain/format_number.h"

#include "base/dtype.h"
#include "expr/lexer/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISION = 8 }; /* NumPy's default */

/* Writes behind what is in HEDDLE_FORMAT_MAX bytes: no number needs half of them. */
__attribute__((format(printf, 2, 3))) static int print(char *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(out, HEDDLE_FORMAT_MAX / 2, format, args);
    va_end(args);
    return n;
}

/* digits d1 d2 ... dn of d1.d2... * 10^exponent, of |x| finite. */
struct decimal {
    char digits[24];
    int n, exponent;
};

static struct decimal digits_of(double x, int n)
{
    char text[48];
    struct decimal d = {.n = 0};
    snprintf(text, sizeof text, "%.*e", n - 1, fabs(x));
    const char *e = strchr(text, 'e');
    for (const char *p = text; p < e; p++) /* the point is the locale's */
        if (*p >= '0' && *p <= '9') d.digits[d.n++] = *p;
    d.exponent = (int)strtol(e + 1, NULL, 10);
    return d;
}

static void strip(struct decimal *d)
{
    while (d->n > 1 && d->digits[d->n - 1] == '0') d->n--;
}

/* Digits that tell all its numbers apart. */
static int digits_of_all(enum heddle_dtype dtype)
{
    switch (dtype) {
    case HEDDLE_FLOAT16: return 5;
    case HEDDLE_BFLOAT16: return 4;
    case HEDDLE_FLOAT32: return 9;
    default: return 17;
    }
}

/* From where on NumPy writes an exponent. */
static double large(enum heddle_dtype dtype, double otherwise)
{
    if (heddle__is_half(dtype)) return 1e3;
    return dtype == HEDDLE_FLOAT32 ? 1e6 : otherwise;
}

static bool reads_back(const struct decimal *d, double x, enum heddle_dtype dtype)
{
    char text[48];
    snprintf(text, sizeof text, "%.*se%d", d->n, d->digits, d->exponent - d->n + 1);
    const double y = heddle__strtod(text);
    /* rounding twice is harmless: 9 digits are far from float32's halfway points in double */
    return heddle__as_held(y, dtype) == heddle__as_held(fabs(x), dtype);
}

static struct decimal shortest(double x, enum heddle_dtype dtype)
{
    struct heddle_finfo info;
    heddle_finfo_get(dtype, &info);
    const int most = digits_of_all(dtype);
    const bool tiny = most < 9 || fabs(x) < info.smallest_normal;
    struct decimal d = {.digits = "0", .n = 1};
    if (x == 0) return d;
    for (int n = tiny ? 1 : most - 3; n <= most; n++) {
        d = digits_of(x, n);
        if (n == most || reads_back(&d, x, dtype)) break;
    }
    strip(&d);
    return d;
}

/* The shortest digits, but at most `fraction` after the point (of d1.d2... when `exponential`). */
static struct decimal rounded(double x, enum heddle_dtype dtype, bool exponential, int fraction)
{
    const struct decimal d = shortest(x, dtype);
    const int after = exponential ? d.n - 1 : d.n - 1 - d.exponent;
    if (after <= fraction) return d;
    struct decimal r = digits_of(x, exponential ? fraction + 1 : d.exponent + 1 + fraction);
    strip(&r);
    return r;
}

/* Digits as "12." and "5" around the point. */
static int put_positional(const struct decimal *d, char *out)
{
    int n = 0;
    if (d->exponent < 0) {
        n += print(out, "0.");
        for (int i = -1; i > d->exponent; i--) out[n++] = '0';
    }
    for (int i = 0; i < d->n || i <= d->exponent; i++) {
        out[n++] = i < d->n ? d->digits[i] : '0';
        if (i == d->exponent) out[n++] = '.';
    }
    out[n] = 0;
    return n;
}

static int put_exponent(int exponent, int size, char *out)
{
    return print(out, "e%c%0*d", exponent < 0 ? '-' : '+', size, abs(exponent));
}

static int length_of(int exponent)
{
    return abs(exponent) >= 100 ? 3 : 2;
}

/* ---- Scalars ----------------------------------------------------------------------------------- */

int heddle__float_shortest(double x, enum heddle_dtype dtype, bool point, bool plus, char *out)
{
    int n = 0;
    if (isnan(x)) return print(out, "%snan", plus ? "+" : "");
    if (signbit(x))
        out[n++] = '-';
    else if (plus)
        out[n++] = '+';
    if (isinf(x)) return n + print(out + n, "inf");
    const struct decimal d = shortest(x, dtype);
    if (x == 0 || (fabs(x) >= 1e-4 && fabs(x) < large(dtype, 1e16))) {
        n += put_positional(&d, out + n);
        if (out[n - 1] == '.') {
            if (point)
                out[n++] = '0';
            else
                n--;
        }
        out[n] = 0;
        return n;
    }
    out[n++] = d.digits[0];
    if (d.n > 1) n += print(out + n, ".%.*s", d.n - 1, d.digits + 1);
    return n + put_exponent(d.exponent, 2, out + n);
}

/* ---- Columns ------------------------------------------------------------------------------------ */

static bool wants_exponent(const double *values, int64_t n, int64_t stride, enum heddle_dtype dtype)
{
    double largest = 0, smallest = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        const double x = fabs(values[i * stride]);
        if (!isfinite(x) || x == 0) continue;
        if (x > largest) largest = x;
        if (x < smallest) smallest = x;
    }
    if (largest == 0) return false;
    const double ratio =
        heddle__as_held(heddle__as_held(largest, dtype) / heddle__as_held(smallest, dtype), dtype);
    return largest >= large(dtype, 1e8) || smallest < heddle__as_held(0.0001, dtype) ||
           ratio > 1000;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

struct heddle__float_format heddle__float_format(const double *values, int64_t n, int64_t stride,
                                                 enum heddle_dtype dtype, bool plus)
{
    struct heddle__float_format f = {.dtype = dtype, .plus = plus};
    bool any_nan = false, any_inf = false, minus_inf = false, any_finite = false;
    f.exponential = wants_exponent(values, n, stride, dtype);
    for (int64_t i = 0; i < n; i++) {
        const double x = values[i * stride];
        any_nan = any_nan || isnan(x);
        any_inf = any_inf || isinf(x);
        minus_inf = minus_inf || (isinf(x) && x < 0);
        if (!isfinite(x)) continue;
        any_finite = true;
        const struct decimal d = rounded(x, dtype, f.exponential, PRECISION);
        const int sign = signbit(x) || plus;
        if (f.exponential) {
            f.pad_left = larger(f.pad_left, 1 + sign);
            f.precision = larger(f.precision, d.n - 1);
            f.exponent_size = larger(f.exponent_size, length_of(d.exponent));
        } else {
            f.pad_left = larger(f.pad_left, (d.exponent > 0 ? d.exponent + 1 : 1) + sign);
            f.pad_right = larger(f.pad_right, larger(d.n - 1 - d.exponent, 0));
        }
    }
    if (!any_finite) f.exponential = false;
    if (f.exponential) f.pad_right = f.exponent_size + 2 + f.precision;
    if (any_nan || any_inf) {
        const int offset = f.pad_right + 1, inf = 3 + (plus || minus_inf);
        f.pad_left = larger(f.pad_left, larger(3, inf) - offset);
    }
    return f;
}

int heddle__float_write(const struct heddle__float_format *f, double x, char *out)
{
    char text[HEDDLE_FORMAT_MAX];
    int n = 0, before;
    if (!isfinite(x)) {
        const char *sign = !isnan(x) && x < 0 ? "-" : f->plus ? "+" : "";
        snprintf(text, sizeof text, "%s%s", sign, isnan(x) ? "nan" : "inf");
        return print(out, "%*s", f->pad_left + f->pad_right + 1, text);
    }
    if (signbit(x))
        text[n++] = '-';
    else if (f->plus)
        text[n++] = '+';
    if (f->exponential) {
        struct decimal d = rounded(x, f->dtype, true, f->precision);
        if (d.n - 1 < f->precision && x != 0) d = digits_of(x, f->precision + 1);
        text[n++] = d.digits[0];
        before = n;
        text[n++] = '.';
        for (int i = 1; i <= f->precision; i++) text[n++] = i < d.n ? d.digits[i] : '0';
        n += put_exponent(d.exponent, f->exponent_size, text + n);
        return print(out, "%*s%.*s", f->pad_left - before, "", n, text);
    }
    const struct decimal d = rounded(x, f->dtype, false, PRECISION);
    n += put_positional(&d, text + n);
    before = (int)(strchr(text, '.') - text);
    const int after = n - before - 1;
    return print(out, "%*s%.*s%*s", f->pad_left - before, "", n, text, f->pad_right - after, "");
}
