/* The CUDA twin of small systems: a call to launches. Entry point: heddle__systems_cuda. */
#include "cuda/device.h"
#include "families/factor/cuda_factor.h"
#include "families/factor/cuda_systems.h"
#include "families/factor/kernel_systems.h"

static enum heddle_status launched(int error, const char *what)
{
    return heddle__cuda_check((cudaError_t)error, what);
}

static enum heddle_status launch_systems(const struct heddle_systems *s,
                                         const struct heddle_systems_launch *launch, void *stream)
{
    return launched(heddle__systems_are_in_lanes(s) ? heddle__systems_launch(launch, stream)
                                                    : heddle__systems_launch_large(launch, stream),
                    "launch of systems");
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_systems *s = arguments;
    const struct heddle_systems_launch launch = {
        .a = k->buffers[s->a],
        .b = s->what == HEDDLE_SYSTEMS_SOLVE ? k->buffers[s->b] : NULL,
        .out = k->buffers[s->out],
        .first = k->scratch,
        .batch = s->batch,
        .what = s->what,
        .n = s->n,
        .columns = s->columns,
        .single = s->dtype == HEDDLE_FLOAT32};
    const struct heddle_factor_report report = {
        .words = k->report.words, .tag = k->report.tag, .name = s->name, .matrix = s->matrix};
    enum heddle_status status = HEDDLE_OK;
    if (s->batch == 0) return status;
    if (heddle__systems_is_of_matrix(s)) return launch_systems(s, &launch, k->stream);
    HEDDLE_TRY(
        launched(cudaMemsetAsync(k->scratch, 0xff, sizeof *launch.first, (cudaStream_t)k->stream),
                 "memset"));
    HEDDLE_TRY(launch_systems(s, &launch, k->stream));
    HEDDLE_TRY(
        launched(heddle__factor_first(launch.first, s->n, s->batch, &report, k->stream), "report"));
fail:
    return status;
}

const struct heddle_cuda_kernel heddle__systems_cuda = {.run = run};
