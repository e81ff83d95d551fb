/* Cumulative sums, products and extremes on the GPU: a call to launches. Along the innermost axis one, whatever
 * the length; of columns one, or three where columns are too few to keep a GPU busy. */
#include "cuda/device.h"
#include "families/scan/cuda_scan.h"
#include "families/scan/kernel.h"

#include "kernels.h"

static enum heddle_status launch(const struct heddle_scan *s, struct heddle_scan_kernel *p,
                                 enum heddle_scan_phase phase, void *stream)
{
    static int (*const launches[])(const struct heddle_scan_kernel *, int, int, void *) = {
        [HEDDLE_SCAN_ADD] = heddle__scan_sum,
        [HEDDLE_SCAN_MULTIPLY] = heddle__scan_product,
        [HEDDLE_SCAN_MAXIMUM] = heddle__scan_maximum,
        [HEDDLE_SCAN_MINIMUM] = heddle__scan_minimum,
    };
    p->phase = phase;
    const int error = launches[s->operation](p, s->dtype, s->columns, stream);
    return heddle__cuda_check((cudaError_t)error, "launch of a scan");
}

/* Whether each row begins at a multiple of 16 bytes. */
static bool is_aligned(const struct heddle_scan *s, const void *data)
{
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)s->dtype);
    return (uintptr_t)data % 16 == 0 && (s->outer == 1 || s->n * size % 16 == 0);
}

/* Chunks whose bytes keep the memory busy: on an H200 64 KiB a multiprocessor are best. */
static enum heddle_status set_window(const struct heddle_scan *s, struct heddle_scan_kernel *p)
{
    const int64_t chunk =
        HEDDLE_SCAN_CHUNK * (int64_t)heddle_dtype_size((enum heddle_dtype)s->dtype);
    int n;
    const enum heddle_status status = heddle__cuda_processors(&n);
    if (status == HEDDLE_OK) p->window = (int32_t)(((int64_t)n << 16) / chunk);
    return status;
}

/* Notes are unset at first, and the ticket is 0. */
static enum heddle_status prepare_notes(const struct heddle_scan *s, struct heddle_scan_kernel *p,
                                        int64_t first, int64_t n, cudaStream_t stream)
{
    p->notes = heddle__scan_notes(first, n);
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) {
        p->first_note[l] = l ? p->first_note[l - 1] + heddle__scan_members(first, n, l - 1) : 0;
        if ((first + n) >> 5 * l > 0) p->levels = l + 1;
    }
    if (s->phase == HEDDLE_SCAN_COMBINE) return HEDDLE_OK;
    const size_t word = heddle_dtype_size((enum heddle_dtype)s->dtype) > 8 ? 32 : 16;
    return heddle__cuda_check(
        cudaMemsetAsync(p->scratch, 0,
                        HEDDLE_SCAN_TICKET_BYTES + (size_t)(s->outer * p->notes) * word, stream),
        "notes of a scan");
}

/* TOTALS, COMBINE and APPLY for a whole axis. */
static enum heddle_status in_chunks(const struct heddle_scan *s, const struct heddle_scan_kernel *p,
                                    void *stream)
{
    struct heddle_scan_kernel phase = *p;
    enum heddle_status status;
    phase.n_chunks = p->chunks;
    phase.out = p->scratch;
    phase.initial = 0;
    HEDDLE_TRY(launch(s, &phase, HEDDLE_SCAN_TOTALS, stream));
    HEDDLE_TRY(launch(s, &phase, HEDDLE_SCAN_COMBINE, stream));
    phase.out = p->out;
    phase.initial = s->initial;
    phase.state_in = p->scratch;
    HEDDLE_TRY(launch(s, &phase, HEDDLE_SCAN_APPLY, stream));
fail:
    return status;
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    enum { ENOUGH_COLUMNS = 1 << 16, FEW_CHUNKS = 2 };
    const struct heddle_scan *s = arguments;
    enum heddle_status status;
    const enum heddle_scan_phase phase = (enum heddle_scan_phase)s->phase;
    struct heddle_scan_kernel p = {
        .in = phase == HEDDLE_SCAN_COMBINE ? NULL : k->buffers[s->in],
        .out = k->buffers[s->out],
        .state_in = s->has_in ? k->buffers[s->state_in] : NULL,
        .state_out = s->has_out ? k->buffers[s->state_out] : NULL,
        .scratch = k->scratch,
        .outer = s->outer,
        .n = s->n,
        .inner = s->inner,
        .first_chunk = s->first_chunk,
        .chunks = heddle__scan_chunks(s->n, s->columns),
        .n_chunks = s->n_chunks,
        .initial = s->initial,
    };
    p.in_aligned = is_aligned(s, p.in);
    p.out_aligned = !s->initial && is_aligned(s, p.out);
    if (phase == HEDDLE_SCAN_WHOLE && s->columns && p.chunks > FEW_CHUNKS && !s->has_in &&
        !s->has_out && s->outer * s->inner < ENOUGH_COLUMNS)
        return in_chunks(s, &p, k->stream);
    if (phase == HEDDLE_SCAN_WHOLE && !s->columns && (p.chunks > 1 || s->has_in || s->has_out)) {
        HEDDLE_TRY(prepare_notes(s, &p, s->first_chunk, p.chunks, k->stream));
        HEDDLE_TRY(set_window(s, &p));
    }
    if (phase == HEDDLE_SCAN_COMBINE && !s->columns)
        HEDDLE_TRY(prepare_notes(s, &p, 0, s->n_chunks, k->stream));
    return launch(s, &p, phase, k->stream);
fail:
    return status;
}

const struct heddle_cuda_kernel heddle__scan_cuda = {.run = run};
