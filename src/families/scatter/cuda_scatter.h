/* What the host gives the CUDA kernels that write by position, and the memory that they need. */
#ifndef HEDDLE_FAMILIES_SCATTER_CUDA_SCATTER_H
#define HEDDLE_FAMILIES_SCATTER_CUDA_SCATTER_H

#include "families/scatter/kernel.h"
#include "families/sort/cuda_sort.h"

#include <heddle/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call with its addresses. */
struct heddle_scatter_kernel {
    struct heddle_scatter call;
    const int64_t *positions;
    const void *values;
    void *out;
    unsigned *owner; /* of each row of the part: 1 + its last update; 0: none */
    /* To add in order: the part's row of each update (n_rows: it has not got it) and the updates; [1]: by row, those of
     * one row in their order. */
    unsigned *rows[2], *updates[2];
    volatile int64_t *report;
    int64_t tag;
};

/* Enqueue them; a cudaError_t. The last update of each row: needs `owner`, of zeros. */
int heddle__scatter_set(const struct heddle_scatter_kernel *p, void *stream);
/* Sums, by atomic additions: heddle__scatter_is_atomic. */
int heddle__scatter_add(const struct heddle_scatter_kernel *p, void *stream);
/* Sums in the order of the updates: first makes rows[0] and updates[0], then, when these are sorted, adds. */
int heddle__scatter_number_rows(const struct heddle_scatter_kernel *p, void *stream);
int heddle__scatter_add_in_order(const struct heddle_scatter_kernel *p, void *stream);

/* Whether sums do not depend on their order, and the device has atomic additions of the dtype. */
static inline bool heddle__scatter_is_atomic(const struct heddle_scatter *s)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)s->dtype;
    return dtype == HEDDLE_INT32 || dtype == HEDDLE_INT64 || dtype == HEDDLE_UINT32 ||
           dtype == HEDDLE_UINT64;
}

/* An array of a number for each update, which begins where the device likes it. */
static inline size_t heddle__scatter_numbers_bytes(const struct heddle_scatter *s)
{
    return ((size_t)s->n * 4 + 255) / 256 * 256;
}

static inline size_t heddle__scatter_cuda_bytes(const struct heddle_scatter *s)
{
    if (!s->add) return (size_t)s->n_rows * sizeof(unsigned);
    if (heddle__scatter_is_atomic(s)) return 0;
    return 4 * heddle__scatter_numbers_bytes(s) + heddle__sort_numbers_bytes(s->n);
}

#ifdef __cplusplus
}
#endif

#endif
