/* The clock, and medians. */
#ifndef HEDDLE_BENCHMARKS_TIMING_H
#define HEDDLE_BENCHMARKS_TIMING_H

#include <stdlib.h>
#include <time.h>

/* Seconds since some moment. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Sorts them. */
static inline double median_of(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, ascending);
    return times[n / 2];
}

#endif
