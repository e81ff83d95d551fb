/* What the files of the CPU's reductions share: reduce_boxes.c cuts a launch into boxes, reduce.c sets a job up (reduce_order.c: the order)
 * and gives its items to threads, reduce_item.c makes one, by blocks, and reduce_in_place.c, reduce_fold.c and
 * reduce_fold_rows.c (reduce_fold_find.c: which) without any; reduce_slabs.c: rows of few kept elements;
 * reduce_exchange.c says along which axis runs go. */
#ifndef HEDDLE_CODELETS_CPU_REDUCE_H
#define HEDDLE_CODELETS_CPU_REDUCE_H

#include "cpu/compiled/plan.h"
#include "cpu/interpreter.h"

enum { HEDDLE_TURNED = 4 }; /* operands that are turned over, at most */

/* How elements are folded by what is compiled (reduce_fold.c); `run` NULL: they are not. */
struct heddle__fold {
    heddle__run_function *run;
    heddle__run_function *joins; /* ORDER_TREE: a group to accumulators, which `run` begins */
    const struct heddle__plan *plan;
    struct heddle__form *form; /* NULL: there is none for these elements */
    int64_t strip;             /* elements of a run that all rows are folded to, at most */
    double weight;             /* estimated cost of an element, in additions */
    int n_turned;
    bool records;                  /* what is turned over is read once: short rows */
    uint8_t turned[HEDDLE_TURNED]; /* operands */
};

/* An operand's elements [rows][n] from `from` on, in a thread's room, row after row. */
struct heddle__turned {
    char *room;
    const char *from;
    int64_t rows, n;
};

enum heddle__visit_order {
    ORDER_ROWS,  /* a block holds whole rows: several kept elements, all that each reduces */
    ORDER_LANES, /* a block is a part of one chunk of one kept element */
    ORDER_TREE, /* kept axes innermost, and one element of each of many rows at a time, as the tree combines them */
    ORDER_KEPT, /* the same from left to right: SEQUENTIAL, what does not round, and short rows that lie in several places */
    ORDER_SLABS, /* SEQUENTIAL along a short axis: its elements innermost, and around them a chunk of one kept element of the others */
};

static inline bool heddle__is_across(enum heddle__visit_order order)
{
    return order == ORDER_TREE || order == ORDER_KEPT;
}

struct heddle__reduce_job {
    const struct heddle_launch *launch;
    const struct heddle_launch *by_blocks; /* in its place if it does not fold; NULL: itself */
    const struct heddle_launch *elements;  /* how they are reduced: the launch, or `counting` */
    const struct heddle_program *program;  /* of `elements` */
    const struct heddle__blocks *blocks;
    enum heddle__visit_order order;
    struct heddle__walk walk; /* of the elements; not when combining */
    struct heddle__code code;
    struct heddle__walk kept; /* of the tiles: a block is a tile */
    struct heddle__code after;
    void *const *buffers;
    const union heddle_scalar *constants;
    int n_pre, pre;     /* walk axes before the split axis: how many, the first */
    int chunk;          /* walk axis that chunks cut; those of the chunk go on from it */
    int kept_axis;      /* first kept axis of the walk */
    int64_t n_split;    /* chunks along the split axis */
    int64_t chunk_rows; /* indices of axis `chunk` in a chunk, at most */
    int64_t n_chunks;
    int64_t tile;  /* elements of a tile, at most */
    int64_t group; /* ORDER_LANES: kept elements visited together, at most; ORDER_SLABS: slabs */
    int64_t lanes_pitch; /* from the lanes of one of them to those of the next one */
    struct heddle__code_room code_room, after_room;
    char *partial[HEDDLE_MAX_REDUCTIONS];
    bool to_partials, combine, empty;
    uint32_t counted; /* bit r: truth values are added up in place of reduction r's numbers, ... */
    uint8_t count_dtype;           /* ... as these, ... */
    int64_t most_counted;          /* ... of which each holds so many */
    struct heddle_launch counting; /* reductions that are counted have the truth values */
    struct heddle_program counting_program;
    bool in_place; /* values are read where they lie, in runs along the walk's last axis: */
    uint8_t operand[HEDDLE_MAX_REDUCTIONS];
    struct heddle__fold fold;
};

static inline bool heddle__is_counted(const struct heddle__reduce_job *job, int r)
{
    return job->counted >> r & 1;
}

/* Elements of a row of ORDER_TREE, and right branches of its tree that wait, at most. */
enum { HEDDLE_TREE_ACROSS = 512, HEDDLE_BRANCHES = 9 };

/* A thread's buffers. */
struct heddle__reduce_worker {
    struct heddle__lane lane, after;
    void *result[HEDDLE_MAX_REDUCTIONS]; /* [tile] as REDUCED gives them */
    void *value[HEDDLE_MAX_REDUCTIONS];  /* [tile] of the reduction's dtype: result, unless arg */
    int32_t *at[HEDDLE_MAX_REDUCTIONS];  /* [tile] element numbers, of arg */
    void *lanes[HEDDLE_MAX_REDUCTIONS];  /* [group][lanes_pitch] */
    int32_t *lanes_at[HEDDLE_MAX_REDUCTIONS];
    char *temporary; /* [HEDDLE_TREE_LANES] of 8 bytes */
    char *turned;    /* ORDER_ROWS: a block's values, the rows across; of a fold, lanes */
    char *counts;    /* [tile] of what is counted, as numbers */
    char *branch
        [HEDDLE_MAX_REDUCTIONS]; /* ORDER_TREE: [HEDDLE_BRANCHES][tile], of a fold [strip], accumulators */
    struct heddle__turned turned_over[HEDDLE_TURNED];
    char *slabs[HEDDLE_MAX_REDUCTIONS]; /* ORDER_SLABS: values of a group's blocks, or NULL */
};

static inline size_t heddle__value_size(const struct heddle_reduce_instr *r)
{
    return heddle_dtype_size((enum heddle_dtype)r->dtype);
}

static inline const struct heddle__block_reducer *
heddle__reducer_of(const struct heddle__reduce_job *job, int r)
{
    const struct heddle_reduce_instr *instr = &job->program->reductions[r];
    return &job->blocks->types[instr->dtype].reducers[instr->op];
}

/* Reduces a launch in at most two loops on the team, with all its partials in memory at once. */
enum heddle_status heddle__reduce_box(const struct heddle_launch *launch, void *const buffers[],
                                      const union heddle_scalar constants[],
                                      struct heddle_team *team);

/* A launch in which another kept axis is the innermost one; access is its own. */
enum heddle__exchange {
    EXCHANGE_NONE,   /* there is no better one */
    EXCHANGE,        /* neighbours lie along it */
    EXCHANGE_TO_FOLD /* runs along it are long: better if they fold, else worse */
};
enum heddle__exchange heddle__reduce_exchange(const struct heddle_launch *launch,
                                              struct heddle_launch *exchanged,
                                              struct heddle_access access[]);

/* The same of a launch of phase WHOLE in one chunk, in two steps: `job` may run again after the offsets of the launch's
 * operands have changed. */
void heddle__reduce_begin(struct heddle__reduce_job *job, const struct heddle_launch *launch,
                          void *const buffers[], const union heddle_scalar constants[],
                          struct heddle_team *team);
enum heddle_status heddle__reduce_run(const struct heddle__reduce_job *job,
                                      struct heddle_team *team);

/* Sets the order of visiting, the walk and what is counted of a job whose `kept` is known. `operands`: of the whole launch. */
void heddle__reduce_choose_order(struct heddle__reduce_job *job, struct heddle_team *team,
                                 uint32_t operands);
/* Operands that instructions from..to-1 load, and those that are `stored`: bits. */
uint32_t heddle__reduce_operands(const struct heddle_program *p, int from, int to, bool stored);

/* A block's values of reduction r. */
static inline const char *heddle__reduce_values(const struct heddle__reduce_job *job,
                                                const struct heddle__reduce_worker *w, int r)
{
    return w->lane.ptr[job->code.roots[r]];
}

/* Sets what blocks are counted by of a walk over a chunk alone. */
void heddle__reduce_chunk_walk(const struct heddle__reduce_job *job, int64_t chunk_rows,
                               struct heddle__walk *part);
/* The values of a tile of m kept elements, `rows` as in a block of `kept`, from left to right, or as the tree combines them. */
void heddle__reduce_kept(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t kept_rows,
                         int64_t m);
void heddle__reduce_tree(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, const int64_t *kept, int64_t rows, int64_t m);

/* Counts of n places of the tile from `at` on go to their numbers, which begin with them if it is the `first` time. */
void heddle__reduce_put_counts(const struct heddle__reduce_job *job,
                               const struct heddle__reduce_worker *w, int r, int64_t at, int64_t n,
                               bool first);

/* Whether a fold would pay in the job's order, which is not ORDER_ROWS and whose walk is set, if there were one. */
bool heddle__fold_pays(const struct heddle__reduce_job *job);
/* Finds it; false: it is not compiled, or not yet, or never. */
bool heddle__fold_find(struct heddle__reduce_job *job);
/* Sets the tiles, some `items` of them. */
void heddle__fold_shape(struct heddle__reduce_job *job, int64_t items);
/* What is turned over has its place in `room`, of so many bytes, aligned as a cache line. */
size_t heddle__fold_room(const struct heddle__reduce_job *job);
void heddle__fold_begin(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                        char *room);
/* Rows of ORDER_ROWS that are folded to HEDDLE_ROW_LANES lanes each; a tile has HEDDLE_FOLDED_ROWS at most, whose lanes have the place of a
 * chunk's. */
enum { HEDDLE_FOLDED_ROWS = HEDDLE_TREE_LANES / HEDDLE_ROW_LANES };
/* Whether that would pay in ORDER_ROWS, whose walk is set. */
bool heddle__fold_pays_rows(const struct heddle__reduce_job *job);
void heddle__reduce_fold_rows(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                              const int64_t *kept, int64_t m);
/* What a fold reads from idx on, as it lies: rows are `step` elements of an axis apart. ptr and pitch as in plan.h. */
void heddle__fold_inputs(const struct heddle__reduce_job *job,
                         const struct heddle__reduce_worker *w, const int64_t *idx, int axis,
                         int64_t step, void **ptr, int64_t *pitch);
/* As heddle__reduce_in_place. */
void heddle__reduce_fold(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t kept_rows,
                         int64_t m);

/* Whether ORDER_SLABS pays, and, when the job has its walk, whether elements lie so that it does. `is_loaded`: nothing is computed. */
bool heddle__slabs_pay(const struct heddle__reduce_job *job, bool is_loaded);
bool heddle__slabs_lie(const struct heddle__reduce_job *job);
/* Sets tiles and blocks. `is_long`: blocks may be long ones. */
void heddle__slabs_shape(struct heddle__reduce_job *job, struct heddle_team *team, bool is_long);
/* Bytes for reduction r's values of several blocks. */
size_t heddle__slabs_room(const struct heddle__reduce_job *job, int r);
/* The tile's values of one chunk, which begins at idx; kept is the tile of m elements. */
void heddle__reduce_slabs(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                          int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t m);

/* The tile's values of one chunk, of a job in place: idx is the chunk's start, kept and kept_rows are the tile of m elements. */
void heddle__reduce_in_place(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                             int64_t *idx, int64_t chunk_rows, const int64_t *kept,
                             int64_t kept_rows, int64_t m);
/* The lanes of `member`, which have the chunk's n elements, become the value of place j of the tile. */
void heddle__reduce_lanes_end(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                              int r, int64_t member, int64_t n, int64_t j);

/* Moves idx of axes from..to-1 on, row-major, between low[] and high[]. */
static inline void heddle__reduce_next(int64_t *idx, int from, int to, const int64_t *low,
                                       const int64_t *high)
{
    for (int d = to - 1; d >= from; d--) {
        if (++idx[d] < high[d]) return;
        idx[d] = low[d];
    }
}

/* Makes tile t, or its partials of chunk c. */
void heddle__reduce_item(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t t, int64_t c);

#endif
