/* What tests of histograms share: numbers of a kernel's dtypes, and the oracle of bins. */
#ifndef HEDDLE_TESTS_FAMILIES_BINS_H
#define HEDDLE_TESTS_FAMILIES_BINS_H

#include <heddle/dtype.h>

static inline void put_number(enum heddle_dtype dtype, char *to, int64_t i, double value)
{
    switch (dtype) {
    case HEDDLE_INT32: ((int32_t *)(void *)to)[i] = (int32_t)value; break;
    case HEDDLE_INT64: ((int64_t *)(void *)to)[i] = (int64_t)value; break;
    case HEDDLE_FLOAT32: ((float *)(void *)to)[i] = (float)value; break;
    default: ((double *)(void *)to)[i] = value; break;
    }
}

/* Inclusive below and, of the last bin, above; -1: in no bin. Looks at each edge. */
static inline int64_t bin_of(double value, const double *edges, int64_t bins)
{
    if (!(value >= edges[0] && value <= edges[bins])) return -1;
    int64_t k = bins - 1;
    while (k > 0 && value < edges[k]) k--;
    return k;
}

#endif
