/* The partition of an array that nobody has cut. */
#ifndef HEDDLE_PLAN_POLICY_AUTOMATIC_H
#define HEDDLE_PLAN_POLICY_AUTOMATIC_H

#include "array/grid.h"
#include "plan/policy/policy.h"

/* How arrays without a partition of their own are spread over the machine. */
enum heddle_spread {
    HEDDLE_SPREAD_RESIDENT, /* few large parts; over several GPUs by the rates of their memories */
    HEDDLE_SPREAD_STREAM,   /* data come from host memory once: small parts, for whoever is free */
    HEDDLE_SPREAD_SENT, /* they are fewer than a part of those: whole, and shared if what is made of them is much */
    HEDDLE_SPREAD_SETTLE, /* data come from host memory to stay: each place has a share */
};

/* What computing an array takes, beside writing it. */
struct heddle_demand {
    double file_bytes; /* that all parts together read of files */
    double flops;      /* about */
};

/* Whether so much is to be computed that GPUs share it, however few bytes that takes. */
bool heddle__is_worth_computing(const struct heddle_policy *policy,
                                const struct heddle_demand *demand);

/* Parts of about policy->part_bytes, at least one for each worker if parts are then still large. Leading
 * axes are cut, so that each part is contiguous in C order; where possible at multiples of 256 rows and
 * of 65536 elements, at which reductions are cut, too. All dtypes are cut alike, so that arrays of one
 * shape fit. `share`: that of each of the policy's places, for SETTLE. Each part reads about policy->part_bytes of
 * files at most. */
struct heddle_grid *heddle__grid_auto(int ndim, const int64_t *shape,
                                      const struct heddle_policy *policy, enum heddle_spread spread,
                                      const double *share, const struct heddle_demand *demand);
/* The multiple of rows, of `inner` elements each, at which parts of about `rows` rows are cut: where
 * chunks of reductions end (reduce_tree.h), if that changes the parts little. */
int64_t heddle__grid_row_unit(int64_t rows, int64_t inner);

#endif
