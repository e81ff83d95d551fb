/* State of one plan in the making, shared by the passes, in the order in which they run:
 *   simplify.c  views resolved, equal operations merged, stages
 *   fuse.c      what is materialised, which operations make one program
 *   emit.c      programs, in order: emit_map.c, emit_reduce.c; the plan's arrays: arrays.c
 *   cut.c       tasks, one a part; pieces
 * Everything is indexed by the position of a node in the walk. */
#ifndef HEDDLE_PLAN_PLANNER_H
#define HEDDLE_PLAN_PLANNER_H

#include "base/arena.h"
#include "plan/build.h"
#include "plan/plan.h"

enum { HEDDLE_NO_GROUP = -1, HEDDLE_MANY_GROUPS = -2 };

/* What is known of one node. */
struct heddle_value {
    heddle_array *node;
    int32_t canonical; /* the first equal node; itself for most */
    int32_t base;      /* VIEW: what it is a view of, through all views; else itself */
    int32_t stage;     /* operations of one stage and shape can be one program */
    int32_t constant;  /* CONSTANT, MAP_PARTS: its number in the walk */
    int32_t leaf;      /* DATA: its number in the walk */
    int32_t result;    /* its number among what is asked for, of equal ones the first; -1 */
    int32_t array;     /* plan array that holds it; -1 */
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
    HEDDLE_GROUP_PIECE,  /* one input of an assemble, and what feeds it */
    HEDDLE_GROUP_ASSEMBLE, /* the assemble itself */
    HEDDLE_GROUP_MATMUL,
    HEDDLE_GROUP_RESHAPE,
    HEDDLE_GROUP_MAP_PARTS,
};

struct heddle_group {
    enum heddle_group_kind kind;
    int32_t stage, owner; /* owner: position of the first or only node */
    int32_t ndim, n_kept; /* of the iteration space; REDUCE: kept axes first */
    int64_t extent[HEDDLE_MAX_NDIM];
    uint8_t axes; /* REDUCE: as the node's */
    bool sequential, emitted;
    struct heddle_grid *grid; /* MAP: the partition that the user asked for; or NULL */
    int32_t piece;            /* PIECE: which input */
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
    struct heddle_halo *halos; /* of the step that is being cut: halo.c */
    int64_t n_halos, halo_room, *halo_buckets;
    int32_t *readers; /* [n]: of each value; NULL: not counted yet */
    bool asked;       /* what is being emitted has the partition that the user asked for */
    bool failed;      /* memory is gone */
};

bool heddle__is_elementwise(const heddle_array *a); /* MAP, CAST */

/* The passes. False when memory is gone. */
bool heddle__simplify(struct heddle_planner *p);
bool heddle__fuse(struct heddle_planner *p);
bool heddle__emit(struct heddle_planner *p);
bool heddle__note_sends(struct heddle_planner *p);

/* Input `i` of a value, through views: the canonical base and the map from it to the consumer's
 * index space (NULL: identity). */
int32_t heddle__input(const struct heddle_planner *p, const struct heddle_value *v, int i,
                      const struct heddle_map **map);

/* The group of elementwise operations of a stage and shape that the user did not cut; -1: none, or
 * operations are not fused. */
int32_t heddle__map_group(const struct heddle_planner *p, int32_t stage, int ndim,
                          const int64_t *shape);
/* REDUCE: the map from the iteration space, kept axes first, to what is reduced. */
struct heddle_map heddle__reduce_order(const struct heddle_group *group);

/* A map in the planner's scratch; NULL when memory is gone. */
struct heddle_map *heddle__scratch_map(struct heddle_planner *p, const struct heddle_map *map);
/* inner (NULL: identity) of outer (NULL: identity); NULL: identity. */
const struct heddle_map *heddle__compose(struct heddle_planner *p, const struct heddle_map *inner,
                                         const struct heddle_map *outer);
bool heddle__maps_equal(const struct heddle_map *a, const struct heddle_map *b);

/* ---- The plan's parts (arrays.c) ---------------------------------------------------------------- */

/* A new array; takes over the grid's reference. -1 when memory is gone or `grid` is NULL. */
int32_t heddle__plan_add_array(struct heddle_planner *p, enum heddle_plan_role role, int32_t index,
                               enum heddle_dtype dtype, struct heddle_grid *grid);
/* The number of a literal among the evaluation's constants. */
uint32_t heddle__plan_literal(struct heddle_planner *p, int64_t value);

/* The finished program; the plan holds its reference. NULL when memory is gone. */
const struct heddle_program *heddle__plan_program(struct heddle_planner *p,
                                                  struct heddle_builder *b);

/* ---- Partitions (partition.c); NULL when memory is gone ----------------------------------------- */

struct heddle_grid *heddle__auto_grid(struct heddle_planner *p, int ndim, const int64_t *shape);
/* Of what a program computes elementwise; the builder has its loads. */
struct heddle_grid *heddle__map_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                     int ndim, const int64_t *extent);
/* Whether each axis that is cut corresponds to one axis of the reader, step by step. */
bool heddle__grid_carries_over(const struct heddle_grid *grid, const struct heddle_map *map);
/* The partition of an iteration space over an array cut by `like`, read by `map`, to which it
 * carries over: cut and placed as what is read. */
struct heddle_grid *heddle__grid_over(struct heddle_planner *p, const struct heddle_grid *like,
                                      const struct heddle_map *map, int ndim,
                                      const int64_t *extent);
/* The other way round: that of an array, so that what a part of iteration space `like` reads of it
 * by `map` is in one part, where axes correspond step by step. */
struct heddle_grid *heddle__grid_under(struct heddle_planner *p, const struct heddle_grid *like,
                                       const struct heddle_map *map, const int64_t *shape);

/* `cut`, whose reference is taken over, with the places of `like` where `map` leads the first element
 * of each part. */
struct heddle_grid *heddle__grid_placed_as(struct heddle_planner *p, struct heddle_grid *cut,
                                           const struct heddle_grid *like,
                                           const struct heddle_map *map);
/* That of the first `n_kept` axes, where the first parts along the others are. */
struct heddle_grid *heddle__grid_kept(struct heddle_planner *p, const struct heddle_grid *iteration,
                                      int n_kept);
/* The same parts, of an array reshaped: NULL (also) when they are not whole rows of it. */
struct heddle_grid *heddle__grid_reshaped(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int ndim, const int64_t *shape);
/* The user's partition that input i of a value follows (joined.c): that of its array or, if it is
 * computed while it is read, of an operand; NULL: none, or memory is gone (p->failed). */
struct heddle_grid *heddle__followed_grid(struct heddle_planner *p, const struct heddle_value *v,
                                          int i);
/* Of arrays that an assemble joins along an axis: each is cut along it, and lives, as before; along the
 * others as the first that the user distributed. NULL: none is, or they are not joined so. */
struct heddle_grid *heddle__joined_grid(struct heddle_planner *p, const struct heddle_value *v);

/* ---- Products (product.c) ----------------------------------------------------------------------- */

/* Cuts operands of a product that are data in host memory and that nothing has cut: the rows of the
 * left by the places' shares of the work, the right in panels that come to one place each. `at` are
 * their values, `map` how they are read. False when memory is gone. */
bool heddle__product_operands(struct heddle_planner *p, const heddle_array *product,
                              const int32_t at[2], const struct heddle_map *const map[2]);
/* The partition of a product: as the user cut the rows of its left or the columns of its right
 * operand, else by the places' shares of the work. */
struct heddle_grid *heddle__product_grid(struct heddle_planner *p, const heddle_array *product,
                                         const struct heddle_operand operand[2]);
/* What operand lives at places that take no part in the product, and from which the others have it
 * only over host memory's links, a CPU team brings there while the others are at work: they would
 * wait for each other. False when memory is gone. */
bool heddle__product_stage(struct heddle_planner *p, const struct heddle_grid *product,
                           struct heddle_operand *operand);

/* ---- Cutting (cut.c) ---------------------------------------------------------------------------- */

/* A step of a program over an iteration space; the stores' arrays are cut alike. */
struct heddle_space {
    int32_t ndim, n_kept;
    const int64_t *extent;
    int32_t n_nodes;
    const char *name;
};
bool heddle__cut_map(struct heddle_planner *p, struct heddle_builder *b,
                     const struct heddle_program *program, const struct heddle_space *space,
                     const struct heddle_grid *grid);
bool heddle__cut_reduce(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration);
/* The grid of a reduction's iteration space: cut as what it reads where chunks allow. */
struct heddle_grid *heddle__reduce_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                        const struct heddle_group *g);
/* One piece of an assemble. */
struct heddle_piece {
    struct heddle_builder *builder;
    const struct heddle_program *program;
    struct heddle_space space;
    struct heddle_place place; /* of the iteration space in the array */
    bool outside;              /* of `hole` only: the base of a set_item */
    struct heddle_box hole;
};
/* How an assemble's pieces write. */
enum heddle_assembly {
    HEDDLE_ASSEMBLE_APART,   /* elements of their own */
    HEDDLE_ASSEMBLE_ORDERED, /* later ones over earlier ones */
    HEDDLE_ASSEMBLE_UPDATE,  /* over what the array has already */
};
bool heddle__cut_assemble(struct heddle_planner *p, int32_t array, int n,
                          const struct heddle_piece *pieces, int n_nodes, enum heddle_assembly how);
bool heddle__cut_matmul(struct heddle_planner *p, enum heddle_dtype dtype, int32_t c,
                        const struct heddle_operand *a, const struct heddle_operand *b, int64_t k);
/* The parts of `out` by the evaluation's function `constant` from those of `in`, cut alike. */
bool heddle__cut_map_parts(struct heddle_planner *p, int32_t in, int32_t out, uint32_t constant);
/* An array of one part with the elements of `array`: itself, or a copy made by a task. */
int32_t heddle__cut_one_part(struct heddle_planner *p, int32_t array);

#endif
