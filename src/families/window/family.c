/* What the core knows of sums over windows. */
#include "base/hash.h"
#include "base/text.h"
#include "families/window/window.h"

/* A thread multiplies and adds about as many bytes of numbers as vectors have, where it moves one. */
static double work(const heddle_array *node)
{
    const double each = (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
    return (2 + (double)node->in[1]->size / 8) * each * (double)node->size;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_window_params *params = heddle__params_of(node);
    heddle__text_put(text, " %lld taps%s from %lld", (long long)node->in[1]->size,
                     params->turned ? " turned" : "", (long long)params->first);
}

/* Few taps take the time of memory, many that of arithmetic. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_window *w = arguments;
    uint64_t size = 0; /* the number of taps, as a power of 2 */
    for (int64_t m = w->m; m > 1 && size < 12; m >>= 1) size++;
    return heddle__hash_word(w->dtype, size);
}

/* For taps that are turned round (cpu.c). */
static size_t scratch_bytes(const void *arguments, int n_threads)
{
    const struct heddle_window *w = arguments;
    if (n_threads == 0 || !w->turned) return 0;
    return (size_t)w->m * heddle_dtype_size((enum heddle_dtype)w->dtype);
}

const struct heddle_family_info heddle__window_family = {
    .name = "window",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_window_params),
    .work = work,
    .print = print,
    .reads_view = heddle__window_reads_view,
    .cut = heddle__window_cut,
    .id = HEDDLE_FAMILY_WINDOW,
    .cost_key = cost_key,
    .scratch_bytes = scratch_bytes,
};
