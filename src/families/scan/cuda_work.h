/* Kernels of scans with elementwise work of their own, which are generated. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_WORK_H
#define HEDDLE_FAMILIES_SCAN_CUDA_WORK_H

#include "families/scan/cuda_scan.h"
#include "families/scan/kernel_work.h"

#include <base/error.h>
#include <cuda_runtime.h>
#include <stdbool.h>

/* The kernel of a phase, and how it is launched (cuda.c). */
struct heddle_scan_shape heddle__scan_shape(const struct heddle_scan *s,
                                            const struct heddle_scan_kernel *p,
                                            enum heddle_scan_phase phase);

/* All that a generated kernel depends on beside the programs. Compared as bytes. */
struct heddle_scan_class {
    uint64_t program[2]; /* hashes of `before` and `after`; 0: the kernel does not do that */
    uint8_t dtype, operation, phase, form, width, unused[3];
    uint8_t kind[2][HEDDLE_MAX_OPERANDS]; /* of an operand, HEDDLE_SCAN_IS_ */
};
enum {
    HEDDLE_SCAN_IS_STILL =
        1, /* bits 0 to 2: it does not walk along this axis of (outer, n, inner) */
    HEDDLE_SCAN_IS_UNIT = 8, /* bits 3 to 5: by one element */
    HEDDLE_SCAN_IS_OWN = 64  /* the call's result */
};
void heddle__scan_class(const struct heddle_scan *s, enum heddle_scan_phase phase,
                        const struct heddle_scan_shape *shape, struct heddle_scan_class *c);
/* The text of HEDDLE_KERNEL_MAIN. NULL when memory is gone; free with heddle__free. */
char *heddle__scan_source(const struct heddle_scan *s, const struct heddle_scan_class *c);

/* False: the kernel is not compiled, which has begun. */
bool heddle__scan_find(const struct heddle_scan *s, enum heddle_scan_phase phase,
                       const struct heddle_scan_shape *shape, int arch, cudaKernel_t *kernel);
/* Enqueues the kernel that was found for p->phase. */
enum heddle_status heddle__scan_launch(const struct heddle_scan *s,
                                       const struct heddle_scan_kernel *p,
                                       const struct heddle_scan_shape *shape, cudaKernel_t kernel,
                                       const struct heddle_kernel_context *k);

#endif
