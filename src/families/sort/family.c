/* What the core knows of sorting. */
#include "base/hash.h"
#include "base/text.h"
#include "families/sort/sort.h"

/* Some passes over the keys. */
static double work(const heddle_array *node)
{
    const double bytes = (double)heddle_dtype_size((enum heddle_dtype)node->in[0]->dtype);
    return 8 * bytes * (double)node->size;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_sort_params *params = heddle__params_of(node);
    heddle__text_put(text, "%s%s", params->positions ? " positions" : "",
                     params->descending ? " descending" : "");
}

/* Long rows take more passes than short ones; a merge has as many passes as its bytes say. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_sort *s = arguments;
    uint64_t length = 0; /* of a row, as a power of 2 */
    for (int64_t n = s->n; n > 1 && s->phase == HEDDLE_SORT_ROWS; n >>= 1) length++;
    const uint64_t kind =
        heddle__hash_word(s->dtype, s->positions | (uint64_t)(s->wanted.n > 0) << 8);
    return heddle__hash_word(heddle__hash_word(kind, s->phase), length);
}

const struct heddle_family_info heddle__sort_family = {
    .name = "sort",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_sort_params),
    .work = work,
    .print = print,
    .cut = heddle__sort_cut,
    .id = HEDDLE_FAMILY_SORT,
    .cost_key = cost_key,
    .scratch_bytes = heddle__sort_scratch,
};
