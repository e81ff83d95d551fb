/* Small systems on the CPU, once for each instruction set (cpu_lanes.c). */
#ifndef HEDDLE_FAMILIES_FACTOR_CPU_SYSTEMS_H
#define HEDDLE_FAMILIES_FACTOR_CPU_SYSTEMS_H

#include "families/factor/kernel_systems.h"

enum { HEDDLE_SYSTEMS_LANES_32 = 16, HEDDLE_SYSTEMS_LANES_64 = 8 };

/* Solves systems from .. to - 1; from is a multiple of the lanes. Gives matrix * n + pivot of the first one that is 0 where
 * that is an error, or -1. */
typedef int64_t heddle__systems_function(const struct heddle_systems *s, const void *a,
                                         const void *b, void *out, int64_t from, int64_t to);

/* Of more rows or columns than lanes have: any `from`. LAPACK is there. */
heddle__systems_function heddle__systems_large;
/* Of float64 and float32. */
extern heddle__systems_function *const heddle__systems_baseline[2],
    *const heddle__systems_avx2[2], *const heddle__systems_avx512[2];

#endif
