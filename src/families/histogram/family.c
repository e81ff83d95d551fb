/* What the core knows of counts by bin. */
#include "base/hash.h"
#include "base/text.h"
#include "families/histogram/histogram.h"

/* An element is found, and its bin read and written. */
static double work(const heddle_array *node)
{
    const double bytes = (double)heddle_dtype_size((enum heddle_dtype)node->in[0]->dtype);
    return (bytes + 24) * (double)node->in[0]->size + 8 * (double)node->size;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_histogram_params *params = heddle__params_of(node);
    heddle__text_put(text, " %lld bins%s%s", (long long)params->bins,
                     params->by_edges ? " by edges" : "", params->weighted ? " weighted" : "");
}

/* Few bins are in a near cache, many are not; edges that are not uniform are searched. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_histogram *h = arguments;
    uint64_t size = 0; /* the number of bins, as a power of 16 */
    for (int64_t n = h->bins; n > 1; n >>= 4) size++;
    return heddle__hash_word(heddle__hash_word(h->dtype, h->weighted),
                             size << 2 | (uint64_t)(h->by_edges << 1 | h->uniform));
}

const struct heddle_family_info heddle__histogram_family = {
    .name = "histogram",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_histogram_params),
    .work = work,
    .print = print,
    .cut = heddle__histogram_cut,
    .id = HEDDLE_FAMILY_HISTOGRAM,
    .cost_key = cost_key,
};
