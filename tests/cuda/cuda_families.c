/* The CUDA kernels of families that are not programs, call by call on a GPU, against loops: scans,
 * gathers, compactions, scatters, searches, histograms, sorts, sparse products, small systems, factors and singular values of small matrices, sums over windows. (Matrix products are in cuda_kernels.) What the planner makes of them, and the way through the
 * library, is tests/families. */
#include "check.h"
#include "cuda/families.h"

#include <stdlib.h>

uint64_t families_random(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state ^ state >> 29;
}

void *families_to_gpu(const void *from, size_t bytes)
{
    void *to = gpu_alloc(bytes);
    gpu_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, gpu_stream()),
              "to the device");
    return to;
}

void families_from_gpu(void *to, const void *from, size_t bytes)
{
    gpu_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, gpu_stream()),
              "from the device");
    gpu_check(cudaStreamSynchronize(gpu_stream()), "synchronise");
}

int main(void)
{
    if (!gpu_open()) {
        printf("no GPU here: skipped\n");
        return 77;
    }
    test_batches();
    test_jacobi();
    test_scans();
    test_gathers();
    test_compacts();
    test_scatters();
    test_searches();
    test_histograms();
    test_sorts();
    test_sparse();
    test_systems();
    test_windows();
    return check_done();
}
