/* Runs launches on the current GPU. Entry points: gpu.h. */
#include "cuda/gpu.h"

#include <stdio.h>
#include <stdlib.h>

static cudaStream_t stream, second;
static void *allocated[4096];
static int n_allocated;

void gpu_check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

int gpu_open(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0) return 0;
    gpu_check(cudaSetDevice(0), "cudaSetDevice");
    gpu_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    gpu_check(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "stream");
    return 1;
}

cudaStream_t gpu_stream(void)
{
    return stream;
}

cudaStream_t gpu_second_stream(void)
{
    return second;
}

void *gpu_alloc(size_t bytes)
{
    void *p = NULL;
    if (n_allocated == sizeof allocated / sizeof *allocated) exit(1);
    gpu_check(cudaMallocAsync(&p, bytes ? bytes : 1, stream), "cudaMallocAsync");
    return allocated[n_allocated++] = p;
}

void gpu_free_all(void)
{
    while (n_allocated > 0) gpu_check(cudaFreeAsync(allocated[--n_allocated], stream), "free");
    gpu_check(cudaStreamSynchronize(stream), "synchronise");
}

enum heddle_status gpu_program(const struct build *b, void *const host[], const size_t bytes[],
                               int n_buffers)
{
    void *device[HEDDLE_MAX_OPERANDS + HEDDLE_MAX_REDUCTIONS] = {NULL};
    for (int k = 0; k < n_buffers; k++) {
        if (bytes[k] == 0) continue;
        device[k] = gpu_alloc(bytes[k]);
        gpu_check(cudaMemcpyAsync(device[k], host[k], bytes[k], cudaMemcpyHostToDevice, stream),
                  "to the device");
    }
    const size_t scratch_bytes = heddle__launch_gpu_scratch_bytes(&b->launch);
    void *scratch = gpu_alloc(scratch_bytes);
    gpu_check(cudaMemsetAsync(scratch, 0xa5, scratch_bytes, stream), "fill");
    const enum heddle_status status =
        heddle__cuda_program(&b->launch, device, b->constants, scratch, stream, NULL);
    for (int k = 0; k < n_buffers; k++)
        if (bytes[k] > 0)
            gpu_check(cudaMemcpyAsync(host[k], device[k], bytes[k], cudaMemcpyDeviceToHost, stream),
                      "from the device");
    gpu_free_all();
    return status;
}
