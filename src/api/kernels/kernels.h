/* What the files share that apply kernels from texts. */
#ifndef HEDDLE_API_KERNELS_H
#define HEDDLE_API_KERNELS_H

#include "base/object.h"
#include "graph/infer.h"
#include "kernel_text/form.h"

#include <heddle/kernel.h>

struct heddle_kernel {
    struct heddle_object object;
    struct kernel_tree tree;            /* of a reduction the map; its error is the kernel's */
    struct kernel_reduction *reduction; /* the other texts, or NULL: it is elementwise */
    _Atomic(struct heddle__reduce_loop *) loops; /* what was made of them (reduce_loop.c) */
};

void heddle__reduce_free_loops(struct heddle__reduce_loop *first);

/* What the arguments of a call make of a kernel. */
struct heddle__kernel_call {
    const struct kernel_tree *tree;
    heddle_array *const *in;
    struct kernel_types types;
    struct heddle_shape shape; /* that of every output that is not raw */
    int64_t size;              /* n: elements, of the whole if this is a slice of it */
    /* i is first + step[d] k of each axis d. A straight line may be followed over a slice of the whole. */
    int64_t first, step[HEDDLE_MAX_NDIM];
    const struct kernel_rows *rows; /* how raw arguments are read, or NULL */
    heddle_array
        *places; /* heddle__kernel_places, which slices of one whole share; NULL: not made */
};

/* i but for `first`; NULL: there is one element. The scope's. */
heddle_array *heddle__kernel_places(const struct heddle__kernel_call *c);

/* What has to be good before a call: the kernel, of the kind that the function applies, and the arguments. */
enum heddle_status heddle__kernel_arguments(const char *name, const heddle_kernel *kernel,
                                            bool reduction, int n_in, heddle_array *const in[],
                                            int n_out);
/* Decides the letters of parameters, and the shape. `given`: the caller's shape, or none. */
enum heddle_status heddle__kernel_bind(struct heddle__kernel_call *c,
                                       const struct heddle_lengths *given);
/* An output's letter is known: HEDDLE_EDTYPE. */
enum heddle_status heddle__kernel_decided(const struct heddle__kernel_call *c);
/* Sets the shape, and size and i as those of a whole. */
void heddle__kernel_whole(struct heddle__kernel_call *c, const struct heddle_shape *shape);
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

/* Records c->tree, a tree of the kernel, in the one way or the other. out[]: owned. */
enum heddle_status heddle__kernel_record(heddle_kernel *kernel, const struct heddle__kernel_call *c,
                                         heddle_array *out[]);

#endif
