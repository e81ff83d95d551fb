/* State of one plan in the making, shared by the passes, in the order in which they run:
 *   fuse/simplify.c  views resolved, equal operations merged, stages
 *   fuse/fuse.c      what is materialised, which operations make one program
 *   fuse/emit.c      programs, in order; operations of families
 *   cut/             tasks, one a part
 * Everything is indexed by the position of a node in the walk. */
#ifndef HEDDLE_PLAN_BUILD_PLANNER_H
#define HEDDLE_PLAN_BUILD_PLANNER_H

#include "base/arena.h"
#include "plan/build/program.h"
#include "plan/policy/automatic.h"
#include "plan/plan.h"
#include "plan/walk.h"

enum { HEDDLE_NO_GROUP = -1, HEDDLE_MANY_GROUPS = -2 };

/* What is known of one node. */
struct heddle_value {
    heddle_array *node;
    int32_t canonical; /* the first equal node; itself for most */
    int32_t base;      /* VIEW: what it is a view of, through all views; else itself */
    int32_t stage;     /* operations of one stage and shape can be one program, ... */
    uint32_t risk;     /* ... if what may fail for its data is the same; 0: nothing */
    int32_t constant;  /* CONSTANT: its number in the walk */
    int32_t object;    /* FAMILY that has one: its number in the walk */
    int32_t leaf;      /* DATA: its number in the walk */
    int32_t result;    /* its number among what is asked for, of equal ones the first; -1 */
    int32_t array;     /* plan array that holds it; -1 */
    int32_t *outputs;  /* FAMILY of several outputs: array of each, [0] is `array`; NULL: not yet */
    int32_t group;     /* where it is computed; HEDDLE_NO_GROUP while unused */
    int32_t uses;      /* reads of it, in its own group, that are not emitted yet; REDUCE: all */
    uint16_t instr;    /* in the program under construction, if ... */
    int32_t segment;   /* ... that is the current segment */
    bool materialised; /* has an array: asked for, or read by several groups */
    bool distributed;  /* a DISTRIBUTE reads it: it is materialised, perhaps with that partition */
    bool used;         /* something reads it, or it is asked for */
    float cost;        /* flops of one element, operands that are fused included; an upper bound */
    struct heddle_grid *grid;         /* the partition that the user asked for; or NULL */
    const struct heddle_map *view;    /* VIEW: base to it; NULL: identity */
    const struct heddle_map *context; /* group's iteration space to it; NULL: identity */
};

enum heddle_group_kind {
    HEDDLE_GROUP_MAP,    /* elementwise operations of one shape and stage */
    HEDDLE_GROUP_REDUCE, /* reductions over the same axes of the same shape, and what feeds them */
    HEDDLE_GROUP_INSET,  /* one input of an assemble, and what feeds it */
    HEDDLE_GROUP_ASSEMBLE, /* the assemble itself */
    HEDDLE_GROUP_FAMILY,   /* an operation of a family: the family cuts it */
    HEDDLE_GROUP_RESHAPE,
};

struct heddle_group {
    enum heddle_group_kind kind;
    int32_t stage, owner; /* owner: position of the first or only node */
    uint32_t risk;        /* as the values' */
    int32_t ndim, n_kept; /* of the iteration space; REDUCE: kept axes first */
    int64_t extent[HEDDLE_MAX_NDIM];
    uint8_t axes; /* REDUCE: as the node's */
    bool sequential, emitted;
    struct heddle_grid *grid; /* MAP: the partition that the user asked for; or NULL */
    int32_t inset;            /* INSET: which input */
    int32_t first, last;      /* elementwise members, a list through next_member */
    int32_t n_members, n_reductions;
    int32_t reductions[HEDDLE_MAX_REDUCTIONS];
    int32_t next_same; /* hash chain */
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
    int32_t *table;     /* hash table: simplify: positions; then: groups */
    int64_t table_size; /* a power of two */
    int32_t segment;
    bool run_inline;
    enum heddle_spread spread;          /* of arrays that nobody has cut */
    double share[HEDDLE_POLICY_PLACES]; /* SETTLE: of each place */
    int64_t array_room, task_room, use_room, call_room, step_room, literal_room;
    int32_t *one_part;                      /* array -> its copy in one part, or -1; [array_room] */
    const struct heddle_program **programs; /* references that the plan will own */
    int64_t n_programs, program_room;
    struct heddle_halo *halos; /* of the step that is being cut: cut/halo.c */
    int64_t n_halos, halo_room, *halo_buckets;
    int32_t *readers; /* [n]: of each value; NULL: not counted yet */
    bool asked;       /* what is being emitted has the partition that the user asked for */
    bool failed;      /* memory is gone */
};

/* ---- Values (values.c) --------------------------------------------------------------------------- */

bool heddle__is_elementwise(const heddle_array *a); /* MAP, CAST */
/* Input `i` of a value, through views: the canonical base and the map from it to the consumer's
 * index space (NULL: identity). */
int32_t heddle__input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                      const struct heddle_map **map);
/* The same for something that reads no program's loads: the value that it reads whole, which is
 * materialised, and NULL for the map, unless it is the base that is read by the view. */
int32_t heddle__whole_input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                            const struct heddle_map **map);
/* REDUCE: the map from the iteration space, kept axes first, to what is reduced. */
struct heddle_map heddle__reduce_order(const struct heddle_group *group);
/* A map in the planner's scratch; NULL when memory is gone. */
struct heddle_map *heddle__scratch_map(struct heddle_planner *p, const struct heddle_map *map);
/* inner (NULL: identity) of outer (NULL: identity); NULL: identity. */
const struct heddle_map *heddle__compose(struct heddle_planner *p, const struct heddle_map *inner,
                                         const struct heddle_map *outer);
bool heddle__maps_equal(const struct heddle_map *a, const struct heddle_map *b);

/* ---- Arrays, results, constants (arrays.c). Without memory, p->failed is set ---------------------- */

/* A new array; takes over the grid's reference. -1 when memory is gone or `grid` is NULL. */
int32_t heddle__plan_add_array(struct heddle_planner *p, enum heddle_plan_role role, int32_t index,
                               enum heddle_dtype dtype, struct heddle_grid *grid);
/* A temporary of the elements of `like`. */
int32_t heddle__plan_add_like(struct heddle_planner *p, int32_t like, struct heddle_grid *grid);
/* The dtype as which programs move an array's elements: its own, or one of as many bytes. */
enum heddle_dtype heddle__moved_as(const struct heddle_plan_array *array);
/* A temporary whose elements are of no dtype: of 1, 2, 4, 8 or 16 bytes. */
int32_t heddle__plan_add_opaque(struct heddle_planner *p, int32_t element_bytes,
                                struct heddle_grid *grid);
/* The number of a literal among the evaluation's constants. */
uint32_t heddle__plan_literal(struct heddle_planner *p, int64_t value);
/* The array of a value; leaves get theirs at first use. -1: none, or memory is gone. */
int32_t heddle__array_of(struct heddle_planner *p, int32_t at);
/* Whether a value is data in host memory that nothing has cut, so that this plan may. */
bool heddle__is_uncut(const struct heddle_planner *p, int32_t at);
/* The partition of an array that follows nothing; NULL when memory is gone. */
struct heddle_grid *heddle__auto_grid(struct heddle_planner *p, int ndim, const int64_t *shape);
/* Gives such a value its array; takes over the grid's reference. */
int32_t heddle__cut_leaf(struct heddle_planner *p, int32_t at, struct heddle_grid *grid);
/* Gives a value its array, cut by `grid`: a result's or a temporary. */
void heddle__make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid);
/* The same for output `i` of a FAMILY, of that dtype. */
void heddle__make_output_array(struct heddle_planner *p, int32_t at, int i, enum heddle_dtype dtype,
                               struct heddle_grid *grid);
/* Makes `array` the storage of `from` under another name or shape. */
void heddle__share_array(struct heddle_plan *plan, int32_t array, int32_t from);
/* Which array each result is in; equal results share. False when memory is gone. */
bool heddle__name_results(struct heddle_planner *p);

/* The finished program; the plan holds its reference. NULL when memory is gone. */
const struct heddle_program *heddle__plan_program(struct heddle_planner *p,
                                                  struct heddle_builder *b);
/* The operations of a program that say most about it: "exp,log+14". */
void heddle__describe(const struct heddle_program *program, char name[48]);

#endif
