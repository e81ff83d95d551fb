/* What the core knows of elements by a mask. */
#include "base/hash.h"
#include "base/text.h"
#include "families/compact/compact.h"

/* The mask is read twice; what it selects is read and written. */
static double work(const heddle_array *node)
{
    return 2 * (double)node->in[0]->size +
           2 * (double)node->size * (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    heddle__text_put(text, " %s%lld of %lld", node->n_in == 1 ? "positions of " : "",
                     (long long)node->shape[0], (long long)node->in[0]->size);
}

/* Few elements of many cost by the mask, many by the elements. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_compact *c = arguments;
    uint64_t share = 0; /* that is selected, as a power of 2 */
    for (int64_t n = c->n; n < c->size && share < 8; n *= 2) share++;
    return heddle__hash_word(heddle__hash_word(c->element_bytes, c->row > 1), share);
}

static size_t scratch_bytes(const void *arguments, int n_threads)
{
    const struct heddle_compact *c = arguments;
    const int64_t each = n_threads == 0 ? HEDDLE_COMPACT_TILE : HEDDLE_COMPACT_CHUNK;
    return (size_t)((c->size + each - 1) / each + 1) * sizeof(int64_t);
}

const struct heddle_family_info heddle__compact_family = {
    .name = "compact",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_compact_params),
    .work = work,
    .print = print,
    .cut = heddle__compact_cut,
    .id = HEDDLE_FAMILY_COMPACT,
    .cost_key = cost_key,
    .scratch_bytes = scratch_bytes,
};
