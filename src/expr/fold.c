/* Python's arithmetic of bool, int, float and complex scalars. Integers are int64: what does not
 * fit is an error. Knows no arrays. Entry points: heddle__expr_fold_binary, heddle__expr_fold_unary. */
#include "expr/value.h"

#include <math.h>

static int rank_of(const struct value *v)
{
    return (int)v->kind - (int)VALUE_BOOL; /* bool 0, int 1, float 2, complex 3 */
}

static int64_t int_of(const struct value *v)
{
    return v->kind == VALUE_BOOL ? v->boolean : v->integer;
}

static double real_of(const struct value *v)
{
    return v->kind == VALUE_FLOAT || v->kind == VALUE_COMPLEX ? v->re : (double)int_of(v);
}

static double imag_of(const struct value *v)
{
    return v->kind == VALUE_COMPLEX ? v->im : 0;
}

static bool of_bool(struct value *out, bool b)
{
    *out = (struct value){.kind = VALUE_BOOL, .boolean = b};
    return true;
}

static bool of_int(struct value *out, int64_t i)
{
    *out = (struct value){.kind = VALUE_INT, .integer = i};
    return true;
}

static bool of_float(struct value *out, double x)
{
    *out = (struct value){.kind = VALUE_FLOAT, .re = x};
    return true;
}

static bool of_complex(struct value *out, double re, double im)
{
    *out = (struct value){.kind = VALUE_COMPLEX, .re = re, .im = im};
    return true;
}

bool heddle__expr_is_scalar(const struct value *v)
{
    return v->kind >= VALUE_BOOL && v->kind <= VALUE_COMPLEX;
}

bool heddle__expr_truth(const struct value *v)
{
    switch (v->kind) {
    case VALUE_BOOL: return v->boolean;
    case VALUE_INT: return v->integer != 0;
    case VALUE_FLOAT: return v->re != 0;
    case VALUE_COMPLEX: return v->re != 0 || v->im != 0;
    case VALUE_STRING: return v->length > 0;
    case VALUE_TUPLE:
    case VALUE_LIST: return v->n > 0;
    default: return v->kind != VALUE_NONE && v->kind != VALUE_ABSENT;
    }
}

static bool overflow(struct run *run, size_t at)
{
    return heddle__expr_fail(run, HEDDLE_ERANGE, at,
                             "the integer result does not fit int64; write a float (2.0**64)");
}

static bool by_zero(struct run *run, size_t at)
{
    return heddle__expr_fail(run, HEDDLE_EARG, at, "division by zero");
}

static bool no_rule(struct run *run, enum token_kind op, size_t at, const struct value *a,
                    const struct value *b)
{
    return heddle__expr_fail(run, HEDDLE_EDTYPE, at, "'%s' is not defined for %s and %s",
                             heddle__token_text(op), heddle__expr_value_name(a),
                             heddle__expr_value_name(b));
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static double float_remainder(double a, double b)
{
    double r = fmod(a, b);
    if (r != 0 && (b < 0) != (r < 0)) r += b;
    return r == 0 ? copysign(0, b) : r;
}

/* As Python does: rounds (a - r) / b to the nearest integer. */
static double float_floor_quotient(double a, double b)
{
    double r = fmod(a, b), q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) q -= 1;
    if (q == 0) return copysign(0, a / b);
    const double f = floor(q);
    return q - f > 0.5 ? f + 1 : f;
}

/* ---- Powers --------------------------------------------------------------------------------------- */

static bool int_power(struct run *run, size_t at, int64_t base, int64_t exponent, struct value *out)
{
    int64_t result = 1;
    if (exponent < 0) {
        if (base == 0) return by_zero(run, at);
        return of_float(out, pow((double)base, (double)exponent));
    }
    for (;;) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return overflow(run, at);
        exponent >>= 1;
        if (!exponent) return of_int(out, result);
        if (__builtin_mul_overflow(base, base, &base)) return overflow(run, at);
    }
}

static void multiply_complex(double *re, double *im, double re2, double im2)
{
    const double r = *re * re2 - *im * im2;
    *im = *re * im2 + *im * re2;
    *re = r;
}

static void divide_complex(double *re, double *im, double re2, double im2)
{
    const double r = *re, i = *im;
    if (fabs(re2) >= fabs(im2)) { /* by Smith's method, as Python */
        const double ratio = im2 / re2, d = re2 + im2 * ratio;
        *re = (r + i * ratio) / d;
        *im = (i - r * ratio) / d;
    } else {
        const double ratio = re2 / im2, d = re2 * ratio + im2;
        *re = (r * ratio + i) / d;
        *im = (i * ratio - r) / d;
    }
}

static bool complex_power(struct run *run, size_t at, double re, double im, double re2, double im2,
                          struct value *out)
{
    if (re2 == 0 && im2 == 0) return of_complex(out, 1, 0);
    if (re == 0 && im == 0) {
        if (im2 != 0 || re2 < 0) return by_zero(run, at);
        return of_complex(out, 0, 0);
    }
    if (im2 == 0 && re2 == floor(re2) && fabs(re2) <= 100) {
        double r = 1, i = 0;
        for (int n = (int)fabs(re2); n; n >>= 1) {
            if (n & 1) multiply_complex(&r, &i, re, im);
            multiply_complex(&re, &im, re, im);
        }
        if (re2 < 0) {
            double r1 = 1, i1 = 0;
            divide_complex(&r1, &i1, r, i);
            return of_complex(out, r1, i1);
        }
        return of_complex(out, r, i);
    }
    const double angle = atan2(im, re), size = hypot(re, im);
    double length = pow(size, re2), phase = angle * re2;
    if (im2 != 0) {
        length /= exp(angle * im2);
        phase += im2 * log(size);
    }
    return of_complex(out, length * cos(phase), length * sin(phase));
}

static bool float_power(struct run *run, size_t at, double a, double b, struct value *out)
{
    if (a == 0 && b < 0) return by_zero(run, at);
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return complex_power(run, at, a, 0, b, 0, out);
    const double r = pow(a, b);
    if (isinf(r) && isfinite(a) && isfinite(b))
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "the result is too large for a float");
    return of_float(out, r);
}

/* ---- By kind ----------------------------------------------------------------------------------------- */

static bool fold_int(struct run *run, enum token_kind op, size_t at, const struct value *va,
                     const struct value *vb, struct value *out)
{
    const int64_t a = int_of(va), b = int_of(vb);
    const bool both_bool = va->kind == VALUE_BOOL && vb->kind == VALUE_BOOL;
    int64_t r = 0;
    switch (op) {
    case TOKEN_ADD: return __builtin_add_overflow(a, b, &r) ? overflow(run, at) : of_int(out, r);
    case TOKEN_SUB: return __builtin_sub_overflow(a, b, &r) ? overflow(run, at) : of_int(out, r);
    case TOKEN_MUL: return __builtin_mul_overflow(a, b, &r) ? overflow(run, at) : of_int(out, r);
    case TOKEN_DIV:
        if (b == 0) return by_zero(run, at);
        return of_float(out, (double)((long double)a / (long double)b));
    case TOKEN_FLOOR:
        if (b == 0) return by_zero(run, at);
        if (b == -1) return a == INT64_MIN ? overflow(run, at) : of_int(out, -a);
        return of_int(out, floor_quotient(a, b));
    case TOKEN_MOD:
        if (b == 0) return by_zero(run, at);
        return of_int(out, b == -1 ? 0 : a - floor_quotient(a, b) * b);
    case TOKEN_POW: return int_power(run, at, a, b, out);
    case TOKEN_LEFT:
        if (b < 0) return heddle__expr_fail(run, HEDDLE_EARG, at, "negative shift count");
        if (a == 0) return of_int(out, 0);
        if (b > 62 || __builtin_mul_overflow(a, (int64_t)1 << b, &r)) return overflow(run, at);
        return of_int(out, r);
    case TOKEN_RIGHT:
        if (b < 0) return heddle__expr_fail(run, HEDDLE_EARG, at, "negative shift count");
        return of_int(out, a >> (b > 63 ? 63 : b));
    case TOKEN_BIT_AND: r = a & b; break;
    case TOKEN_BIT_OR: r = a | b; break;
    case TOKEN_BIT_XOR: r = a ^ b; break;
    case TOKEN_EQUAL: return of_bool(out, a == b);
    case TOKEN_NOT_EQUAL: return of_bool(out, a != b);
    case TOKEN_LESS: return of_bool(out, a < b);
    case TOKEN_LESS_EQUAL: return of_bool(out, a <= b);
    case TOKEN_GREATER: return of_bool(out, a > b);
    case TOKEN_GREATER_EQUAL: return of_bool(out, a >= b);
    default: return no_rule(run, op, at, va, vb);
    }
    return both_bool ? of_bool(out, r != 0) : of_int(out, r);
}

/* Exact for an int beside a float where long double has 64 bits of mantissa. */
static long double exact(const struct value *v)
{
    return v->kind == VALUE_FLOAT ? (long double)v->re : (long double)int_of(v);
}

static bool fold_float(struct run *run, enum token_kind op, size_t at, const struct value *va,
                       const struct value *vb, struct value *out)
{
    const double a = real_of(va), b = real_of(vb);
    switch (op) {
    case TOKEN_ADD: return of_float(out, a + b);
    case TOKEN_SUB: return of_float(out, a - b);
    case TOKEN_MUL: return of_float(out, a * b);
    case TOKEN_DIV: return b == 0 ? by_zero(run, at) : of_float(out, a / b);
    case TOKEN_FLOOR: return b == 0 ? by_zero(run, at) : of_float(out, float_floor_quotient(a, b));
    case TOKEN_MOD: return b == 0 ? by_zero(run, at) : of_float(out, float_remainder(a, b));
    case TOKEN_POW: return float_power(run, at, a, b, out);
    case TOKEN_EQUAL: return of_bool(out, exact(va) == exact(vb));
    case TOKEN_NOT_EQUAL: return of_bool(out, exact(va) != exact(vb));
    case TOKEN_LESS: return of_bool(out, exact(va) < exact(vb));
    case TOKEN_LESS_EQUAL: return of_bool(out, exact(va) <= exact(vb));
    case TOKEN_GREATER: return of_bool(out, exact(va) > exact(vb));
    case TOKEN_GREATER_EQUAL: return of_bool(out, exact(va) >= exact(vb));
    default: return no_rule(run, op, at, va, vb);
    }
}

static bool fold_complex(struct run *run, enum token_kind op, size_t at, const struct value *va,
                         const struct value *vb, struct value *out)
{
    double re = real_of(va), im = imag_of(va);
    const double re2 = real_of(vb), im2 = imag_of(vb);
    switch (op) {
    case TOKEN_ADD: return of_complex(out, re + re2, im + im2);
    case TOKEN_SUB: return of_complex(out, re - re2, im - im2);
    case TOKEN_MUL: multiply_complex(&re, &im, re2, im2); return of_complex(out, re, im);
    case TOKEN_DIV:
        if (re2 == 0 && im2 == 0) return by_zero(run, at);
        divide_complex(&re, &im, re2, im2);
        return of_complex(out, re, im);
    case TOKEN_POW: return complex_power(run, at, re, im, re2, im2, out);
    case TOKEN_EQUAL: return of_bool(out, re == re2 && im == im2);
    case TOKEN_NOT_EQUAL: return of_bool(out, re != re2 || im != im2);
    default: return no_rule(run, op, at, va, vb);
    }
}

bool heddle__expr_fold_binary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                              const struct value *b, struct value *out)
{
    const int rank = rank_of(a) > rank_of(b) ? rank_of(a) : rank_of(b);
    struct value r;
    const bool ok = rank < 2   ? fold_int(run, op, at, a, b, &r)
                    : rank < 3 ? fold_float(run, op, at, a, b, &r)
                               : fold_complex(run, op, at, a, b, &r);
    if (!ok) return false;
    r.at = a->at;
    *out = r;
    return true;
}

bool heddle__expr_fold_unary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                             struct value *out)
{
    struct value r;
    if (op == TOKEN_INVERT) {
        if (rank_of(a) > 1)
            return heddle__expr_fail(run, HEDDLE_EDTYPE, at, "'~' is not defined for %s",
                                     heddle__expr_value_name(a));
        of_int(&r, ~int_of(a));
    } else if (rank_of(a) < 2) {
        const int64_t i = int_of(a);
        if (op == TOKEN_SUB && i == INT64_MIN) return overflow(run, at);
        of_int(&r, op == TOKEN_SUB ? -i : i);
    } else {
        r = *a;
        if (op == TOKEN_SUB) {
            r.re = -r.re;
            if (r.kind == VALUE_COMPLEX) r.im = -r.im;
        }
    }
    r.at = at;
    *out = r;
    return true;
}
