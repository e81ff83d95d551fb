/* A kernel for certain arguments as one loop over elements: how each parameter is read, and what numbers a run of it is
 * given. */
#ifndef HEDDLE_KERNEL_TEXT_FORM_H
#define HEDDLE_KERNEL_TEXT_FORM_H

#include "kernel_text/types.h"

enum kernel_mode {
    KERNEL_ALIGNED,   /* element k of the part is element k of the buffer */
    KERNEL_BROADCAST, /* the whole array, with strides of the result's axes */
    KERNEL_RAW,       /* the whole array, by index */
    KERNEL_ROWS, /* by index in the whole array, from its own rows: it is cut like the result */
};
static inline bool heddle__kernel_by_index(unsigned char mode)
{
    return mode >= KERNEL_RAW;
}

/* How rows of an argument become elements of the result (ROWS): `length` elements of it, next to each other, are a row, and
 * are cut into blocks of `block` elements, the last of which takes what is left over. Element (row, block, k) of the result
 * is made of every `step`-th element of the block from k on; or `length` is 0: there are no such arguments. */
struct kernel_rows {
    int64_t length, block, step;
};
enum { KERNEL_ROWS_NUMBERS = 3 }; /* which a kernel knows as the extents of such an argument */

enum { KERNEL_MAX_AXES = 8 };

struct kernel_form {
    const struct kernel_tree *tree;
    const struct kernel_types *types;
    int ndim; /* of the result */
    unsigned char mode[KERNEL_MAX_PARAMETERS];
    unsigned char ndims[KERNEL_MAX_PARAMETERS]; /* of the arguments */
};

/* A run is given int64 numbers, the slots:
 *   0  n, the elements of the result
 *   1  the place of the part's first element if its elements are next to each other in the result, else -1
 *   2 + 3 d + {0, 1, 2}  of each axis: where the part begins, its extent, and the result's elements per index
 * and for each parameter from heddle__kernel_slot on:
 *   its address; BROADCAST: a stride for each axis of the result; RAW: its elements, and the extent of each of its axes;
 *   ROWS: its elements, and its numbers (struct kernel_rows). The address is that of the whole array's first element */
enum { KERNEL_SLOT_SIZE, KERNEL_SLOT_FIRST, KERNEL_SLOT_AXES };
int heddle__kernel_slot(const struct kernel_form *form, int parameter);
int heddle__kernel_n_slots(const struct kernel_form *form);
enum { KERNEL_MAX_SLOTS = 2 + 3 * KERNEL_MAX_AXES + KERNEL_MAX_PARAMETERS * (KERNEL_MAX_AXES + 2) };

/* Whether runs need the index along each axis, for broadcast arguments or for i. */
bool heddle__kernel_needs_indices(const struct kernel_form *form);

/* The source of a run: in C, after operations.h, `void heddle_kernel(const int64_t *s, int64_t first, int64_t end)` over
 * elements of the part; in CUDA C++, `heddle_kernel(struct of slots, long long end)` over all. Made of the tree, so that
 * nothing of the text but its numbers is in it. NULL: no memory. Free it with heddle__free. */
char *heddle__kernel_source(const struct kernel_form *form, bool cuda);

/* "add": what an operator or a function is called in sources; NULL: the sign is C's own. */
const char *heddle__kernel_operation(enum kernel_operator op, enum heddle_dtype dtype);
const char *heddle__kernel_function_operation(enum kernel_function f);
/* The type that an operator's operands, or a function's arguments, are converted to. */
enum heddle_dtype heddle__kernel_operands(const struct kernel_types *types,
                                          const struct kernel_node *n);

#endif
