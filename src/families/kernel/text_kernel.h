/* What the files share that plan kernels from text. */
#ifndef HEDDLE_FAMILIES_KERNEL_TEXT_KERNEL_H
#define HEDDLE_FAMILIES_KERNEL_TEXT_KERNEL_H

#include "families/kernel/kernel.h"
#include "graph/family.h"

enum { HEDDLE_KERNEL_OUTPUTS = 8 };
/* [n - 1]: of kernels with n outputs. */
extern const struct heddle_family_info heddle__kernel_families[HEDDLE_KERNEL_OUTPUTS],
    heddle__kernel_family;

/* Parameters of a node: how each argument is read, as the plan depends on it. Inputs are those of the kernel. */
struct heddle_kernel_params {
    uint8_t mode[KERNEL_MAX_PARAMETERS];
    uint8_t dtype[KERNEL_MAX_PARAMETERS]; /* of outputs, as they are computed */
    int64_t steps;                        /* of an element */
    uint64_t text;                        /* tells texts apart, for what they cost */
    struct kernel_rows rows;
};

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__kernel_cut(struct heddle_planner *p, int32_t at);

/* The outputs of a kernel as nodes, each owned, in the dtypes that are computed in. `in` has those dtypes, and the shape
 * of the result where the mode is ALIGNED. With `rows`, raw arguments are read by rows, the first axis of each as that of the
 * result; of several rows it has an axis of its own. `kernel` holds the tree of `types`. HEDDLE_ENOMEM, HEDDLE_EUNSUPPORTED. */
enum heddle_status heddle__kernel_nodes(struct heddle_object *kernel,
                                        const struct kernel_tree *tree,
                                        const struct kernel_types *types,
                                        const struct kernel_rows *rows,
                                        const struct heddle_shape *shape, heddle_array *const in[],
                                        heddle_array *out[]);

/* Whether kernels can be compiled for CPUs: what HEDDLE_CC names, or cc, gcc or clang in PATH, is there. */
bool heddle__kernel_has_compiler(void);

#endif
