/* From programs and arrays to tasks. All give false, or -1, when memory is gone. Cut patterns that
 * families share: patterns.h. */
#ifndef HEDDLE_PLAN_CUT_CUT_H
#define HEDDLE_PLAN_CUT_CUT_H

#include "plan/build/tasks.h"

/* ---- Pieces (pieces.c) --------------------------------------------------------------------------- */

/* How a box of the iteration space that starts at `lo` walks one part by `map`. */
struct heddle_access heddle__part_access(const struct heddle_grid *grid, int64_t part,
                                         const struct heddle_map *map, const int64_t *lo);
/* The part that holds the first element of a box. */
int64_t heddle__part_at(const struct heddle_grid *grid, const struct heddle_map *map,
                        const int64_t *lo);

/* Splits a box of `ndim` axes so that each piece reads one part of each of the `n` arrays, and calls
 * `piece` for each, row-major. False when a call says so. */
struct heddle_read {
    const struct heddle_grid *grid;
    const struct heddle_map *map;
};
bool heddle__for_pieces(struct heddle_planner *p, int ndim, const struct heddle_box *box, int n,
                        const struct heddle_read *reads,
                        bool (*piece)(void *context, const struct heddle_box *box), void *context);

/* ---- Programs ------------------------------------------------------------------------------------ */

/* A step of a program over an iteration space; the stores' arrays are cut alike. */
struct heddle_space {
    int32_t ndim, n_kept;
    const int64_t *extent;
    int32_t n_nodes;
    const char *name;
};
/* A program's constants (call.c) as indices of the evaluation's, in the plan's arena. */
const uint32_t *heddle__call_constants(struct heddle_planner *p, const struct heddle_builder *b);

/* One call of a program over a box, all of whose reads are in one part each, and whose stores go to
 * part `part` of their arrays. Geometry beyond the box is the caller's to change. */
struct heddle_launch *heddle__call_program(struct heddle_planner *p, struct heddle_builder *b,
                                           const struct heddle_program *program,
                                           const struct heddle_space *space,
                                           const uint32_t *constants, const struct heddle_box *box,
                                           int64_t part, enum heddle_phase phase);

bool heddle__cut_map(struct heddle_planner *p, struct heddle_builder *b,
                     const struct heddle_program *program, const struct heddle_space *space,
                     const struct heddle_grid *grid);
bool heddle__cut_reduce(struct heddle_planner *p, struct heddle_builder *b,
                        const struct heddle_program *program, const struct heddle_space *space,
                        const struct heddle_grid *iteration);
/* One input of an assemble, set in it. */
struct heddle_inset {
    struct heddle_builder *builder;
    const struct heddle_program *program;
    struct heddle_space space;
    struct heddle_landing landing; /* of the iteration space in the array */
    bool outside;                  /* of `hole` only: the base of a set_item */
    struct heddle_box hole;
};
/* How an assemble's inputs are written. */
enum heddle_assembly {
    HEDDLE_ASSEMBLE_APART,   /* elements of their own */
    HEDDLE_ASSEMBLE_ORDERED, /* later ones over earlier ones */
    HEDDLE_ASSEMBLE_UPDATE,  /* over what the array has already */
};
bool heddle__cut_assemble(struct heddle_planner *p, int32_t array, int n,
                          const struct heddle_inset *insets, int n_nodes, enum heddle_assembly how);
/* An array of one part with the elements of `array`: itself, or a copy made by a task. */
int32_t heddle__cut_one_part(struct heddle_planner *p, int32_t array);

/* In the current task: calls that copy what part `part` of `to` has of `from`, an array of its shape
 * (collect.c). */
bool heddle__call_collect(struct heddle_planner *p, int32_t from, int32_t to, int64_t part);

/* When a place takes what lives at another: all begin with their next neighbour and go round, so that
 * no two ask one place at a time, and each link carries its share. */
static inline uint32_t heddle__round_of(heddle_place from, heddle_place to)
{
    return (uint32_t)from - (uint32_t)to;
}

/* ---- Halos (halo.c) ---------------------------------------------------------------------------- */

void heddle__halos_clear(struct heddle_planner *p); /* at the begin of a step */
/* A task at `to` will read `region` of a part; nothing happens if that lives there, or anywhere. */
bool heddle__halo_want(struct heddle_planner *p, int32_t array, int64_t part, heddle_place to,
                       const struct heddle_box *region);
/* The tasks that cut out what was wanted, in a step of their own. */
bool heddle__halos_cut(struct heddle_planner *p);
/* The array, of one part, that has what `box` reads of a part at `to`, and `map` made to walk it;
 * -1: it is read in place. */
int32_t heddle__halo_of(const struct heddle_planner *p, int32_t array, int64_t part,
                        heddle_place to, const struct heddle_box *box, struct heddle_map *map);

/* An array that has each part of `array` with its overlap (heddle__grid_widened), made by tasks where
 * the parts live; `array` itself if there is none. -1: memory is gone. */
int32_t heddle__cut_overlap(struct heddle_planner *p, int32_t array);

/* A copy of `array` cut by `grid` (a reference is taken over), made by tasks. -1: memory is gone. */
int32_t heddle__cut_copy(struct heddle_planner *p, int32_t array, struct heddle_grid *grid);

/* Notes which parts go to another place before their reader asks for them (forwarding.c). */
bool heddle__note_forwarding(struct heddle_planner *p);

#endif
