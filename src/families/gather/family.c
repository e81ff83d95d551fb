/* What the core knows of elements by index. */
#include "base/hash.h"
#include "base/text.h"
#include "families/gather/gather.h"

#include <stdio.h>

static double work(const heddle_array *node)
{
    return 2 * (double)node->size * (double)heddle_dtype_size((enum heddle_dtype)node->dtype) +
           (double)node->in[1]->size * 8;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_gather_params *params = heddle__params_of(node);
    heddle__text_put(text, " %s axis %d", params->along ? "each along" : "along", params->axis);
}

/* Runs of elements take less time than single ones. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_gather *g = arguments;
    uint64_t run = 0;
    if (g->ndim > 0 && g->in_stride[g->ndim - 1] == 1 && g->index_stride[g->ndim - 1] == 0)
        for (int64_t n = g->extent[g->ndim - 1]; n > 1 && run < 6; n >>= 1) run++;
    return heddle__hash_word(g->element_bytes, run);
}

enum heddle_status heddle__gather_describe(const int64_t words[], char *text, size_t room)
{
    snprintf(text, room, "heddle_take%s: index %lld is out of range for an axis of %lld",
             words[3] ? "_along_axis" : "", (long long)words[1], (long long)words[2]);
    return HEDDLE_EINDEX;
}

const struct heddle_family_info heddle__gather_family = {
    .name = "gather",
    .flags =
        HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_MAY_FAIL | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_gather_params),
    .work = work,
    .print = print,
    .cut = heddle__gather_cut,
    .id = HEDDLE_FAMILY_GATHER,
    .cost_key = cost_key,
    .describe = heddle__gather_describe,
};
