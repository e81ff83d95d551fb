/* Random programs over random boxes and strides, and what they must give: an interpreter of one
 * element at a time that follows program.h and reduce_tree.h to the letter, with the block
 * functions of operations on one element as its only help; reductions are the oracle's. */
#ifndef HEDDLE_TESTS_KERNELS_RANDOM_PROGRAM_H
#define HEDDLE_TESTS_KERNELS_RANDOM_PROGRAM_H

#include "build.h"

struct random_options {
    uint64_t seed;
    int64_t max_elements;
    int n_instrs; /* before the reductions, about */
    bool reduce, sequential, alias;
};

struct random_program {
    struct build build;
    uint64_t state;
    bool arithmetic; /* of one floating dtype, and sums, differences and products alone */
    enum heddle_dtype dtype;
    bool framed; /* most operands are boxes of arrays that have gap[d] more indices along axis d */
    int64_t gap[HEDDLE_MAX_NDIM];
    void *data[HEDDLE_MAX_OPERANDS];   /* buffers of the operands; aliases are equal */
    size_t bytes[HEDDLE_MAX_OPERANDS]; /* of each buffer */
};

void random_make(struct random_program *r, const struct random_options *options);
void random_free(struct random_program *r);
uint64_t random_below(struct random_program *r, uint64_t n);

/* Runs the program by the reference: the operands' buffers become the results. */
void random_reference(struct random_program *r);
/* Copies the buffers, and puts copies back. */
void random_save(const struct random_program *r, void **copies);
void random_restore(struct random_program *r, void **copies);
void random_drop(const struct random_program *r, void **copies);
/* Other memory for all buffers, unset; those that were one still are. */
void random_move(struct random_program *r);
/* The first operand whose buffer differs from its copy, or -1. */
int random_differs(const struct random_program *r, void **copies);
/* The same of operands first, first + 1, ... */
int random_differs_from(const struct random_program *r, void **copies, int first);

#endif
