/* What both twins of factorisations share: texts of errors, and scratch. Entry points: kernel.h. */
#include "families/factor/kernel.h"

#include <stdio.h>

enum heddle_status heddle__describe_factor(const int64_t words[], char *text, size_t room)
{
    static const char *const names[] = {
        [HEDDLE_FACTOR_CHOLESKY] = "cholesky",
        [HEDDLE_FACTOR_SOLVE] = "solve",
        [HEDDLE_FACTOR_INV] = "inv",
        [HEDDLE_FACTOR_TRIANGULAR] = "solve_triangular",
    };
    snprintf(text, room, "heddle_linalg_%s: matrix %lld is %s: pivot %lld is %s", names[words[3]],
             (long long)words[1],
             words[3] == HEDDLE_FACTOR_CHOLESKY ? "not positive definite" : "singular",
             (long long)words[2], words[3] == HEDDLE_FACTOR_CHOLESKY ? "not positive" : "0");
    return HEDDLE_ESINGULAR;
}

/* CPU: pivots of a panel as LAPACK has them, or what reflecting takes, for each thread. GPU (use_scratch of cuda.c):
 * pointers to the matrices of a batch, pivots of both widths, what is said of each matrix, and about as much as cuSOLVER
 * works in; if it wants more, it gets it when it runs. */
size_t heddle__factor_scratch(const void *arguments, int n_threads)
{
    const struct heddle_factor *f = arguments;
    const size_t size = heddle_dtype_size((enum heddle_dtype)f->dtype);
    const size_t width = (size_t)(f->width > f->columns ? f->width : f->columns);
    if (n_threads == 0) {
        const size_t batch = (size_t)f->batch,
                     pivots = (size_t)(f->width > f->n_pivots ? f->width : f->n_pivots);
        return batch * (2 * sizeof(void *) + (1 + pivots) * sizeof(int)) +
               (size_t)f->width * sizeof(int64_t) + ((size_t)f->rows + width) * 64 * size +
               (1 << 20);
    }
    const size_t pivots = (size_t)(f->width + f->n_pivots) * sizeof(int),
                 reflect = 2 * HEDDLE_FACTOR_BLOCK * (width + HEDDLE_FACTOR_BLOCK) * size,
                 most = pivots > reflect ? pivots : reflect;
    return (size_t)n_threads * ((most + 63) / 64 * 64);
}
