/* Elements whose indices are known when a plan is made, but for where they begin. */
#ifndef HEDDLE_FAMILIES_GATHER_STRIDES_H
#define HEDDLE_FAMILIES_GATHER_STRIDES_H

#include "families/gather/gather.h"
#include "families/gather/lines.h"
#include "plan/build/planner.h"

struct heddle_gather_strides {
    int32_t in, out;                 /* arrays; `in` is not cut along axes that are indexed */
    const struct heddle_map *in_map; /* the result's axes to those of `in` that are not */
    int n;
    struct heddle_line line[HEDDLE_MAX_NDIM]; /* of array k of indices, over its own axes */
    struct heddle_map by[HEDDLE_MAX_NDIM];    /* the result's axes to them */
    int axis[HEDDLE_MAX_NDIM];                /* of `in`, that it indexes; -1: none */
    int64_t step[HEDDLE_MAX_NDIM];            /* elements along it from one index to the next */
};

/* Makes value `at`, which has no array yet, one that sees the elements where they are (struct heddle_plan_array): no task. `in` has
 * one part. False when memory is gone. */
bool heddle__gather_see(struct heddle_planner *p, int32_t at,
                        const struct heddle_gather_strides *s);
/* Adds the tasks. False when memory is gone. */
bool heddle__gather_cut_strides(struct heddle_planner *p, const struct heddle_gather_strides *s);

#endif
