/* Sorting on the GPU: a call to launches. */
#include "cuda/device.h"
#include "families/sort/cuda_line.h"
#include "families/sort/cuda_sort.h"

#include "kernels.h"

static enum heddle_status run_line(const struct heddle_sort_line *s,
                                   struct heddle_kernel_context *k)
{
    const bool pair = s->sort.phase == HEDDLE_SORT_PAIR,
               positions = s->sort.positions && s->sort.phase >= HEDDLE_SORT_PAIR;
    struct heddle_sort_line_kernel p = {
        .call = *s,
        .windows = s->is_first ? NULL : k->buffers[s->windows],
        .in = k->buffers[s->sort.in],
        .out = k->buffers[s->sort.out],
        .other = pair ? k->buffers[s->other] : NULL,
        .scratch = k->scratch,
        .in_positions = positions ? k->buffers[s->in_positions] : NULL,
        .other_positions = positions && pair ? k->buffers[s->other_positions] : NULL,
    };
    if (positions && pair) {
        p.out_positions = k->buffers[s->is_last ? s->sort.out : s->out_positions];
        if (s->is_last) p.out = NULL;
    }
    return heddle__cuda_check((cudaError_t)heddle__sort_line_launch(&p, k->stream),
                              "launch of a sort of parts");
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_sort_kernel p = {.call = *(const struct heddle_sort *)arguments};
    if (p.call.phase != HEDDLE_SORT_ROWS) return run_line(arguments, k);
    if (p.call.rows * p.call.n == 0) return HEDDLE_OK;
    p.in = (const char *)k->buffers[p.call.in] + p.call.first * p.call.element_bytes;
    p.out = k->buffers[p.call.out];
    p.elements = p.call.with_elements ? k->buffers[p.call.elements] : NULL;
    p.scratch = k->scratch;
    return heddle__cuda_check((cudaError_t)heddle__sort_launch(&p, k->stream), "launch of a sort");
}

const struct heddle_cuda_kernel heddle__sort_cuda = {.run = run};
