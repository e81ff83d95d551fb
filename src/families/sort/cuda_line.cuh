/* What the kernels of a line of runs share: arguments, windows. */
#ifndef HEDDLE_FAMILIES_SORT_CUDA_LINE_CUH
#define HEDDLE_FAMILIES_SORT_CUDA_LINE_CUH

#include "families/sort/cuda_keys.cuh"
#include "families/sort/cuda_line.h"

enum { THREADS = 256, RUNS = HEDDLE_SORT_RUNS };

/* What a kernel is given: one struct. The last fields are those of merges. */
struct sort_line_arguments {
    heddle_sort_line_kernel p;
    hd_int64 tiles;   /* of a row */
    hd_int64 *starts; /* of each tile: how many elements of the first of the two are before it */
    const void *from; /* MERGE */
    const int64_t *from_positions;
    void *to; /* NULL: nobody reads the elements */
    int64_t *to_positions;
    int width; /* MERGE: runs that are merged with as many */
};
typedef sort_line_arguments arguments;

struct sort_window {
    hd_int64 lo, hi;
};

HD hd_int64 sort_least(hd_int64 x, hd_int64 y)
{
    return x < y ? x : y;
}

HD hd_int64 sort_length(const heddle_sort_line &s, int run)
{
    return run < s.n_runs ? s.bound[run + 1] - s.bound[run] : 0;
}

HD sort_window sort_window_of(const heddle_sort_line_kernel &p, hd_int64 row, int boundary, int run)
{
    const heddle_sort_line &s = p.call;
    if (!p.windows) return sort_window{0, sort_length(s, run)};
    const int64_t *w = p.windows + ((row * (s.n_parts - 1) + boundary) * s.n_runs + run) * 2;
    return sort_window{w[0], w[1]};
}

static cudaError_t launch(const void *kernel, hd_int64 blocks, int threads, const arguments *a,
                          cudaStream_t stream)
{
    if (blocks > INT32_MAX) return cudaErrorInvalidValue;
    if (blocks == 0) return cudaSuccess;
    void *parameters[] = {(void *)a};
    return cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), parameters, 0,
                            stream);
}

#endif
