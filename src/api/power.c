/* Powers. One by a scalar whose value has a cheaper operation becomes that, as in NumPy: 0 ones, 1 the
 * base, 2 its square, 3 and 4, of wider integers up to 64, products (less than 2 units in the last place away; integers wrap as ever),
 * and of floating numbers 1/2 the square root, -1 the reciprocal. Of real numbers these give what pow
 * gives, for special values too, but for 1/2: sqrt(-0.0) is -0.0 and sqrt(-inf) NaN. Products for higher
 * powers would lose digits. Only weak scalars are looked at: they stay constants when they are evaluated,
 * others do not, and a result must not depend on that. Entry point: heddle_pow. */
#include "api/elementwise.h"

#include "graph/scope.h"

/* What a scalar exponent asks for. */
enum power { ONES, BASE, SQUARE, CUBE, FOURTH, ROOT, RECIPROCAL, ANY };

/* By the value that the exponent has in the dtype of the operands. */
static enum power power_of(const heddle_array *exponent, enum heddle_dtype dtype)
{
    const union heddle_scalar there =
        heddle__convert(exponent->value, (enum heddle_dtype)exponent->dtype, dtype);
    const union heddle_scalar e = heddle__convert(there, dtype, HEDDLE_COMPLEX128);
    const double x = e.c128[0];
    if (e.c128[1] != 0) return ANY;
    if (x == 0 || x == 1 || x == 2 || x == 3 || x == 4) return (enum power)(int)x;
    if (heddle__kind_rank(dtype) < 2) return ANY;
    return x == 0.5 ? ROOT : x == -1 ? RECIPROCAL : ANY;
}

/* Every element is 1. */
static heddle_array *ones(const heddle_array *x, enum heddle_dtype dtype)
{
    const union heddle_scalar one = {.i64 = 1};
    return heddle__hand_out(
        heddle__make_constant(heddle__convert(one, HEDDLE_INT64, dtype), dtype, x->ndim, x->shape));
}

/* The exponent of integers whose power takes few products, if it is such a one; else 0. */
static int few_products(const heddle_array *exponent, enum heddle_dtype dtype)
{
    enum { FROM = 5, TO = 64 };
    const char kind = heddle_dtype_kind(dtype);
    if ((kind != 'I' && kind != 'U') || heddle_dtype_size(dtype) == 1)
        return 0; /* bytes have a table */
    const union heddle_scalar there =
        heddle__convert(exponent->value, (enum heddle_dtype)exponent->dtype, dtype);
    const uint64_t n = heddle__convert(there, dtype, HEDDLE_UINT64).u64;
    return n >= FROM && n <= TO ? (int)n : 0;
}

/* The bits of the exponent from the highest one on: a square for each, and x once more where it is set. */
static heddle_array *products(heddle_array *x, int n)
{
    heddle_array *r = x;
    for (int bit = 30 - __builtin_clz((unsigned)n); bit >= 0; bit--) {
        r = heddle_square(r);
        if (n >> bit & 1) r = heddle_multiply(r, x);
    }
    return r;
}

/* The power of x, which has the dtype of the result. */
static heddle_array *apply(enum power power, heddle_array *x)
{
    switch (power) {
    case BASE: return x;
    case SQUARE: return heddle_square(x);
    case CUBE: return heddle_multiply(heddle_square(x), x);
    case FOURTH: return heddle_square(heddle_square(x));
    case ROOT: return heddle_sqrt(x);
    default: return heddle_reciprocal(x);
    }
}

heddle_array *heddle_pow(heddle_array *a, heddle_array *b)
{
    /* check; infer */
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("pow", 2, x);
    if (bad) return bad;
    enum heddle_dtype dtype;
    if (!b->weak) return heddle__binary(HEDDLE_OP_POW, a, b);
    if (heddle__operand_dtype(HEDDLE_OP_POW, 2, x, &dtype) != HEDDLE_OK)
        return heddle__error_last();

    /* build */
    const enum power power = power_of(b, dtype);
    const int n = power == ANY ? few_products(b, dtype) : 0;
    if (power == ANY && n == 0) return heddle__binary(HEDDLE_OP_POW, a, b);
    if (power == ONES) return ones(a, dtype);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const y = heddle_astype(a, dtype);
    return heddle__scope_leave(&scope, n > 0 ? products(y, n) : apply(power, y));
}
