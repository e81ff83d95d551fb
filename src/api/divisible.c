/* Whether what remains of a division by a scalar is a given number: `n % c == r`, `n % c != r`. It is known without the division. With
 * c = 2^s d, d odd, and n - r counted from the least number of the dtype on, modulo 2^width: multiples of d times the inverse of d are
 * their quotients, all other numbers are sent to greater ones, as a product with an odd number is one to one; if the s low bits are
 * rotated to the top, what is not a multiple of 2^s is greater, too (Granlund and Montgomery 1994, section 9; Warren, Hacker's Delight, 10-17). So it is a
 * product, a sum, a rotation if c is even, and one comparison. Dtypes of less than 4 bytes multiply in wider ones, and have
 * short divisions. Entry points: heddle_equal, heddle_not_equal. */
#include "api/elementwise.h"

#include "graph/scope.h"

#include <heddle/create.h>

/* The dividend of the node `a`, retained, if that is a remainder by a scalar c, 2 < c, of 4 or 8 bytes, and 0 <= r < c; else NULL. */
static heddle_array *dividend_of(heddle_array *a, const heddle_array *r, int64_t *c)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->in_dtype;
    heddle_array *in[3], *x = NULL;
    if (a->kind != HEDDLE_NODE_MAP || a->op != HEDDLE_OP_REMAINDER || !r->weak ||
        r->dtype != HEDDLE_INT64 || heddle_dtype_size(dtype) < 4 ||
        (heddle_dtype_kind(dtype) != 'I' && heddle_dtype_kind(dtype) != 'U'))
        return NULL;
    const int n = heddle__node_operands(a, in);
    if (n == 2 && heddle__is_constant(in[1]) && !heddle__is_constant(in[0])) {
        *c = heddle__convert(in[1]->value, dtype, HEDDLE_INT64).i64;
        if (*c > 2 && r->value.i64 >= 0 && r->value.i64 < *c) x = heddle__retain(in[0]);
    }
    for (int i = 0; i < n; i++) heddle__release(in[i]);
    return x;
}

/* Modulo 2^64, of an odd d, by Newton's iteration: each step doubles the digits that are right, of which d itself has three. */
static uint64_t inverse(uint64_t d)
{
    uint64_t y = d;
    for (int digits = 3; digits < 64; digits *= 2) y *= 2 - d * y;
    return y;
}

static heddle_array *constant(uint64_t value, enum heddle_dtype dtype)
{
    const union heddle_scalar from = {.u64 = value};
    return heddle__hand_out(
        heddle__make_constant(heddle__convert(from, HEDDLE_UINT64, dtype), dtype, 0, NULL));
}

static heddle_array *remains(enum heddle_op op, heddle_array *x, uint64_t c, uint64_t r)
{
    const bool is_signed = heddle_dtype_kind((enum heddle_dtype)x->dtype) == 'I';
    const int width = 8 * (int)heddle_dtype_size((enum heddle_dtype)x->dtype),
              s = __builtin_ctzll(c);
    const enum heddle_dtype dtype = width == 32 ? HEDDLE_UINT32 : HEDDLE_UINT64;
    const uint64_t most = UINT64_MAX >> (64 - width), half = is_signed ? (most >> 1) + 1 : 0,
                   of_least = (r + half % c) % c, /* of n - the least number */
        factor = inverse(c >> s);
    heddle_array *z = heddle_astype(x, dtype);
    z = heddle_multiply(z, constant(factor & most, dtype));
    z = heddle_add(z, constant((half - of_least) * factor & most, dtype));
    if (s > 0)
        z = heddle_bitwise_or(heddle_bitwise_right_shift(z, heddle_scalar_int(s)),
                              heddle_bitwise_left_shift(z, heddle_scalar_int(width - s)));
    return heddle__binary(op == HEDDLE_OP_EQUAL ? HEDDLE_OP_LESS_EQUAL : HEDDLE_OP_GREATER, z,
                          constant((most - of_least) / c, dtype));
}

static heddle_array *compare(enum heddle_op op, heddle_array *a, heddle_array *b)
{
    heddle_array *const operands[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand(heddle__ops[op].name, 2, operands);
    int64_t c = 0;
    if (bad) return bad;
    heddle_array *const x = dividend_of(a, b, &c);
    if (!x) return heddle__binary(op, a, b);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const y = remains(op, x, (uint64_t)c, (uint64_t)b->value.i64);
    heddle__release(x);
    return heddle__scope_leave(&scope, y);
}

heddle_array *heddle_equal(heddle_array *a, heddle_array *b)
{
    return compare(HEDDLE_OP_EQUAL, a, b);
}

heddle_array *heddle_not_equal(heddle_array *a, heddle_array *b)
{
    return compare(HEDDLE_OP_NOT_EQUAL, a, b);
}
