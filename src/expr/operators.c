/* Operators: scalars fold as in Python, arrays become calls of the API; lists become arrays, + joins
 * tuples, dtypes compare. Entry points: heddle__expr_binary, heddle__expr_unary. */
#include "expr/value.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>

#include <string.h>

enum { MAX_ITEMS = 100000 }; /* of a list that is repeated */

typedef heddle_array *binary_function(heddle_array *, heddle_array *);

static binary_function *function_of(enum token_kind op)
{
    switch (op) {
    case TOKEN_ADD: return heddle_add;
    case TOKEN_SUB: return heddle_subtract;
    case TOKEN_MUL: return heddle_multiply;
    case TOKEN_DIV: return heddle_divide;
    case TOKEN_FLOOR: return heddle_floor_divide;
    case TOKEN_MOD: return heddle_remainder;
    case TOKEN_POW: return heddle_pow;
    case TOKEN_MATMUL: return heddle_matmul;
    case TOKEN_BIT_AND: return heddle_bitwise_and;
    case TOKEN_BIT_OR: return heddle_bitwise_or;
    case TOKEN_BIT_XOR: return heddle_bitwise_xor;
    case TOKEN_LEFT: return heddle_bitwise_left_shift;
    case TOKEN_RIGHT: return heddle_bitwise_right_shift;
    case TOKEN_EQUAL: return heddle_equal;
    case TOKEN_NOT_EQUAL: return heddle_not_equal;
    case TOKEN_LESS: return heddle_less;
    case TOKEN_LESS_EQUAL: return heddle_less_equal;
    case TOKEN_GREATER: return heddle_greater;
    default: return heddle_greater_equal;
    }
}

/* Whether two values are equal that are neither numbers nor arrays; tuples one level deep. */
static bool same(struct run *run, size_t at, const struct value *a, const struct value *b,
                 bool *out)
{
    *out = false;
    if (a->kind == VALUE_DTYPE || b->kind == VALUE_DTYPE) { /* a.dtype == 'f4' */
        enum heddle_dtype da, db;
        if (a->kind == b->kind && a->class && b->class) { /* type(x) == float */
            *out = heddle__expr_is(a, b);
            return true;
        }
        if (a->kind == VALUE_NONE || b->kind == VALUE_NONE) return true;
        if (a->kind == VALUE_TYPE || b->kind == VALUE_TYPE) return true;
        if (!heddle__expr_to_dtype(run, a, &da) || !heddle__expr_to_dtype(run, b, &db))
            return false;
        *out = da == db;
        return true;
    }
    if (a->kind == VALUE_TYPE || b->kind == VALUE_TYPE) {
        *out = heddle__expr_is(a, b);
        return true;
    }
    if (a->kind != b->kind) return true;
    if (a->kind == VALUE_STRING)
        *out = a->length == b->length && !memcmp(a->text, b->text, a->length);
    else if (heddle__expr_is_list(a)) {
        struct value equal;
        if (a->n != b->n) return true;
        for (int64_t i = 0; i < a->n; i++) {
            if (!heddle__expr_is_scalar(&a->items[i]) || !heddle__expr_is_scalar(&b->items[i]))
                return heddle__expr_fail(run, HEDDLE_EUNSUPPORTED, at,
                                         "only tuples of numbers can be compared");
            if (!heddle__expr_fold_binary(run, TOKEN_EQUAL, at, &a->items[i], &b->items[i], &equal))
                return false;
            if (!equal.boolean) return true;
        }
        *out = true;
    } else {
        *out = true; /* None, ... */
    }
    return true;
}

static bool join(struct run *run, size_t at, const struct value *a, const struct value *b,
                 struct value *out)
{
    const int64_t base = run->n_stack;
    for (int64_t i = 0; i < a->n; i++)
        if (!heddle__expr_push(run, a->items[i])) return false;
    for (int64_t i = 0; i < b->n; i++)
        if (!heddle__expr_push(run, b->items[i])) return false;
    return heddle__expr_take(run, base, a->kind, at, out);
}

/* [0] * 3 */
static bool repeat(struct run *run, size_t at, const struct value *list, int64_t times,
                   struct value *out)
{
    const int64_t base = run->n_stack;
    const int64_t n = times > 0 ? times : 0;
    if (list->n && n > MAX_ITEMS / list->n)
        return heddle__expr_fail(run, HEDDLE_ERANGE, at, "more than %d items; use tile", MAX_ITEMS);
    for (int64_t i = 0; i < n * list->n; i++)
        if (!heddle__expr_push(run, list->items[i % list->n])) return false;
    return heddle__expr_take(run, base, list->kind, at, out);
}

bool heddle__expr_binary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                         const struct value *b, struct value *out)
{
    const bool equality = op == TOKEN_EQUAL || op == TOKEN_NOT_EQUAL;
    const bool array = a->kind == VALUE_ARRAY || b->kind == VALUE_ARRAY;
    if (heddle__expr_is_scalar(a) && heddle__expr_is_scalar(b))
        return heddle__expr_fold_binary(run, op, at, a, b, out);
    if (equality && !array && !heddle__expr_is_scalar(a) && !heddle__expr_is_scalar(b)) {
        bool equal;
        if (!same(run, at, a, b, &equal)) return false;
        *out = (struct value){
            .kind = VALUE_BOOL, .at = a->at, .boolean = equal == (op == TOKEN_EQUAL)};
        return true;
    }
    if (heddle__expr_is_list(a) && a->kind == b->kind && op == TOKEN_ADD)
        return join(run, at, a, b, out);
    if (op == TOKEN_MUL && heddle__expr_is_list(a) && b->kind == VALUE_INT)
        return repeat(run, at, a, b->integer, out);
    if (op == TOKEN_MUL && heddle__expr_is_list(b) && a->kind == VALUE_INT)
        return repeat(run, at, b, a->integer, out);
    if (!array && !heddle__expr_is_list(a) && !heddle__expr_is_list(b))
        return heddle__expr_fail(run, HEDDLE_EARG, at, "'%s' is not defined for %s and %s",
                                 heddle__token_text(op), heddle__expr_value_name(a),
                                 heddle__expr_value_name(b));
    heddle_array *x, *y;
    return heddle__expr_to_array(run, a, false, &x) && heddle__expr_to_array(run, b, false, &y) &&
           heddle__expr_from_array(run, function_of(op)(x, y), at, out);
}

bool heddle__expr_in_place(struct run *run, size_t at, const struct value *before,
                           struct value *after)
{
    heddle_array *a, *r;
    if (before->kind != VALUE_ARRAY || heddle_ndim(before->array) == 0) return true;
    a = before->array;
    if (!heddle__expr_to_array(run, after, true, &r)) return false;
    bool same = heddle_ndim(a) == heddle_ndim(r);
    for (int d = 0; same && d < heddle_ndim(a); d++)
        same = heddle_shape(a)[d] == heddle_shape(r)[d];
    if (!same)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, at,
                                 "the result has another shape than what it is assigned to; write "
                                 "y = y + ...");
    if (!heddle__expr_same_kind(heddle_dtype_of(r), heddle_dtype_of(a)))
        return heddle__expr_fail(
            run, HEDDLE_EDTYPE, at,
            "the result is %s, and %s cannot hold it in place; write y = y + ...",
            heddle_dtype_name(heddle_dtype_of(r)), heddle_dtype_name(heddle_dtype_of(a)));
    return heddle__expr_from_array(run, heddle_astype(r, heddle_dtype_of(a)), at, after);
}

bool heddle__expr_unary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                        struct value *out)
{
    heddle_array *x;
    if (heddle__expr_is_scalar(a)) return heddle__expr_fold_unary(run, op, at, a, out);
    if (!heddle__expr_to_array(run, a, false, &x)) return false;
    return heddle__expr_from_array(run,
                                   op == TOKEN_SUB   ? heddle_negative(x)
                                   : op == TOKEN_ADD ? heddle_positive(x)
                                                     : heddle_bitwise_invert(x),
                                   at, out);
}
