/* Arithmetic of numbers that are known, so that loops over literals are straight lines. Entry point:
 * heddle__straight_fold. */
#include "api/kernels/straight.h"

static bool is_order(enum kernel_operator op)
{
    return op >= KERNEL_LESS && op <= KERNEL_NOT_EQUAL;
}

/* Whether a and b, of which below, above and equal are known, are in the order. */
static bool in_order(enum kernel_operator op, bool below, bool above, bool equal)
{
    switch (op) {
    case KERNEL_LESS: return below;
    case KERNEL_LESS_EQUAL: return below || equal;
    case KERNEL_GREATER: return above;
    case KERNEL_GREATER_EQUAL: return above || equal;
    case KERNEL_EQUAL: return equal;
    default: return !equal;
    }
}

static bool fold_signed(enum kernel_operator op, int64_t a, int64_t b, int64_t *out)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case KERNEL_ADD: *out = (int64_t)(x + y); return true;
    case KERNEL_SUBTRACT: *out = (int64_t)(x - y); return true;
    case KERNEL_MULTIPLY: *out = (int64_t)(x * y); return true;
    case KERNEL_DIVIDE: *out = b == 0 ? 0 : b == -1 ? (int64_t)(0 - x) : a / b; return true;
    case KERNEL_MODULO: *out = b == 0 || b == -1 ? 0 : a % b; return true;
    case KERNEL_BIT_AND: *out = a & b; return true;
    case KERNEL_BIT_OR: *out = a | b; return true;
    case KERNEL_BIT_XOR: *out = a ^ b; return true;
    case KERNEL_NEGATE: *out = (int64_t)(0 - x); return true;
    case KERNEL_INVERT: *out = ~a; return true;
    default: return false;
    }
}

static bool fold_unsigned(enum kernel_operator op, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t as_signed;
    switch (op) {
    case KERNEL_DIVIDE: *out = b ? a / b : 0; return true;
    case KERNEL_MODULO: *out = b ? a % b : 0; return true;
    default:
        if (!fold_signed(op, (int64_t)a, (int64_t)b, &as_signed)) return false;
        *out = (uint64_t)as_signed;
        return true;
    }
}

static bool fold_floating(enum kernel_operator op, double a, double b, double *out)
{
    switch (op) {
    case KERNEL_ADD: *out = a + b; return true;
    case KERNEL_SUBTRACT: *out = a - b; return true;
    case KERNEL_MULTIPLY: *out = a * b; return true;
    case KERNEL_DIVIDE: *out = a / b; return true;
    case KERNEL_NEGATE: *out = -a; return true;
    default: return false;
    }
}

bool heddle__straight_fold(enum kernel_operator op, enum heddle_dtype dtype, union heddle_scalar a,
                           union heddle_scalar b, union heddle_scalar *out)
{
    union heddle_scalar r = {0};
    const char kind = heddle_dtype_kind(dtype);
    const enum heddle_dtype wide = kind == 'B' ? HEDDLE_INT64 : heddle_default_dtype(kind);
    const union heddle_scalar x = heddle__convert(a, dtype, wide),
                              y = heddle__convert(b, dtype, wide);
    bool done;
    if (kind == 'C') return false;
    if (is_order(op)) {
        out->b = kind == 'F' ? in_order(op, x.f64<y.f64, x.f64> y.f64, x.f64 == y.f64) ||
                                   (op == KERNEL_NOT_EQUAL && x.f64 != y.f64)
                 : kind == 'U' ? in_order(op, x.u64<y.u64, x.u64> y.u64, x.u64 == y.u64)
                               : in_order(op, x.i64<y.i64, x.i64> y.i64, x.i64 == y.i64);
        return true;
    }
    if (kind == 'F')
        done = fold_floating(op, x.f64, y.f64, &r.f64);
    else if (kind == 'U')
        done = fold_unsigned(op, x.u64, y.u64, &r.u64);
    else
        done = fold_signed(op, x.i64, y.i64, &r.i64);
    if (done)
        *out = heddle__convert(r, wide,
                               dtype); /* of float32, one rounding: float64 has twice the digits */
    return done;
}
