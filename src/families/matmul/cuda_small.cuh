/* What the kernels of products by small matrices share. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_SMALL_CUH
#define HEDDLE_FAMILIES_MATMUL_CUDA_SMALL_CUH

#include "families/matmul/cuda_results.cuh"

static __device__ inline float multiply_add(float x, float y, float z)
{
    return fmaf(x, y, z);
}

static __device__ inline double multiply_add(double x, double y, double z)
{
    return fma(x, y, z);
}

/* Of results with one B whose rows follow each other: one tall product. */
static inline void join_rows(heddle_matmul_kernel &p)
{
    if (p.a_batch != p.m * p.a_row || p.c_batch != p.m * p.c_row) return;
    p.m *= p.batch;
    p.batch = p.outer;
    p.a_batch = p.a_outer;
    p.b_batch = p.b_outer;
    p.c_batch = p.c_outer;
    p.outer = 1;
}

static inline unsigned blocks_of(int64_t items, int64_t of_block)
{
    const int64_t blocks = (items + of_block - 1) / of_block;
    return (unsigned)(blocks < (1 << 20) ? blocks : 1 << 20);
}

#endif
