/* Programs and launches by hand, for kernel tests and benchmarks: a launch with its arrays inside,
 * dense row-major geometry, constants by value. Needs no planner. */
#ifndef HEDDLE_TESTS_KERNELS_BUILD_H
#define HEDDLE_TESTS_KERNELS_BUILD_H

#include "kernels.h"
#include "reduce_tree.h"
#include "test_team.h"

#include <string.h>

struct build {
    struct heddle_program program;
    struct heddle_launch launch;
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    uint32_t buffer[HEDDLE_MAX_OPERANDS + HEDDLE_MAX_REDUCTIONS];
    uint32_t constant_index[HEDDLE_MAX_CONSTANTS];
    union heddle_scalar constants[HEDDLE_MAX_CONSTANTS];
    void *buffers[HEDDLE_MAX_OPERANDS + HEDDLE_MAX_REDUCTIONS];
};

static inline void build_begin(struct build *b, int n_kept, int ndim, const int64_t *extent)
{
    memset(b, 0, sizeof *b);
    b->launch.program = &b->program;
    b->launch.access = b->access;
    b->launch.buffer = b->buffer;
    b->launch.constants = b->constant_index;
    struct heddle_geometry *g = &b->launch.geometry;
    g->ndim = ndim;
    g->n_kept = n_kept;
    for (int d = 0; d < ndim; d++) g->extent[d] = g->whole[d] = extent[d];
    g->split_axis = n_kept;
    g->split_rows = 1;
    g->n_chunks = 1;
}

/* A new operand over `data`; strides NULL: dense over the kept and reduced axes. */
static inline int build_operand(struct build *b, enum heddle_dtype dtype, const void *data,
                                const int64_t *stride, int64_t offset)
{
    const int o = b->program.n_operands++;
    const struct heddle_geometry *g = &b->launch.geometry;
    b->program.operand_dtype[o] = (uint8_t)dtype;
    memcpy(&b->buffers[o], &data, sizeof data);
    b->buffer[o] = (uint32_t)o;
    b->access[o].offset = offset;
    int64_t dense = 1;
    for (int d = g->ndim - 1; d >= 0; d--) {
        b->access[o].stride[d] = stride ? stride[d] : dense;
        dense *= g->extent[d];
    }
    return o;
}

static inline int build_instr(struct build *b, int code, enum heddle_dtype dtype,
                              enum heddle_dtype result, int x, int y, int z)
{
    const int i = b->program.n_instrs++;
    b->program.instrs[i] = (struct heddle_instr){.code = (uint8_t)code,
                                                 .dtype = (uint8_t)dtype,
                                                 .result = (uint8_t)result,
                                                 .a = (uint16_t)x,
                                                 .b = (uint16_t)y,
                                                 .c = (uint16_t)z};
    if (b->program.n_reductions == 0) b->program.n_before = b->program.n_instrs;
    return i;
}

static inline int build_load(struct build *b, enum heddle_dtype dtype, const void *data,
                             const int64_t *stride, int64_t offset)
{
    const int o = build_operand(b, dtype, data, stride, offset);
    return build_instr(b, HEDDLE_CODE_LOAD, dtype, dtype, o, 0, 0);
}

static inline int build_constant(struct build *b, enum heddle_dtype dtype, union heddle_scalar v)
{
    const int c = b->program.n_constants++;
    b->program.constant_dtype[c] = (uint8_t)dtype;
    b->constant_index[c] = (uint32_t)c;
    b->constants[c] = v;
    return build_instr(b, HEDDLE_CODE_CONSTANT, dtype, dtype, c, 0, 0);
}

static inline int build_f64(struct build *b, double v)
{
    return build_constant(b, HEDDLE_FLOAT64, (union heddle_scalar){.f64 = v});
}

/* An operation of ops.def on values of one dtype. */
static inline int build_op(struct build *b, enum heddle_op op, enum heddle_dtype dtype, int x,
                           int y)
{
    const uint8_t r = heddle__ops[op].result;
    const enum heddle_dtype result = r == HEDDLE_RESULT_BOOL   ? HEDDLE_BOOL
                                     : r == HEDDLE_RESULT_PART ? heddle__real_dtype(dtype)
                                     : r == HEDDLE_RESULT_U8   ? HEDDLE_UINT8
                                                               : dtype;
    return build_instr(b, (int)op, dtype, result, x, y, 0);
}

static inline void build_store(struct build *b, int value, enum heddle_dtype dtype, void *data,
                               const int64_t *stride, int64_t offset)
{
    const int o = build_operand(b, dtype, data, stride, offset);
    b->program.stores[b->program.n_stores++] = (struct heddle_store){(uint16_t)value, (uint16_t)o};
}

/* A reduction of `value`; its result is the REDUCED instruction that the caller adds. */
static inline int build_reduce(struct build *b, enum heddle_reduction op, enum heddle_dtype dtype,
                               int value)
{
    const bool arg = op == HEDDLE_REDUCE_ARGMAX || op == HEDDLE_REDUCE_ARGMIN;
    const int r = b->program.n_reductions++;
    b->program.reductions[r] =
        (struct heddle_reduce_instr){.op = (uint8_t)op,
                                     .dtype = (uint8_t)dtype,
                                     .result = (uint8_t)(arg ? HEDDLE_INT64 : dtype),
                                     .value = (uint16_t)value};
    return r;
}

static inline int build_reduced(struct build *b, int r)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)b->program.reductions[r].result;
    return build_instr(b, HEDDLE_CODE_REDUCED, dtype, dtype, r, 0, 0);
}

static inline enum heddle_status build_run(struct build *b, int n_threads)
{
    return heddle__cpu_program(&b->launch, b->buffers, b->constants, test_team(n_threads));
}

static inline enum heddle_status build_run_again(struct build *b, int n_threads,
                                                 struct heddle_cpu_memo **memo)
{
    return heddle__cpu_program_again(&b->launch, b->buffers, b->constants, test_team(n_threads),
                                     memo);
}

#endif
