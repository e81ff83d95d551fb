/* From a kernel call to its family's kernel: all executors go this way. Entry points: execute.h, "Kernel
 * calls". */
#include "array/large_buffers.h"
#include "base/memory.h"
#include "base/team.h"
#include "families/kernel_tables.h"
#include "run/execute.h"

static enum heddle_status no_kernel(const struct heddle_kernel_call *call, const char *device)
{
    return heddle__fail(HEDDLE_EINTERNAL, "runtime: family %s has no kernel for %s",
                        call->family ? call->family->name : "NULL", device);
}

/* Large ones are recycled, and count where host memory is limited. */
enum { LARGE_SCRATCH = 1 << 20 };

static void *get_scratch(size_t bytes)
{
    return bytes >= LARGE_SCRATCH ? heddle__large_buffer_get(bytes, false)
                                  : heddle__alloc_aligned(bytes);
}

static void put_scratch(void *at, size_t bytes)
{
    if (bytes >= LARGE_SCRATCH)
        heddle__large_buffer_put(at, bytes, false);
    else
        heddle__free(at);
}

enum heddle_status heddle__call_cpu(const struct heddle_kernel_call *call,
                                    struct heddle_kernel_context *k)
{
    const struct heddle_family_info *family = call->family;
    const struct heddle_cpu_kernel *kernel =
        family && family->id < HEDDLE_N_FAMILIES ? heddle__cpu_kernels[family->id] : NULL;
    if (!kernel || !kernel->run) return no_kernel(call, "the CPU");
    if (!family->scratch_bytes) return kernel->run(call->arguments, k);
    const size_t bytes = family->scratch_bytes(call->arguments, heddle__team_size(k->team));
    k->scratch = bytes > 0 ? get_scratch(bytes) : NULL;
    HEDDLE_REQUIRE(bytes == 0 || k->scratch, HEDDLE_ENOMEM, "heddle_eval: no memory for %s",
                   family->name);
    const enum heddle_status status = kernel->run(call->arguments, k);
    if (k->scratch) put_scratch(k->scratch, bytes);
    k->scratch = NULL;
    return status;
}

#if HEDDLE_HAVE_CUDA
static const struct heddle_cuda_kernel *cuda_kernel(const struct heddle_kernel_call *call)
{
    return call->family && call->family->id < HEDDLE_N_FAMILIES
               ? heddle__cuda_kernels[call->family->id]
               : NULL;
}

enum heddle_status heddle__call_cuda(const struct heddle_kernel_call *call,
                                     struct heddle_kernel_context *k)
{
    const struct heddle_cuda_kernel *kernel = cuda_kernel(call);
    return kernel && kernel->run ? kernel->run(call->arguments, k) : no_kernel(call, "CUDA");
}

void heddle__prepare_calls(const struct heddle_plan *plan, int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n; i++) {
        const struct heddle_cuda_kernel *kernel = cuda_kernel(&plan->calls[i]);
        if (kernel && kernel->prepare) kernel->prepare(plan->calls[i].arguments);
    }
}
#else
enum heddle_status heddle__call_cuda(const struct heddle_kernel_call *call,
                                     struct heddle_kernel_context *k)
{
    (void)k;
    return no_kernel(call, "CUDA");
}

void heddle__prepare_calls(const struct heddle_plan *plan, int64_t first, int64_t n)
{
    (void)plan, (void)first, (void)n;
}
#endif

unsigned heddle__task_devices(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                              struct heddle_object *const objects[])
{
    unsigned devices = HEDDLE_ON_CPU | HEDDLE_ON_GPU;
    for (int32_t i = 0; i < task->n_calls; i++) {
        const struct heddle_kernel_call *call = &plan->calls[task->first_call + i];
        if (call->family->devices) devices &= call->family->devices(call->arguments, objects);
    }
    return devices;
}
