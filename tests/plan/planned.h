/* The plan of one array. */
#ifndef HEDDLE_TESTS_PLANNED_H
#define HEDDLE_TESTS_PLANNED_H

#include "check.h"

#include "plan/make/make.h"

/* heddle__plan_release it. */
static inline struct heddle_plan *planned(heddle_array *a, const struct heddle_policy *policy)
{
    struct heddle_walk walk = {0};
    CHECK_EQ(heddle__walk(&walk, 1, &a), HEDDLE_OK);
    struct heddle_plan *plan = heddle__plan_make(&walk, policy);
    CHECK(plan != NULL, "%s", heddle_last_error());
    heddle__walk_free(&walk);
    return plan;
}

#endif
