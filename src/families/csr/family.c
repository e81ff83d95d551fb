/* What the core knows of products of sparse matrices. */
#include "base/hash.h"
#include "families/csr/csr.h"

static double work(const heddle_array *node)
{
    const double columns = node->ndim > 1 ? (double)node->shape[1] : 1;
    return (double)node->in[0]->size * (8 + 8 * columns) + (double)node->size * 16;
}

static uint64_t cost_key(const void *arguments)
{
    const struct heddle_csr_call *call = arguments;
    uint64_t width = 0;
    while (width < 6 && call->columns >> (width + 1) > 0) width++;
    return heddle__hash_word(heddle__hash_word(HEDDLE_FAMILY_CSR, call->dtype),
                             width << 8 | call->lanes);
}

const struct heddle_family_info heddle__csr_family = {
    .name = "csr",
    .flags =
        HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_MAY_FAIL | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_csr_params),
    .work = work,
    .cut = heddle__csr_cut,
    .id = HEDDLE_FAMILY_CSR,
    .cost_key = cost_key,
    .describe = heddle__describe_csr,
};
