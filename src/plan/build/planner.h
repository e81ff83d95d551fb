/* The state of one plan in the making, which the passes share. In the order in which they run:
 *   fuse/simplify.c  resolves views, merges equal operations, gives values stages
 *   fuse/fuse.c      decides what is materialised, and which operations make one program
 *   fuse/at_indices.c  decides which elements by index the programs that need them read themselves
 *   fuse/unroll.c    decides which reductions their readers compute themselves
 *   fuse/tail.c      decides which of these are computed where inputs of assembled arrays land
 *   fuse/emit.c      makes the programs in order, and has families cut their operations
 *   cut/             makes tasks, one for each part
 * Everything is indexed by the position of a node in the walk. */
#ifndef HEDDLE_PLAN_BUILD_PLANNER_H
#define HEDDLE_PLAN_BUILD_PLANNER_H

#include "base/arena.h"
#include "plan/build/program.h"
#include "plan/policy/automatic.h"
#include "plan/plan.h"
#include "plan/walk.h"

enum { HEDDLE_NO_GROUP = -1, HEDDLE_MANY_GROUPS = -2 };

/* What emitting a value takes of a program. */
struct heddle_room {
    uint16_t instrs, loads, constants;
};

enum { HEDDLE_SEEN_READS = 16 };

/* What the passes know of one node. */
struct heddle_value {
    heddle_array *node;
    int32_t canonical; /* the first node equal to it; itself for most */
    int32_t base;      /* VIEW: what the innermost view reads; else itself */
    int32_t stage;     /* operations of one stage and shape may be one program, ... */
    uint32_t risk;     /* ... if they depend on the same that may fail; 0: nothing may */
    int32_t constant;  /* CONSTANT: its number in the walk */
    int32_t object;    /* FAMILY with an object: its number in the walk */
    int32_t leaf;      /* DATA: its number in the walk */
    int32_t result;    /* which result it is, the first of equal ones; -1: not asked for */
    int32_t array;     /* the plan array that holds it; -1: none yet */
    int32_t *outputs;  /* FAMILY of several outputs: their arrays, [0] is `array`; NULL: none yet */
    int32_t group;     /* where it is computed; HEDDLE_NO_GROUP: no use was met yet */
    int32_t uses;      /* reads in its own group that are not emitted yet; REDUCE: all reads */
    uint16_t instr;    /* its instruction in the program under construction, if ... */
    int32_t segment;   /* ... this is the current segment */
    bool materialised; /* it has an array: it is asked for, or several groups read it */
    bool distributed;  /* a DISTRIBUTE reads it: it is materialised, maybe so partitioned */
    bool used;         /* something reads it, or it is asked for */
    bool again;        /* computed again in each program that reads it, and never stored */
    bool in_unrolled;  /* elementwise: only unrolled reductions read it */
    bool
        at_indices; /* FAMILY: the program that reads the elements of an array by indices does it itself */
    bool wanted_at;   /* elementwise: elements of it are taken by index, ... */
    bool at_places;   /* ... and computed where they are taken */
    bool broadcast;   /* something with more elements reads it */
    bool widened;     /* the same of what elementwise work makes of it */
    bool read_beside; /* the group that would make it reads it, too */
    bool shares;      /* FAMILY: it is no data of its own: who reads it reads its first input */
    int32_t
        turns; /* ASSEMBLE whose inputs (heddle__take_turns) are all that reads it; HEDDLE_NO_GROUP: nothing does yet */
    int32_t last_reader, earlier_reader; /* the groups that were noted last, and before it */
    int16_t n_reads, n_groups; /* different reads, and groups that read it: upper bounds */
    int16_t n_seen;            /* of the reads of `last_reader`: the first ones that differ */
    const struct heddle_map *seen[HEDDLE_SEEN_READS];
    struct heddle_room room;  /* that a program needs for it with fused operands: an upper bound */
    float cost;               /* flops of an element with fused operands: an upper bound */
    struct heddle_grid *grid; /* the partition that the user asked for, or NULL */
    int64_t row;              /* elements in a row of what a RESHAPE makes of it; 0: none does */
    const struct heddle_map *view; /* VIEW: from base to it; NULL: identity */
    /* from the group's iteration space to it, ASSEMBLE: from its only reader's; NULL: identity */
    const struct heddle_map *context;
};

enum heddle_group_kind {
    HEDDLE_GROUP_MAP,    /* elementwise operations of one shape and stage */
    HEDDLE_GROUP_REDUCE, /* reductions over the same axes of the same shape, and what feeds them */
    HEDDLE_GROUP_INSET,  /* one input of an ASSEMBLE, and what feeds it */
    HEDDLE_GROUP_ASSEMBLE, /* the ASSEMBLE itself */
    HEDDLE_GROUP_RESHAPE,  /* data under another shape */
    HEDDLE_GROUP_FAMILY,   /* an operation of a family: the family cuts it */
};

/* Assembled arrays that one MAP or INSET group alone reads and that are never stored: the group is computed where
 * their inputs land, box by box (fuse/tail.c). An array that it reads at several places counts for each. */
enum { HEDDLE_TAIL_ARRAYS = 12 };

struct heddle_tail_box {
    struct heddle_box box;             /* of the group's iteration space */
    int32_t input[HEDDLE_TAIL_ARRAYS]; /* which input of each array lands there; -1: none is read */
};

struct heddle_tail {
    int32_t n, n_boxes;
    int32_t at[HEDDLE_TAIL_ARRAYS];                   /* users before operands */
    int8_t axis[HEDDLE_TAIL_ARRAYS][HEDDLE_MAX_NDIM]; /* the group's of each of its axes */
    int64_t shift[HEDDLE_TAIL_ARRAYS]
                 [HEDDLE_MAX_NDIM]; /* from its indices to the group's, by the group's axes */
    const struct heddle_map
        *map[HEDDLE_TAIL_ARRAYS];  /* of an array that is there several times: where it is read */
    struct heddle_tail_box *boxes; /* disjoint, of all; the largest is last */
    double calls, bytes;           /* of programs, and moved for the arrays, if these were stored */
    int operands;                  /* that the group reads and writes beside them */
};

struct heddle_group {
    enum heddle_group_kind kind;
    int32_t stage, owner; /* owner: position of the first or only node */
    uint32_t risk;        /* that of all its values */
    int32_t ndim, n_kept; /* of the iteration space; REDUCE: kept axes first */
    int64_t extent[HEDDLE_MAX_NDIM];
    uint8_t axes; /* REDUCE: those of the node */
    bool sequential, emitted;
    bool at_indices;          /* a member is */
    struct heddle_grid *grid; /* MAP: the partition that the user asked for, or NULL */
    struct heddle_tail
        *tail; /* MAP, INSET: of arrays that are not stored; ASSEMBLE: the one it is in; or NULL */
    int32_t tail_of; /* ASSEMBLE in a tail: the group whose tail it is */
    int32_t inset;   /* INSET: which input, ... */
    bool
        turns; /* ... and that all inputs of its ASSEMBLE are for one program (heddle__take_turns) */
    int32_t first, last; /* elementwise members, a list through next_member */
    int32_t n_members, n_reductions;
    int32_t reductions[HEDDLE_MAX_REDUCTIONS];
    struct heddle_room unrolled; /* REDUCE: of reductions that it computes itself */
    int32_t next_same;           /* hash chain */
};

struct heddle_planner {
    const struct heddle_walk *walk;
    const struct heddle_policy *policy;
    struct heddle_plan *plan;
    struct heddle_arena scratch; /* dies with the planner */
    int64_t n;
    struct heddle_value *values; /* [n] */
    int32_t *next_member;        /* [n] */
    struct heddle_group *groups;
    int64_t n_groups, group_room;
    int32_t *table;     /* hash table: of positions (simplify), then of groups */
    int64_t table_size; /* a power of two */
    int32_t segment;
    bool run_inline;
    enum heddle_spread spread;          /* of arrays that nobody has cut */
    double share[HEDDLE_POLICY_PLACES]; /* SETTLE: that of each place */
    int64_t array_room, task_room, use_room, call_room, step_room, literal_room;
    int64_t *use_table; /* hash table of the current task's uses, if they are many (tasks.c), ... */
    int64_t use_table_size;                 /* ... a power of two */
    int32_t *one_part;                      /* array -> its copy in one part, or -1; [array_room] */
    const struct heddle_program **programs; /* with references, which the plan will own */
    int64_t n_programs, program_room;
    struct heddle_halo *halos; /* of the step being cut (cut/halo.c) */
    int64_t n_halos, halo_room, *halo_buckets;
    struct heddle_halo *kept_halos; /* of inputs, from earlier steps */
    int64_t n_kept_halos, kept_halo_room;
    struct heddle_replica *replicas; /* of small arrays at places that read them (cut/replicas.c) */
    int64_t n_replicas, replica_room;
    int32_t *first_read; /* [n]: who reads each value, a list in reads[] (update.c); -1: nobody */
    struct heddle_value_read *reads; /* NULL: not listed yet */
    bool asked;                      /* the user distributed what is being emitted */
    int64_t most_bytes;              /* of the plan; 0: HEDDLE_PLAN_BYTES_MAX */
    bool failed;                     /* memory is gone, or ... */
    bool is_too_large;               /* ... the plan would take more, or ... */
    bool is_out_of_order;            /* ... an operation reads what is made after it: never */
};

/* Of one plan, however much memory there is: the 32-bit counts of arrays, parts, uses and calls cannot be
 * exceeded in so much. */
#define HEDDLE_PLAN_BYTES_MAX ((int64_t)8 << 30)
_Static_assert(HEDDLE_PLAN_BYTES_MAX / INT32_MAX < (int64_t)sizeof(struct heddle_plan_use) &&
                   HEDDLE_PLAN_BYTES_MAX / INT32_MAX < (int64_t)sizeof(struct heddle_kernel_call) &&
                   HEDDLE_PLAN_BYTES_MAX / INT32_MAX < (int64_t)sizeof(struct heddle_plan_array) &&
                   HEDDLE_PLAN_BYTES_MAX / INT32_MAX < (int64_t)sizeof(struct heddle_plan_task),
               "32-bit counts");

/* Whether the plan may grow; false with p->failed set. Parts that meet parts can make a plan larger than
 * all memory, of arrays that are small. */
bool heddle__plan_may_grow(struct heddle_planner *p);

/* ---- Values (values.c) --------------------------------------------------------------------------- */

bool heddle__is_elementwise(const heddle_array *a); /* MAP or CAST */
/* What a program needs to read a value, if it computes it. */
struct heddle_room heddle__room_of(const struct heddle_value *v);
static inline void heddle__add_room(struct heddle_room *to, const struct heddle_room *more)
{
    to->instrs = (uint16_t)(to->instrs + more->instrs);
    to->loads = (uint16_t)(to->loads + more->loads);
    to->constants = (uint16_t)(to->constants + more->constants);
}
/* Input `i` of a value, looked at through views: the canonical base, and the map from it to the
 * reader's index space (NULL: identity). */
int32_t heddle__input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                      const struct heddle_map **map);
/* The same for a reader that is no program: if the view itself is materialised, that value, read as it
 * is (*map is NULL); else the base, and the map of the view. */
int32_t heddle__whole_input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                            const struct heddle_map **map);
/* REDUCE: the map from the iteration space, kept axes first, to what is reduced. */
struct heddle_map heddle__reduce_order(const struct heddle_group *group);
/* A map in the planner's scratch; NULL when memory is gone. */
struct heddle_map *heddle__scratch_map(struct heddle_planner *p, const struct heddle_map *map);
/* The map of a view `outer` of a view `inner`. NULL is the identity, for all three. */
const struct heddle_map *heddle__compose(struct heddle_planner *p, const struct heddle_map *inner,
                                         const struct heddle_map *outer);
bool heddle__maps_equal(const struct heddle_map *a, const struct heddle_map *b);

/* ---- Updates (update.c) --------------------------------------------------------------------------- */

/* The array of input `i` of an update, if the update may be made in it: nobody else reads it, in this plan or
 * later, and it is cut like the result. -1: it may not. */
int32_t heddle__base_to_update(struct heddle_planner *p, const struct heddle_value *v, int i);
/* The same for an operation of a family, which needs the array in any case: also of what a program stores for it, which an
 * assembly would compute where it lies. */
int32_t heddle__operand_to_update(struct heddle_planner *p, const struct heddle_value *v, int i);
/* Whether an assembly may overwrite a value of its kind, whoever else reads it. */
bool heddle__may_overwrite(const struct heddle_planner *p, int32_t at);
/* Who reads a value: input `input` of value `reader`; a view that is not materialised reads nothing, its readers do. */
struct heddle_value_read {
    int32_t reader, input, next; /* next: in p->reads, of the same value; -1: none */
};
/* Makes p->reads and p->first_read, unless they are there. False: memory is gone. */
bool heddle__list_reads(struct heddle_planner *p);
/* Whether nobody but elementwise work and reductions reads a value: then it need not have its elements in C order. */
bool heddle__only_programs_read(struct heddle_planner *p, int32_t at);

/* ---- Arrays, results, constants (arrays.c). They set p->failed when memory is gone ---------------- */

/* Adds an array; takes over the reference of `grid`. -1 when memory is gone or `grid` is NULL. */
int32_t heddle__plan_add_array(struct heddle_planner *p, enum heddle_plan_role role, int32_t index,
                               enum heddle_dtype dtype, struct heddle_grid *grid);
/* Adds a temporary with elements like those of `like`. */
int32_t heddle__plan_add_like(struct heddle_planner *p, int32_t like, struct heddle_grid *grid);
/* The dtype by which programs move an array's elements: its own, or one of as many bytes. */
enum heddle_dtype heddle__moved_as(const struct heddle_plan_array *array);
/* Adds a temporary whose elements have no dtype: 1, 2, 4, 8 or 16 bytes each. */
int32_t heddle__plan_add_opaque(struct heddle_planner *p, int32_t element_bytes,
                                struct heddle_grid *grid);
/* The number of a literal among the evaluation's constants. */
uint32_t heddle__plan_literal(struct heddle_planner *p, int64_t value);
/* The array of a value; a leaf gets one at its first use. -1: it has none, or memory is gone. */
int32_t heddle__array_of(struct heddle_planner *p, int32_t at);
/* The same for what only programs read. Without GPUs a file stays in one part, which tasks read in place, so
 * that no view of it is ever gathered from parts. */
int32_t heddle__array_to_load(struct heddle_planner *p, int32_t at);
/* Whether a value is data in host memory that nothing has cut yet, so that this plan may cut it. */
bool heddle__is_uncut(const struct heddle_planner *p, int32_t at);
/* The automatic partition, for what follows no other array; NULL when memory is gone. */
struct heddle_grid *heddle__auto_grid(struct heddle_planner *p, int ndim, const int64_t *shape);
/* The same for what takes more than writing it. */
struct heddle_grid *heddle__auto_grid_of(struct heddle_planner *p, int ndim, const int64_t *shape,
                                         const struct heddle_demand *demand);
/* Gives an uncut value an array cut by `grid`, whose reference it takes over. */
int32_t heddle__cut_leaf(struct heddle_planner *p, int32_t at, struct heddle_grid *grid);
/* Gives a value an array cut by `grid`: a result or a temporary. */
void heddle__make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid);
/* The same for output `i`, of dtype `dtype`, of a FAMILY. */
void heddle__make_output_array(struct heddle_planner *p, int32_t at, int i, enum heddle_dtype dtype,
                               struct heddle_grid *grid);
/* Makes the data of `from` those of `array`, too, under another shape or with other places. */
void heddle__share_array(struct heddle_plan *plan, int32_t array, int32_t from);
/* Finds the array of each result; equal results share one. False when memory is gone. */
bool heddle__name_results(struct heddle_planner *p);

/* Finishes and interns the program; the plan holds the reference. NULL when memory is gone. */
const struct heddle_program *heddle__plan_program(struct heddle_planner *p,
                                                  struct heddle_builder *b);
/* Names a program by its most telling operations and the number of the others: "exp,log+14". */
void heddle__name_program(const struct heddle_program *program, char name[48]);

#endif
