/* Small kernels around cuSOLVER's; all on the stream, and none waits. They return CUDA's error. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_FACTOR_H
#define HEDDLE_FAMILIES_FACTOR_CUDA_FACTOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a kernel reports, as in struct heddle_report, and what: word 3, and the first matrix and row. */
struct heddle_factor_report {
    volatile int64_t *words;
    int64_t tag, name, matrix, row;
};

/* pointers[i] = first + i * bytes. */
int heddle__factor_pointers(void **pointers, void *first, int64_t bytes, int64_t n, void *stream);
/* Reports the first of n matrices for which LAPACK's info is above 0. */
int heddle__factor_info(const int *info, int64_t n, const struct heddle_factor_report *report,
                        void *stream);
/* Reports the first of n matrices, `bytes` apart, that has a 0 on the diagonal of `width` elements that begins at `at`; the
 * columns have `rows` elements of `size` bytes, whose real parts have `real` bytes. `word`: 8 bytes to work in. */
int heddle__factor_diagonal(const void *at, int64_t rows, int64_t width, int size, int real,
                            int64_t bytes, int64_t n, void *word,
                            const struct heddle_factor_report *report, void *stream);
/* Reports what *first says, if it is below n * width: matrix * width + row. */
int heddle__factor_first(const unsigned long long *first, int64_t width, int64_t n,
                         const struct heddle_factor_report *report, void *stream);
/* to[i] = from[i] - 1 + row: pivots of cuSOLVER as numbers of rows. _int: of cuBLAS, n for each matrix. */
int heddle__factor_rows_of(int64_t *to, const int64_t *from, int64_t row, int64_t n, void *stream);
int heddle__factor_rows_of_int(int64_t *to, const int *from, int64_t n, void *stream);
/* Swaps row `row` + i of each column with row pivots[i], which is not before it, for i < n in turn. */
int heddle__factor_swap(void *to, int64_t rows, int64_t columns, int size, const int64_t *pivots,
                        int64_t row, int64_t n, void *stream);
/* order[i], the row that n_pivots swaps bring to row i, and their sign; for each of n matrices. */
int heddle__factor_order(int64_t *order, int64_t *signs, const int64_t *pivots, int64_t rows,
                         int64_t n_pivots, int64_t n, void *stream);
/* V: columns of k reflectors of m rows, of which the panel has what is below the diagonal, with zeros and ones above. */
int heddle__factor_reflectors(void *v, const void *panel, int64_t ld, int64_t m, int64_t k,
                              int size, int real, void *stream);
/* The diagonal of a matrix of k rows becomes 1 / tau; of tau = 0, which reflects nothing, a large number. */
int heddle__factor_reciprocals(void *to, const void *tau, int64_t k, int size, int real,
                               void *stream);
/* Columns `begin` and on of identity matrices, n of them. */
int heddle__factor_identity(void *to, int64_t rows, int64_t columns, int64_t begin, int size,
                            int real, int64_t n, void *stream);

#ifdef __cplusplus
}
#endif

#endif
