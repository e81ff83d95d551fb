/* The user's kernels on GPUs: a launch of a kernel that was loaded, or a call of a function that enqueues one. */
#include "base/dtype.h"
#include "cuda/device.h"
#include "cuda/modules.h"
#include "families/raw/kernel.h"

#include <string.h>

enum { SHARED_BYTES = 48 << 10 }; /* that a kernel may have without asking for more */

/* Arrays that are updated begin as what they update. */
static enum heddle_status begin_updates(const struct heddle_raw_call *call,
                                        const struct heddle_kernel_context *k)
{
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; i < call->n_arrays; i++) {
        const struct heddle_raw_array *a = &call->arrays[i];
        if (a->role != HEDDLE_RAW_UPDATE || a->updates || a->n == 0) continue;
        HEDDLE_TRY(heddle__cuda_check(
            cudaMemcpyAsync(k->buffers[a->out], k->buffers[a->in],
                            (size_t)a->n * heddle_dtype_size((enum heddle_dtype)a->dtype),
                            cudaMemcpyDeviceToDevice, k->stream),
            "cudaMemcpyAsync"));
    }
fail:
    return status;
}

/* The kernel on the current device; loads it the first time. */
static enum heddle_status find(struct heddle_raw_kernel *f, const char *caller, int device,
                               cudaKernel_t *kernel)
{
    struct heddle_raw_loaded *loaded = &f->loaded[device];
    if ((*kernel = heddle__loaded_kernel(&loaded->at)) != NULL) return HEDDLE_OK;
    const struct heddle_module_text text = {.data = f->data,
                                            .bytes = f->bytes,
                                            .is_source = f->code == HEDDLE_RAW_SOURCE,
                                            .flags = f->flags};
    const enum heddle_status status = heddle__module_kernel(&text, f->name, caller, kernel);
    if (status != HEDDLE_OK) return status;
    atomic_store(&loaded->shared_bytes, SHARED_BYTES);
    heddle__loaded_set(&loaded->at, *kernel);
    return HEDDLE_OK;
}

/* A kernel must be told when blocks have much dynamic shared memory. */
static enum heddle_status allow_shared(struct heddle_raw_loaded *loaded, cudaKernel_t kernel,
                                       int64_t bytes)
{
    long long before = atomic_load_explicit(&loaded->shared_bytes, memory_order_relaxed);
    if (bytes <= before) return HEDDLE_OK;
    const enum heddle_status status = heddle__cuda_check(
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)bytes),
        "heddle_raw_call: shared memory");
    if (status == HEDDLE_OK)
        while (before < bytes &&
               !atomic_compare_exchange_weak(&loaded->shared_bytes, &before, bytes))
            continue;
    return status;
}

static enum heddle_status launch(const struct heddle_raw_values *v,
                                 const struct heddle_raw_launch *l)
{
    enum heddle_status status = HEDDLE_OK;
    void *arguments[HEDDLE_RAW_ARGUMENTS_MAX];
    cudaKernel_t kernel;
    int device = 0;
    HEDDLE_TRY(heddle__cuda_check(cudaGetDevice(&device), "cudaGetDevice"));
    HEDDLE_REQUIRE(device < HEDDLE_LOADED_DEVICES, HEDDLE_EDEVICE, "%s: GPU %d is one too many",
                   v->caller, device);
    HEDDLE_TRY(find(v->kernel, v->caller, device, &kernel));
    HEDDLE_TRY(allow_shared(&v->kernel->loaded[device], kernel, l->shared_bytes));
    if (l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0) return HEDDLE_OK;
    for (int i = 0; i < l->n; i++) {
        const struct heddle_raw_view *view = &l->arguments[i];
        const bool is_array = view->dtype != HEDDLE_DTYPE_NONE;
        arguments[i] = is_array ? (void *)(uintptr_t)&view->data : view->data;
    }
    const dim3 grid = {(unsigned)l->grid[0], (unsigned)l->grid[1], (unsigned)l->grid[2]},
               block = {(unsigned)l->block[0], (unsigned)l->block[1], (unsigned)l->block[2]};
    const cudaError_t error = cudaLaunchKernel((const void *)kernel, grid, block, arguments,
                                               (size_t)l->shared_bytes, l->stream);
    if (error == cudaSuccess) return HEDDLE_OK;
    (void)cudaGetLastError();
    return heddle__fail(HEDDLE_EDEVICE,
                        "%s: '%.100s' with grid (%u, %u, %u), block (%u, %u, %u) and %lld bytes of "
                        "shared memory: %s",
                        v->caller, v->kernel->name, grid.x, grid.y, grid.z, block.x, block.y,
                        block.z, (long long)l->shared_bytes, cudaGetErrorString(error));
fail:
    return status;
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_raw_call *call = arguments;
    const struct heddle_raw_values *v = heddle__raw_values_of(call, k->objects);
    struct heddle_raw_view views[HEDDLE_RAW_ARGUMENTS_MAX];
    struct heddle_raw_launch l;
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_REQUIRE(v->kernel->cuda || v->kernel->data, HEDDLE_ENODEVICE,
                   "%s: the kernel is for CPUs only", v->caller);
    HEDDLE_TRY(heddle__raw_launch(call, k, views, &l));
    HEDDLE_TRY(begin_updates(call, k));
    if (v->kernel->cuda) return heddle__raw_function(call, k, v->kernel->cuda, &l);
    return launch(v, &l);
fail:
    return status;
}

const struct heddle_cuda_kernel heddle__raw_cuda = {.run = run};
