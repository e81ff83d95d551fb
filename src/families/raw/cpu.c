/* The user's kernels on CPUs: a call of the host's twin. Its thread is a worker's, so functions of Heddle's that wait for
 * tasks, which could wait for this very one, are refused in it. */
#include "base/dtype.h"
#include "families/raw/kernel.h"

#include <string.h>

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_raw_call *call = arguments;
    const struct heddle_raw_values *v = heddle__raw_values_of(call, k->objects);
    struct heddle_raw_view views[HEDDLE_RAW_ARGUMENTS_MAX];
    struct heddle_raw_launch launch;
    HEDDLE_REQUIRE(v->kernel->host, HEDDLE_ENODEVICE, "%s: the kernel has no function for a CPU",
                   v->caller);
    for (int i = 0; i < call->n_arrays; i++) {
        const struct heddle_raw_array *a = &call->arrays[i];
        if (a->role == HEDDLE_RAW_UPDATE && !a->updates)
            memcpy(k->buffers[a->out], k->buffers[a->in],
                   (size_t)a->n * heddle_dtype_size((enum heddle_dtype)a->dtype));
    }
    const enum heddle_status status = heddle__raw_launch(call, k, views, &launch);
    return status == HEDDLE_OK ? heddle__raw_function(call, k, v->kernel->host, &launch) : status;
}

const struct heddle_cpu_kernel heddle__raw_cpu = {.run = run};
