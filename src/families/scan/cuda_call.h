/* What kernels of scans are given. Also text for NVRTC, which has int64_t and int32_t from whoever includes it. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_CALL_H
#define HEDDLE_FAMILIES_SCAN_CUDA_CALL_H

enum { HEDDLE_SCAN_COMBINED = 8 /* columns that a block combines: a sector of memory */ };

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

#endif
