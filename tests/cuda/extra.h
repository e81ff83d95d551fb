/* More of kernels/build.h, for the tests of the CUDA kernels. */
#ifndef HEDDLE_TESTS_CUDA_EXTRA_H
#define HEDDLE_TESTS_CUDA_EXTRA_H

#include "kernels/build.h"

static inline int build_cast(struct build *b, enum heddle_dtype from, enum heddle_dtype to, int x)
{
    return build_instr(b, HEDDLE_CODE_CAST, from, to, x, 0, 0);
}

static inline int build_index(struct build *b, int axis)
{
    b->program.index_axes |= (uint16_t)(1u << axis);
    return build_instr(b, HEDDLE_CODE_INDEX, HEDDLE_INT64, HEDDLE_INT64, axis, 0, 0);
}

static inline int build_number(struct build *b, enum heddle_dtype dtype, double value)
{
    const union heddle_scalar v = {.f64 = value};
    return build_constant(b, dtype, heddle__convert(v, HEDDLE_FLOAT64, dtype));
}

/* An index of `dtype` along an axis of `extent`; the element at `place` of a new operand. near: 32 bits have them. */
static inline int build_checked(struct build *b, enum heddle_dtype dtype, int index, int64_t extent,
                                int function, int near)
{
    const int n = build_constant(b, HEDDLE_INT64, (union heddle_scalar){.i64 = extent});
    const int i = build_instr(b, HEDDLE_CODE_CHECKED, dtype, HEDDLE_INT64, index, n, function);
    b->program.instrs[i].near = (uint8_t)near;
    b->program.n_checked++;
    return i;
}

static inline int build_at(struct build *b, enum heddle_dtype dtype, int place, int near)
{
    const int o = build_operand(b, dtype, NULL, (const int64_t[HEDDLE_MAX_NDIM]){0}, 0);
    const int i = build_instr(b, HEDDLE_CODE_LOAD_AT, HEDDLE_INT64, dtype, place, o, 0);
    b->program.instrs[i].near = (uint8_t)near;
    return i;
}

static inline enum heddle_dtype build_result(enum heddle_op op, enum heddle_dtype dtype)
{
    return heddle__ops[op].result == HEDDLE_RESULT_BOOL   ? HEDDLE_BOOL
           : heddle__ops[op].result == HEDDLE_RESULT_PART ? heddle__real_dtype(dtype)
           : heddle__ops[op].result == HEDDLE_RESULT_U8   ? HEDDLE_UINT8
           : heddle__ops[op].result == HEDDLE_RESULT_U64  ? HEDDLE_UINT64
           : heddle__ops[op].result == HEDDLE_RESULT_F32  ? HEDDLE_FLOAT32
           : heddle__ops[op].result == HEDDLE_RESULT_F64  ? HEDDLE_FLOAT64
                                                          : dtype;
}

/* Any operation on x and y; `where` takes the condition too. */
static inline int build_any(struct build *b, enum heddle_op op, enum heddle_dtype dtype,
                            int condition, int x, int y)
{
    const int is_where = op == HEDDLE_OP_WHERE;
    return build_instr(b, (int)op, dtype, build_result(op, dtype), is_where ? condition : x,
                       is_where ? x : y, y);
}

/* What the planner does last: chunks and hash. Buffers of partials follow those of the operands. */
static inline void build_seal(struct build *b, int sequential)
{
    struct heddle_program *p = &b->program;
    p->sequential = (uint16_t)sequential;
    for (int r = 0; r < p->n_reductions; r++)
        b->buffer[p->n_operands + r] = (uint32_t)(p->n_operands + r);
    heddle__reduce_chunks(&b->launch.geometry, sequential);
    const unsigned char *bytes = (const unsigned char *)p;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    p->hash = 0;
    for (size_t i = 0; i < sizeof *p; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    p->hash = hash;
}

#endif
