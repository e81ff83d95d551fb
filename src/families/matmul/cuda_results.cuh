/* Where the matrices of a result are, among those of a call. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_RESULTS_CUH
#define HEDDLE_FAMILIES_MATMUL_CUDA_RESULTS_CUH

#include "families/matmul/cuda_integer.h"

#include "cuda/scalar.cuh"

/* A result's numbers on both axes. */
struct result_at {
    hd_int64 batch, outer;

    __device__ __forceinline__ result_at(const heddle_matmul_kernel &p, hd_int64 number)
        : batch(number), outer(0)
    {
        if (p.outer == 1) return;
        outer = number / p.batch;
        batch = number - outer * p.batch;
    }

    template <class T>
    __device__ __forceinline__ const T *a(const heddle_matmul_kernel &p) const
    {
        return (const T *)p.a + batch * p.a_batch + outer * p.a_outer;
    }
    template <class T>
    __device__ __forceinline__ const T *b(const heddle_matmul_kernel &p) const
    {
        return (const T *)p.b + batch * p.b_batch + outer * p.b_outer;
    }
    template <class T>
    __device__ __forceinline__ T *c(const heddle_matmul_kernel &p) const
    {
        return (T *)p.c + batch * p.c_batch + outer * p.c_outer;
    }
};

static inline __host__ __device__ hd_int64 n_results(const heddle_matmul_kernel &p)
{
    return p.batch * p.outer;
}

#endif
