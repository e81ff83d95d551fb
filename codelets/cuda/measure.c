/* Rates of a device, for the cost model. Entry point: heddle__cuda_measure. */
#include "cuda/device.h"
#include "kernels.h"

int heddle__cuda_measure_rates(int processors, double *bytes_per_s, double *flops_per_s);

enum heddle_status heddle__cuda_measure(int device, double *bytes_per_s, double *flops_per_s)
{
    enum heddle_status status = HEDDLE_OK;
    int before = 0, processors = 0;
    HEDDLE_TRY(heddle__cuda_check(cudaGetDevice(&before), "cudaGetDevice"));
    HEDDLE_TRY(heddle__cuda_check(cudaSetDevice(device), "cudaSetDevice"));
    status = heddle__cuda_processors(&processors);
    if (status == HEDDLE_OK)
        status = heddle__cuda_check(
            (cudaError_t)heddle__cuda_measure_rates(processors, bytes_per_s, flops_per_s),
            "measuring the device");
    (void)cudaSetDevice(before);
fail:
    return status;
}

enum heddle_status heddle__cuda_processors(int *n)
{
    enum heddle_status status = HEDDLE_OK;
    int device = 0;
    HEDDLE_TRY(heddle__cuda_check(cudaGetDevice(&device), "cudaGetDevice"));
    HEDDLE_TRY(heddle__cuda_check(cudaDeviceGetAttribute(n, cudaDevAttrMultiProcessorCount, device),
                                  "attributes"));
fail:
    return status;
}
