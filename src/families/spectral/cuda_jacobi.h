/* Singular values of batches of small matrices on the GPU, a block of threads for each. */
#ifndef HEDDLE_FAMILIES_SPECTRAL_CUDA_JACOBI_H
#define HEDDLE_FAMILIES_SPECTRAL_CUDA_JACOBI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices of rows <= columns in C order, one behind the other; values in descending order, u of rows x rows and vh of rows x columns, if
 * vectors are wanted. info[i] becomes 1 if matrix i does not converge. `in` stays as it is. */
struct heddle_jacobi {
    int dtype; /* float32, float64, complex64, complex128 */
    int rows, columns;
    int64_t n;
    bool has_vectors;
    const void *in;
    void *values, *u, *vh;
    int *info;
};

/* Whether matrices fit in any GPU's shared memory. */
bool heddle__jacobi_serves(const struct heddle_jacobi *j);
/* Called on the stream; gives CUDA's error. */
int heddle__jacobi(const struct heddle_jacobi *j, void *stream);

#ifdef __cplusplus
}
#endif

#endif
