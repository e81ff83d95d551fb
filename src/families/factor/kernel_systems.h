/* Systems of few equations, as many as there are: a whole one for each lane of a vector, or for few threads of a GPU; larger ones one by
 * one in a core's cache, or in a multiprocessor's shared memory. Matrices are row-major, real, and lie one behind the other.
 *
 * Gauss's elimination with partial pivoting: the pivot of column k is the first of largest magnitude among rows k .. n - 1 as
 * they stand, and comes to row k by a swap with the one there. If it is 0, so are all below it, and nothing is subtracted.
 * Then substitution from the last row up. Products may be fused with additions, so bits may differ between the twins. */
#ifndef HEDDLE_FAMILIES_FACTOR_KERNEL_SYSTEMS_H
#define HEDDLE_FAMILIES_FACTOR_KERNEL_SYSTEMS_H

#include "families/factor/kernel.h"
#include "families/factor/kernel_what.h"

enum { HEDDLE_SYSTEMS_ROWS = 64, HEDDLE_SYSTEMS_COLUMNS = 64 }; /* at most; */
enum { HEDDLE_SYSTEMS_IN_LANES = 16 }; /* of both, for lanes and few threads */

struct heddle_systems {
    uint8_t dtype;      /* float32, float64 */
    uint8_t what;       /* enum heddle_systems_what */
    uint8_t name;       /* enum heddle_factor_name */
    int32_t n, columns; /* columns: of the right side, which SOLVE and INVERT have */
    int64_t batch;      /* systems */
    int64_t matrix;     /* number of the first one, for errors */
    uint32_t a, b, out; /* buffers; b: SOLVE */
};

/* Whether the result is the matrix's alone, without a right side. */
static inline bool heddle__systems_is_of_matrix(const struct heddle_systems *s)
{
    return s->what >= HEDDLE_SYSTEMS_PIVOTS;
}
static inline bool heddle__systems_are_in_lanes(const struct heddle_systems *s)
{
    return s->n <= HEDDLE_SYSTEMS_IN_LANES && s->columns <= HEDDLE_SYSTEMS_IN_LANES;
}
/* Elements of a system's result. */
static inline int heddle__systems_each(const struct heddle_systems *s)
{
    return s->what == HEDDLE_SYSTEMS_DETERMINANT ? 1
           : s->what == HEDDLE_SYSTEMS_PIVOTS    ? s->n
                                                 : s->n * s->columns;
}

#endif
