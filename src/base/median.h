/* The median of a few values. */
#ifndef HEDDLE_BASE_MEDIAN_H
#define HEDDLE_BASE_MEDIAN_H

/* n >= 1. Sorts the values in place. */
static inline double heddle__median(double *values, int n)
{
    for (int i = 1; i < n; i++) {
        const double value = values[i];
        int at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
    return values[n / 2];
}

#endif
