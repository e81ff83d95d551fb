/* What the files share that plan sorting. */
#ifndef HEDDLE_FAMILIES_SORT_H
#define HEDDLE_FAMILIES_SORT_H

#include "families/sort/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__sort_family;

/* Parameters of a node: along the last axis. */
struct heddle_sort_params {
    int32_t descending, positions;
};

/* Whether an axis has so few indices, and there are so many lines along it, that it is sorted by elementwise work (short_axis.c); and
 * that work, with the axis in its place. */
bool heddle__is_sorted_short(heddle_array *a, int axis);
heddle_array *heddle__sort_short(heddle_array *a, int axis, bool descending);

/* As in struct heddle_family_info (scratch.c). */
size_t heddle__sort_scratch(const void *arguments, int n_threads);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__sort_cut(struct heddle_planner *p, int32_t at);

/* Which ranks are read of value `at`, by all views of it (wanted.c). */
void heddle__sort_wanted(struct heddle_planner *p, int32_t at, struct heddle_sort_wanted *w);

/* ---- Among the cut's files ------------------------------------------------------------------------- */

struct heddle_sort_cut {
    const struct heddle_sort_params *params;
    enum heddle_dtype dtype; /* of the elements */
    int32_t in, out;         /* arrays, cut alike */
    struct heddle_sort_wanted wanted;
};

/* Adds a call to sort the rows of a box, whose buffers the caller sets; NULL: memory is gone. */
struct heddle_sort *heddle__sort_add_rows(struct heddle_planner *p, const struct heddle_sort_cut *s,
                                          const struct heddle_box *box);
/* Adds the tasks if the last axis is cut (cut_line.c). */
bool heddle__sort_cut_line(struct heddle_planner *p, const struct heddle_sort_cut *s);

#endif
