/* How kernels report a matrix that has no factor. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_REPORT_CUH
#define HEDDLE_FAMILIES_FACTOR_CUDA_REPORT_CUH

#include "families/factor/cuda_factor.h"

static __device__ void write_report(const heddle_factor_report &r, int64_t matrix, int64_t pivot)
{
    r.words[1] = r.matrix + matrix;
    r.words[2] = r.row + pivot;
    r.words[3] = r.name;
    __threadfence_system();
    r.words[0] = r.tag;
}

#endif
