/* The precompiled interpreter: any program, at once, while its own kernel is being compiled or when
 * it cannot be. One struct of plain data goes to the kernels by value. Read by C and by CUDA C++. */
#ifndef HEDDLE_CUDA_INTERPRETER_H
#define HEDDLE_CUDA_INTERPRETER_H

#include <program.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What values are computed as: narrower integers wrap to their width after each operation. */
enum heddle_interp_class {
    HEDDLE_AS_BOOL,
    HEDDLE_AS_I64,
    HEDDLE_AS_U64,
    HEDDLE_AS_F32,
    HEDDLE_AS_F64,
    HEDDLE_AS_C64,
    HEDDLE_AS_C128,
};

struct heddle_interp_instr {
    uint8_t code, as;      /* as: enum heddle_interp_class of the operands */
    uint8_t dtype, result; /* enum heddle_dtype; dtype of LOAD: that of the operand in memory */
    uint8_t to, unused;    /* class of the result */
    uint16_t out, a, b, c; /* registers, or what the code takes */
};

enum { HEDDLE_INTERP_MAP, HEDDLE_INTERP_THREAD, HEDDLE_INTERP_LANES, HEDDLE_INTERP_FORMS };

struct heddle_interp {
    /* geometry, merged */
    int32_t n_kept, n_reduced;
    int64_t extent[HEDDLE_MAX_NDIM], origin[HEDDLE_MAX_NDIM], flat_stride[HEDDLE_MAX_NDIM];
    int64_t flat_offset, kept, units, n_chunks, chunk, group, group_chunks;
    int32_t wide, is_finish, has_results, sequential, by_kept;
    /* program: instructions before, then those after the reductions */
    int32_t n_before, n_instrs, n_stores, n_reductions, n_registers;
    int8_t axis[HEDDLE_MAX_NDIM];
    struct heddle_interp_instr instrs[2 * HEDDLE_MAX_INSTRS];
    struct {
        uint8_t op, dtype, as, is_arg;
        uint16_t value, unused;
        char *partial;
    } reductions[HEDDLE_MAX_REDUCTIONS];
    struct {
        uint16_t value, operand, dtype, unused;
    } stores[HEDDLE_MAX_OPERANDS];
    char *pointer[HEDDLE_MAX_OPERANDS];
    int64_t stride[HEDDLE_MAX_OPERANDS][HEDDLE_MAX_NDIM];
    long long report, tag; /* of CHECKED: where to report, and the tag */
    union {
        uint64_t word[2];
    } constants[HEDDLE_MAX_CONSTANTS];
};

/* Launches; return a cudaError_t. `form`: HEDDLE_INTERP_. */
int heddle__interp_real(const struct heddle_interp *args, int form, int64_t blocks, int threads,
                        size_t shared_bytes, void *stream);
int heddle__interp_complex(const struct heddle_interp *args, int form, int64_t blocks, int threads,
                           size_t shared_bytes, void *stream);
/* On the current device, once: allows the kernels `shared_bytes` of shared memory. */
int heddle__interp_real_open(int shared_bytes);
int heddle__interp_complex_open(int shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
