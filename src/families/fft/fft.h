/* What the files share that plan Fourier transforms, and the operation for functions that are made of it. */
#ifndef HEDDLE_FAMILIES_FFT_H
#define HEDDLE_FAMILIES_FFT_H

#include "families/fft/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__fft_family;

/* Parameters of a node (kernel.h); in[0] and the node have the dtypes that the kind asks for. */
struct heddle_fft_params {
    double factor;
    int64_t n;
    int32_t kind, axes, inverse, unused;
};

/* `a`, of a floating or complex dtype as the kind asks for and with elements, transformed along the axes of the mask,
 * of which R2C and C2R have one; `n`: of these two. Owned. */
heddle_array *heddle__fft(heddle_array *a, enum heddle_fft_kind kind, unsigned axes, bool inverse,
                          int64_t n, double factor);

/* The extent of the result along the axis of a transform of `extent` elements (kernel.h). */
static inline int64_t heddle__fft_extent(int kind, int64_t extent, int64_t n)
{
    return kind == HEDDLE_FFT_C2C ? extent : kind == HEDDLE_FFT_R2C ? n / 2 + 1 : n;
}

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__fft_cut(struct heddle_planner *p, int32_t at);

#endif
