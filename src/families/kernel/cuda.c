/* Kernels from text on the GPU: a source made of the tree, compiled once, a thread for each element. */
#include "cuda/device.h"
#include "cuda/modules.h"
#include "families/kernel/kernel.h"

#include "base/memory.h"
#include "kernels.h"

#include <string.h>

enum { THREADS = 256, MOST_BLOCKS = 1 << 20 };

/* The program's source, made by the first that asks. NULL: no memory. */
static const char *source_of(const struct heddle_kernel_program *constant)
{
    struct heddle_kernel_program *const program =
        (struct heddle_kernel_program *)(uintptr_t)constant;
    char *source = atomic_load(&program->cuda_source);
    if (source) return source;
    source = heddle__kernel_source(&program->form, true);
    char *other = NULL;
    if (!source || atomic_compare_exchange_strong(&program->cuda_source, &other, source))
        return source;
    heddle__free(source);
    return other;
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
    const char *const source = source_of(program);
    HEDDLE_REQUIRE(source, HEDDLE_ENOMEM, "kernel '%.40s': out of memory",
                   program->form.tree->name);
    const struct heddle_module_text text = {
        .data = source, .bytes = strlen(source), .is_source = true, .is_ours = true};
    enum heddle_status status =
        heddle__module_kernel(&text, "heddle_kernel", "heddle_kernel_call", &kernel);
    for (int i = 0; i < call->n_parameters && status == HEDDLE_OK; i++) {
        const size_t bytes = heddle__kernel_cleared(program, call, i);
        if (bytes)
            status = heddle__cuda_check(
                cudaMemsetAsync(k->buffers[call->buffer[i]], 0, bytes, k->stream), "clearing");
    }
    return status == HEDDLE_OK ? launch(kernel, slots, call->size, k->stream) : status;
}

const struct heddle_cuda_kernel heddle__kernel_cuda = {.run = run};
