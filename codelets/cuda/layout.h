/* How a launch looks to a CUDA kernel: its box with axes merged where all operands allow it, and the
 * class of that layout, which with the program decides the generated source. Pure C, no device.
 * A class holds no size, stride or pointer; those are parameters, in numbered 64-bit slots. */
#ifndef HEDDLE_CUDA_LAYOUT_H
#define HEDDLE_CUDA_LAYOUT_H

#include <program.h>
#include <reduce_tree.h>
#include <stretches.h>
#include <stdbool.h>

enum heddle_cuda_form {
    HEDDLE_FORM_NONE,
    /* maps: how threads walk the box */
    HEDDLE_FORM_LINEAR, /* one axis */
    HEDDLE_FORM_ROWS,   /* threads along the innermost axis, rows of the others */
    HEDDLE_FORM_FLAT, /* flat index, taken apart for each element, or vector of a row: short innermost axes */
    HEDDLE_FORM_TILES, /* rectangles over the last two axes; tiles/tiles.h */
    /* reductions: who reduces a chunk */
    HEDDLE_FORM_THREAD, /* left to right */
    HEDDLE_FORM_STAGED, /* the same, of few columns: rows come through shared memory */
    HEDDLE_FORM_WARP,   /* `lanes` lanes of the tree in each thread */
    HEDDLE_FORM_RUNS,   /* `threads` of a warp: each has runs of lanes; a warp several chunks */
    HEDDLE_FORM_LINES,  /* the same, in any order, of chunks of any length */
    HEDDLE_FORM_BLOCK,  /* 256 threads, 4 lanes each */
    HEDDLE_FORM_PAIRS,  /* 256 threads, a tile of kept elements; all lanes of some in each */
};

/* Of joined kernels: kept elements, as many as they have counters; chunks in all, a block for each. */
enum { HEDDLE_CUDA_TICKETS = 1024, HEDDLE_CUDA_MAX_JOINED = 1 << 20 };

enum heddle_cuda_walk { /* of an operand, over the axes of a map or the reduced axes */
                        HEDDLE_WALK_STILL, /* all strides 0 */
                        HEDDLE_WALK_UNIT, /* innermost stride 1 (FLAT: the whole box is contiguous) */
                        HEDDLE_WALK_REPEAT, /* innermost stride 0, another is not */
                        HEDDLE_WALK_GENERAL,
                        HEDDLE_WALK_COMB, /* innermost stride 2 to MAX_STEP, so that whole pieces are loaded, or stored: struct comb */
                        HEDDLE_WALK_ROW,    /* FLAT by vectors: innermost stride 1 */
                        HEDDLE_WALK_STAGED, /* STAGED: rows of all columns, one after the other */
                        HEDDLE_WALK_MOVED, /* innermost stride 1, rows in stretches, some of which lie elsewhere (stretches.h) */
                        HEDDLE_WALK_ACROSS, /* stride 1; TILES: along the axis before the innermost; strips: along theirs; THREAD: along the last kept axis */
};

/* Of a COMB operand: its innermost stride; the operand before whose elements its own begin, and by how many elements, both in the same
 * pieces: what lies together is loaded, or stored, once for all; of that operand, the most of these elements. */
enum { HEDDLE_CUDA_MAX_STEP = 4, HEDDLE_CUDA_MAX_STORED_STEP = 64 };
struct heddle_cuda_comb {
    uint8_t step, first, skip, reach;
};

/* Of an operand of ROWS: the operand whose rows it has, by how many later; of that operand, the most of these. */
struct heddle_cuda_shift {
    uint8_t first, down, reach;
};

/* Neighbours, and lanes of the tree, that a thread of a block has at once where elements are small. */
enum { HEDDLE_CUDA_QUAD = 4 };

/* Of a map of one array of bytes: each of 256 elements is computed once. OF_LANES: each lane of a warp has a copy. */
enum heddle_cuda_table { HEDDLE_TABLE_NONE, HEDDLE_TABLE_PLAIN, HEDDLE_TABLE_OF_LANES };

enum {
    HEDDLE_ALIKE_COLUMNS = 1,
    HEDDLE_ALIKE_ROWS = 2
}; /* of `alike`, where a block reduces rows and columns of elements */

/* All that the source depends on beside the program. Compared as bytes. */
struct heddle_cuda_class {
    uint8_t form, finish; /* enum heddle_cuda_form; finish: of the partials */
    uint8_t lanes,
        finish_lanes; /* of WARP, RUNS: in each thread; of PAIRS: in a stage, and `unroll` stages */
    uint8_t threads;  /* RUNS, LINES: that reduce a chunk */
    uint8_t
        filled; /* RUNS: each lane has an element; LINES: chunks are vectors without rest, at their borders */
    uint8_t whole;  /* the first pass has the results: one chunk, or a map */
    uint8_t joined; /* one kernel: the block of the last chunk finishes */
    uint8_t wide;   /* 64-bit indices */
    uint8_t narrow; /* BLOCK, of several reduced axes: but 32 bits have the indices of a chunk */
    uint8_t
        near; /* argmax, argmin: 32-bit indices, to which HEDDLE_SLOT_FLAT is added in the end */
    uint8_t n_kept, n_reduced; /* axes after merging */
    uint8_t
        vector; /* elements that lie together; THREAD: all slots or one; BLOCK: HEDDLE_CUDA_QUAD or one; RUNS, LINES: of a run */
    uint8_t unroll; /* how many of those, for a thread; reductions: slots */
    uint8_t
        even; /* INDEX of a map begins at multiples of 4, so that blocks of random numbers begin with it */
    uint8_t planes;    /* ROWS: a thread's rows differ along one axis alone, the last but one */
    uint8_t stretches; /* of a row of a map, if operands of it are MOVED; else 0 */
    uint8_t table;     /* enum heddle_cuda_table */
    uint8_t side;      /* rows of a tile; elements of strips (strips.h), or 0 */
    uint8_t columns;   /* of a tile; of strips of rows; 0: strips of chunks; STAGED: of a row */
    uint8_t rows;      /* STAGED: of a chunk, in shared memory at once */
    uint16_t
        across; /* the merged axis of strips; PAIRS: how many of a block's 256 threads have columns beside each other */
    uint8_t
        together; /* kept elements, neighbours along the last axis, that a block, a warp, or a thread of elements at indices reduces at once; 0: one */
    uint8_t
        together_rows; /* WARP: by how many along the axis before it; 0: the warp reduces one element */
    uint8_t shares; /* BLOCK: how many blocks share the lanes of a chunk; 0: one has them */
    uint8_t light;  /* BLOCK: few registers, so that an SM shall hold all it can */
    int8_t axis[HEDDLE_MAX_NDIM]; /* merged axis that INDEX of an axis reads; -1: it has extent 1 */
    uint8_t walk[HEDDLE_MAX_OPERANDS];
    uint8_t alike
        [HEDDLE_MAX_OPERANDS]; /* all of a strip, or of elements reduced together, are the same element; by rows and columns: HEDDLE_ALIKE_* */
    struct heddle_cuda_comb comb[HEDDLE_MAX_OPERANDS];
    struct heddle_cuda_shift shift[HEDDLE_MAX_OPERANDS]; /* of maps without tiles */
    /* The merged axes, a bit for each, along which the stride is 0. Of maps without tiles: the first operand with the same
     * strides and walk, whose offsets each has. */
    uint8_t still[HEDDLE_MAX_OPERANDS], place[HEDDLE_MAX_OPERANDS];
    uint32_t
        in_line; /* operands, a bit for each, whose elements of a kept element lie in the order of their numbers */
};

struct heddle_cuda_layout {
    struct heddle_cuda_class class;
    int64_t extent[HEDDLE_MAX_NDIM];
    int64_t stride[HEDDLE_MAX_OPERANDS][HEDDLE_MAX_NDIM];
    int64_t flat_offset, flat_stride[HEDDLE_MAX_NDIM]; /* flat index of argmax: offset + sum */
    int64_t kept, reduced;                             /* elements over kept, reduced axes */
    int64_t n_chunks, chunk, group, group_chunks; /* chunk: elements; group: elements between two
                                                     restarts of the chunking, in group_chunks */
    uint8_t used_before[HEDDLE_MAX_OPERANDS];     /* loaded before the reductions */
    uint8_t stored[HEDDLE_MAX_OPERANDS];
    int64_t beside;                 /* chunks between two neighbours of a strip */
    int8_t merged[HEDDLE_MAX_NDIM]; /* the axis that each of the box is in; of extent 1: not set */
    int few_blocks; /* a map whose threads do much before their first element: tables, keys of random numbers */
};

/* Parameter slots. */
enum {
    HEDDLE_SLOT_N,      /* map: elements; reduction: kept elements */
    HEDDLE_SLOT_UNITS,  /* reduction: chunks to reduce; ROWS: tiles */
    HEDDLE_SLOT_CHUNKS, /* of each kept element; ROWS: rows; TILES: rows of tiles in a band */
    HEDDLE_SLOT_CHUNK,
    HEDDLE_SLOT_GROUP,        /* ROWS by planes: rows of a plane */
    HEDDLE_SLOT_GROUP_CHUNKS, /* TILES: bands */
    HEDDLE_SLOT_FLAT,
    HEDDLE_SLOT_COLUMNS, /* ROWS, TILES: tiles side by side; STAGED: kept elements, in rows; strips of chunks: strips along their axis; together, PAIRS: how many side by side */
    HEDDLE_SLOT_BESIDE, /* strips of chunks: chunks between two neighbours; PAIRS: tiles below each other */
    HEDDLE_SLOT_REPORT, /* where bad indices are reported; ... */
    HEDDLE_SLOT_TAG,    /* ... the next one is the tag */
    HEDDLE_SLOT_LANES,  /* of shared chunks: where their partial results are */
    HEDDLE_SLOT_MAGIC_N,
    HEDDLE_SLOT_MAGIC_CHUNKS,
    HEDDLE_SLOT_MAGIC_GROUP_CHUNKS,
    HEDDLE_SLOT_MAGIC_COLUMNS,
    HEDDLE_SLOT_MAGIC_BESIDE,
    HEDDLE_SLOT_EXTENT, /* + merged axis */
    HEDDLE_SLOT_MAGIC = HEDDLE_SLOT_EXTENT + HEDDLE_MAX_NDIM,
    HEDDLE_SLOT_ORIGIN = HEDDLE_SLOT_MAGIC + HEDDLE_MAX_NDIM, /* + axis before merging */
    HEDDLE_SLOT_FLAT_STRIDE = HEDDLE_SLOT_ORIGIN + HEDDLE_MAX_NDIM,
    HEDDLE_SLOT_PARTIAL = HEDDLE_SLOT_FLAT_STRIDE + HEDDLE_MAX_NDIM, /* + reduction */
    HEDDLE_SLOT_OPERAND = HEDDLE_SLOT_PARTIAL + HEDDLE_MAX_REDUCTIONS,
    /* then for each operand its pointer and a stride for each merged axis; then the constants, two
     * slots for complex128 and for what integers are divided by; then the ends of all stretches, and how far each is moved, for each
     * MOVED operand */
    HEDDLE_MAX_SLOTS = HEDDLE_SLOT_OPERAND + HEDDLE_MAX_OPERANDS * (1 + HEDDLE_MAX_NDIM) +
                       2 * HEDDLE_MAX_CONSTANTS + HEDDLE_MOST_STRETCHES * (1 + HEDDLE_MAX_OPERANDS),
};

int heddle__cuda_operand_slot(const struct heddle_cuda_class *c, int operand);
/* Whether an instruction divides integers of 4 or 8 bytes by a constant; whether one divides by this constant, which then has a
 * second slot with what to multiply by instead; how many slots a constant has. */
int heddle__cuda_divides_by(const struct heddle_program *p, const struct heddle_instr *in);
int heddle__cuda_has_divisor(const struct heddle_program *p, int constant);
int heddle__cuda_slots_of_constant(const struct heddle_program *p, int constant);
int heddle__cuda_constant_slot(const struct heddle_program *p, const struct heddle_cuda_class *c,
                               int constant);
/* Where a MOVED operand says how far each stretch is moved; of operand n_operands: the end of all slots. */
int heddle__cuda_moved_slot(const struct heddle_program *p, const struct heddle_cuda_class *c,
                            int operand);
int heddle__cuda_n_slots(const struct heddle_program *p, const struct heddle_cuda_class *c);

/* The layout of a launch. `buffers` may be NULL: they are then taken to be well aligned. */
void heddle__cuda_layout(const struct heddle_launch *launch, void *const buffers[],
                         struct heddle_cuda_layout *l);

/* Which instructions of a map differ between elements along the innermost axis. */
void heddle__cuda_differ_in_rows(const struct heddle_program *p, const struct heddle_cuda_class *c,
                                 uint8_t differs[HEDDLE_MAX_INSTRS]);
/* Arithmetic of one element, in additions, of the instructions from..to-1. */
double heddle__cuda_weight(const struct heddle_program *p, int from, int to);
/* How an operand walks over merged axes from..to-1: enum heddle_cuda_walk. */
uint8_t heddle__cuda_walk_of(const struct heddle_cuda_layout *l, int operand, int from, int to);
/* Whether random numbers are drawn by indices along axes from..ndim-1 that all begin at multiples of 4, where blocks of
 * random numbers begin. */
uint8_t heddle__cuda_draws_from_even(const struct heddle_launch *launch, int from);

/* Whether runs of `length` elements of operand k along a merged axis begin at multiples of what they are loaded by. */
int heddle__cuda_is_run(const struct heddle_launch *launch, void *const buffers[],
                        const struct heddle_cuda_layout *l, int k, int axis, int length);
/* Whether all UNIT, COMB and ACROSS operands of a map begin, and go on along other axes, at multiples of what `vector`
 * elements are loaded by. */
int heddle__cuda_is_aligned(const struct heddle_launch *launch, void *const buffers[],
                            const struct heddle_cuda_layout *l, int vector);

/* GENERAL operands of a map become COMB, if all can and it pays: else threads go by single elements, and nothing is gained. Whether they
 * did; makes them GENERAL again. */
int heddle__cuda_choose_combs(const struct heddle_launch *launch, struct heddle_cuda_layout *l);
void heddle__cuda_drop_combs(struct heddle_cuda_class *c);
/* Which operands of ROWS share rows, once it is known how many a thread has. */
void heddle__cuda_share_rows(const struct heddle_launch *launch, struct heddle_cuda_layout *l);
/* Writes the ends of stretches, and how far operands are moved in each: beyond the next one; so kernels add up what is of ends that lie
 * behind an element, each chosen without a branch. */
void heddle__cuda_pack_stretches(int64_t slots[], const struct heddle_launch *launch,
                                 const struct heddle_cuda_class *c);
/* How many rows there are in all; where `planes`, as if those along the last axis but one were a multiple of what a thread has, as which
 * they are numbered: in the parameters. */
int64_t heddle__cuda_number_rows(const struct heddle_cuda_layout *l, int64_t slots[]);
/* Bytes of a piece of each comb: of all, and of those that are stored. */
int64_t heddle__cuda_bytes_of_combs(const struct heddle_program *p,
                                    const struct heddle_cuda_layout *l, int64_t *stored);

/* Whether a thread of PAIRS takes n elements, or as many as the next power of two, from left to right. */
static inline bool heddle__pairs_in_order(const struct heddle_program *p, int64_t n)
{
    return n <= HEDDLE_TREE_SHORT || heddle__all_in_any_order(p);
}

/* Elements that a thread block covers along the innermost axis and in rows, of ROWS. */
void heddle__cuda_rows_tile(const struct heddle_cuda_layout *l, int *columns, int *rows);
/* The most elements that a thread takes of rows of `inner`, up to `most`; in short rows as many as leave no more threads idle than one would. */
int heddle__cuda_row_vector(int64_t inner, int most);
/* Whether tiles of rows leave many threads idle, of which the others' arithmetic, of weight w, takes the time: then a thread finds its row
 * by a division. */
int heddle__cuda_rows_leave_idle(const struct heddle_cuda_layout *l, double w, int vector);

#endif
