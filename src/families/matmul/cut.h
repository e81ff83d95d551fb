/* What the files that plan a product share. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUT_H
#define HEDDLE_FAMILIES_MATMUL_CUT_H

#include "families/matmul/kernel.h"
#include "plan/cut/cut.h"

extern const struct heddle_family_info heddle__matmul_family;

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

/* The family's cut: tasks that compute a product, value `at`. */
bool heddle__matmul_cut(struct heddle_planner *p, int32_t at);
/* What makes a part of C. */
struct heddle_box heddle__matmul_box(const struct heddle_matmul_cut *s, int64_t part);
/* A task for `box`, which is of part s->part. */
bool heddle__matmul_task(struct heddle_matmul_cut *s, const struct heddle_box *box);
/* All tasks, where the parts of C have places. */
bool heddle__matmul_in_order(struct heddle_matmul_cut *s);

/* ---- Partitions (partition.c) --------------------------------------------------------------------- */

/* Cuts operands of a product that are data in host memory and that nothing has cut: the rows of the
 * left by the places' shares of the work, the right in panels that come to one place each. `at` are
 * their values, `map` how they are read. False when memory is gone. */
bool heddle__product_operands(struct heddle_planner *p, const heddle_array *product,
                              const int32_t at[2], const struct heddle_map *const map[2]);
/* The partition of a product: as the user cut the rows of its left or the columns of its right
 * operand, else by the places' shares of the work. */
struct heddle_grid *heddle__product_grid(struct heddle_planner *p, const heddle_array *product,
                                         const struct heddle_operand operand[2]);
/* What operand lives at places that take no part in the product, and from which the others have it
 * only over host memory's links, a CPU team brings there while the others are at work: they would
 * wait for each other. False when memory is gone. */
bool heddle__product_stage(struct heddle_planner *p, const struct heddle_grid *product,
                           struct heddle_operand *operand);

#endif
