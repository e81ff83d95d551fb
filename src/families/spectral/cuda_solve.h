/* One matrix, or a batch at once, by cuSOLVER. */
#ifndef HEDDLE_FAMILIES_SPECTRAL_CUDA_SOLVE_H
#define HEDDLE_FAMILIES_SPECTRAL_CUDA_SOLVE_H

#include "cuda/solver.h"
#include "families/spectral/kernel.h"

#include <stdbool.h>

/* A call with its library and what it works with. */
struct heddle_spectral_solve {
    const struct heddle_spectral *s;
    const struct heddle_solver *solver;
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
    cudaDataType type, real, complex; /* of the matrices, and of as many bits */
    void *stream;
    /* What cuSOLVER wants for one matrix. */
    size_t device_bytes, host_bytes;
    void *device, *host;
    /* Of one matrix: a copy, which it destroys; and what a real matrix has of complex vectors. */
    char *copy, *packed;
    int *info; /* [batch], on the device */
    bool asks; /* sets the sizes and does nothing else */
};

/* The results `out` of the matrix `in`, number i of the batch. */
typedef cusolverStatus_t heddle_spectral_solver(struct heddle_spectral_solve *c, const void *in,
                                                void *const out[], int64_t i);
heddle_spectral_solver heddle__solver_eigh, heddle__solver_svd, heddle__solver_eig;

#endif
