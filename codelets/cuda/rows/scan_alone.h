/* A scan of rows by itself, while the kernel of its chain is compiled: what launch.c and scan_alone.cu share. */
#ifndef HEDDLE_CUDA_SCAN_ALONE_H
#define HEDDLE_CUDA_SCAN_ALONE_H

enum { HEDDLE_SCAN_ALONE_AXES = 8 };

/* Rows of n elements, 1 to a chunk of lanes, or columns (scan_order.h). Axes of rows from the slowest on; strides in elements, of any sign;
 * apart: from one element of a row to the next. */
struct heddle_scan_alone {
    const void *in;
    void *out;
    int n_axes, n, columns;
    long long n_rows, from_apart, to_apart, extent[HEDDLE_SCAN_ALONE_AXES],
        from[HEDDLE_SCAN_ALONE_AXES], to[HEDDLE_SCAN_ALONE_AXES];
};

#ifdef __cplusplus
extern "C"
#endif
    /* `operation`: enum heddle_scan_operation; `dtype`: enum heddle_dtype. A cudaError_t. */
    int
    heddle__cuda_scan_alone(const struct heddle_scan_alone *rows, int operation, int dtype,
                            void *stream);

#endif
