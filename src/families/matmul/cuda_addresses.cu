/* Addresses of matrices. Entry point: cuda_addresses.h. */
#include "families/matmul/cuda_addresses.h"

#include "families/matmul/cuda_small.cuh"

enum { THREADS = 256 };

static __global__ void __launch_bounds__(THREADS)
    write_addresses(const heddle_matmul_kernel p, hd_int64 size, hd_int64 c_size, const void **to)
{
    const hd_int64 n = n_results(p), step = (hd_int64)gridDim.x * THREADS;
    for (hd_int64 i = (hd_int64)blockIdx.x * THREADS + threadIdx.x; i < n; i += step) {
        const result_at at(p, i);
        to[i] = (const char *)p.a + (at.batch * p.a_batch + at.outer * p.a_outer) * size;
        to[n + i] = (const char *)p.b + (at.batch * p.b_batch + at.outer * p.b_outer) * size;
        to[2 * n + i] = (const char *)p.c + (at.batch * p.c_batch + at.outer * p.c_outer) * c_size;
    }
}

int heddle__matmul_addresses(const struct heddle_matmul_kernel *args, int64_t size, int64_t c_size,
                             void *to, void *stream)
{
    heddle_matmul_kernel p = *args;
    hd_int64 of = size, of_c = c_size;
    void *parameters[] = {&p, &of, &of_c, &to};
    return (int)cudaLaunchKernel((const void *)write_addresses,
                                 dim3(blocks_of(n_results(p), THREADS)), dim3(THREADS), parameters,
                                 0, (cudaStream_t)stream);
}
