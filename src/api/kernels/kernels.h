/* What the files share that apply kernels from texts. */
#ifndef HEDDLE_API_KERNELS_H
#define HEDDLE_API_KERNELS_H

#include "base/object.h"
#include "graph/infer.h"
#include "kernel_text/types.h"

#include <heddle/kernel.h>

struct heddle_kernel {
    struct heddle_object object;
    struct kernel_tree tree;
};

/* What the arguments of a call make of a kernel. */
struct heddle__kernel_call {
    const struct kernel_tree *tree;
    heddle_array *const *in;
    struct kernel_types types;
    struct heddle_shape shape; /* that of every output that is not raw */
    int64_t size;
};

/* Decides types and shape; c->types.nodes has room. `given`: the caller's options, with a shape or without. */
enum heddle_status heddle__kernel_bind(struct heddle__kernel_call *c,
                                       const struct heddle_kernel_options *given);
/* The dtype of a parameter as arrays have it. */
enum heddle_dtype heddle__kernel_parameter(const struct heddle__kernel_call *c, int symbol);

/* Records the operations of the text, if it is a straight line for them, into out[]: each is owned. *straight: whether
 * it is; if not, nothing is made. */
enum heddle_status heddle__kernel_straight(const struct heddle__kernel_call *c, heddle_array *out[],
                                           bool *straight);
/* Whether a function is faster than the operations: those take a pass over blocks in the cache each, a compiled function one over
 * memory, though it does not fuse (way.c). GPUs compile what is fused. */
bool heddle__kernel_is_function(const struct heddle__kernel_call *c);
/* The same of what is no straight line: one operation of the family of kernels, which holds `kernel`. */
enum heddle_status heddle__kernel_crooked(struct heddle_object *kernel,
                                          const struct heddle__kernel_call *c, heddle_array *out[]);

#endif
