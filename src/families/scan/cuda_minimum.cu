/* Cumulative minima on the GPU. A file of its own, to be compiled beside the others. */
#include "families/scan/cuda_launch.cuh"

int heddle__scan_minimum(const struct heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                         int dtype, void *stream)
{
    return scan_of_ordered<scan_minimum>(dtype, (int)cudaErrorInvalidValue,
                                         scan_start{p, shape, stream});
}
