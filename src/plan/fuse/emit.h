/* What the files of the third pass share: emit.c, emit_map.c, emit_reduce.c, emit_tail.c. */
#ifndef HEDDLE_PLAN_FUSE_EMIT_H
#define HEDDLE_PLAN_FUSE_EMIT_H

#include "plan/build/planner.h"

/* A group being emitted. */
struct heddle_emission {
    struct heddle_planner *p;
    int32_t group;
    int32_t ndim; /* of the space that is walked */
    struct heddle_builder b;
    int32_t from, to; /* members of the current segment: the first, and after the last */
    int32_t n_live;   /* how many of them would be stored if it ended now */
    int32_t n_nodes;
    const struct heddle_tail *tail;      /* or NULL; its arrays are ... */
    uint16_t landed[HEDDLE_TAIL_ARRAYS]; /* ... these instructions */
};

/* ---- Elementwise (emit_map.c) --------------------------------------------------------------------- */

/* The instruction whose value is that of `at`, read by `map` from the iteration space. */
uint16_t heddle__fetch(struct heddle_emission *e, int32_t at, const struct heddle_map *map);
/* The instruction of an elementwise node, of those of its operands. */
uint16_t heddle__build_elementwise(struct heddle_builder *b, const heddle_array *a,
                                   const uint16_t x[3]);
/* The same of an index, by a map to one axis. */
uint16_t heddle__fetch_index(struct heddle_emission *e, const struct heddle_map *map);
/* The instruction whose value is that of elements which the program takes by indices (at_indices.c). */
uint16_t heddle__emit_at_indices(struct heddle_emission *e, const struct heddle_value *v,
                                 const struct heddle_map *context);
/* Adds a member of the group to the current segment. */
void heddle__emit_member(struct heddle_emission *e, int32_t at);
/* Adds all members; the last segment is left open. */
void heddle__emit_members(struct heddle_emission *e);
/* Starts a program, of the members from `from` on. */
void heddle__start_segment(struct heddle_emission *e, int32_t from);
/* Whether one more member, `at` or (-1) any that reads nothing that is computed again, and the end of the group certainly fit. */
bool heddle__has_room(const struct heddle_emission *e, int32_t at);
/* Whether all of another group, and what it ends with, certainly fit in the current segment. */
bool heddle__has_room_for(const struct heddle_emission *e, int32_t group);
void heddle__emit_map(struct heddle_emission *e);

/* ---- Assembled arrays (emit.c), and elementwise work on them (emit_tail.c) ------------------------ */

void heddle__emit_assemble(struct heddle_planner *p, int32_t group);
/* Boxes that lie between each other's elements are stored by one program, if one's elements beside each other are so few bytes, at
 * most: processors write lines of as many, or half of it. */
enum { HEDDLE_TURN_BYTES = 64 };
/* Where input `i` of an ASSEMBLE lands. */
struct heddle_landing heddle__landing_of(const heddle_array *a, int i);
/* Stores the value of input `i` of ASSEMBLE `owner`, whose members have been emitted. */
void heddle__store_inset(struct heddle_emission *e, int32_t owner, int i);
/* The INSET group of input `i`, which has a tail: an inset for each box, of which it returns the number. 0: there is no room; the
 * tail's arrays have been emitted by themselves. */
struct heddle_inset;
int heddle__emit_inset_tail(struct heddle_emission *e, int32_t owner, int i,
                            struct heddle_inset *insets);
/* A MAP group with a tail. */
void heddle__emit_tail(struct heddle_emission *e);

/* ---- Reductions (emit_reduce.c, unroll.c) ---------------------------------------------------------- */

void heddle__emit_reduce(struct heddle_emission *e);
/* The instruction whose value is that of a reduction which its reader computes, read by `context` from the iteration space. */
uint16_t heddle__emit_unrolled(struct heddle_emission *e, const struct heddle_value *v,
                               const struct heddle_map *context);

#endif
