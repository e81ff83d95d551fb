/* Kernels that are no straight line, because data end a loop or elements are found by index: one operation of the family
 * of kernels. Entry point: heddle__kernel_crooked. */
#include "api/kernels/kernels.h"

#include "families/kernel/text_kernel.h"
#include "graph/make.h"

/* The dtype in which a parameter is computed. */
static enum heddle_dtype computed(const struct heddle__kernel_call *c, int symbol)
{
    return (enum heddle_dtype)c->types.symbols[symbol];
}

static enum heddle_status no_memory(const struct heddle__kernel_call *c)
{
    return heddle__fail(HEDDLE_ENOMEM, "kernel '%.40s': out of memory", c->tree->name);
}

static enum heddle_status zeros(const struct heddle__kernel_call *c, heddle_array *out[])
{
    for (int i = 0; i < c->tree->n_out; i++) {
        out[i] = heddle__make_zeros(heddle__kernel_parameter(c, c->tree->n_in + i), c->shape.ndim,
                                    c->shape.extent);
        if (out[i]) continue;
        while (i-- > 0) heddle__release(out[i]);
        return no_memory(c);
    }
    return HEDDLE_OK;
}

/* Outputs in their own dtypes instead of those that are computed in. */
static enum heddle_status finish(const struct heddle__kernel_call *c, heddle_array *out[])
{
    bool all = true;
    for (int i = 0; i < c->tree->n_out; i++) {
        out[i] = heddle__recast(out[i], heddle__kernel_parameter(c, c->tree->n_in + i));
        all = all && out[i];
    }
    for (int i = 0; i < c->tree->n_out && !all; i++) heddle__release(out[i]);
    return all ? HEDDLE_OK : no_memory(c);
}

enum heddle_status heddle__kernel_crooked(struct heddle_object *kernel,
                                          const struct heddle__kernel_call *c, heddle_array *out[])
{
    heddle_array *in[KERNEL_MAX_PARAMETERS] = {NULL};
    enum heddle_status status = HEDDLE_OK;
    int n = 0;
    if (c->size == 0) return zeros(c, out);
    for (; n < c->tree->n_in && status == HEDDLE_OK; n++) {
        in[n] = heddle__make_cast(c->in[n], computed(c, n));
        if (!in[n]) status = no_memory(c);
    }
    if (status == HEDDLE_OK)
        status = heddle__kernel_nodes(kernel, c->tree, &c->types, c->rows, &c->shape, in, out);
    for (int i = 0; i < n; i++) heddle__release(in[i]);
    return status == HEDDLE_OK ? finish(c, out) : status;
}
