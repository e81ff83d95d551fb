/* The interpreter of kernels: blocks of elements go through the tree together, those that do not take part are masked. */
#ifndef HEDDLE_FAMILIES_KERNEL_CPU_INTERPRET_H
#define HEDDLE_FAMILIES_KERNEL_CPU_INTERPRET_H

#include "families/kernel/cpu_blocks.h"
#include "kernel_text/form.h"

#include <stdint.h>

/* What a thread needs: blocks for the names and for values that are being computed. */
struct kernel_interpreter {
    const struct kernel_form *form;
    const int64_t *slots;
    int n;        /* elements of the current block */
    char *names;  /* a block for each cell of the symbols */
    char *values; /* and for each value, `level` of them taken */
    int level, room;
    const bool *active;                 /* those that take part in what is computed */
    const struct kernel_helper *helper; /* the function of the preamble whose body it is, or NULL */
    bool *returned; /* of those in a function of the preamble: which have left it; else NULL */
    int64_t (*index)[KERNEL_LANES]; /* along each axis, if the kernel needs them */
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
/* The blocks that this takes; helpers[]: those that the functions of the preamble do. */
int heddle__kernel_blocks_of(const struct kernel_node *n, const int helpers[]);
/* A function of the preamble, whose arguments are in its names, for the elements of t->active. */
void heddle__kernel_run_helper(struct kernel_interpreter *t, const struct kernel_helper *h);
/* The places of an ELEMENT's elements in what has them, which is *from with *size elements; `cell`: of a local array, whose
 * blocks stand one after the other. */
struct kernel_elements {
    const int64_t *at;
    char *from;
    int64_t size;
    bool cells;
};
struct kernel_elements heddle__kernel_elements(struct kernel_interpreter *t,
                                               const struct kernel_node *n);

#endif
