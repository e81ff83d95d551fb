/* What the files share that plan elements by a mask. */
#ifndef HEDDLE_FAMILIES_COMPACT_H
#define HEDDLE_FAMILIES_COMPACT_H

#include "families/compact/kernel.h"
#include "graph/family.h"

enum { HEDDLE_COMPACT_PARTS = 16 };

/* Where several GPUs have the mask, in runs of elements one after the other: part k is bound[k]..bound[k + 1], and the parts before
 * it select before[k]. n_parts 0: it is in one place, or in more parts, and elsewhere all is 0. */
struct heddle_compact_params {
    int64_t n_parts, bound[HEDDLE_COMPACT_PARTS + 1], before[HEDDLE_COMPACT_PARTS + 1];
};

/* A node over (mask) gives positions in C order, one over (mask, a) the elements or rows of `a`. The first extent of
 * its shape is how many the mask selects. */
extern const struct heddle_family_info heddle__compact_family;

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__compact_cut(struct heddle_planner *p, int32_t at);

/* Evaluates `mask`, a bool array, and counts it, for the public function `name`. */
enum heddle_status heddle__count_mask(const char *name, heddle_array *mask, int64_t *count);
/* The elements of `a` where `mask` is true, whose axes are the first of a's; without `a` their positions in C order,
 * as int64. It evaluates the mask. The innermost scope's or the caller's; in error if an operand is. */
heddle_array *heddle__compact(const char *name, heddle_array *mask, heddle_array *a);
/* Elementwise operations on elements that `mask` selects, and on what is the same for all of these, done to all elements instead:
 * an array whose first axes are the mask's in place of the first axis of x. Owned; NULL: x is something else, an
 * element takes more flops, or memory is gone. (before.c) */
heddle_array *heddle__before_compact(heddle_array *x, heddle_array *mask, double most_flops);
/* heddle_nonzero for the public function `name`: an array for each of the mask's axes. */
enum heddle_status heddle__nonzero(const char *name, heddle_array *a, heddle_array *out[]);

#endif
