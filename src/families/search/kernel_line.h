/* The height at x of the lines between points, in one text for C and for CUDA: no multiplication is fused with an addition,
 * so that the bits are the same. */
#ifndef HEDDLE_FAMILIES_SEARCH_KERNEL_LINE_H
#define HEDDLE_FAMILIES_SEARCH_KERNEL_LINE_H

#include <stdint.h>

#ifndef HEDDLE_LINE_FUNCTION /* CUDA's qualifiers */
#define HEDDLE_LINE_FUNCTION static inline
#endif

/* `place`: how many of the n points are at x or before it. Beside all points the height of the nearest; NaN at NaN; at a
 * point what it has. A line from or to infinity may be no number seen from one end: then the other one says. */
HEDDLE_LINE_FUNCTION double heddle__on_line(double x, const double *points, const double *heights,
                                            int64_t n, int64_t place)
{
    if (x != x) return x;
    if (x < points[0]) return heights[0];
    if (n == 1 || x >= points[n - 1]) return heights[n - 1];
    const int64_t j = place < 1 ? 0 : place > n - 1 ? n - 2 : place - 1;
    const double x0 = points[j], x1 = points[j + 1], f0 = heights[j], f1 = heights[j + 1];
    if (x == x0) return f0;
    const double slope = (f1 - f0) / (x1 - x0), here = slope * (x - x0) + f0;
    if (here == here) return here;
    const double other = slope * (x - x1) + f1;
    return other != other && f0 == f1 ? f0 : other;
}

#endif
