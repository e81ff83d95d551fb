/* The time of an expression: to record it, to evaluate it, to wait and to release it. */
#ifndef HEDDLE_BENCHMARKS_TIME_EXPRESSION_H
#define HEDDLE_BENCHMARKS_TIME_EXPRESSION_H

#include "timing.h"

#include <heddle.h>
#include <stdio.h>

typedef heddle_array *expression(void);

static inline double time_once(expression *make)
{
    const double start = now();
    heddle_scope scope = heddle_scope_open();
    heddle_array *r = make();
    if (heddle_wait(r) != HEDDLE_OK) {
        fprintf(stderr, "%s\n", heddle_error(r));
        exit(1);
    }
    heddle_scope_close(scope);
    return now() - start;
}

/* Microseconds: the median of five runs, or of as many as `seconds` have, after some that do not count. */
static inline double time_expression(expression *make, double seconds)
{
    enum { MOST = 2000 };
    static double times[MOST];
    int n = 0;
    for (const double start = now(); now() - start < seconds / 5;) time_once(make);
    for (const double start = now(); n < MOST && (n < 5 || now() - start < seconds);)
        times[n++] = time_once(make);
    return 1e6 * median_of(times, n);
}

#endif
