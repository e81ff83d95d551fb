/* What the host gives the CUDA kernels of sparse matrices. */
#ifndef HEDDLE_FAMILIES_CSR_CUDA_CSR_H
#define HEDDLE_FAMILIES_CSR_CUDA_CSR_H

#include "families/csr/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses. */
struct heddle_csr_kernel {
    const void *data, *indices, *starts, *x;
    void *y;
    volatile int64_t *report;
    int64_t tag;
    int rows_of_block; /* heddle__csr_launch sets it */
    struct heddle_csr_call call;
};

/* Enqueues it; a cudaError_t. */
int heddle__csr_launch(const struct heddle_csr_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
