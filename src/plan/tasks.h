/* Appending steps, tasks, uses and calls to the plan in the making; pieces. For the cut_*.c files. */
#ifndef HEDDLE_PLAN_TASKS_H
#define HEDDLE_PLAN_TASKS_H

#include "plan/planner.h"

/* False when memory is gone (and p->failed is set), as all below. */
bool heddle__step_begin(struct heddle_planner *p, enum heddle_family family,
                        const struct heddle_program *program, const char *name, int n_nodes);
bool heddle__task_begin(struct heddle_planner *p);
/* Ends the task; one without calls is dropped. */
void heddle__task_end(struct heddle_planner *p);
/* The current task's buffer for a part; modes add up. */
uint16_t heddle__task_use(struct heddle_planner *p, int32_t array, int64_t part,
                          enum heddle_mode mode);
struct heddle_kernel_call *heddle__task_call(struct heddle_planner *p, double flops, double bytes);

/* The current task keeps what others have written of the parts that it writes. */
void heddle__task_updates(struct heddle_planner *p);
/* Where the current task runs, if nothing said so before. */
void heddle__task_place(struct heddle_planner *p, heddle_place place);

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

/* A program's constants as indices of the evaluation's, in the plan's arena. */
const uint32_t *heddle__call_constants(struct heddle_planner *p, const struct heddle_builder *b);

/* One call of a program over a box, all of whose reads are in one part each, and whose stores go to
 * part `part` of their arrays. Geometry beyond the box is the caller's to change. */
struct heddle_launch *heddle__call_program(struct heddle_planner *p, struct heddle_builder *b,
                                           const struct heddle_program *program,
                                           const struct heddle_space *space,
                                           const uint32_t *constants, const struct heddle_box *box,
                                           int64_t part, enum heddle_phase phase);

/* In the current task: calls that copy what part `part` of `to` has of `from`, an array of its shape
 * (gather.c). */
bool heddle__call_gather(struct heddle_planner *p, int32_t from, int32_t to, int64_t part);

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

#endif
