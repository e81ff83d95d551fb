/* Patterns of tasks that families share. A family gives functions that add a task's kernel calls; the
 * pattern begins and ends tasks, makes what they share, and places them. All give false when memory is
 * gone. For operands that must be whole or cut otherwise first: heddle__cut_copy and
 * heddle__cut_one_part (cut.h). */
#ifndef HEDDLE_PLAN_CUT_PATTERNS_H
#define HEDDLE_PLAN_CUT_PATTERNS_H

#include "plan/build/tasks.h"

/* Adds calls for part `part` to the task that has begun; it may add none. */
typedef bool heddle_part_calls(void *context, struct heddle_planner *p, int64_t part);

/* ---- Part by part -------------------------------------------------------------------------------- */

/* Makes a step with a task for each part of `grid` that has elements, where the part lives. */
bool heddle__cut_parts(struct heddle_planner *p, const struct heddle_family_info *family,
                       const char *name, int n_nodes, const struct heddle_grid *grid,
                       heddle_part_calls *calls, void *context);

/* ---- Along an axis ------------------------------------------------------------------------------- */

/* `array` cut along `axis` only at multiples of `unit` (0: not at all), without parts of extent 0: itself,
 * or a copy that tasks make. -1: memory is gone. */
int32_t heddle__cut_in_units(struct heddle_planner *p, int32_t array, int axis, int64_t unit);
/* Whether the parts along an axis had better run one after the other: if one place has the whole line of
 * them, or there is only one place. Else they do what they can at the same time. */
bool heddle__parts_follow(const struct heddle_planner *p, const struct heddle_grid *grid, int axis);
/* A partition with the part numbers and places of `grid` and other bounds along `axis` (-1: none), n[axis] + 1 of
 * them, which are copied. NULL: memory is gone. */
struct heddle_grid *heddle__grid_beside(const struct heddle_grid *grid, int axis,
                                        const int64_t *bounds);

/* A partition with one part for each line along the axis, at the place where the line begins. NULL: memory is gone. */
struct heddle_grid *heddle__grid_of_lines(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int axis);

/* Partial, combine, apply. First a task for each part leaves a partial result in a part of `partial`.
 * Then a task for each line along the axis has all partial results of the line in one array, and makes
 * of them, in place, what the parts must know of each other. Then comes a task for each part again. */
struct heddle_along {
    const struct heddle_family_info *family;
    const char *name;
    int n_nodes;
    const struct heddle_grid *grid; /* of the parts */
    int axis;
    int32_t partial;  /* its parts have the numbers of the grid's */
    int32_t combined; /* the pattern sets it: the same elements, one part for each line */
    heddle_part_calls *partials, *combine,
        *apply; /* combine: `part` is a line; apply: NULL: nothing */
    void *context;
};
bool heddle__cut_along(struct heddle_planner *p, struct heddle_along *along);
/* The line along the axis that a part is in. */
int64_t heddle__line_of(const struct heddle_grid *grid, int axis, int64_t part);

/* ---- Between parts ------------------------------------------------------------------------------- */

/* Exchange: each part of `grid` takes something from each of n sources, by a task for each, where the
 * part lives. Sources of its own place come first, then it goes round the others, so that no two parts
 * ask one place at a time. All tasks of a part but the first update it, in any order. */
struct heddle_exchange {
    const struct heddle_family_info *family;
    const char *name;
    int n_nodes;
    const struct heddle_grid *grid;
    int64_t n;
    heddle_place (*place)(void *context, const struct heddle_planner *p, int64_t part, int64_t i);
    bool (*calls)(void *context, struct heddle_planner *p, int64_t part, int64_t i);
    void *context;
};
bool heddle__cut_exchange(struct heddle_planner *p, const struct heddle_exchange *exchange);

/* ---- Tiles --------------------------------------------------------------------------------------- */

/* A DAG of tiles: n tasks read and update parts, in an order in which each comes after what it needs; what
 * depends on what follows from that order. Tasks on the longest chain go first. `calls` may call
 * heddle__task_updates or heddle__task_commutes after adding the calls of task i. */
struct heddle_tiles {
    const struct heddle_family_info *family;
    const char *name;
    int n_nodes;
    int64_t n;
    heddle_place (*place)(void *context, const struct heddle_planner *p, int64_t i);
    bool (*calls)(void *context, struct heddle_planner *p, int64_t i);
    void *context;
};
bool heddle__cut_tiles(struct heddle_planner *p, const struct heddle_tiles *tiles);
/* Sets the priorities of the n tasks from `first` on: the weight of the longest chain that begins with it and stays among
 * them, one for each task and what a task counts beside. Updates that commute are taken to be in order. False: memory is gone. */
bool heddle__rank_tasks(struct heddle_plan *plan, int64_t first, int64_t n);

#endif
