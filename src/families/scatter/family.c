/* What the core knows of writing by position, and its node. Entry point: heddle__scatter. */
#include "base/hash.h"
#include "base/text.h"
#include "families/scatter/scatter.h"
#include "graph/make.h"

static double work(const heddle_array *node)
{
    const double bytes = (double)heddle_dtype_size((enum heddle_dtype)node->dtype);
    const struct heddle_scatter_params *params = heddle__params_of(node);
    const double updates = (double)node->in[1]->size;
    return 2 * bytes * ((double)node->size + updates * (double)params->row) +
           bytes * (double)node->in[2]->size + 8 * updates;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_scatter_params *params = heddle__params_of(node);
    heddle__text_put(text, " %s rows of %lld", params->add ? "add" : "set", (long long)params->row);
}

static uint64_t cost_key(const void *arguments)
{
    const struct heddle_scatter *s = arguments;
    uint64_t row = 0, share = 0; /* of what is copied, as powers of 2 */
    for (int64_t n = s->row; n > 1 && row < 6; n >>= 1) row++;
    for (int64_t n = s->n; n < s->n_rows && share < 8; n *= 2) share++;
    return heddle__hash_word(heddle__hash_word(s->dtype, s->add), row << 8 | share);
}

const struct heddle_family_info heddle__scatter_family = {
    .name = "scatter",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_MAY_FAIL |
             HEDDLE_FAMILY_DIRECT | HEDDLE_FAMILY_UPDATES | HEDDLE_FAMILY_IN_PLACE,
    .params_bytes = sizeof(struct heddle_scatter_params),
    .work = work,
    .print = print,
    .cut = heddle__scatter_cut,
    .id = HEDDLE_FAMILY_SCATTER,
    .cost_key = cost_key,
    .scratch_bytes = heddle__scatter_scratch,
    .describe = heddle__describe_index,
};

heddle_array *heddle__scatter(enum heddle_indexing name, heddle_array *a, heddle_array *positions,
                              heddle_array *values, int64_t row)
{
    const enum heddle_dtype own = (enum heddle_dtype)a->dtype,
                            dtype = name == HEDDLE_SCATTER_ADD ? heddle__computed_in(own) : own;
    const struct heddle_scatter_params params = {
        .add = name == HEDDLE_SCATTER_ADD, .name = (int32_t)name, .row = row};
    heddle_array *const in[3] = {heddle__make_cast(a, dtype), /* strong */
                                 positions, heddle__make_cast(values, dtype)};
    heddle_array *r = in[0] && in[2]
                          ? heddle__make_operation(&heddle__scatter_family, dtype, a->ndim,
                                                   a->shape, 3, in, &params, NULL)
                          : NULL;
    heddle__release(in[0]);
    heddle__release(in[2]);
    return heddle__hand_out(heddle__recast(r, own));
}
