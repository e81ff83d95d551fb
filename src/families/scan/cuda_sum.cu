/* Cumulative sums on the GPU. A file of its own, to be compiled beside the products. */
#include "families/scan/cuda_launch.cuh"

int heddle__scan_sum(const struct heddle_scan_kernel *p, int dtype, int columns, void *stream)
{
    return scan_of_dtype<scan_add>(p, dtype, columns, stream);
}
