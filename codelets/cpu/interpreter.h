/* The CPU interpreter's parts: a walk says in which order and in what blocks a box is visited, code
 * is a section of a program decoded for a walk, a lane is one thread's pointers and registers.
 *   walk.c    launch -> walk           decode.c  program section + walk -> code
 *   run.c     code on a block          program.c  the entry
 *   runs.c    loads with any strides   panels.c   loads for several blocks at once
 *   table.c   maps of bytes by look-up
 *   reduce/   reductions
 * Between launches only program.c keeps anything, and only for who asks. */
#ifndef HEDDLE_CODELETS_CPU_INTERPRETER_H
#define HEDDLE_CODELETS_CPU_INTERPRETER_H

#include "cpu/ahead.h"
#include "cpu/compiled/forms.h"
#include "indexing.h"
#include "kernels.h"

#include <stdatomic.h>

enum {
    WALK_MAX_NDIM = HEDDLE_MAX_NDIM + 2,
    SHORT_BLOCK = 256,       /* blocks take in outer axes until they have as many elements */
    SHORT_ROW = 16,          /* compiled runs go over rows that are not shorter */
    STREAM_BYTES = 32 << 20, /* stores of as many, over all boxes, go past the caches */
};

/* ---- walk ------------------------------------------------------------------------------------- */

/* Axes in the order of visiting, extent-1 axes dropped and adjacent ones merged. A block holds
 * `cut` indices of axis `first` and all of the axes after it, numbered row-major; or, if it is padded, as they lie in
 * operands that are part of larger arrays: what lies between is computed, too, and not stored. */
struct heddle__walk {
    int ndim, first;
    int64_t cut;   /* indices of axis `first` in a block, at most */
    int64_t inner; /* elements for each of them */
    bool padded;
    int64_t pad[WALK_MAX_NDIM]; /* padded: numbers from one index of an axis to the next */
    /* For loads that jump along the last axis, and whose elements lie side by side along an axis before (panels.c): */
    int near;        /* that axis, up to `first`; -1: there is none */
    int64_t strip;   /* indices of it in a panel, at most */
    int64_t columns; /* indices of axis `first` in a panel, at most, if that is another one */
    bool
        sideways; /* blocks follow each other along `near`, strip by strip, and along `first` last */
    int64_t extent[WALK_MAX_NDIM];
    int8_t axis[HEDDLE_MAX_NDIM]; /* launch axis -> axis of the walk; -1: extent 1 */
    int64_t stride[HEDDLE_MAX_OPERANDS][WALK_MAX_NDIM];
};

void heddle__walk_begin(struct heddle__walk *walk);
/* Appends launch axes from..to-1, at least one axis (of extent 1, if need be). `operands`: bit o:
 * operand o takes part. Returns the number of axes appended. */
int heddle__walk_add(struct heddle__walk *walk, const struct heddle_launch *launch,
                     uint32_t operands, int from, int to);
/* Chooses first, cut, inner: blocks of up to `target` elements, cut across axis `lowest` or later.*/
void heddle__walk_shape(struct heddle__walk *walk, int lowest, int64_t target);
/* Lets blocks have gaps, as most of the operands with gaps have them, so that these are read where they lie; before
 * heddle__walk_shape. False: none has gaps, or they are too wide. */
bool heddle__walk_pad(struct heddle__walk *walk, int n_operands);
/* How many numbers a block of `rows` indices of axis `first` has. */
int64_t heddle__walk_span(const struct heddle__walk *walk, int64_t rows);
/* Index of block `number` of those that cover axes from..ndim-1 (idx[d < from] stays); returns its
 * count of indices of axis `first`. */
int64_t heddle__walk_block(const struct heddle__walk *walk, int from, int64_t number, int64_t *idx);
int64_t heddle__walk_blocks(const struct heddle__walk *walk, int from);
/* Whether the operand's elements of a block are one after the other. */
bool heddle__walk_is_contiguous(const struct heddle__walk *walk, int operand);
/* Whether operand p's rows along the last axis are operand o's rows further down, few of them, and begin few elements further along;
 * whether that is so of any two loads. */
bool heddle__walk_shift(const struct heddle__walk *walk, const struct heddle_launch *launch, int o,
                        int p, int8_t *down, int8_t *along);
bool heddle__walk_has_shifts(const struct heddle__walk *walk, const struct heddle_launch *launch);
/* Whether the operand moves along any axis of from..to-1. */
bool heddle__walk_moves(const struct heddle__walk *walk, int operand, int from, int to);

/* ---- code ------------------------------------------------------------------------------------- */

enum {
    MAX_PANELS = 8,
    PTR_BROADCAST = HEDDLE_MAX_INSTRS,           /* + value: its scalar, repeated over a block */
    PTR_OPERAND = 2 * HEDDLE_MAX_INSTRS,         /* + operand: its first element, of LOAD_AT */
    PTR_BAD = PTR_OPERAND + HEDDLE_MAX_OPERANDS, /* + enum heddle_indexing: of CHECKED */
    PTR_NONE = PTR_BAD + HEDDLE_N_INDEXINGS,
    N_PTRS,
};

enum heddle__step_kind {
    STEP_OP,
    STEP_RUN,
    STEP_GATHER,
    STEP_COLUMNS,
    STEP_IOTA,
    STEP_INDEX,
    STEP_FILL
};
enum index_form {
    INDEX_OF_ELEMENTS,
    INDEX_OF_ROWS, /* one number for each row of the block */
    INDEX_OF_FIRST /* the block's first number */
};
/* A block function on pointers ptr[out], ptr[x], ... (STEP_OP), a compiled run on those that map[x..] of the code names
 * (STEP_RUN), or a move: GATHER operand x, COLUMNS the same of z steps from this one on, which are columns of the same records, IOTA and
 * INDEX (one number) of launch axis x, FILL from ptr[x]; y is log2 of the element size, z of IOTA an enum index_form. */
struct heddle__step {
    union {
        heddle__block_fn *fn;
        heddle__run_function *run;
    };
    uint16_t out, x, y, z, kind;
};

/* A code of this interpreter alone: what table b has for byte a. */
enum { CODE_LOOKUP = HEDDLE_N_CODES };

/* Where ptr[ptr] stays: at operand arg's first element, constant arg, cell arg, register arg, result arg, or where the
 * thread's bad index of a function is noted. */
enum heddle__fixed_kind {
    FIXED_OPERAND,
    FIXED_CONSTANT,
    FIXED_CELL,
    FIXED_REGISTER,
    FIXED_RESULT,
    FIXED_BAD
};
struct heddle__fixed {
    uint16_t ptr, kind;
    uint32_t arg; /* constants are those of a whole evaluation */
};
struct heddle__link {
    uint16_t ptr, operand;
    bool is_dense; /* of `moving`: a block's elements are one run */
};

/* Holds no addresses of data, so that it serves every run of the launch whose buffers are equal, or
 * not, to each other in the same way. */
struct heddle__code {
    const struct heddle__walk *walk;
    const struct heddle__blocks *blocks;
    const struct heddle_launch *launch;
    int n_registers;
    size_t element_bytes; /* largest element of a register */
    int gathered;         /* loads that are brought together for each block */
    double weight;        /* estimated cost of an element, in additions */
    const uint16_t *map;  /* of compiled runs; lives for good */
    int64_t *pitch;       /* for these: bytes from one row of a value to the next */
    bool by_rows;         /* these go over `inner` elements at a time: not all values are dense */
    bool together;        /* the one compiled run takes rows together */
    struct heddle__form *form;   /* what is interpreted here and may be compiled one day, or NULL */
    struct heddle__ahead *ahead; /* what blocks fetch for later ones, or NULL */
    bool fetches_next;           /* a block fetches the next one's operands */
    uint16_t n_once, n_row, n_steps, n_fixed, n_moving, n_panels, n_copies, n_pitches;
    uint16_t roots[HEDDLE_MAX_REDUCTIONS]; /* ptr of each reduction's values */
    struct heddle__step *once;             /* when a thread starts */
    struct heddle__step *row;              /* when an axis before `first` moves */
    struct heddle__step *steps;            /* for each block */
    struct heddle__fixed *fixed;
    struct heddle__link *moving; /* follow the block */
    struct heddle__link *panels; /* follow it in panels */
    struct heddle__link *copies; /* stores that no step writes itself */
    uint64_t copy_scalars;       /* bit c: copies[c] repeats a scalar */
    uint64_t copy_streams;       /* bit c: copies[c] goes past the caches, in one run */
    /* Copies that are the fields of records, in order (runs.c); 0: none are. */
    uint8_t n_woven, woven[HEDDLE_WOVEN];
    uint32_t operands;                 /* bit o: operand o is used */
    uint8_t size[HEDDLE_MAX_OPERANDS]; /* of an element, bytes; of those used */
};

/* Where a code's lists are while it is decoded. */
struct heddle__code_room {
    struct heddle__step once[2 * HEDDLE_MAX_INSTRS];
    struct heddle__step row[2 * HEDDLE_MAX_INSTRS];
    struct heddle__step steps[HEDDLE_MAX_INSTRS];
    struct heddle__fixed fixed[2 * HEDDLE_MAX_INSTRS];
    struct heddle__link moving[HEDDLE_MAX_INSTRS + HEDDLE_MAX_OPERANDS];
    struct heddle__link panels[MAX_PANELS];
    struct heddle__link copies[HEDDLE_MAX_OPERANDS];
    int64_t pitch[HEDDLE_MAX_INSTRS];
};

/* Decodes instructions 0..end-1 as far as they are needed: for the stores, or (reduce) for the
 * reductions' values. The lists are in `room`. */
void heddle__decode(struct heddle__code *code, struct heddle__code_room *room,
                    const struct heddle__walk *walk, const struct heddle_launch *launch,
                    void *const buffers[], int end, bool reduce);

/* ---- running ---------------------------------------------------------------------------------- */

/* What a panel holds: indices from..to-1 of axis `near`, column..column_to-1 of axis `first`. */
struct heddle__panel {
    char *room;
    int64_t rest; /* the offset of the other axes' indices */
    int64_t from, to, column, column_to;
};

struct heddle__lane {
    char *base[HEDDLE_MAX_OPERANDS]; /* the box's first element */
    void *ptr[N_PTRS];
    union heddle_scalar cell[HEDDLE_MAX_INSTRS];
    struct heddle__panel panel[MAX_PANELS];
    struct heddle__bad_index bad[HEDDLE_N_INDEXINGS]; /* set only of programs that check indices */
};

/* The bad index of all threads that was noted first. */
struct heddle__bad_note {
    atomic_bool is;
    struct heddle__bad_index bad;
    enum heddle_indexing function;
};

/* Bytes of registers for blocks of the code's walk; of these and panels. Multiples of 64. */
size_t heddle__value_bytes(const struct heddle__code *code);
size_t heddle__register_bytes(const struct heddle__code *code);
/* `results`: of the reductions, or tables, for REDUCED; may be NULL. */
void heddle__lane_begin(struct heddle__lane *lane, const struct heddle__code *code,
                        void *const buffers[], const union heddle_scalar constants[],
                        char *registers, void *const *results);
/* Notes what a thread found wrong, when it is done. */
void heddle__lane_end(const struct heddle__lane *lane, const struct heddle__code *code,
                      struct heddle__bad_note *note);
/* The error of the note, if there is one, when all threads are done. */
enum heddle_status heddle__bad_status(struct heddle__bad_note *note);
/* Whether a block goes through several steps, while memory would be idle, of more than a cache has. One step alone reads memory all the
 * time; before a reduction it is enough, unless it takes longer than memory does. */
bool heddle__is_worth_fetching(const struct heddle__code *code, int n_reductions);
/* The block that starts at idx, of `rows` indices of axis `first`. new_row: an axis before `first`
 * has moved since the last call. */
void heddle__run_block(struct heddle__lane *lane, const struct heddle__code *code,
                       const int64_t *idx, int64_t rows, bool new_row);

/* Finds copies that together are the fields of records; and writes those of a block that begins at `offset`, if it is one run of
 * records: the bits of the copies that are written. */
void heddle__weave_find(struct heddle__code *code);
uint64_t heddle__weave(const struct heddle__lane *lane, const struct heddle__code *code,
                       int64_t offset, int64_t rows);

/* ---- panels ------------------------------------------------------------------------------------ */

/* Chooses near, strip and columns for the loads of instructions 0..end-1, and shorter blocks, so that panels stay in
 * a cache. `axes`: bit d: blocks may follow each other along axis d. After heddle__walk_shape. */
void heddle__panels_choose(struct heddle__walk *walk, const struct heddle_program *p, int end,
                           uint32_t axes);
/* Whether the operand comes by panels, if the code has not enough of them yet. */
bool heddle__panels_has(const struct heddle__code *code, void *const buffers[], int operand);
size_t heddle__panels_bytes(const struct heddle__code *code);
void heddle__panels_begin(struct heddle__lane *lane, const struct heddle__code *code, char *room);
/* Sets the pointers of the block that starts at idx; brings the panels that it reads, unless they are there. */
void heddle__panels_read(struct heddle__lane *lane, const struct heddle__code *code,
                         const int64_t *idx, int64_t rows);

/* ---- tables ------------------------------------------------------------------------------------ */

enum {
    TABLE_ENTRIES = 256,
    TABLES_BYTES = 8192, /* at most, of all stores: they stay in the nearest cache */
};

/* The operand of bytes on which alone the map's elements depend, if it has so many and they take so long to compute that
 * looking them up is faster; or -1. */
int heddle__table_operand(const struct heddle__code *code, const union heddle_scalar constants[]);
/* The program that looks up what p's stores get, in tables that are its results. */
void heddle__table_program(struct heddle_program *lookup, const struct heddle_program *p,
                           int bytes);
/* Computes the tables, in `room` of TABLES_BYTES, aligned as a cache line. */
enum heddle_status heddle__table_fill(void *tables[], char *room,
                                      const struct heddle_launch *launch, int bytes,
                                      void *const buffers[], const union heddle_scalar constants[]);

/* ---- reductions -------------------------------------------------------------------------------- */

enum heddle_status heddle__cpu_reduce(const struct heddle_launch *launch, void *const buffers[],
                                      const union heddle_scalar constants[],
                                      struct heddle_team *team);

/* Threads to use for work that costs as much as `additions` of float64, in at most n_items parts. */
int heddle__cpu_threads(struct heddle_team *team, double additions, int64_t n_items);
/* What an addition of a program's costs in those of float64: a vector has as many more elements as they are narrower. */
double heddle__cpu_addition(const struct heddle_program *p);

enum {
    STACK_SCRATCH_BYTES = 40960, /* a thread's scratch lies on its stack up to this size */
    REGISTERS_BYTES = 32768,     /* blocks are made shorter until their registers fit in this */
};

#endif
