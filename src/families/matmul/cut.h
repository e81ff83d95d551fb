/* What the files share that plan matrix products. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUT_H
#define HEDDLE_FAMILIES_MATMUL_CUT_H

#include "families/matmul/kernel.h"
#include "plan/cut/cut.h"

extern const struct heddle_family_info heddle__matmul_family;

/* Parameters of a node over two operands of one dtype: its own, or a half that is rounded for a float32 product. */
struct heddle_matmul_params {
    int64_t tf32; /* the operands have TF32's digits: nothing is lost by it */
};

enum { HEDDLE_MOST_PANELS = 64 }; /* of the right operand: more are of no use */

/* A product that is being cut. Iteration axes: batch axes, m, n, k. */
struct heddle_matmul_cut {
    struct heddle_planner *p;
    enum heddle_dtype dtype, halves; /* as in struct heddle_matmul */
    bool rounded, tf32;              /* the same */
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

/* The family's cut: adds the tasks that compute value `at`. */
bool heddle__matmul_cut(struct heddle_planner *p, int32_t at);
/* The box of the iteration space that makes a part of C. */
struct heddle_box heddle__matmul_box(const struct heddle_matmul_cut *s, int64_t part);
/* Adds a task for `box`, a box of part s->part. */
bool heddle__matmul_task(struct heddle_matmul_cut *s, const struct heddle_box *box);
/* Adds the calls for it to the current task. */
bool heddle__matmul_calls(struct heddle_matmul_cut *s, const struct heddle_box *box);
/* Wants what a task for `box` reads of operand `i` at other places to be cut out there (cut/halo.c), unless it is more
 * than 1 / `most` of a part. */
bool heddle__matmul_want(struct heddle_matmul_cut *s, const struct heddle_box *box, int i,
                         int64_t most);
/* Adds all tasks, if the parts of C have places. */
bool heddle__matmul_in_order(struct heddle_matmul_cut *s);

/* ---- Partitions (partition.c) --------------------------------------------------------------------- */

/* Cuts operands that are data in host memory which nothing has cut: the left one in rows, by the places'
 * shares of the work, the right one in panels, each of which comes to one place. `at`: their values;
 * `map`: how they are read. False when memory is gone. */
bool heddle__product_operands(struct heddle_planner *p, const heddle_array *product,
                              const int32_t at[2], const struct heddle_map *const map[2]);
/* The partition of a product: that of the rows of its left or of the columns of its right operand, if the
 * user cut or placed these, else by the places' shares of the work. NULL when memory is gone. */
struct heddle_grid *heddle__product_grid(struct heddle_planner *p, const heddle_array *product,
                                         const struct heddle_operand operand[2]);
/* The operand that it follows because of the user; -1: neither. */
int heddle__product_follows(const struct heddle_planner *p, const heddle_array *product,
                            const struct heddle_operand operand[2]);
/* An operand may live at places that take no part in the product and are reached only by the links to
 * host memory. Makes a CPU team bring such parts to host memory, while the others work: else these would
 * wait for each other's transfers. False when memory is gone. */
bool heddle__product_stage(struct heddle_planner *p, const struct heddle_grid *product,
                           struct heddle_operand *operand);

/* ---- Sums (sums.c) -------------------------------------------------------------------------------- */

enum { HEDDLE_SUMS_PLACES = HEDDLE_MAX_OPERANDS - 1 }; /* one program adds what all have made */

/* Intervals of the inner axis, and the places that multiply them. */
struct heddle_sums {
    int n_places;
    heddle_place place[HEDDLE_SUMS_PLACES]; /* in the order of the axis */
    int64_t n, *bound;                      /* n + 1 bounds */
    int *at;                                /* [n]: the number of its place */
    double task_bytes; /* of the operand that has these intervals, for a task */
};

/* Whether each place is to multiply what it has of the inner axis, and one task to add the results up. False also when
 * memory is gone. */
bool heddle__sums_found(struct heddle_matmul_cut *s, const heddle_array *product,
                        const struct heddle_operand operand[2], struct heddle_sums *sums);
/* The partition of the result. NULL when memory is gone. */
struct heddle_grid *heddle__sums_grid(struct heddle_planner *p, const heddle_array *product,
                                      const struct heddle_operand operand[2],
                                      const struct heddle_sums *sums);
/* Adds the tasks that make array `c`. */
bool heddle__sums_cut(struct heddle_matmul_cut *s, const struct heddle_sums *sums, int32_t c);

#endif
