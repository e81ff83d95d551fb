/* Operations over blocks of elements, for the interpreter of kernels. */
#ifndef HEDDLE_FAMILIES_KERNEL_CPU_BLOCKS_H
#define HEDDLE_FAMILIES_KERNEL_CPU_BLOCKS_H

#include "kernel_text/tree.h"

#include <stdint.h>

enum {
    KERNEL_LANES = 256,                     /* elements of a block */
    KERNEL_BLOCK_BYTES = KERNEL_LANES * 16, /* of any dtype */
};

/* out[k] = op of a[k], b[k]; `out` is no operand. One operand: `b` does not count. */
typedef void kernel_block_function(int n, void *out, const void *a, const void *b);

/* NULL: there is none of the dtype. */
kernel_block_function *heddle__kernel_block_operator(enum kernel_operator op,
                                                     enum heddle_dtype dtype);
kernel_block_function *heddle__kernel_block_call(enum kernel_function f, enum heddle_dtype dtype);
kernel_block_function *heddle__kernel_block_cast(enum heddle_dtype from, enum heddle_dtype to);

/* The functions that are not of one or two operands: x * y + z, rounded once; a complex number of its parts. */
void heddle__kernel_block_fma(int n, enum heddle_dtype dtype, void *out, const void *x,
                              const void *y, const void *z);
kernel_block_function *heddle__kernel_block_pair(enum heddle_dtype part);

/* Elements of `bytes` bytes: out[k] = mask[k] ? a[k] : b[k], where `out` may be a or b. */
void heddle__kernel_block_choose(int n, int bytes, void *out, const bool *mask, const void *a,
                                 const void *b);
/* out[k] = from[at[k]], 0 where that is not there; to[at[k]] = a[k] where the mask says so and it is there. */
void heddle__kernel_block_read(int n, int bytes, void *out, const void *from, int64_t size,
                               const int64_t *at);
void heddle__kernel_block_write(int n, int bytes, void *to, int64_t size, const int64_t *at,
                                const bool *mask, const void *a);

#endif
