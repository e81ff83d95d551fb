/* What cut_matmul.c, order_matmul.c and product.c share. */
#ifndef HEDDLE_PLAN_MATMUL_H
#define HEDDLE_PLAN_MATMUL_H

#include "plan/tasks.h"

enum { HEDDLE_MOST_PANELS = 64 }; /* of the right operand that are of use */

/* A product that is being cut. Iteration axes: batch axes, m, n, k. */
struct heddle_matmul_cut {
    struct heddle_planner *p;
    enum heddle_dtype dtype;
    int n_batch;
    int64_t k;
    int32_t array[3]; /* A, B, C */
    struct heddle_map map[3];
    struct heddle_read reads[2];
    int64_t part;    /* of C */
    int64_t first_k; /* where the accumulation starts */
    bool adds;       /* the current task adds to what others have written */
};

static inline heddle_place heddle__matmul_place(const struct heddle_matmul_cut *s)
{
    return heddle__grid_place_of(s->p->plan->arrays[s->array[2]].grid, s->part);
}

/* What makes a part of C. */
struct heddle_box heddle__matmul_box(const struct heddle_matmul_cut *s, int64_t part);
/* A task for `box`, which is of part s->part. */
bool heddle__matmul_task(struct heddle_matmul_cut *s, const struct heddle_box *box);
/* All tasks, where the parts of C have places. */
bool heddle__matmul_in_order(struct heddle_matmul_cut *s);

#endif
