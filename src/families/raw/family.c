/* What the core knows of the user's kernels, and their nodes. Entry point: heddle__raw_nodes. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "families/raw/raw.h"

/* It runs on the kinds of devices that the user gave something for. */
static unsigned devices(const void *arguments, struct heddle_object *const objects[])
{
    const struct heddle_raw_kernel *k = heddle__raw_values_of(arguments, objects)->kernel;
    return (k->host ? HEDDLE_ON_CPU : 0u) | (k->cuda || k->data ? HEDDLE_ON_GPU : 0u);
}

static uint64_t cost_key(const void *arguments)
{
    return ((const struct heddle_raw_call *)arguments)->hash;
}

/* The operand that is result `i`. */
static const struct heddle_raw_operand *result(const struct heddle_raw_params *params, int i)
{
    const struct heddle_raw_operand *o = params->operands;
    for (;; o++)
        if (heddle__raw_is_result(o) && i-- == 0) return o;
}

static void output(const heddle_array *node, int i, enum heddle_dtype *dtype,
                   struct heddle_shape *shape)
{
    const struct heddle_raw_operand *o = result(heddle__params_of(node), i);
    *dtype = (enum heddle_dtype)o->dtype;
    shape->ndim = o->ndim;
    for (int d = 0; d < o->ndim; d++) shape->extent[d] = o->shape[d];
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_raw_values *v = (const struct heddle_raw_values *)node->operation->object;
    if (v->kernel->name) heddle__text_put(text, " %s", v->kernel->name);
}

/* Not INLINE: nobody knows its cost. */
#define COMMON                                                                                     \
    .name = "raw",                                                                                 \
    .flags = HEDDLE_FAMILY_MAY_FAIL | HEDDLE_FAMILY_DIRECT | HEDDLE_FAMILY_IN_PLACE |              \
             HEDDLE_FAMILY_UPDATES,                                                                \
    .params_bytes = sizeof(struct heddle_raw_params), .output = output, .print = print,            \
    .cut = heddle__raw_cut, .id = HEDDLE_FAMILY_RAW, .cost_key = cost_key, .devices = devices
#define FAMILY(outputs)                                                                            \
    {                                                                                              \
        COMMON, .n_outputs = outputs                                                               \
    }
const struct heddle_family_info heddle__raw_family = FAMILY(1);
const struct heddle_family_info heddle__raw_families[HEDDLE_RAW_OUTPUTS] = {
    FAMILY(1), FAMILY(2), FAMILY(3), FAMILY(4), FAMILY(5), FAMILY(6), FAMILY(7), FAMILY(8)};

bool heddle__raw_nodes(const struct heddle_raw_params *params, int n_in, heddle_array *const in[],
                       struct heddle_raw_values *values, heddle_array *results[])
{
    int n = 0;
    for (int i = 0; i < params->n_arrays; i++) n += heddle__raw_is_result(&params->operands[i]);
    const struct heddle_raw_operand *first = result(params, 0);
    heddle_array *made =
        heddle__make_operation(&heddle__raw_families[n - 1], (enum heddle_dtype)first->dtype,
                               first->ndim, first->shape, n_in, in, params, &values->object);
    if (n > 1) return made && heddle__make_outputs(made, results);
    results[0] = made;
    return made != NULL;
}
