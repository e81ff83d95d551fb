/* Runs launches that kernels/build.h made on the current GPU: host buffers go there and back. */
#ifndef HEDDLE_TESTS_CUDA_GPU_H
#define HEDDLE_TESTS_CUDA_GPU_H

#include "cuda/extra.h"

#ifndef HEDDLE_EMULATED /* 1: on the host, without a GPU; emulated/runtime.cpp */
#define HEDDLE_EMULATED 0
#endif

#include <cuda_runtime.h>

/* Whether CUDA works here; sets up the stream. */
int gpu_open(void);
cudaStream_t gpu_stream(void);
cudaStream_t gpu_second_stream(void);
void gpu_check(cudaError_t error, const char *what); /* ends the program at an error */

/* Copies b->buffers[k] (k < n) to the device, runs, copies back. Buffers of 0 bytes are left out.
 * Scratch memory holds garbage before. */
enum heddle_status gpu_program(const struct build *b, void *const host[], const size_t bytes[],
                               int n_buffers);

/* Device memory from one pool, given back all at once. */
void *gpu_alloc(size_t bytes);
void gpu_free_all(void);

#endif
