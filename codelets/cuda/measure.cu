/* Rates of a device: a copy of 256 MiB, and chains of float64 fused additions; the best of a few runs.
 * It waits for its own events only. Entry point: heddle__cuda_measure_rates, for measure.c. */
#include <cuda_runtime.h>

static __global__ void copy(const double2 *from, double2 *to, long long n)
{
    const long long i = (long long)blockIdx.x * 1024 + threadIdx.x;
    double2 x[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + k * 256 < n) x[k] = from[i + k * 256];
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + k * 256 < n) to[i + k * 256] = x[k];
}

enum { CHAINS = 8, STEPS = 2048 };

static __global__ void add(double *out, double by)
{
    double x[CHAINS];
    for (int k = 0; k < CHAINS; k++) x[k] = threadIdx.x + k;
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++) x[k] = fma(x[k], by, 1.0);
    double sum = 0;
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    if (sum == -1) out[0] = sum; /* never: keeps the loop */
}

extern "C" int heddle__cuda_measure_rates(int processors, double *bytes_per_s, double *flops_per_s)
{
    const long long bytes = 256ll << 20, n = bytes / (long long)sizeof(double2);
    const int blocks = processors * 32;
    void *data = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t from = nullptr, to = nullptr;
    *bytes_per_s = *flops_per_s = 0;
    cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaEventCreate(&from);
    if (error == cudaSuccess) error = cudaEventCreate(&to);
    if (error == cudaSuccess) error = cudaMallocAsync(&data, 2 * (size_t)bytes, stream);
    for (int run = 0; error == cudaSuccess && run < 8; run++) {
        const bool is_copy = run < 5;
        float ms = 0;
        error = cudaEventRecord(from, stream);
        if (is_copy)
            copy<<<(unsigned)((n + 1023) / 1024), 256, 0, stream>>>((const double2 *)data,
                                                                    (double2 *)data + n, n);
        else
            add<<<(unsigned)blocks, 256, 0, stream>>>((double *)data, 0.5);
        if (error == cudaSuccess) error = cudaGetLastError();
        if (error == cudaSuccess) error = cudaEventRecord(to, stream);
        if (error == cudaSuccess) error = cudaEventSynchronize(to);
        if (error == cudaSuccess) error = cudaEventElapsedTime(&ms, from, to);
        if (error != cudaSuccess || ms <= 0) continue;
        const double work = is_copy ? 2.0 * (double)bytes : (double)blocks * 256 * CHAINS * STEPS;
        double *best = is_copy ? bytes_per_s : flops_per_s;
        if (work / (ms * 1e-3) > *best) *best = work / (ms * 1e-3);
    }
    if (data) (void)cudaFreeAsync(data, stream);
    if (stream) (void)cudaStreamSynchronize(stream);
    if (from) (void)cudaEventDestroy(from);
    if (to) (void)cudaEventDestroy(to);
    if (stream) (void)cudaStreamDestroy(stream);
    return (int)error;
}
