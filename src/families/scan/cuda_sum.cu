/* Cumulative sums on the GPU. A file of its own, to be compiled beside the products. */
#include "families/scan/cuda_launch.cuh"

int heddle__scan_sum(const struct heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                     int dtype, void *stream)
{
    return scan_of_dtype<scan_sum>(dtype, (int)cudaErrorInvalidValue, scan_start{p, shape, stream});
}
