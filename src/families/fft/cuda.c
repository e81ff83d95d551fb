/* Transforms on the GPU by cuFFT: neighbouring axes at once, the next ones in the result. An axis that has others on
 * both sides has more batches than cuFFT's layout can say: those of one side are done one after the other, the fewer
 * ones; many long ones are brought side by side first. Entry point: heddle__fft_cuda. */
#include "cuda/device.h"
#include "cuda/fft.h"
#include "families/fft/cuda_fft.h"
#include "families/fft/kernel.h"

#include "kernels.h"

/* One step: axes that are transformed at once, those before and behind them. */
struct step {
    const struct heddle_fft *call;
    void *stream;
    char *copy, *lines, *work;
    size_t work_bytes;
    int n_axes;
    int64_t n[HEDDLE_FFT_AXES_AT_ONCE];
    int64_t n_in, n_out; /* elements of a transform */
    int64_t outer, inner;
    size_t in_size, out_size; /* bytes of elements */
};

static int is_double(const struct heddle_fft *f)
{
    return f->dtype == HEDDLE_FLOAT64;
}

static cufftType type_of(const struct heddle_fft *f)
{
    switch (f->kind) {
    case HEDDLE_FFT_R2C: return is_double(f) ? CUFFT_D2Z : CUFFT_R2C;
    case HEDDLE_FFT_C2R: return is_double(f) ? CUFFT_Z2D : CUFFT_C2R;
    default: return is_double(f) ? CUFFT_Z2Z : CUFFT_C2C;
    }
}

static cufftResult execute(const struct heddle_fft_functions *fft, const struct heddle_fft *f,
                           cufftHandle plan, void *in, void *out)
{
    const int direction = f->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    switch (type_of(f)) {
    case CUFFT_R2C: return fft->cufftExecR2C(plan, in, out);
    case CUFFT_D2Z: return fft->cufftExecD2Z(plan, in, out);
    case CUFFT_C2R: return fft->cufftExecC2R(plan, in, out);
    case CUFFT_Z2D: return fft->cufftExecZ2D(plan, in, out);
    case CUFFT_C2C: return fft->cufftExecC2C(plan, in, out, direction);
    default: return fft->cufftExecZ2Z(plan, in, out, direction);
    }
}

/* `batch` transforms from these addresses on, as many at a time as the work area allows; of real numbers an odd distance apart, an even
 * number of them, as cuFFT wants them at addresses of complex ones. */
static enum heddle_status batches(const struct step *s, int64_t stride, int64_t in_distance,
                                  int64_t out_distance, int64_t batch, char *in, char *out)
{
    const int kind = s->call->kind;
    const bool in_pairs = (kind == HEDDLE_FFT_R2C && in_distance % 2 != 0) ||
                          (kind == HEDDLE_FFT_C2R && out_distance % 2 != 0);
    int64_t at_once = batch;
    while (batch > 0) {
        if (at_once > batch) at_once = batch;
        struct heddle_fft_geometry g = {.in_stride = stride,
                                        .in_distance = in_distance,
                                        .out_stride = stride,
                                        .out_distance = out_distance,
                                        .batch = at_once,
                                        .rank = s->n_axes,
                                        .type = (int32_t)type_of(s->call)};
        for (int i = 0; i < s->n_axes; i++) g.n[i] = g.in[i] = g.out[i] = s->n[i];
        if (s->call->kind == HEDDLE_FFT_R2C) g.out[0] = s->n_out;
        if (s->call->kind == HEDDLE_FFT_C2R) g.in[0] = s->n_in;
        const struct heddle_fft_functions *fft;
        const struct heddle_fft_plan_cuda *plan;
        enum heddle_status status = heddle__fft_plan_cuda("heddle_fft", s->stream, &g, &fft, &plan);
        if (status != HEDDLE_OK) return status;
        if (plan->work_bytes > s->work_bytes) {
            HEDDLE_REQUIRE(at_once > 1 + in_pairs, HEDDLE_EDEVICE,
                           "fft: cuFFT wants %zu bytes for one transform, which has %zu",
                           plan->work_bytes, s->work_bytes);
            at_once = (at_once + 1) / 2;
            if (in_pairs) at_once += at_once % 2;
            continue;
        }
        cufftResult result = fft->cufftSetWorkArea(plan->handle, s->work);
        if (result == CUFFT_SUCCESS) result = execute(fft, s->call, plan->handle, in, out);
        status = heddle__fft_check(result, "transform");
        if (status != HEDDLE_OK) return status;
        in += at_once * in_distance * (int64_t)s->in_size;
        out += at_once * out_distance * (int64_t)s->out_size;
        batch -= at_once;
    }
    return HEDDLE_OK;
}

/* All transforms of a step. `in` may be `out`. */
static enum heddle_status run_step(const struct step *s, char *in, char *out)
{
    enum heddle_status status = HEDDLE_OK;
    if (s->inner == 1) return batches(s, 1, s->n_in, s->n_out, s->outer, in, out);
    const int64_t in_slab = s->n_in * s->inner, out_slab = s->n_out * s->inner;
    if (s->call->kind == HEDDLE_FFT_C2C && s->inner < s->outer) {
        for (int64_t i = 0; i < s->inner && status == HEDDLE_OK; i++)
            status = batches(s, s->inner, in_slab, out_slab, s->outer, in + i * (int64_t)s->in_size,
                             out + i * (int64_t)s->out_size);
        return status;
    }
    for (int64_t o = 0; o < s->outer && status == HEDDLE_OK; o++)
        status = batches(s, s->inner, 1, 1, s->inner, in + o * in_slab * (int64_t)s->in_size,
                         out + o * out_slab * (int64_t)s->out_size);
    return status;
}

/* The lines side by side, by way of the scratch. */
static enum heddle_status run_together(const struct step *s, const char *in, char *out)
{
    const int64_t lines = s->outer * s->inner;
    const int is_complex = s->call->kind == HEDDLE_FFT_C2C;
    char *const to = is_complex ? s->lines : s->lines + heddle__fft_lines_bytes(s->call) / 2;
    struct step one = *s;
    enum heddle_status status;
    HEDDLE_TRY(heddle__cuda_check((cudaError_t)heddle__fft_transpose(in, s->lines, (int)s->in_size,
                                                                     s->outer, s->n_in, s->inner,
                                                                     s->stream),
                                  "launch of a transform's transposition"));
    one.outer = lines;
    one.inner = 1;
    HEDDLE_TRY(run_step(&one, s->lines, to));
    HEDDLE_TRY(
        heddle__cuda_check((cudaError_t)heddle__fft_transpose(to, out, (int)s->out_size, s->outer,
                                                              s->inner, s->n_out, s->stream),
                           "launch of a transform's transposition"));
fail:
    return status;
}

/* R2C and C2R want real numbers at addresses of complex ones. Slabs of which each other one has none go through the
 * copy, one after the other. */
static int is_misaligned(const struct step *s)
{
    const int64_t reals = s->call->kind == HEDDLE_FFT_R2C ? s->n_in : s->n_out;
    return s->inner > 1 && s->outer > 1 && reals * s->inner % 2 != 0;
}

static enum heddle_status run_slabs(const struct step *s, char *in, char *out)
{
    enum heddle_status status = HEDDLE_OK;
    const int to_real = s->call->kind == HEDDLE_FFT_C2R;
    const size_t in_bytes = (size_t)(s->n_in * s->inner) * s->in_size,
                 out_bytes = (size_t)(s->n_out * s->inner) * s->out_size;
    struct step one = *s;
    one.outer = 1;
    for (int64_t o = 0; o < s->outer; o++, in += in_bytes, out += out_bytes) {
        cudaStream_t stream = s->stream;
        char *const real = to_real ? s->copy + heddle__fft_copy_bytes(s->call) / 2 : s->copy;
        if (!to_real)
            HEDDLE_TRY(heddle__cuda_check(
                cudaMemcpyAsync(real, in, in_bytes, cudaMemcpyDeviceToDevice, stream),
                "copy of a transform"));
        HEDDLE_TRY(run_step(&one, to_real ? in : real, to_real ? real : out));
        if (to_real)
            HEDDLE_TRY(heddle__cuda_check(
                cudaMemcpyAsync(out, real, out_bytes, cudaMemcpyDeviceToDevice, stream),
                "copy of a transform"));
    }
fail:
    return status;
}

/* The step for the last `n_axes` axes up to `last`. */
static void set_axes(struct step *s, int n_axes, int last)
{
    const struct heddle_fft *f = s->call;
    s->n_axes = n_axes;
    s->n_in = s->n_out = s->outer = s->inner = 1;
    for (int d = 0; d < f->ndim; d++) {
        if (d > last - n_axes && d <= last) {
            s->n[d - (last - n_axes) - 1] = f->kind == HEDDLE_FFT_C2C ? f->shape[d] : f->n;
            s->n_in *= f->shape[d];
            s->n_out *= f->kind == HEDDLE_FFT_C2C   ? f->shape[d]
                        : f->kind == HEDDLE_FFT_R2C ? f->n / 2 + 1
                                                    : f->n;
        } else {
            *(d < last ? &s->outer : &s->inner) *= f->shape[d];
        }
    }
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_fft *f = arguments;
    const size_t real = is_double(f) ? 8 : 4;
    const int64_t copied = heddle__fft_copy_bytes(f), lines = heddle__fft_lines_bytes(f);
    struct step s = {.call = f,
                     .stream = k->stream,
                     .copy = k->scratch,
                     .lines = (char *)k->scratch + copied,
                     .work = (char *)k->scratch + copied + lines,
                     .work_bytes = (size_t)heddle__fft_work_bytes(f),
                     .in_size = f->kind == HEDDLE_FFT_R2C ? real : 2 * real,
                     .out_size = f->kind == HEDDLE_FFT_C2R ? real : 2 * real};
    char *in = k->buffers[f->in], *const out = k->buffers[f->out];
    enum heddle_status status = HEDDLE_OK;
    for (int d = 0; d < f->ndim; d++)
        if (f->shape[d] == 0) return HEDDLE_OK;

    for (unsigned left = f->axes; left != 0;) {
        int last;
        const int n_axes = heddle__fft_next_axes(f, left, &last);
        for (int i = 0; i < n_axes; i++) left &= ~(1u << (last - i));
        set_axes(&s, n_axes, last);
        if (f->kind == HEDDLE_FFT_C2R) { /* cuFFT writes to its operand */
            HEDDLE_TRY(heddle__cuda_check(
                (cudaError_t)heddle__fft_hermitian(in, s.copy, is_double(f), s.outer, s.n_in,
                                                   s.inner, f->n, f->factor, s.stream),
                "launch of a transform's copy"));
            in = s.copy;
        }
        if (heddle__fft_brings_together(f, n_axes, last))
            HEDDLE_TRY(run_together(&s, in, out));
        else if (f->kind != HEDDLE_FFT_C2C && is_misaligned(&s))
            HEDDLE_TRY(run_slabs(&s, in, out));
        else
            HEDDLE_TRY(run_step(&s, in, out));
        in = out;
    }
    if (f->factor != 1 && f->kind != HEDDLE_FFT_C2R)
        HEDDLE_TRY(heddle__cuda_check(
            (cudaError_t)heddle__fft_scale(out, is_double(f), 2 * s.outer * s.n_out * s.inner,
                                           f->factor, s.stream),
            "launch of a transform's factor"));
fail:
    return status;
}

const struct heddle_cuda_kernel heddle__fft_cuda = {.run = run};
