/* Elementwise operations of any row of ops.def: checks, inference by the row's columns, a MAP node.
 * Also where, clip and astype, which no row describes whole. O(1); touches no data.
 * Entry points: elementwise.h, heddle_where, heddle_clip, heddle_astype. */
#include "api/elementwise.h"

#include "graph/scope.h"

/* A comparison may have an integer beyond the array's dtype: both sides become wider, as in NumPy. */
static bool is_comparison(enum heddle_op op)
{
    return op >= HEDDLE_OP_EQUAL && op <= HEDDLE_OP_GREATER_EQUAL;
}

/* The dtype to which the operation converts a single operand. */
static enum heddle_dtype converted(const struct heddle_op_info *info, enum heddle_dtype dtype)
{
    if (info->convert == HEDDLE_CONVERT_TRUTH) return HEDDLE_BOOL;
    if (info->convert == HEDDLE_CONVERT_BYTE && dtype == HEDDLE_BOOL) return HEDDLE_INT8;
    if (info->convert == HEDDLE_CONVERT_FLOAT && heddle__kind_rank(dtype) < 2)
        return HEDDLE_FLOAT64;
    return dtype;
}

/* Fails, and blames the first argument that is not accepted by itself, if there is one. */
static enum heddle_status not_accepted(const struct heddle_op_info *info, int n,
                                       heddle_array *const x[], enum heddle_dtype common)
{
    const char *const accepts = heddle__accepts_text(info->accepts);
    for (int i = 0; i < n; i++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)x[i]->dtype;
        if (!(info->accepts & heddle__kind_bit(converted(info, dtype))))
            return heddle__fail(HEDDLE_EDTYPE, "heddle_%s: dtype %s of argument %d; accepts %s",
                                info->name, heddle_dtype_name(dtype), i + 1, accepts);
    }
    return heddle__fail(
        HEDDLE_EDTYPE, "heddle_%s: dtypes %s and %s have the common dtype %s; accepts %s",
        info->name, heddle_dtype_name((enum heddle_dtype)x[0]->dtype),
        heddle_dtype_name((enum heddle_dtype)x[n - 1]->dtype), heddle_dtype_name(common), accepts);
}

enum heddle_status heddle__operand_dtype(enum heddle_op op, int n, heddle_array *const x[],
                                         enum heddle_dtype *dtype)
{
    /* promote and convert */
    const struct heddle_op_info *info = &heddle__ops[op];
    const enum heddle_dtype common = converted(info, heddle__promote(n, x));
    *dtype = common;

    /* weak integers must fit */
    if (n > 1 && is_comparison(op)) {
        for (int i = 0; i < n; i++)
            if (x[i]->weak && x[i]->dtype == HEDDLE_INT64 &&
                !heddle__int_fits(x[i]->value.i64, common))
                *dtype = heddle_result_type(common, HEDDLE_INT64);
    } else if (n > 1) {
        const enum heddle_status status = heddle__check_range(info->name, n, x, common);
        if (status != HEDDLE_OK) return status;
    }

    return info->accepts & heddle__kind_bit(common) ? HEDDLE_OK : not_accepted(info, n, x, common);
}

/* Whether the operation gives its operand back. */
static bool is_identity(enum heddle_op op, enum heddle_dtype dtype)
{
    const char kind = heddle_dtype_kind(dtype);
    switch (op) {
    case HEDDLE_OP_POSITIVE: return true;
    case HEDDLE_OP_ABS: return kind == 'B' || kind == 'U';
    case HEDDLE_OP_CEIL:
    case HEDDLE_OP_FLOOR:
    case HEDDLE_OP_TRUNC:
    case HEDDLE_OP_ROUND: return kind == 'B' || kind == 'I' || kind == 'U';
    case HEDDLE_OP_REAL:
    case HEDDLE_OP_CONJ: return kind != 'C';
    default: return false;
    }
}

static enum heddle_dtype result_dtype(enum heddle_op op, enum heddle_dtype dtype)
{
    switch (heddle__ops[op].result) {
    case HEDDLE_RESULT_BOOL: return HEDDLE_BOOL;
    case HEDDLE_RESULT_PART: return heddle__real_dtype(dtype);
    case HEDDLE_RESULT_U8: return HEDDLE_UINT8;
    default: return dtype;
    }
}

heddle_array *heddle__unary(enum heddle_op op, heddle_array *x)
{
    heddle_array *const bad = heddle__bad_operand(heddle__ops[op].name, 1, &x);
    if (bad) return bad;
    enum heddle_dtype dtype;
    if (heddle__operand_dtype(op, 1, &x, &dtype) != HEDDLE_OK) return heddle__error_last();
    if (is_identity(op, dtype)) return heddle__hand_out(heddle__make_cast(x, dtype)); /* strong */
    struct heddle_shape shape;
    heddle__broadcast_all(NULL, 1, &x, &shape);
    return heddle__hand_out(
        heddle__make_map(op, dtype, result_dtype(op, dtype), &shape, 1, &x, &dtype));
}

heddle_array *heddle__binary(enum heddle_op op, heddle_array *a, heddle_array *b)
{
    heddle_array *const x[2] = {a, b};
    const char *const name = heddle__ops[op].name;
    heddle_array *const bad = heddle__bad_operand(name, 2, x);
    if (bad) return bad;
    enum heddle_dtype dtype;
    struct heddle_shape shape;
    if (heddle__operand_dtype(op, 2, x, &dtype) != HEDDLE_OK ||
        heddle__broadcast_all(name, 2, x, &shape) != HEDDLE_OK)
        return heddle__error_last();
    const enum heddle_dtype dtypes[2] = {dtype, dtype};
    return heddle__hand_out(
        heddle__make_map(op, dtype, result_dtype(op, dtype), &shape, 2, x, dtypes));
}

heddle_array *heddle_where(heddle_array *condition, heddle_array *a, heddle_array *b)
{
    heddle_array *const x[3] = {condition, a, b};
    heddle_array *const bad = heddle__bad_operand("where", 3, x);
    if (bad) return bad;
    const enum heddle_dtype dtype = heddle__promote(2, x + 1);
    struct heddle_shape shape;
    if (heddle__check_range("where", 2, x + 1, dtype) != HEDDLE_OK ||
        heddle__broadcast_all("where", 3, x, &shape) != HEDDLE_OK)
        return heddle__error_last();
    const enum heddle_dtype dtypes[3] = {HEDDLE_BOOL, dtype, dtype};
    return heddle__hand_out(heddle__make_map(HEDDLE_OP_WHERE, dtype, dtype, &shape, 3, x, dtypes));
}

/* The dtype in which a clip compares: limits may be wider than x. */
static enum heddle_dtype clip_dtype(int n, heddle_array *const x[])
{
    enum heddle_dtype dtype = heddle__promote(n, x);
    for (int i = 1; i < n; i++)
        if (x[i]->weak && x[i]->dtype == HEDDLE_INT64 && !heddle__int_fits(x[i]->value.i64, dtype))
            dtype = heddle_result_type(dtype, HEDDLE_INT64);
    return dtype;
}

heddle_array *heddle_clip(heddle_array *x, heddle_array *low, heddle_array *high)
{
    /* check */
    heddle_array *all[3] = {x};
    int n = 1;
    if (low) all[n++] = low;
    if (high) all[n++] = high;
    heddle_array *const bad = heddle__bad_operand("clip", n, all);
    if (bad) return bad;
    const enum heddle_dtype dtype = clip_dtype(n, all), own = (enum heddle_dtype)x->dtype;
    struct heddle_shape shape;
    if (heddle__kind_rank(dtype) == 3)
        return heddle__error_array(HEDDLE_EDTYPE,
                                   "heddle_clip: dtype %s; accepts real numbers and "
                                   "bool",
                                   heddle_dtype_name(dtype));
    if (heddle__broadcast_all("clip", n, all, &shape) != HEDDLE_OK) return heddle__error_last();

    /* build: min(max(x, low), high), and back to x's dtype */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = heddle_astype(x, dtype);
    if (low) r = heddle_maximum(r, heddle_astype(low, dtype));
    if (high) r = heddle_minimum(r, heddle_astype(high, dtype));
    return heddle__scope_leave(&scope, heddle_astype(r, own));
}

heddle_array *heddle_astype(heddle_array *x, enum heddle_dtype dtype)
{
    heddle_array *const bad = heddle__bad_operand("astype", 1, &x);
    if (bad) return bad;
    if (heddle__check_cast("astype", (enum heddle_dtype)x->dtype, dtype) != HEDDLE_OK)
        return heddle__error_last();
    return heddle__hand_out(heddle__make_cast(x, dtype));
}
