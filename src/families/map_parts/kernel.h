/* A function of the user's applied to a part: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_MAP_PARTS_KERNEL_H
#define HEDDLE_FAMILIES_MAP_PARTS_KERNEL_H

#include "kernels.h"

/* The user's function, for CPUs, GPUs or both. */
struct heddle_function {
    struct heddle_object object;
    heddle_part_function *cpu, *cuda; /* one may be NULL */
    void (*deleter)(void *user);      /* may be NULL */
    void *user;
};

/* A call; the first four members are those of struct heddle_part_view. */
struct heddle_part_call {
    int64_t lo[HEDDLE_MAX_NDIM], shape[HEDDLE_MAX_NDIM], before[HEDDLE_MAX_NDIM],
        after[HEDDLE_MAX_NDIM];
    int64_t part;
    int64_t in_bytes; /* of the view */
    int32_t function; /* its number among the evaluation's objects */
    uint32_t in, out; /* buffers */
};

#endif
