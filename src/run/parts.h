/* Parts as the user sees them. */
#ifndef HEDDLE_RUN_PARTS_H
#define HEDDLE_RUN_PARTS_H

#include "graph/node.h"

/* As heddle_part_acquire, by the name of the public function that asks; `wide`: with the overlap. */
enum heddle_status heddle__part_view(const char *name, heddle_array *a, int64_t part,
                                     heddle_place place, bool wide, struct heddle_part_view *out);

/* Views keep the runtime up: HEDDLE_EARG for heddle_shutdown while some are held. views_end, as the process
 * exits: gives their parts back; the views need not be released any more, and may be. Whether there are
 * any. */
enum heddle_status heddle__check_no_views(void);
bool heddle__views_end(void);

/* The graph's heddle__check_places (graph/evaluator.h). */
enum heddle_status heddle__check_known_places(const char *name, int n, const heddle_place *places);

#endif
