/* What the files of the third pass share: emit.c, emit_map.c, emit_reduce.c; arrays.c below them. */
#ifndef HEDDLE_PLAN_EMIT_H
#define HEDDLE_PLAN_EMIT_H

#include "plan/planner.h"

/* A group being emitted. */
struct heddle_emission {
    struct heddle_planner *p;
    int32_t group;
    int32_t ndim; /* of the space that loads walk */
    struct heddle_builder b;
    int32_t from, to; /* members of the current segment: first, and the one after the last */
    int32_t n_live;   /* of them: those that would be stored if it ended now */
    int32_t n_nodes;
};

/* ---- Arrays, results, names (arrays.c). Without memory, p->failed is set ------------------------- */

/* The array of a value; leaves get theirs at first use. -1: none, or memory is gone. */
int32_t heddle__array_of(struct heddle_planner *p, int32_t at);
/* Whether a value is data in host memory that nothing has cut, so that this plan may. */
bool heddle__is_uncut(const struct heddle_planner *p, int32_t at);
/* Gives such a value its array; takes over the grid's reference. */
int32_t heddle__cut_leaf(struct heddle_planner *p, int32_t at, struct heddle_grid *grid);
/* Gives a value its array, cut by `grid`: a result's or a temporary. */
void heddle__make_array(struct heddle_planner *p, int32_t at, struct heddle_grid *grid);
/* Makes `array` the storage of `from` under another name or shape. */
void heddle__share_array(struct heddle_plan *plan, int32_t array, int32_t from);
/* Which array each result is in; equal results share. False when memory is gone. */
bool heddle__name_results(struct heddle_planner *p);
/* The operations of a program that say most about it: "exp,log+14". */
void heddle__describe(const struct heddle_program *program, char name[48]);

/* ---- Elementwise (emit_map.c) --------------------------------------------------------------------- */

/* The instruction that has value `at`, read by `map` from the iteration space. */
uint16_t heddle__fetch(struct heddle_emission *e, int32_t at, const struct heddle_map *map);
/* Adds a member of the group to the current segment. */
void heddle__emit_member(struct heddle_emission *e, int32_t at);
/* All members but for the end of the last segment. */
void heddle__emit_members(struct heddle_emission *e);
void heddle__emit_map(struct heddle_emission *e);

/* ---- Reductions (emit_reduce.c) ------------------------------------------------------------------- */

void heddle__emit_reduce(struct heddle_emission *e);

#endif
