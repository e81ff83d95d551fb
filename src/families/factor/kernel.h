/* Factorisations of matrices in panels of columns, and triangular equations. Matrices are column-major: an array
 * (..., columns, rows) in C order, whose parts along the axis of columns are panels and are contiguous. One call factors
 * a panel, or brings a block of later columns up to date with it; a whole matrix is one panel.
 *
 * The panel has columns first .. first + width - 1, and its diagonal begins in row `first`; min(width, rows - first) of
 * them have a pivot or a reflector. The block has columns begin .. begin + columns - 1. All have `rows` rows, one column
 * after the other. */
#ifndef HEDDLE_FAMILIES_FACTOR_KERNEL_H
#define HEDDLE_FAMILIES_FACTOR_KERNEL_H

#include "kernels.h"

enum heddle_factor_step {
    HEDDLE_CHOLESKY_PANEL, /* its lower triangle becomes L's; what is above the diagonal is undefined */
    HEDDLE_CHOLESKY_SEND, /* copies what is below the panel's diagonal block: half of all panels goes to others */
    HEDDLE_CHOLESKY_UPDATE, /* block -= that copy times its adjoint */
    HEDDLE_LU_PANEL, /* it becomes L below the diagonal and U; pivots[j]: the row that row first + j was swapped with */
    HEDDLE_LU_UPDATE, /* swaps the block's rows, solves for its rows of U, subtracts L U from those below */
    HEDDLE_LU_SWAP, /* swaps the block's rows as later panels did: pivots from begin + columns on */
    HEDDLE_LU_ORDER, /* of all pivots: order[i], the row that came to row i, and whether they are even: 1 or -1 */
    HEDDLE_QR_PANEL, /* it becomes reflectors below the diagonal and R; tau: their scales */
    HEDDLE_QR_SEND, /* makes V, its reflectors with zeros and ones, and T: their product is I - V T V^H */
    HEDDLE_QR_UPDATE, /* reflects the block: Q^H times it */
    HEDDLE_QR_EXPAND, /* Q times the block, whose columns are those of the identity if `begins` */
    HEDDLE_TRIANGULAR, /* the panel's part of T X = B, in the block: its rows of X, and the others less T X */
    HEDDLE_FACTOR_STEPS
};

enum { HEDDLE_FACTOR_BLOCK = 64 }; /* CPU: columns that are factored by one thread */

/* The public function, for the text of errors. */
enum heddle_factor_name {
    HEDDLE_FACTOR_CHOLESKY,
    HEDDLE_FACTOR_SOLVE,
    HEDDLE_FACTOR_INV,
    HEDDLE_FACTOR_TRIANGULAR,
};

struct heddle_factor {
    uint8_t dtype; /* float32, float64, complex64, complex128 */
    uint8_t step;  /* enum heddle_factor_step */
    uint8_t name;  /* enum heddle_factor_name */
    uint8_t lower; /* TRIANGULAR: T is, else upper */
    uint8_t unit;  /* TRIANGULAR: T's diagonal counts as ones */
    uint8_t begins;
    uint8_t sent; /* QR_EXPAND: by V and T, else by the panel */
    int64_t rows, first, width, begin, columns;
    int64_t n_pivots; /* LU_SWAP, LU_ORDER: of all panels */
    int64_t batch;    /* matrices; more than one only if the panel is all of each */
    int64_t matrix;   /* number of the first one, for errors */
    /* Buffers. below: of CHOLESKY_SEND, rows from first + width on; of QR_SEND V, rows from `first` on, then T. scales: pivots (int64, numbers of rows) or tau. signs: LU_ORDER. */
    uint32_t panel, block, below, scales, order, signs;
};

/* Columns of the panel that have a pivot or a reflector. */
static inline int64_t heddle__factor_pivots(const struct heddle_factor *f)
{
    const int64_t left = f->rows - f->first;
    return left < f->width ? left : f->width;
}

/* Which buffers a step has, if the panel or all pivots have columns. */
static inline bool heddle__factor_is_of_all(const struct heddle_factor *f)
{
    return f->step == HEDDLE_LU_SWAP || f->step == HEDDLE_LU_ORDER;
}
static inline bool heddle__factor_reads_below(const struct heddle_factor *f)
{
    return f->step == HEDDLE_CHOLESKY_UPDATE || f->step == HEDDLE_QR_UPDATE ||
           (f->step == HEDDLE_QR_EXPAND && f->sent);
}
static inline bool heddle__factor_has_below(const struct heddle_factor *f)
{
    return heddle__factor_reads_below(f) || f->step == HEDDLE_CHOLESKY_SEND ||
           f->step == HEDDLE_QR_SEND;
}
static inline bool heddle__factor_has_panel(const struct heddle_factor *f)
{
    return f->width > 0 && !heddle__factor_is_of_all(f) && !heddle__factor_reads_below(f);
}
static inline bool heddle__factor_has_scales(const struct heddle_factor *f)
{
    return f->step >= HEDDLE_LU_PANEL && f->step <= HEDDLE_QR_EXPAND &&
           !heddle__factor_reads_below(f);
}

/* What kernels report: word 1 the matrix, 2 the pivot, 3 the function's name. */
enum heddle_status heddle__describe_factor(const int64_t words[], char *text, size_t room);

/* Scratch of both twins. */
size_t heddle__factor_scratch(const void *arguments, int n_threads);

#endif
