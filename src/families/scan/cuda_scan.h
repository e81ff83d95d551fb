/* What the host gives the CUDA kernels of scans. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_SCAN_H
#define HEDDLE_FAMILIES_SCAN_CUDA_SCAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses. Parameters of kernels lie in constant memory. */
struct heddle_scan_kernel {
    const void *in, *state_in;
    void *out, *state_out, *scratch;
    int64_t outer, n, inner, first_chunk, chunks, n_chunks; /* chunks: of the part */
    int64_t notes;                                          /* of a row; WHOLE, COMBINE */
    int64_t first_note[8];                                  /* of each level */
    int32_t levels, phase, initial;
    int32_t in_aligned, out_aligned; /* rows, to 16 bytes */
    int32_t window; /* chunks that are read at a time, before their totals are known */
};

/* Enqueue a call; a cudaError_t. `dtype`: enum heddle_dtype. */
int heddle__scan_sum(const struct heddle_scan_kernel *p, int dtype, int columns, void *stream);
int heddle__scan_product(const struct heddle_scan_kernel *p, int dtype, int columns, void *stream);
int heddle__scan_maximum(const struct heddle_scan_kernel *p, int dtype, int columns, void *stream);
int heddle__scan_minimum(const struct heddle_scan_kernel *p, int dtype, int columns, void *stream);

#ifdef __cplusplus
}
#endif

#endif
