/* The interpreter's host side. */
#ifndef HEDDLE_CUDA_INTERPRET_H
#define HEDDLE_CUDA_INTERPRET_H

#include "kernels.h"

#include "cuda/device.h"
#include "cuda/layout.h"

/* Pointers of a launch: operands with their offsets applied, and the partials of each reduction. */
struct heddle_cuda_pointers {
    char *operand[HEDDLE_MAX_OPERANDS];
    char *partial[HEDDLE_MAX_REDUCTIONS];
    char *lanes;                        /* of chunks that several blocks share */
    const struct heddle_report *report; /* where bad indices go, or NULL */
};

/* Sets the interpreter up on the current device. */
enum heddle_status heddle__interpret_open(const struct heddle_cuda_device *device);

/* Enqueues the launch on `stream`; adds the kernels launched to *n_kernels. */
enum heddle_status heddle__interpret(const struct heddle_launch *launch,
                                     const struct heddle_cuda_layout *layout,
                                     const struct heddle_cuda_device *device,
                                     const struct heddle_cuda_pointers *pointers,
                                     const union heddle_scalar constants[], cudaStream_t stream,
                                     int *n_kernels);

#endif
