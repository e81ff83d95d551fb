/* The program form: what a fused group of operations is, for every executor.
 *
 * A program is short, typed, straight-line code over an iteration space. It holds no sizes, no
 * strides, no pointers and no values of constants, so that one program, and one compiled kernel,
 * serves every shape. A launch adds those: the box to walk and, for each operand, an access map.
 * README.md in this folder is the contract that the executors fulfil. */
#ifndef HEDDLE_CODELETS_PROGRAM_H
#define HEDDLE_CODELETS_PROGRAM_H

#include <base/dtype.h>
#include <heddle/array.h>
#include <stddef.h>

enum {
    HEDDLE_MAX_INSTRS = 256,    /* of one program */
    HEDDLE_MAX_OPERANDS = 32,   /* loads and stores of one program */
    HEDDLE_MAX_CONSTANTS = 128, /* of one program */
    HEDDLE_MAX_REDUCTIONS = 6,  /* of one program: five moments of two variables, and one more */
};

/* Operations: the rows of ops.def, then codes that only programs have. */
enum heddle_op {
    HEDDLE_OP_NONE,
#define HEDDLE_OP(ID, ...) HEDDLE_OP_##ID,
#define HEDDLE_RANDOM_OP HEDDLE_OP
#include <heddle/ops.def>
#undef HEDDLE_OP
    HEDDLE_N_OPS,
    HEDDLE_CODE_LOAD = HEDDLE_N_OPS, /* a: operand */
    HEDDLE_CODE_CONSTANT,            /* a: constant */
    HEDDLE_CODE_INDEX,               /* a: axis; the int64 index along it, origin included */
    HEDDLE_CODE_CAST,                /* a: value of `dtype`, becomes `result` as astype does */
    HEDDLE_CODE_REDUCED,             /* a: reduction; its result. Only after the reductions */
    /* Reads at computed places, only before the reductions. CHECKED: a: int32 or int64 value, an index along an axis;
     * b: int64 value, the axis's extent; c: enum heddle_indexing. The index, plus the extent if it is negative, as int64;
     * if it is out of range, that is reported, and it is 0. LOAD_AT: a: int64 value; b: operand, of which
     * it reads the element so many after the first. */
    HEDDLE_CODE_CHECKED,
    HEDDLE_CODE_LOAD_AT,
    HEDDLE_N_CODES
};

enum heddle_reduction {
#define HEDDLE_REDUCTION(ID, ...) HEDDLE_REDUCE_##ID,
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
    HEDDLE_N_REDUCTIONS
};

/* One instruction makes the value of its own index. Operands are lower indices. */
struct heddle_instr {
    uint8_t code;   /* enum heddle_op or HEDDLE_CODE_ */
    uint8_t dtype;  /* of the operands y, z (and x unless `where`, whose x is bool) */
    uint8_t result; /* dtype of the value */
    uint8_t near;   /* 32 bits have, of CHECKED the extent; of LOAD_AT all places */
    uint16_t a, b, c;
};

struct heddle_reduce_instr {
    uint8_t op;     /* enum heddle_reduction */
    uint8_t dtype;  /* of the values and the accumulator */
    uint8_t result; /* dtype of REDUCED: the same, or int64 for argmax and argmin */
    uint8_t unused;
    uint16_t value; /* instruction, before the reductions */
};

/* The value of an instruction goes to an operand. In a program with reductions all outputs are
 * stored after them, over the kept axes. */
struct heddle_store {
    uint16_t value, operand;
};

struct heddle_program {
    uint64_t hash;     /* of all fields below; programs are interned: equal ones are one pointer */
    uint16_t n_instrs; /* of the whole program */
    uint16_t n_before; /* how many are before the reductions; n_instrs if there are none */
    uint16_t n_operands, n_constants, n_reductions, n_stores;
    uint16_t index_axes; /* bit d: INDEX of axis d is used */
    uint16_t sequential; /* reductions: the SEQUENTIAL tree of reduce_tree.h, not LANES */
    uint16_t
        n_checked; /* CHECKED instructions: it may fail for its data, and its elements lie anywhere */
    /* 0, or 1 + enum heddle_scan_operation: it is a LOAD and a store, and what is stored is the scan of what is loaded along the reduced axis, in the
     * order of scan_order.h: of columns if it is `sequential`, else of lanes in one chunk. Only in chains (rows.h). */
    uint16_t scan;
    struct heddle_instr instrs[HEDDLE_MAX_INSTRS];
    struct heddle_reduce_instr reductions[HEDDLE_MAX_REDUCTIONS];
    struct heddle_store stores[HEDDLE_MAX_OPERANDS];
    uint8_t operand_dtype[HEDDLE_MAX_OPERANDS];
    uint8_t constant_dtype[HEDDLE_MAX_CONSTANTS];
};

/* How an operand walks its buffer: element offset + sum of index[d] * stride[d], all in elements.
 * Strides may be 0 (broadcast) or negative (flip). */
struct heddle_access {
    int64_t offset;
    int64_t stride[HEDDLE_MAX_NDIM];
};

enum heddle_phase {
    HEDDLE_PHASE_WHOLE, /* map, or a complete reduction (scratch holds partials if several chunks) */
    HEDDLE_PHASE_PARTIAL, /* reduce each chunk and write partials; no code after the reductions */
    HEDDLE_PHASE_COMBINE, /* partials of all chunks to results; then the code after the reductions */
};

/* The box to walk. Axes 0..n_kept-1 are kept, n_kept..ndim-1 reduced; a map keeps all. Row-major:
 * the last axis of each group is the innermost. */
struct heddle_geometry {
    int32_t ndim, n_kept;
    int64_t extent[HEDDLE_MAX_NDIM];
    int64_t origin[HEDDLE_MAX_NDIM]; /* the index of the box's first element in the whole space */
    int64_t whole[HEDDLE_MAX_NDIM];  /* extents of the whole space, for the flat index of argmax */
    uint8_t phase;                   /* enum heddle_phase */
    uint16_t
        reduced; /* reductions: bit d: axis d was one of the reduced, before kept ones were put first */
    /* Reductions: chunks, of reduce_tree.h. The box starts and ends at chunk boundaries. */
    int32_t split_axis; /* reduced axis that is cut in chunks of `split_rows`; chunks hold whole
                            axes after it and single indices of the reduced axes before it */
    int64_t split_rows; /* >= 1 */
    int64_t n_chunks;   /* in this box; COMBINE: in the whole reduction */
};

/* One application of a program. Arrays are owned by the plan. */
struct heddle_launch {
    const struct heddle_program *program;
    struct heddle_geometry geometry;
    struct heddle_access *access; /* [n_operands] */
    uint32_t *buffer;             /* [n_operands, then n_reductions partial buffers unless
                                       WHOLE]: index into the task's buffers */
    const uint32_t *constants;    /* [n_constants]: index into the evaluation's constants */
    struct heddle_launch
        *next;       /* a chain over the same rows, computed together (rows.h); NULL: the last */
    uint32_t passed; /* bit k: later launches of the chain alone read what operand k stores */
    const struct heddle_stretches *
        stretches; /* of a map, on a GPU: its rows come in stretches (stretches.h); NULL: they do not */
};

/* The part of a launch that is `size` long from `lo` on, on each axis; `access` is its own. */
struct heddle_launch heddle__launch_box(const struct heddle_launch *launch, const int64_t lo[],
                                        const int64_t size[], struct heddle_access access[]);

/* Whether a program is a scan whose values depend on how they are grouped: of sums and products that round. */
int heddle__scan_rounds(const struct heddle_program *program);

/* Bytes of one partial of a reduction: the accumulator, or {value padded to 8 bytes, int64 index}
 * for argmax and argmin. */
size_t heddle__partial_size(const struct heddle_reduce_instr *r);
int heddle__is_arg(const struct heddle_reduce_instr *r);    /* argmax or argmin */
int heddle__has_arg(const struct heddle_program *program);  /* whether a reduction is */
int heddle__takes_all(const struct heddle_reduce_instr *r); /* leaves no element out */
/* Runs of its elements may be reduced each, and their results in order, for the same bits: all but sums and products that round. The
 * first of equals is taken, or the first NaN. */
int heddle__is_associative(const struct heddle_reduce_instr *r);
/* Whether reduction r sums truth values as numbers, of any real dtype of 4 bytes or more: the sums are exact, in any order. */
int heddle__is_count(const struct heddle_program *p, int r);
/* Whether it is a count, or sums integers of up to 2 bytes as wider ones: 32 bits hold the sum of 1024 of them, in any order. */
int heddle__sums_small(const struct heddle_program *p, int r);
/* Whether all reductions of up to 1024 elements may take them in any order, for the same bits: not extremes of floating numbers, as 0.0 and
 * -0.0 are equal. */
int heddle__all_in_any_order(const struct heddle_program *p);

/* Scratch bytes that a launch needs: 0, or the partials of a WHOLE reduction in several chunks.
 * Partials of reduction r are [kept, flattened row-major][n_chunks], reduction after reduction,
 * each starting at a multiple of 64 bytes. */
size_t heddle__launch_scratch_bytes(const struct heddle_launch *launch);
/* The same on a GPU: behind the partials, the lanes of chunks that several blocks share (reduce_tree.h). */
size_t heddle__launch_gpu_scratch_bytes(const struct heddle_launch *launch);

/* Of an element, before the reductions are done with it. */
double heddle__program_flops(const struct heddle_program *program);

/* How many indices the box has over kept axes; over reduced axes. */
int64_t heddle__kept_size(const struct heddle_geometry *g);
int64_t heddle__reduced_size(const struct heddle_geometry *g);
/* Of the kept axes, over all boxes. */
int64_t heddle__whole_kept_size(const struct heddle_geometry *g);

/* A row of ops.def. */
struct heddle_op_info {
    const char *name;       /* "add" */
    const char *expression; /* "hd_add(x, y)" */
    uint8_t arity, accepts, result, convert, flags;
    float flops;
};
enum {
    HEDDLE_RESULT_SAME,
    HEDDLE_RESULT_BOOL,
    HEDDLE_RESULT_PART,
    HEDDLE_RESULT_U8,
    HEDDLE_RESULT_U64,
    HEDDLE_RESULT_F32,
    HEDDLE_RESULT_F64
};
enum {
    HEDDLE_CONVERT_NONE,
    HEDDLE_CONVERT_FLOAT,
    HEDDLE_CONVERT_BYTE,
    HEDDLE_CONVERT_TRUTH,
    HEDDLE_CONVERT_WIDE
};
enum { HEDDLE_FLAG_0 = 0, HEDDLE_FLAG_C = 1, HEDDLE_FLAG_A = 2 };
/* accepts: a bit for each kind, or for one dtype */
enum {
    HEDDLE_KIND_B = 1,
    HEDDLE_KIND_I = 2,
    HEDDLE_KIND_U = 4,
    HEDDLE_KIND_F = 8,
    HEDDLE_KIND_C = 16,
    HEDDLE_ACCEPTS_ALL = 31,
    HEDDLE_ACCEPTS_NUM = 30,
    HEDDLE_ACCEPTS_REAL = 14,
    HEDDLE_ACCEPTS_ANYR = 15,
    HEDDLE_ACCEPTS_FLT = 24,
    HEDDLE_ACCEPTS_RFLT = 8,
    HEDDLE_ACCEPTS_CPX = 16,
    HEDDLE_ACCEPTS_INT = 6,
    HEDDLE_ACCEPTS_INTB = 7,
    HEDDLE_ACCEPTS_BOOL = 1,
    HEDDLE_ACCEPTS_I64 = 32,
    HEDDLE_ACCEPTS_U64 = 64,
    HEDDLE_ACCEPTS_F64 = 128,
};
extern const struct heddle_op_info heddle__ops[HEDDLE_N_OPS];

/* Sets needed[] of what is needed for the instructions whose needed[] is set, of 0..end-1. */
void heddle__mark_needed(const struct heddle_program *program, int end, uint8_t needed[]);

/* How many operands of an instruction are values. */
static inline int heddle__instr_arity(const struct heddle_instr *in)
{
    if (in->code < HEDDLE_N_OPS) return heddle__ops[in->code].arity;
    return in->code == HEDDLE_CODE_CHECKED                                   ? 2
           : in->code == HEDDLE_CODE_CAST || in->code == HEDDLE_CODE_LOAD_AT ? 1
                                                                             : 0;
}

struct heddle_reduction_info {
    const char *name, *element, *expression;
    uint8_t accepts, convert;
    int8_t identity; /* 0 or 1; HD_NONE: none */
};
enum { HD_NONE = -1 };
extern const struct heddle_reduction_info heddle__reductions[HEDDLE_N_REDUCTIONS];

/* The bits of a dtype in `accepts`: its kind's and its own. */
unsigned heddle__kind_bit(enum heddle_dtype dtype);

#endif
