/* Sums over windows on the GPU: a call to a launch. */
#include "cuda/device.h"
#include "families/window/cuda_window.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_window_kernel p = {.call = *(const struct heddle_window *)arguments};
    const struct heddle_window *w = &p.call;
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)w->dtype);
    p.x = (const char *)k->buffers[w->x] + w->x_offset * size;
    p.taps = k->buffers[w->taps];
    p.y = (char *)k->buffers[w->y] + w->y_offset * size;
    return heddle__cuda_check((cudaError_t)heddle__window_launch(&p, k->stream),
                              "launch of sums over windows");
}

const struct heddle_cuda_kernel heddle__window_cuda = {.run = run};
