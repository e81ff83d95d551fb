/* Eigenvalues and singular values of matrices: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_SPECTRAL_KERNEL_H
#define HEDDLE_FAMILIES_SPECTRAL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* The matrices, `columns` x `rows` to LAPACK, are in C order, which LAPACK reads by columns: it sees transposes. So
 * results are what it leaves of the transpose, and nothing is transposed here. */
enum heddle_spectral_operation {
    /* a, of which one triangle counts: eigenvalues in ascending order; eigenvectors, conjugate, as rows */
    HEDDLE_SPECTRAL_EIGVALSH,
    HEDDLE_SPECTRAL_EIGH,
    /* a, with rows <= columns: singular values in descending order; u, rows x rows; vh, rows or columns x columns */
    HEDDLE_SPECTRAL_SVDVALS,
    HEDDLE_SPECTRAL_SVD,
    /* the transpose of a: eigenvalues, complex, in no order; eigenvectors of length 1, complex, as rows */
    HEDDLE_SPECTRAL_EIGVALS,
    HEDDLE_SPECTRAL_EIG,
    HEDDLE_SPECTRAL_OPERATIONS
};

/* The public function, "heddle_linalg_eigh". */
const char *heddle__spectral_name(int operation);

struct heddle_spectral {
    uint8_t dtype;     /* of the matrices: float32, float64, complex64, complex128 */
    uint8_t operation; /* enum heddle_spectral_operation */
    uint8_t upper;     /* of a Hermitian matrix the upper triangle counts */
    uint8_t full;      /* vh has all rows */
    int64_t batch, rows, columns;
    uint32_t in, out[3]; /* buffers; those of the results as listed above: values, then vectors */
};

enum { HEDDLE_SPECTRAL_OUTPUTS = 3 };

/* How many elements result i of one matrix has, and bytes each; 0: there is no such result. */
int64_t heddle__spectral_elements(const struct heddle_spectral *s, int i);
size_t heddle__spectral_bytes(const struct heddle_spectral *s, int i);
/* Bytes of an element of the matrices. */
size_t heddle__spectral_in_bytes(const struct heddle_spectral *s);
/* No result for matrix `at` of the batch: an error that names it. */
enum heddle_status heddle__spectral_failed(const struct heddle_spectral *s, int64_t at);

#endif
