/* What the core knows of Fourier transforms. */
#include "base/hash.h"
#include "base/text.h"
#include "families/fft/fft.h"

/* The larger of the operand's and the result's bytes, read and written for each axis; a butterfly costs about as much
 * as moving a few bytes. */
static double work(const heddle_array *node)
{
    const struct heddle_fft_params *params = heddle__params_of(node);
    const heddle_array *in = node->in[0];
    double bytes = (double)in->size * (double)heddle_dtype_size((enum heddle_dtype)in->dtype);
    bytes += (double)node->size * (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
    double levels = 0;
    for (int d = 0; d < node->ndim; d++)
        if (params->axes >> d & 1)
            for (int64_t n = in->shape[d] > node->shape[d] ? in->shape[d] : node->shape[d]; n > 0;
                 n /= 2)
                levels++;
    return bytes * levels / 2;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    static const char *const kinds[] = {"", " of real numbers", " to real numbers"};
    const struct heddle_fft_params *params = heddle__params_of(node);
    const bool inverse = params->inverse || params->kind == HEDDLE_FFT_C2R;
    heddle__text_put(text, "%s%s along", inverse ? " inverse" : "", kinds[params->kind]);
    for (int d = 0; d < node->ndim; d++)
        if (params->axes >> d & 1) heddle__text_put(text, " %d", d);
}

/* A transform of a smooth length takes less than that of a prime. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_fft *f = arguments;
    uint64_t hash = heddle__hash_word(f->dtype, (uint64_t)f->kind << 16 | f->axes);
    for (int d = 0; d < f->ndim; d++) {
        if (!(f->axes >> d & 1)) continue;
        int64_t n = f->kind == HEDDLE_FFT_C2C ? f->shape[d] : f->n;
        uint64_t log2 = 0;
        for (int64_t m = n; m > 1; m /= 2) log2++;
        for (int prime = 2; prime <= 11; prime++)
            while (n > 1 && n % prime == 0) n /= prime;
        hash = heddle__hash_word(hash, log2 << 1 | (n > 1));
    }
    return hash;
}

static size_t scratch_bytes(const void *arguments, int n_threads)
{
    return n_threads > 0
               ? heddle__fft_room_bytes(arguments, n_threads)
               : (size_t)(heddle__fft_copy_bytes(arguments) + heddle__fft_lines_bytes(arguments) +
                          heddle__fft_work_bytes(arguments));
}

const struct heddle_family_info heddle__fft_family = {
    .name = "fft",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_fft_params),
    .work = work,
    .print = print,
    .cut = heddle__fft_cut,
    .id = HEDDLE_FAMILY_FFT,
    .cost_key = cost_key,
    .scratch_bytes = scratch_bytes,
};
