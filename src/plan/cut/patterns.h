/* Patterns of tasks that families share. A family gives functions that add a task's kernel calls; the
 * pattern begins and ends tasks, names what they use in common, and places them. All give false when
 * memory is gone. Others: heddle__cut_copy and heddle__cut_one_part (cut.h) for what must be whole or
 * cut otherwise first. */
#ifndef HEDDLE_PLAN_CUT_PATTERNS_H
#define HEDDLE_PLAN_CUT_PATTERNS_H

#include "plan/build/tasks.h"

/* Adds the calls of a task, which is begun, for part `part`; the task may be left without any. */
typedef bool heddle_part_calls(void *context, struct heddle_planner *p, int64_t part);

/* ---- Part by part -------------------------------------------------------------------------------- */

/* A step: a task for each part of `grid` that has elements, where it lives. */
bool heddle__cut_parts(struct heddle_planner *p, const struct heddle_family_info *family,
                       const char *name, int n_nodes, const struct heddle_grid *grid,
                       heddle_part_calls *calls, void *context);

/* ---- Along an axis ------------------------------------------------------------------------------- */

/* `array` cut along `axis` at multiples of `unit` only (0: not at all), with no part of extent 0:
 * itself, or a copy made by tasks. -1: memory is gone. */
int32_t heddle__cut_in_units(struct heddle_planner *p, int32_t array, int axis, int64_t unit);
/* Whether the parts along an axis had better follow each other: where one place has each line of parts
 * along it, or there is only one. Else they do what they can at the same time. */
bool heddle__parts_follow(const struct heddle_planner *p, const struct heddle_grid *grid, int axis);
/* A partition whose part numbers and places are those of `grid`, with other bounds along `axis`:
 * n[axis] + 1 of them, copied. NULL: memory is gone. */
struct heddle_grid *heddle__grid_beside(const struct heddle_grid *grid, int axis,
                                        const int64_t *bounds);

/* Partial, combine, apply: a task a part leaves a partial result in a part of `partial`; when those of
 * a line along the axis are there, one task has them all in one array and makes of them, in place, what
 * the line's parts are to know of each other; then a task a part again. */
struct heddle_along {
    const struct heddle_family_info *family;
    const char *name;
    int n_nodes;
    const struct heddle_grid *grid; /* of the parts */
    int axis;
    int32_t partial;  /* its parts are numbered as those of the grid */
    int32_t combined; /* set by the pattern: the same elements, a part a line */
    heddle_part_calls *partials, *combine, *apply; /* combine: `part` is the line */
    void *context;
};
bool heddle__cut_along(struct heddle_planner *p, struct heddle_along *along);
/* The line along the axis that a part is in. */
int64_t heddle__line_of(const struct heddle_grid *grid, int axis, int64_t part);

/* ---- Between parts ------------------------------------------------------------------------------- */

/* Exchange: each part of `grid` takes something from each of n sources, in tasks of their own where it
 * lives: its own place's first, then round the others, so that no two ask one place at a time. All but the
 * first of a part update it, in any order. */
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

#endif
