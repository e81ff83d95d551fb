/* A kernel from text that is no straight line, over a part of its result: the arguments of a call.
 *
 * Each element is computed by itself, from its own elements of the inputs that are cut like the result, and from whole
 * arrays. Elements of raw arrays that are not there read as 0, and are not written; raw outputs begin as 0. Integers wrap;
 * divided by 0 they are 0; shifts beyond the width give 0, or -1. Both twins use operations that give equal bits but for
 * elementary functions. */
#ifndef HEDDLE_FAMILIES_KERNEL_KERNEL_H
#define HEDDLE_FAMILIES_KERNEL_KERNEL_H

#include "kernel_text/form.h"

#include "kernels.h"
#include "loaded.h"

/* What nodes and calls name: the tree with the types of certain arguments. */
struct heddle_kernel_program {
    struct heddle_object object;
    struct heddle_object *kernel; /* a reference to what has the tree */
    struct kernel_types types;    /* owns its nodes */
    struct kernel_form form;
    struct heddle_kernel_program *next; /* of those that were made of the tree */
    struct heddle_loaded loaded[HEDDLE_LOADED_DEVICES];
    _Atomic(void *) cpu_function; /* the same compiled for the CPU (cpu_compile.h) */
};

/* A call. Buffers of parameters are numbers in the task. */
struct heddle_kernel_part {
    int32_t program; /* its number among the evaluation's objects */
    int32_t n_parameters;
    double steps;    /* operations of an element, about */
    int64_t size, n; /* elements of the part; of the result */
    int64_t first;   /* slot KERNEL_SLOT_FIRST */
    uint64_t text;   /* tells texts apart, for what they cost */
    int64_t lo[HEDDLE_MAX_NDIM], extent[HEDDLE_MAX_NDIM], weight[HEDDLE_MAX_NDIM];
    uint32_t buffer[KERNEL_MAX_PARAMETERS];
    int64_t rows_size, rows_before; /* ROWS: elements of the whole, and before the part */
    int64_t shape[KERNEL_MAX_PARAMETERS]
                 [HEDDLE_MAX_NDIM]; /* BROADCAST: strides; RAW: extents; ROWS: numbers */
};

/* Fills slots[heddle__kernel_n_slots]; gives the program (kernel_slots.c). */
const struct heddle_kernel_program *heddle__kernel_fill(const struct heddle_kernel_part *call,
                                                        const struct heddle_kernel_context *k,
                                                        int64_t slots[]);
/* Bytes of a raw output, which begins as 0; 0 of any other parameter. */
size_t heddle__kernel_cleared(const struct heddle_kernel_program *program,
                              const struct heddle_kernel_part *call, int parameter);

#endif
