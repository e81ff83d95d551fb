/* The plan of one array, and what happens where there is no memory for it. */
#ifndef HEDDLE_TESTS_PLANNED_H
#define HEDDLE_TESTS_PLANNED_H

#include "check.h"

#include "base/memory.h"
#include "plan/make/make.h"
#include "run/execute.h"

#include <heddle.h>
#include <stdlib.h>

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

/* Each allocation that the plan of a makes fails once: then there is no plan, and nothing is left. */
static inline void check_plan_without_memory(heddle_array *a)
{
    struct heddle_walk walk = {0};
    CHECK_EQ(heddle__walk(&walk, 1, &a), HEDDLE_OK);
    heddle__plan_release(heddle__plan_make(&walk, heddle__policy())); /* programs are interned */
    const int64_t live = heddle__alloc_live();
    bool done = false;
    for (int64_t k = 1; !done && k < 1000; k++) {
        const int64_t calls = heddle__alloc_calls();
        heddle__alloc_fail_at(k, 0);
        struct heddle_plan *plan = heddle__plan_make(&walk, heddle__policy());
        heddle__alloc_fail_at(0, 0);
        done = heddle__alloc_calls() - calls < k;
        CHECK(plan != NULL || !done, "%s", heddle_last_error());
        heddle__plan_release(plan);
        CHECK(heddle__alloc_live() == live, "allocation %lld", (long long)k);
    }
    CHECK(done, "it needs more memory");
    heddle__walk_free(&walk);
}

/* Borrowed data that nobody else has. */
static inline heddle_array *zeros_data(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    int64_t n = 16;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    void *data = calloc((size_t)n, 16);
    heddle_array *a =
        heddle_asarray(data, dtype, ndim, shape, .borrow = true, .deleter = free, .user = data);
    return a;
}

#define DATA(...) zeros_data(HEDDLE_FLOAT64, HEDDLE_SHAPE(__VA_ARGS__))

#endif
