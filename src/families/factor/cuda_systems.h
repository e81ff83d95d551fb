/* Small systems on a GPU. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_SYSTEMS_H
#define HEDDLE_FAMILIES_FACTOR_CUDA_SYSTEMS_H

#include "families/factor/kernel_what.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one launch: as in struct heddle_systems. *first: the least matrix * n + pivot of those that are 0, if it was larger; not of
 * PIVOTS and DETERMINANT. */
struct heddle_systems_launch {
    const void *a, *b;
    void *out;
    unsigned long long *first;
    int64_t batch;
    int what, n, columns, single;
};

/* Enqueues it, and returns CUDA's error: of systems that are in lanes (kernel_systems.h), of larger ones. */
int heddle__systems_launch(const struct heddle_systems_launch *s, void *stream);
int heddle__systems_launch_large(const struct heddle_systems_launch *s, void *stream);

#ifdef __cplusplus
}
#endif

#endif
