/* Matrices by cuSOLVER: one, or many small ones at a time. */
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
    int64_t together; /* matrices at a time: 1, or many small ones */
    bool polar;       /* singular vectors by a polar decomposition */
    bool jacobi;      /* singular values by a kernel of our own, which wants no memory */
    /* What cuSOLVER wants for them. */
    size_t device_bytes, host_bytes;
    void *device, *host;
    /* Of so many matrices: a copy, which it destroys; and results that are not in the form that is wanted. */
    char *copy, *packed;
    int *info; /* [batch], on the device */
    bool asks; /* sets the sizes and does nothing else */
};

/* The results `out` of the matrices `in`, numbers i, ... i + n - 1 of the batch. */
typedef cusolverStatus_t heddle_spectral_solver(struct heddle_spectral_solve *c, const void *in,
                                                void *const out[], int64_t i, int64_t n);
heddle_spectral_solver heddle__solver_eigh, heddle__solver_eigh_small, heddle__solver_svd,
    heddle__solver_svd_polar, heddle__solver_svd_jacobi, heddle__solver_svd_small,
    heddle__solver_eig;
/* Bytes of `packed` for one matrix. */
size_t heddle__solver_packed(const struct heddle_spectral_solve *c);

#endif
