/* From programs and arrays to tasks. All give false, or -1, when memory is gone. Patterns that families
 * share are in patterns.h. */
#ifndef HEDDLE_PLAN_CUT_CUT_H
#define HEDDLE_PLAN_CUT_CUT_H

#include "plan/build/tasks.h"

/* ---- Pieces (pieces.c) --------------------------------------------------------------------------- */

/* How a box of the iteration space that starts at `lo` walks one part by `map`. */
struct heddle_access heddle__part_access(const struct heddle_grid *grid, int64_t part,
                                         const struct heddle_map *map, const int64_t *lo);
/* The same of an array, whose elements may be seen by strides, or in runs of other parts. */
struct heddle_access heddle__array_access(const struct heddle_plan_array *a, int64_t part,
                                          const struct heddle_map *map, const int64_t *lo);
/* The part that holds the first element of a box. */
int64_t heddle__part_at(const struct heddle_grid *grid, const struct heddle_map *map,
                        const int64_t *lo);

/* Splits a box of `ndim` axes into pieces that read one part of each of the `n` arrays, and calls `piece`
 * for each in row-major order. False when a call gives false. */
struct heddle_read {
    const struct heddle_grid *grid;
    const struct heddle_map *map;
};
bool heddle__for_pieces(struct heddle_planner *p, int ndim, const struct heddle_box *box, int n,
                        const struct heddle_read *reads,
                        bool (*piece)(void *context, const struct heddle_box *box), void *context);

/* ---- Programs ------------------------------------------------------------------------------------ */

/* An iteration space of a program, and what its step is called. All stored arrays are cut alike. */
struct heddle_space {
    int32_t ndim, n_kept;
    const int64_t *extent;
    int32_t n_nodes;
    const char *name;
};
/* The numbers of a program's constants among the evaluation's (call.c), in the plan's arena. */
const uint32_t *heddle__call_constants(struct heddle_planner *p, const struct heddle_builder *b);

/* Adds a call of a program over a box whose reads are in one part each and whose stores go to part
 * `part` of their arrays. The caller may change the geometry beyond the box. */
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
/* One input of an ASSEMBLE. */
struct heddle_inset {
    struct heddle_builder *builder;
    const struct heddle_program *program;
    struct heddle_space space;
    struct heddle_landing landing; /* where the iteration space is in the array */
    bool outside;                  /* only what is outside of `hole`: the base of a set_item */
    struct heddle_box hole;
    const struct heddle_box
        *only; /* NULL: all; else only this box of the array, where it lands as it is */
};
/* How the inputs of an ASSEMBLE are written. */
enum heddle_assembly {
    HEDDLE_ASSEMBLE_APART,   /* each to elements of its own */
    HEDDLE_ASSEMBLE_ORDERED, /* later ones over earlier ones */
    HEDDLE_ASSEMBLE_UPDATE,  /* over what the array already has */
};
/* The step is called what its last inset is called; NULL: "assemble". */
bool heddle__cut_assemble(struct heddle_planner *p, const struct heddle_grid *grid, int n,
                          const struct heddle_inset *insets, int n_nodes, enum heddle_assembly how);
/* An array of one part with the elements of `array`: itself, or a copy that tasks make. */
int32_t heddle__cut_one_part(struct heddle_planner *p, int32_t array);

/* Adds calls to the current task that copy what part `part` of `to` has of `from`, an array of the same
 * shape (collect.c). */
bool heddle__call_collect(struct heddle_planner *p, int32_t from, int32_t to, int64_t part);

/* The round in which a place takes what lives at another. All begin with their next neighbour and go
 * round, so that no two ask one place at a time, and each link carries its share. */
static inline uint32_t heddle__round_of(heddle_place from, heddle_place to)
{
    return (uint32_t)from - (uint32_t)to;
}

/* ---- Halos (halo.c) ---------------------------------------------------------------------------- */

void heddle__halos_clear(struct heddle_planner *p); /* when a step begins */
/* Notes that a task at `to` will read `region` of a part; ignored if the part lives there or anywhere. */
bool heddle__halo_want(struct heddle_planner *p, int32_t array, int64_t part, heddle_place to,
                       const struct heddle_box *region);
/* Makes the tasks that cut out what was wanted, in a step of their own. */
bool heddle__halos_cut(struct heddle_planner *p);
/* The array of one part that has what `box` reads of a part at `to`, a halo or a replica, and in *map how to walk it; -1:
 * the part is read in place. */
int32_t heddle__halo_of(const struct heddle_planner *p, int32_t array, int64_t part,
                        heddle_place to, const struct heddle_box *box, struct heddle_map *map);

/* ---- Replicas (replicas.c) ----------------------------------------------------------------------- */

/* Adds an array with what `array`, of one part, has, at another place: tasks there read it instead. Who adds it adds
 * tasks that make it. -1: memory is gone. */
int32_t heddle__replica_add(struct heddle_planner *p, int32_t array, heddle_place place);
/* The replica of an array at a place; -1: there is none. */
int32_t heddle__replica_of(const struct heddle_planner *p, int32_t array, heddle_place place);

/* Sets *array to an array of another shape whose parts are runs of rows of those of `from`, which has several, and a few rows
 * that tasks bring together (reshape.c); only programs may read it. -1: `from` is not cut so that it can. False: memory is gone. */
bool heddle__cut_reshaped(struct heddle_planner *p, int32_t from, int ndim, const int64_t *shape,
                          int32_t *array);

/* An array that has each part of `array` with the overlap of `grid`, which has the array's parts
 * (heddle__grid_widened), made by tasks where they live; `array` itself if there is no overlap. -1: memory is gone. */
int32_t heddle__cut_overlap(struct heddle_planner *p, int32_t array,
                            const struct heddle_grid *grid);

/* A copy of `array`, made by tasks, cut by `grid`, whose reference it takes over. -1: memory is gone. */
int32_t heddle__cut_copy(struct heddle_planner *p, int32_t array, struct heddle_grid *grid);
/* The same, or `array` itself if it has these cuts. -1 for a `grid` that is NULL, too. */
int32_t heddle__cut_as(struct heddle_planner *p, int32_t array, struct heddle_grid *grid);

/* Makes a copy, cut like the iteration space of a reduction, of what an operand of it reads, and makes the operand
 * read that. False when memory is gone. */
bool heddle__cut_view(struct heddle_planner *p, struct heddle_operand *o,
                      const struct heddle_grid *iteration);

/* Drops steps that make what nobody reads (unread.c). */
bool heddle__drop_unread(struct heddle_planner *p);

/* Joins steps over the same rows: each row is then read once (rows.c). First those with calls of families that can be stages, before these take
 * elementwise work; then those of programs alone, of what is left. */
bool heddle__join_scans(struct heddle_planner *p);
bool heddle__join_rows(struct heddle_planner *p);

/* Makes elementwise work on what a family's calls read part of these calls, where the family takes it (joined_maps.c). */
bool heddle__join_prologues(struct heddle_planner *p);
/* Makes elementwise work on what a family's calls write part of these calls, where the family takes it. */
bool heddle__join_epilogues(struct heddle_planner *p);

/* Notes which parts of a finished plan go to another place before their reader asks for them
 * (forwarding.c). */
bool heddle__note_forwarding(struct heddle_planner *p);

#endif
