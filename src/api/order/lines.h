/* Lines of an array in order: what order statistics are made of. All give arrays of the innermost scope, in error if an
 * argument is. */
#ifndef HEDDLE_API_ORDER_LINES_H
#define HEDDLE_API_ORDER_LINES_H

#include "graph/node.h"

/* Whether its dtype has NaNs. */
bool heddle__has_nan(const heddle_array *a);
/* The axes of `mask` as one, the last, sorted: (others..., n). */
heddle_array *heddle__sorted_lines(heddle_array *a, unsigned mask);
/* What was made of lines, (others..., places...), as (places..., the axes that reduced `a` has). */
heddle_array *heddle__laid_out(heddle_array *r, const heddle_array *a, unsigned mask, bool keepdims,
                               int n_places);
/* How many of a line are not NaN: (others..., 1), int64. */
heddle_array *heddle__count_numbers(heddle_array *lines);
/* Elements of each line: at `places`, one axis for all lines, or (others..., places) for each. */
heddle_array *heddle__elements_at(heddle_array *lines, heddle_array *places, bool each);
/* r, (others..., places), but NaN where a line ends with NaN. */
heddle_array *heddle__or_nan(heddle_array *r, heddle_array *lines);

#endif
