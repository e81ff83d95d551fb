/* Distributions as partitions. */
#ifndef HEDDLE_API_DISTRIBUTION_H
#define HEDDLE_API_DISTRIBUTION_H

#include "array/grid.h"

/* The partition of `shape` that `distribution` asks for; NULL when it leaves all to Heddle.
 * `name` is the public function's, without "heddle_". Errors: HEDDLE_EARG, HEDDLE_ENODEVICE,
 * HEDDLE_ENOMEM. */
enum heddle_status heddle__distribution_grid(const char *name,
                                             const struct heddle_distribution *distribution,
                                             int ndim, const int64_t *shape,
                                             struct heddle_grid **grid);

/* Distributes `owned`, an owned array or NULL. NULL and this thread's error when that fails. */
heddle_array *heddle__distributed(const char *name, heddle_array *owned,
                                  const struct heddle_distribution *distribution);

/* Distributes `a`, which a constructor has handed out; a NULL distribution leaves it as it is. */
heddle_array *heddle__then_distributed(const char *name, heddle_array *a,
                                       const struct heddle_distribution *distribution);

#endif
