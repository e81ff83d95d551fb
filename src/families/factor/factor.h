/* What the planning files of factorisations share. A node's matrices are column-major, as in kernel.h: the public functions
 * transpose, by views. */
#ifndef HEDDLE_FAMILIES_FACTOR_FACTOR_H
#define HEDDLE_FAMILIES_FACTOR_FACTOR_H

#include "families/factor/kernel.h"
#include "plan/build/planner.h"

/* Nodes:
 *   cholesky    A -> L
 *   lu          A -> L and U in one; order; sign
 *   qr          A -> reflectors and R in one; tau
 *   reflect     reflectors, tau -> Q
 *   triangular  T, B -> X */
extern const struct heddle_family_info heddle__cholesky_family, heddle__lu_family,
    heddle__qr_family, heddle__reflect_family, heddle__triangular_family;

struct heddle_triangular_params {
    int32_t lower, unit, name, unused;
};

/* ---- Cuts ------------------------------------------------------------------------------------------- */

bool heddle__cholesky_cut(struct heddle_planner *p, int32_t at);
bool heddle__lu_cut(struct heddle_planner *p, int32_t at);
bool heddle__qr_cut(struct heddle_planner *p, int32_t at);
bool heddle__reflect_cut(struct heddle_planner *p, int32_t at);
bool heddle__triangular_cut(struct heddle_planner *p, int32_t at);

/* A step over a panel and a block, by their numbers. */
struct heddle_factor_task {
    uint8_t step, begins;
    bool joins;           /* it follows the one before in the same task */
    int32_t panel, block; /* -1: none */
};

/* A factorisation that is being cut. */
struct heddle_factor_cut {
    const struct heddle_family_info *family;
    const char *title;                           /* of the step */
    struct heddle_factor call;                   /* what all calls have in common */
    int32_t panels, blocks;                      /* arrays; often the same one */
    int32_t below, scales, pivots, order, signs; /* -1: none; pivots: all of scales, in one part */
    int64_t first; /* of the plan's tasks that make it, and its operands */
    struct heddle_factor_task *tasks;
    int64_t n_tasks, room;
};

/* The partition of matrices (..., columns, rows) that are factored with so many operations: a batch is cut along it; a
 * matrix in panels, if several workers take part, or if it is too large for one. `like`: an array that is read. */
struct heddle_grid *heddle__factor_grid(struct heddle_planner *p, int32_t like, int ndim,
                                        const int64_t *shape, double flops);
/* The partition of vectors (..., extent), one for each matrix of `matrices`, cut beside its panels; `together`: not cut
 * but along the batch. */
struct heddle_grid *heddle__factor_vectors(struct heddle_planner *p,
                                           const struct heddle_grid *matrices, int64_t extent,
                                           bool together);
/* Whether only a batch is cut, along its first axis that has an extent, so that a part's matrices are neighbours. */
bool heddle__factor_is_of_batch(const struct heddle_grid *grid);
/* The n matrices of such a part, and the number of the first one. */
void heddle__factor_matrices(const struct heddle_grid *grid, int64_t part, int64_t *first,
                             int64_t *n);
/* The partition of blocks (..., columns, rows) beside matrices: a batch is cut as these are, one is cut as `alone`, whose
 * reference it takes over. NULL: memory is gone. */
struct heddle_grid *heddle__factor_beside(const struct heddle_grid *matrices,
                                          struct heddle_grid *alone);
/* Copies operand i of value `at` to array `to`, whose partition it takes; if `lower`, what is above the diagonal of panels
 * stays undefined. False when memory is gone. */
bool heddle__factor_copy(struct heddle_planner *p, int32_t at, int i, int32_t to, bool lower);
/* Operand i as an array in that partition, whose reference it takes over; read in place if it has it. -1: memory is gone. */
int32_t heddle__factor_operand(struct heddle_planner *p, int32_t at, int i,
                               struct heddle_grid *grid);
/* The array behind operand i, for its partition; -1: memory is gone. */
int32_t heddle__factor_source(struct heddle_planner *p, int32_t at, int i);

/* Adds a task to the list. */
bool heddle__factor_add(struct heddle_planner *p, struct heddle_factor_cut *cut, uint8_t step,
                        int64_t panel, int64_t block);
/* Adds a step to the last task. */
bool heddle__factor_join(struct heddle_planner *p, struct heddle_factor_cut *cut, uint8_t step,
                         int64_t panel, int64_t block);
/* Cuts what is listed: the tasks of panels or, of a batch, each task for each part of the batch. */
bool heddle__factor_tasks(struct heddle_planner *p, struct heddle_factor_cut *cut);

#endif
