/* The interpreter of kernels: blocks of elements go through the tree together, those that do not take part are masked. */
#ifndef HEDDLE_FAMILIES_KERNEL_CPU_INTERPRET_H
#define HEDDLE_FAMILIES_KERNEL_CPU_INTERPRET_H

#include "kernel_text/form.h"

#include <stdint.h>

/* What a thread needs: blocks for the names and for values that are being computed. */
struct kernel_interpreter {
    const struct kernel_form *form;
    const int64_t *slots;
    int n;        /* elements of the current block */
    char *names;  /* a block for each symbol */
    char *values; /* and for each value, `level` of them taken */
    int level, room;
};

/* False: no memory. */
bool heddle__kernel_interpreter_open(struct kernel_interpreter *t, const struct kernel_form *form,
                                     const int64_t slots[]);
void heddle__kernel_interpreter_close(struct kernel_interpreter *t);
/* Elements first to end - 1 of the part. */
void heddle__kernel_interpret(struct kernel_interpreter *t, int64_t first, int64_t end);

/* For the files of the interpreter: the block of a name; the elements of a value, as `to`. */
void *heddle__kernel_name(const struct kernel_interpreter *t, int symbol);
const void *heddle__kernel_lanes(struct kernel_interpreter *t, const struct kernel_node *n,
                                 enum heddle_dtype to);
/* The blocks that this takes. */
int heddle__kernel_blocks_of(const struct kernel_node *n);

#endif
