/* What the host gives the CUDA kernels of scans. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_SCAN_H
#define HEDDLE_FAMILIES_SCAN_CUDA_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "families/scan/cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels, and what a block, a warp or a thread of them has. */
enum heddle_scan_form {
    HEDDLE_SCAN_CHUNKS,        /* a block a chunk of a row */
    HEDDLE_SCAN_WARP_ROWS,     /* a warp a row */
    HEDDLE_SCAN_SHORT_ROWS,    /* `width` lanes a row */
    HEDDLE_SCAN_COLUMNS,       /* a thread a column */
    HEDDLE_SCAN_COLUMN_CHUNKS, /* a thread a chunk of a column */
    HEDDLE_SCAN_ROW_PREFIXES,  /* COMBINE: a block a row */
    HEDDLE_SCAN_COLUMN_PREFIXES
};
struct heddle_scan_shape {
    int form; /* enum heddle_scan_form */
    int width, threads;
    int64_t blocks; /* 0: there is nothing to do */
    size_t shared_bytes;
};

/* Enqueue a call; a cudaError_t. `dtype`: enum heddle_dtype. */
int heddle__scan_sum(const struct heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                     int dtype, void *stream);
int heddle__scan_product(const struct heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                         int dtype, void *stream);
int heddle__scan_maximum(const struct heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                         int dtype, void *stream);
int heddle__scan_minimum(const struct heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                         int dtype, void *stream);

#ifdef __cplusplus
}
#endif

#endif
