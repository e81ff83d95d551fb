/* The passes from a walk to programs and steps. False when memory is gone. */
#ifndef HEDDLE_PLAN_FUSE_FUSE_H
#define HEDDLE_PLAN_FUSE_FUSE_H

#include "plan/build/planner.h"

/* A value of at least this cost is materialised if it is broadcast, not computed many times. */
enum { HEDDLE_COSTLY = 4 };

bool heddle__simplify(struct heddle_planner *p);
/* Flops of an element of the operation itself. Processors load integers as others of more bits at no cost. */
float heddle__own_cost(const heddle_array *a);
bool heddle__fuse(struct heddle_planner *p);
/* Notes whether `group`, which reads a value, has more elements. */
void heddle__note_broadcast(const struct heddle_planner *p, struct heddle_value *v, int32_t group);
/* Notes that `group` reads an elementwise value by `map` (NULL: identity), for heddle__computes_again. */
void heddle__note_read(const struct heddle_planner *p, struct heddle_value *v, int32_t group,
                       const struct heddle_map *map);
/* The same for an operand of `v`, by `map` from it, which is computed again in each of its readers. */
void heddle__note_reads_of(struct heddle_planner *p, const struct heddle_value *v,
                           struct heddle_value *in, const struct heddle_map *map);
/* Notes that a group reads data. */
void heddle__note_reader(struct heddle_value *data, int32_t group);
/* Whether a value of several readers is computed again for each, not stored. All its readers are noted. */
bool heddle__computes_again(struct heddle_planner *p, struct heddle_value *v);
/* Whether inputs `i` and `k` of an assembly without base take turns along its last axes, a few bytes each, which no part of it (`grid`, or
 * NULL: whatever its parts are) divides: of a stack along the last axis. One program then stores both, so that each line of memory is written once. */
bool heddle__take_turns(const heddle_array *a, const struct heddle_grid *grid, int i, int k);
/* Whether all inputs of ASSEMBLE `v` take turns, or lie alike and share work or what they read, and one program has room for them:
 * what several of them read is then computed in it once. */
bool heddle__have_turns(struct heddle_planner *p, const struct heddle_value *v);
/* Whether that costs less than storing it. `flops` and `loads` of an element; `bytes` that computing all of them reads, and that its
 * readers would read only for it. */
bool heddle__is_cheap_again(const struct heddle_planner *p, const struct heddle_value *v,
                            double flops, int loads, double bytes, double bytes_again);
/* Whether computing each element of a broadcast value so many times takes less time than writing it and reading it again. */
bool heddle__is_cheap_for_each(const struct heddle_planner *p, const struct heddle_value *v,
                               double times);
/* Whether the node takes elements by arrays of indices. Whether the one program that reads them, which has been noted, takes them
 * itself, or one stores them. */
bool heddle__may_be_at_indices(const heddle_array *a);
bool heddle__is_at_indices(struct heddle_planner *p, const struct heddle_value *v);
/* Whether the elements that such a value takes of an elementwise operand, which nobody has asked for, are better computed where they
 * are taken. The room that a program needs for that, beyond what a member has. */
bool heddle__computes_at(struct heddle_planner *p, const struct heddle_value *v);
struct heddle_room heddle__room_at_indices(const struct heddle_planner *p,
                                           const struct heddle_value *v);
/* As heddle__input; the indices of such a value are read by a map from its own axes. */
int32_t heddle__read(struct heddle_planner *p, const struct heddle_value *v, int i,
                     const struct heddle_map **map);
/* Whether the group that reads a reduction, or each of two, computes it itself, without storing it. All its readers are noted; the
 * room of groups for it is taken. */
bool heddle__unrolls(struct heddle_planner *p, struct heddle_value *v);
/* Notes which values something with more elements reads, or elementwise work on them does: for the next. */
void heddle__note_widened(struct heddle_planner *p);
/* Whether a reduction, read by elementwise work alone or asked for, is elementwise work on its elements. All its readers are noted. */
bool heddle__is_elementwise_here(struct heddle_planner *p, struct heddle_value *v);
/* The map from a reduction's results to its elements number `k`, in the planner's scratch; NULL when memory is gone. */
const struct heddle_map *heddle__element_map(struct heddle_planner *p, const heddle_array *reduce,
                                             int64_t k);
/* The elements of each result. */
int64_t heddle__n_reduced(const heddle_array *reduce);
/* Which groups are computed where the inputs of assembled arrays land. */
bool heddle__find_tails(struct heddle_planner *p);
/* Whether boxes of a tail lie between each other's elements, a few bytes each, along the group's last axis, as those of a stack along it
 * do: one program computes all, and each line of memory is written once. */
bool heddle__boxes_take_turns(const struct heddle_planner *p, const struct heddle_group *g,
                              int32_t n, const struct heddle_tail_box boxes[]);
/* The order of operations in groups. */
bool heddle__schedule(struct heddle_planner *p);
bool heddle__emit(struct heddle_planner *p);

/* The INSET group of input `i` of ASSEMBLE `at`: they follow its own. The input is not empty. */
int32_t heddle__inset_group(const struct heddle_planner *p, int32_t at, int i);

/* Bytes that are moved in the time of one more call of a program. */
int64_t heddle__call_bytes(const struct heddle_planner *p);

/* The group of elementwise operations of a stage, risk and shape that the user did not cut. -1: there is
 * none, or operations are not fused. */
int32_t heddle__map_group(const struct heddle_planner *p, int32_t stage, uint32_t risk, int ndim,
                          const int64_t *shape);

#endif
