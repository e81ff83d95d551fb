/* What the files share that plan elements by index. */
#ifndef HEDDLE_FAMILIES_GATHER_H
#define HEDDLE_FAMILIES_GATHER_H

#include "families/gather/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__gather_family; /* of struct heddle_at_indices */

/* a[..., indices[0], ..., indices[1], ...] for the public function `name`: integers along `axes`, broadcast together to
 * axes that stand at `at` among the others of the result. The innermost scope's or the caller's. */
heddle_array *heddle__gather_by(enum heddle_indexing name, heddle_array *a, int n, const int axes[],
                                heddle_array *const indices[], int at);

/* heddle_take and heddle_take_along_axis along an axis that is not negative. */
heddle_array *heddle__take(heddle_array *a, heddle_array *indices, int axis);
heddle_array *heddle__take_along(heddle_array *a, heddle_array *indices, int axis);

/* Integers of any dtype as int32 or int64, owned; NULL: memory is gone. */
heddle_array *heddle__as_indices(heddle_array *indices);

/* Whether the array can be read through the view `map` of it where it is (cut.c). */
bool heddle__gather_reads_view(const heddle_array *node, int i, const struct heddle_map *map,
                               const int64_t *shape);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__gather_cut(struct heddle_planner *p, int32_t at);

#endif
