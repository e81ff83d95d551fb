/* What the core knows of kernels from text. */
#include "base/hash.h"
#include "base/text.h"
#include "families/kernel/text_kernel.h"

static double work(const heddle_array *node)
{
    const struct heddle_kernel_params *params = heddle__params_of(node);
    double bytes = (double)node->size * (double)(8 + 2 * params->steps);
    for (int i = 0; i < node->n_in; i++)
        bytes += (double)node->in[i]->size *
                 (double)heddle_dtype_size((enum heddle_dtype)node->in[i]->dtype);
    return bytes;
}

static void output(const heddle_array *node, int i, enum heddle_dtype *dtype,
                   struct heddle_shape *shape)
{
    const struct heddle_kernel_params *params = heddle__params_of(node);
    (void)shape; /* that of output 0 */
    *dtype = (enum heddle_dtype)params->dtype[i];
}

/* Each text has its own rate. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_kernel_part *call = arguments;
    return heddle__hash_word(call->text, (uint64_t)call->n_parameters);
}

#define FAMILY(outputs)                                                                            \
    {                                                                                              \
        .name = "kernel", .flags = HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,                    \
        .params_bytes = sizeof(struct heddle_kernel_params), .work = work, .n_outputs = outputs,   \
        .output = output, .cut = heddle__kernel_cut, .id = HEDDLE_FAMILY_KERNEL,                   \
        .cost_key = cost_key                                                                       \
    }
const struct heddle_family_info heddle__kernel_families[HEDDLE_KERNEL_OUTPUTS] = {
    FAMILY(1), FAMILY(2), FAMILY(3), FAMILY(4), FAMILY(5), FAMILY(6), FAMILY(7), FAMILY(8)};
const struct heddle_family_info heddle__kernel_family = FAMILY(1);
