/* Cumulative sums, products and extremes on the GPU: a call to launches. Along the innermost axis one, whatever
 * the length; of columns one, or three where columns are too few to keep a GPU busy. */
#include "cuda/device.h"
#include "cuda/jit.h"
#include "cuda/program.h"
#include "families/scan/cuda_work.h"

static int64_t blocks_of(int64_t units, int64_t of_block)
{
    return (units + of_block - 1) / of_block;
}

struct heddle_scan_shape heddle__scan_shape(const struct heddle_scan *s,
                                            const struct heddle_scan_kernel *p,
                                            enum heddle_scan_phase phase)
{
    enum { BLOCK = 32 * HEDDLE_SCAN_WARPS, WARP_ROW = HEDDLE_SCAN_ROWS * HEDDLE_SCAN_ROW };
    const bool whole = phase == HEDDLE_SCAN_WHOLE, combine = phase == HEDDLE_SCAN_COMBINE;
    const int64_t columns = s->outer * s->inner;
    const size_t share_bytes = BLOCK / 32 * (size_t)WARP_ROW * heddle_dtype_size(s->dtype);
    struct heddle_scan_shape shape = {.width = 1, .threads = BLOCK};
    if (s->columns) {
        shape.form = combine ? HEDDLE_SCAN_COLUMN_PREFIXES
                     : whole ? HEDDLE_SCAN_COLUMNS
                             : HEDDLE_SCAN_COLUMN_CHUNKS;
        shape.blocks = combine ? blocks_of(columns, HEDDLE_SCAN_COMBINED)
                               : blocks_of(columns * (whole ? 1 : p->chunks), BLOCK);
    } else if (combine) {
        shape.form = HEDDLE_SCAN_ROW_PREFIXES;
        shape.threads = 1024;
        shape.blocks = s->outer;
    } else if (!whole || p->notes > 0 || s->n > WARP_ROW) {
        const int64_t shares =
            blocks_of(s->n, WARP_ROW); /* rows of one chunk have no more warps than that */
        const bool is_short = whole && p->notes == 0 && shares < HEDDLE_SCAN_WARPS;
        shape.form = HEDDLE_SCAN_CHUNKS;
        shape.blocks = s->outer * p->chunks;
        shape.shared_bytes = share_bytes;
        if (is_short) {
            shape.threads = 32 * (int)shares;
            shape.shared_bytes = share_bytes / HEDDLE_SCAN_WARPS * (size_t)shares;
        }
    } else if (s->n > HEDDLE_SCAN_ROW) {
        shape.form = HEDDLE_SCAN_WARP_ROWS;
        shape.blocks = blocks_of(s->outer, HEDDLE_SCAN_WARPS);
        shape.shared_bytes = share_bytes;
    } else {
        shape.form = HEDDLE_SCAN_SHORT_ROWS;
        while (shape.width * HEDDLE_SCAN_ITEMS < s->n) shape.width *= 2;
        shape.blocks = blocks_of(s->outer * shape.width, BLOCK);
    }
    return shape;
}

static enum heddle_status launch(const struct heddle_scan *s, struct heddle_scan_kernel *p,
                                 enum heddle_scan_phase phase, void *stream)
{
    static int (*const launches[])(const struct heddle_scan_kernel *,
                                   const struct heddle_scan_shape *, int, void *) = {
        [HEDDLE_SCAN_ADD] = heddle__scan_sum,
        [HEDDLE_SCAN_MULTIPLY] = heddle__scan_product,
        [HEDDLE_SCAN_MAXIMUM] = heddle__scan_maximum,
        [HEDDLE_SCAN_MINIMUM] = heddle__scan_minimum,
    };
    const struct heddle_scan_shape shape = heddle__scan_shape(s, p, phase);
    p->phase = phase;
    const int error = launches[s->operation](p, &shape, s->dtype, stream);
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

static void set_notes(struct heddle_scan_kernel *p, int64_t first, int64_t n)
{
    p->notes = heddle__scan_notes(first, n);
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) {
        p->first_note[l] = l ? p->first_note[l - 1] + heddle__scan_members(first, n, l - 1) : 0;
        if ((first + n) >> 5 * l > 0) p->levels = l + 1;
    }
}

/* Notes are unset at first, and the ticket is 0. */
static enum heddle_status clear_notes(const struct heddle_scan *s,
                                      const struct heddle_scan_kernel *p, cudaStream_t stream)
{
    const size_t word = heddle_dtype_size((enum heddle_dtype)s->dtype) > 8 ? 32 : 16;
    return heddle__cuda_check(
        cudaMemsetAsync(p->scratch, 0,
                        HEDDLE_SCAN_TICKET_BYTES + (size_t)(s->outer * p->notes) * word, stream),
        "notes of a scan");
}

/* ---- With elementwise work ----------------------------------------------------------------------------- */

/* Whether the phases of a call are TOTALS, COMBINE and APPLY, as its columns are too few to keep a GPU busy. */
static bool is_in_chunks(const struct heddle_scan *s)
{
    enum { ENOUGH_COLUMNS = 1 << 16, FEW_CHUNKS = 2 };
    return s->phase == HEDDLE_SCAN_WHOLE && s->columns && !s->has_in && !s->has_out &&
           heddle__scan_chunks(s->n, true) > FEW_CHUNKS && s->outer * s->inner < ENOUGH_COLUMNS;
}

/* Whether a phase does some of the call's work, so that its kernel is generated. */
static bool has_work(const struct heddle_scan *s, enum heddle_scan_phase phase)
{
    return phase != HEDDLE_SCAN_COMBINE && (s->before || (s->after && phase != HEDDLE_SCAN_TOTALS));
}

/* Those of the phases that have work; NULL: the one that is compiled ahead does. */
struct generated {
    cudaKernel_t of[HEDDLE_SCAN_APPLY + 1];
};

/* Whether all kernels with work are there; else they are begun. */
static bool find_generated(const struct heddle_scan *s, const struct heddle_scan_kernel *p,
                           int arch, struct generated *kernels)
{
    const enum heddle_scan_phase phases[] = {HEDDLE_SCAN_TOTALS, HEDDLE_SCAN_APPLY,
                                             HEDDLE_SCAN_WHOLE};
    const bool in_chunks = is_in_chunks(s);
    bool all = true;
    for (int i = in_chunks ? 0 : 2; i < (in_chunks ? 2 : 3); i++) {
        const struct heddle_scan_shape shape = heddle__scan_shape(s, p, phases[i]);
        if (has_work(s, phases[i]) &&
            !heddle__scan_find(s, phases[i], &shape, arch, &kernels->of[phases[i]]))
            all = false;
    }
    return all;
}

static enum heddle_status run_phase(const struct heddle_scan *s, struct heddle_scan_kernel *p,
                                    enum heddle_scan_phase phase, const struct generated *kernels,
                                    struct heddle_kernel_context *k)
{
    if (!kernels->of[phase]) return launch(s, p, phase, k->stream);
    const struct heddle_scan_shape shape = heddle__scan_shape(s, p, phase);
    p->phase = phase;
    return heddle__scan_launch(s, p, &shape, kernels->of[phase], k);
}

/* TOTALS, COMBINE and APPLY for a whole axis. */
static enum heddle_status in_chunks(const struct heddle_scan *s, const struct heddle_scan_kernel *p,
                                    const struct generated *kernels,
                                    struct heddle_kernel_context *k)
{
    struct heddle_scan_kernel phase = *p;
    enum heddle_status status;
    phase.n_chunks = p->chunks;
    phase.out = p->scratch;
    phase.initial = 0;
    HEDDLE_TRY(run_phase(s, &phase, HEDDLE_SCAN_TOTALS, kernels, k));
    HEDDLE_TRY(run_phase(s, &phase, HEDDLE_SCAN_COMBINE, kernels, k));
    phase.out = p->out;
    phase.initial = s->initial;
    phase.state_in = p->scratch;
    HEDDLE_TRY(run_phase(s, &phase, HEDDLE_SCAN_APPLY, kernels, k));
fail:
    return status;
}

/* ---- The family's row ---------------------------------------------------------------------------------- */

/* The call's arguments but for addresses. */
static struct heddle_scan_kernel kernel_of(const struct heddle_scan *s)
{
    struct heddle_scan_kernel p = {.outer = s->outer,
                                   .n = s->n,
                                   .inner = s->inner,
                                   .first_chunk = s->first_chunk,
                                   .chunks = heddle__scan_chunks(s->n, s->columns),
                                   .n_chunks = s->n_chunks,
                                   .initial = s->initial};
    if (s->phase == HEDDLE_SCAN_WHOLE && !s->columns && (p.chunks > 1 || s->has_in || s->has_out))
        set_notes(&p, s->first_chunk, p.chunks);
    if (s->phase == HEDDLE_SCAN_COMBINE && !s->columns) set_notes(&p, 0, s->n_chunks);
    return p;
}

/* While kernels with work are not compiled, it is done by launches of its own: what is before is made where the results will be. */
static enum heddle_status run_work(const struct heddle_launch *work,
                                   struct heddle_kernel_context *k)
{
    if (!work) return HEDDLE_OK;
    k->interpreted = true;
    return heddle__cuda_interpret(work, k->buffers, k->constants, NULL, k->stream);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_scan *s = arguments;
    enum heddle_status status = HEDDLE_OK;
    const enum heddle_scan_phase phase = (enum heddle_scan_phase)s->phase;
    struct heddle_scan_kernel p = kernel_of(s);
    struct generated kernels = {{NULL}};
    bool apart = false; /* the work is done by launches of its own */
    p.in = phase == HEDDLE_SCAN_COMBINE ? NULL : k->buffers[s->in];
    p.out = k->buffers[s->out];
    p.state_in = s->has_in ? k->buffers[s->state_in] : NULL;
    p.state_out = s->has_out ? k->buffers[s->state_out] : NULL;
    p.scratch = k->scratch;
    p.in_aligned = is_aligned(s, p.in);
    p.out_aligned = !s->initial && is_aligned(s, p.out);
    if (s->before || s->after) {
        const struct heddle_cuda_device *device;
        HEDDLE_TRY(heddle__cuda_device_here(&device));
        apart = !heddle__cuda_compiles() || !find_generated(s, &p, device->arch, &kernels);
    }
    if (apart) {
        kernels = (struct generated){{NULL}};
        HEDDLE_TRY(run_work(s->before, k));
    }
    if (phase == HEDDLE_SCAN_WHOLE && p.notes > 0) {
        HEDDLE_TRY(clear_notes(s, &p, k->stream));
        HEDDLE_TRY(set_window(s, &p));
    }
    if (is_in_chunks(s))
        HEDDLE_TRY(in_chunks(s, &p, &kernels, k));
    else
        HEDDLE_TRY(run_phase(s, &p, phase, &kernels, k));
    if (apart) HEDDLE_TRY(run_work(s->after, k));
fail:
    return status;
}

static void prepare(const void *arguments)
{
    const struct heddle_scan *s = arguments;
    if ((!s->before && !s->after) || !heddle__cuda_compiles()) return;
    const struct heddle_scan_kernel p = kernel_of(s);
    int done = 0;
    heddle__jit_watch_exit();
    for (int d = 0; d < heddle__cuda_n_devices(); d++) {
        const int arch = heddle__cuda_device(d)->arch;
        struct generated kernels;
        if (arch != done) (void)find_generated(s, &p, arch, &kernels);
        done = arch;
    }
}

const struct heddle_cuda_kernel heddle__scan_cuda = {.run = run, .prepare = prepare};
