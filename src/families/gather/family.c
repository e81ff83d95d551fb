/* What the core knows of elements by index. */
#include "base/hash.h"
#include "base/text.h"
#include "families/gather/gather.h"
#include "families/gather/strides.h"

static double work(const heddle_array *node)
{
    double bytes =
        2 * (double)node->size * (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
    for (int i = 1; i < node->n_in; i++) bytes += (double)node->in[i]->size * 8;
    return bytes;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_at_indices *params = heddle__params_of(node);
    heddle__text_put(text, " %s", params->name == HEDDLE_GATHER_ALONG ? "each along" : "along");
    for (int k = 0; k < node->n_in - 1; k++)
        heddle__text_put(text, "%s axis %d", k ? "," : "", params->axis[k]);
}

/* What strides say can be seen where it is (strides.c). */
static const struct heddle_at_indices *at_indices(const heddle_array *node)
{
    const struct heddle_at_indices *params = heddle__params_of(node);
    struct heddle_line line;
    for (int k = 0; k < node->n_in - 1; k++)
        if (!heddle__find_indices(node->in[1 + k], node->in[0]->shape[params->axis[k]], false,
                                  &line))
            return params;
    return NULL;
}

/* Runs of elements take less time than single ones. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_gather *g = arguments;
    uint64_t run = 0;
    const int last = g->ndim - 1;
    bool runs = last >= 0 && g->in_stride[last] == 1;
    for (int b = 0; b < g->n_by && runs; b++) runs = g->by[b].stride[last] == 0;
    if (runs)
        for (int64_t n = g->extent[last]; n > 1 && run < 6; n >>= 1) run++;
    return heddle__hash_word(heddle__hash_word(g->element_bytes, g->n_by), run);
}

const struct heddle_family_info heddle__gather_family = {
    .name = "gather",
    .flags =
        HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_MAY_FAIL | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_at_indices),
    .work = work,
    .reads_view = heddle__gather_reads_view,
    .at_indices = at_indices,
    .print = print,
    .cut = heddle__gather_cut,
    .id = HEDDLE_FAMILY_GATHER,
    .cost_key = cost_key,
    .describe = heddle__describe_index,
};
