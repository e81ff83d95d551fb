/* Kernels from text on the GPU: a source made of the tree, compiled once, a thread for each element. */
#include "cuda/device.h"
#include "cuda/modules.h"
#include "families/kernel/kernel.h"

#include "base/memory.h"
#include "kernels.h"

#include <string.h>

enum { THREADS = 256, MOST_BLOCKS = 1 << 20 };

/* The program's kernel on the current device; compiles and loads it the first time. */
static enum heddle_status find(const struct heddle_kernel_program *program, cudaKernel_t *kernel)
{
    enum heddle_status status = HEDDLE_OK;
    char *source = NULL;
    int device = 0;
    HEDDLE_TRY(heddle__cuda_check(cudaGetDevice(&device), "cudaGetDevice"));
    HEDDLE_REQUIRE(device < HEDDLE_LOADED_DEVICES, HEDDLE_EDEVICE,
                   "heddle_kernel_call: GPU %d is one too many", device);
    /* the program is constant but for what was found of it */
    struct heddle_loaded *const loaded =
        (struct heddle_loaded *)(uintptr_t)&program->loaded[device];
    if ((*kernel = heddle__loaded_kernel(loaded)) != NULL) return HEDDLE_OK;
    source = heddle__kernel_source(&program->form, true);
    HEDDLE_REQUIRE(source, HEDDLE_ENOMEM, "kernel '%.40s': out of memory",
                   program->form.tree->name);
    const struct heddle_module_text text = {
        .data = source, .bytes = strlen(source), .is_source = true, .is_ours = true};
    HEDDLE_TRY(heddle__module_kernel(&text, "heddle_kernel", "heddle_kernel_call", kernel));
    heddle__loaded_set(loaded, *kernel);
fail:
    heddle__free(source);
    return status;
}

static enum heddle_status launch(cudaKernel_t kernel, int64_t *slots, int64_t size,
                                 cudaStream_t stream)
{
    const int64_t blocks = (size + THREADS - 1) / THREADS;
    const dim3 grid = {(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), 1, 1},
               block = {THREADS, 1, 1};
    void *arguments[] = {slots, &size};
    return heddle__cuda_check(
        cudaLaunchKernel((const void *)kernel, grid, block, arguments, 0, stream),
        "launch of a kernel from text");
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_kernel_part *const call = arguments;
    int64_t slots[KERNEL_MAX_SLOTS];
    cudaKernel_t kernel;
    const struct heddle_kernel_program *const program = heddle__kernel_fill(call, k, slots);
    if (call->size == 0) return HEDDLE_OK;
    enum heddle_status status = find(program, &kernel);
    for (int i = 0; i < call->n_parameters && status == HEDDLE_OK; i++) {
        const size_t bytes = heddle__kernel_cleared(program, call, i);
        if (bytes)
            status = heddle__cuda_check(
                cudaMemsetAsync(k->buffers[call->buffer[i]], 0, bytes, k->stream), "clearing");
    }
    return status == HEDDLE_OK ? launch(kernel, slots, call->size, k->stream) : status;
}

const struct heddle_cuda_kernel heddle__kernel_cuda = {.run = run};
