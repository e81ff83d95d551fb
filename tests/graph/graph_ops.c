/* Each row of ops.def and reductions.def has its public function, and inference follows its columns
 * for every dtype. */
#include "base/dtype.h"
#include "graph/node.h"

#include "check.h"

#include <heddle.h>

typedef heddle_array *unary_fn(heddle_array *);
typedef heddle_array *binary_fn(heddle_array *, heddle_array *);
typedef heddle_array *ternary_fn(heddle_array *, heddle_array *, heddle_array *);
typedef heddle_array *reduce_fn(heddle_array *, const struct heddle_reduce_options *);

/* A missing or misspelled prototype does not link; a wrong one is not compatible. */
#define FUNCTION_1(name)                                                                           \
    {                                                                                              \
        .f1 = heddle_##name                                                                        \
    }
#define FUNCTION_2(name)                                                                           \
    {                                                                                              \
        .f2 = heddle_##name                                                                        \
    }
#define FUNCTION_3(name)                                                                           \
    {                                                                                              \
        .f3 = heddle_##name                                                                        \
    }
static const struct {
    unary_fn *f1;
    binary_fn *f2;
    ternary_fn *f3;
} functions[HEDDLE_N_OPS] = {
#define HEDDLE_OP(ID, name, arity, ...) [HEDDLE_OP_##ID] = FUNCTION_##arity(name),
#include <heddle/ops.def>
#undef HEDDLE_OP
};

static reduce_fn *const reductions[HEDDLE_N_REDUCTIONS] = {
#define HEDDLE_REDUCTION(ID, name, ...) [HEDDLE_REDUCE_##ID] = heddle_##name##_with,
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
};

static heddle_array *sample(enum heddle_dtype dtype)
{
    static const char zeros[16 * 7];
    return heddle_asarray(zeros, dtype, HEDDLE_SHAPE(7));
}

static enum heddle_dtype converted(enum heddle_dtype dtype, int convert)
{
    const char kind = heddle_dtype_kind(dtype);
    switch (convert) {
    case HEDDLE_CONVERT_TRUTH: return HEDDLE_BOOL;
    case HEDDLE_CONVERT_BYTE: return kind == 'B' ? HEDDLE_INT8 : dtype;
    case HEDDLE_CONVERT_FLOAT: return kind == 'F' || kind == 'C' ? dtype : HEDDLE_FLOAT64;
    case HEDDLE_CONVERT_WIDE:
        return kind == 'B' || kind == 'I' ? HEDDLE_INT64 : kind == 'U' ? HEDDLE_UINT64 : dtype;
    default: return dtype;
    }
}

/* One operation on arrays of one dtype. */
static void op_of_dtype(enum heddle_op op, enum heddle_dtype dtype)
{
    const struct heddle_op_info *info = &heddle__ops[op];
    heddle_array *x = sample(dtype), *r;
    if (!functions[op].f1 && !functions[op].f2 && !functions[op].f3) return; /* a random row */
    if (info->arity == 1)
        r = functions[op].f1(x);
    else if (info->arity == 2)
        r = functions[op].f2(x, sample(dtype));
    else
        r = functions[op].f3(sample(HEDDLE_BOOL), x, sample(dtype));

    const enum heddle_dtype in = converted(dtype, info->convert);
    if (!(info->accepts & heddle__kind_bit(in))) {
        char start[64];
        snprintf(start, sizeof start, "heddle_%s: dtype %s of argument 1; accepts", info->name,
                 heddle_dtype_name(dtype));
        CHECK_EQ(heddle_status_of(r), HEDDLE_EDTYPE);
        CHECK_HAS(heddle_error(r), start);
        return;
    }
    enum heddle_dtype out = info->result == HEDDLE_RESULT_BOOL ? HEDDLE_BOOL : in;
    if (info->result == HEDDLE_RESULT_PART) out = heddle__real_dtype(in);
    if (info->result == HEDDLE_RESULT_U8) out = HEDDLE_UINT8;
    CHECK(heddle_dtype_of(r) == out, "%s of %s", info->name, heddle_dtype_name(dtype));
    CHECK_EQ(heddle_size(r), 7);
    if (r == x) return;                                       /* the operand itself */
    if (op == HEDDLE_OP_CONJ && dtype == HEDDLE_BOOL) return; /* a cast */
    CHECK_EQ(r->kind, HEDDLE_NODE_MAP);
    CHECK_EQ(r->op, op);
    CHECK_EQ(r->in_dtype, in);
    for (int i = op == HEDDLE_OP_WHERE; i < r->n_in; i++) CHECK_EQ(r->in[i]->dtype, in);
}

static void reduction_of_dtype(enum heddle_reduction op, enum heddle_dtype dtype)
{
    const struct heddle_reduction_info *info = &heddle__reductions[op];
    heddle_array *r = reductions[op](sample(dtype), NULL);
    const enum heddle_dtype in = converted(dtype, info->convert);
    if (!(info->accepts & heddle__kind_bit(in))) {
        CHECK_EQ(heddle_status_of(r), HEDDLE_EDTYPE);
        return;
    }
    const bool arg = op == HEDDLE_REDUCE_ARGMAX || op == HEDDLE_REDUCE_ARGMIN;
    CHECK_EQ(heddle_dtype_of(r), arg ? HEDDLE_INT64 : in);
    CHECK_EQ(r->kind, HEDDLE_NODE_REDUCE);
    CHECK_EQ(r->in_dtype, in);
    CHECK_EQ(r->axes, 1);
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++) {
        for (int op = 1; op < HEDDLE_N_OPS; op++)
            op_of_dtype((enum heddle_op)op, (enum heddle_dtype)d);
        for (int op = 0; op < HEDDLE_N_REDUCTIONS; op++)
            reduction_of_dtype((enum heddle_reduction)op, (enum heddle_dtype)d);
    }
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
