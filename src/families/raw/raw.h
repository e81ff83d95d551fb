/* What the files share that plan kernels of the user's. */
#ifndef HEDDLE_FAMILIES_RAW_H
#define HEDDLE_FAMILIES_RAW_H

#include "families/raw/kernel.h"
#include "graph/family.h"

/* [n - 1]: of calls with n results; all have the same kernels. The first is heddle__raw_family. */
extern const struct heddle_family_info heddle__raw_families[HEDDLE_RAW_OUTPUTS];
extern const struct heddle_family_info heddle__raw_family;

/* An array of a call, as plans depend on it. Its axis d follows axis frame[d] of the frame, whose parts the launches are
 * for: element i of the frame's axis stands at i * extent / (the frame's extent). -1: the axis is not cut. */
struct heddle_raw_operand {
    uint8_t role, dtype, ndim, halo; /* halo: it is read with one */
    int8_t frame[HEDDLE_MAX_NDIM];
    int32_t input; /* READ, WHOLE, UPDATE: of the node; else -1 */
    int64_t shape[HEDDLE_MAX_NDIM];
};

/* No launch has anything of it. */
static inline bool heddle__raw_is_empty(const struct heddle_raw_operand *o)
{
    for (int d = 0; d < o->ndim; d++)
        if (o->shape[d] == 0) return true;
    return false;
}

/* Whether it is a result that a node computes. */
static inline bool heddle__raw_is_result(const struct heddle_raw_operand *o)
{
    return (o->role == HEDDLE_RAW_WRITE || o->role == HEDDLE_RAW_UPDATE) &&
           !heddle__raw_is_empty(o);
}

/* Parameters of a node. Equal bytes mean equal plans, so what is not used is zero. */
struct heddle_raw_params {
    int32_t n_arrays, n_frame; /* n_frame: axes of the frame; 0: one launch */
    int64_t frame[HEDDLE_MAX_NDIM];
    int64_t before[HEDDLE_MAX_NDIM], after[HEDDLE_MAX_NDIM]; /* halo along the frame's axes, ... */
    int32_t has_halo;                                        /* ... if there is one */
    uint32_t uncut;                                          /* bits: axes of the frame */
    uint64_t hash;                                           /* the kernel's */
    struct heddle_raw_operand operands[HEDDLE_RAW_ARRAYS];
};

/* The results of a call, in the order of the operands that make any: n nodes, each owned. False: none is made. */
bool heddle__raw_nodes(const struct heddle_raw_params *params, int n_in, heddle_array *const in[],
                       struct heddle_raw_values *values, heddle_array *results[]);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__raw_cut(struct heddle_planner *p, int32_t at);

/* A kernel without code (object.c); NULL, with the deleter called: no memory. */
struct heddle_raw_kernel *heddle__raw_kernel_new(heddle_raw_function *host,
                                                 const struct heddle_raw_options *options);

#endif
