/* Which way a kernel goes that is a straight line: recorded as operations, or as one function. */
#include "api/kernels/kernels.h"

#include "array/devices.h"
#include "families/kernel/text_kernel.h"

enum {
    MOST_NODES = 32, /* of a text that is recorded on CPUs: some ten operations */
    WORTH_COMPILING =
        1 << 27, /* operations on all elements: compiling takes a tenth of a second, once */
};

/* C compilers make vectors of it. Elementary functions they call for each element; as operations these are vectors. */
static bool is_vectorised(const struct kernel_node *n)
{
    for (; n; n = n->next) {
        if (n->kind == KERNEL_CALL) switch ((enum kernel_function)n->op) {
            case KERNEL_F_SQRT:
            case KERNEL_F_RSQRT:
            case KERNEL_F_FABS:
            case KERNEL_F_ABS:
            case KERNEL_F_MIN:
            case KERNEL_F_MAX:
            case KERNEL_F_FMIN:
            case KERNEL_F_FMAX:
            case KERNEL_F_COPYSIGN:
            case KERNEL_F_ISNAN: break;
            default: return false;
            }
        if (!is_vectorised(n->a) || !is_vectorised(n->b) || !is_vectorised(n->c)) return false;
    }
    return true;
}

bool heddle__kernel_is_function(const struct heddle__kernel_call *c)
{
    const struct kernel_tree *const tree = c->tree;
    if (tree->n_nodes <= MOST_NODES || heddle__n_gpus() > 0) return false;
    if (heddle__kernel_loop_fits(tree, &c->types)) return true;
    return (double)c->size * tree->n_nodes >= WORTH_COMPILING && is_vectorised(tree->statements) &&
           heddle__kernel_has_compiler();
}
