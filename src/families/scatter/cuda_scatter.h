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
    unsigned *owner;      /* of each row of the part: 1 + its last update; 0: none */
    const int64_t *order; /* the updates by position, those of one position in their order */
    volatile int64_t *report;
    int64_t tag;
};

/* Enqueue them; a cudaError_t. The last update of each row: needs `owner`, of zeros. */
int heddle__scatter_set(const struct heddle_scatter_kernel *p, void *stream);
/* Sums: by atomic additions, where these are exact, or in `order`. */
int heddle__scatter_add(const struct heddle_scatter_kernel *p, void *stream);

/* Whether sums do not depend on their order, and the device has atomic additions of the dtype. */
static inline bool heddle__scatter_is_atomic(const struct heddle_scatter *s)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)s->dtype;
    return dtype == HEDDLE_INT32 || dtype == HEDDLE_INT64 || dtype == HEDDLE_UINT32 ||
           dtype == HEDDLE_UINT64;
}

static inline struct heddle_sort heddle__scatter_sort(const struct heddle_scatter *s)
{
    const struct heddle_sort sort = {
        HEDDLE_INT64, 8, 0, 1, HEDDLE_SORT_ROWS, 0, 1, s->n, 0, 0, 0, 0};
    return sort;
}

static inline size_t heddle__scatter_cuda_bytes(const struct heddle_scatter *s)
{
    if (!s->add) return (size_t)s->n_rows * sizeof(unsigned);
    if (heddle__scatter_is_atomic(s)) return 0;
    const struct heddle_sort sort = heddle__scatter_sort(s);
    return ((size_t)s->n * 8 + 255) / 256 * 256 + heddle__sort_cuda_bytes(&sort);
}

#ifdef __cplusplus
}
#endif

#endif
