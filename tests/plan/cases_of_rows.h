/* Cases of plans: work around cumulative sums, numbers for each channel of a row, products of broadcast arrays, masks of means. */
#ifndef HEDDLE_TESTS_CASES_OF_ROWS_H
#define HEDDLE_TESTS_CASES_OF_ROWS_H

#include "planned.h"

/* Work before and after a cumulative sum is part of its task. */
static heddle_array *scan_work(void)
{
    heddle_array *x = DATA(2048, 300), *w = DATA(300);
    heddle_array *s = heddle_cumulative_sum(heddle_multiply(x, w), .axis = 1);
    return heddle_divide(s, heddle_scalar(3.0));
}

/* Columns that threads hold with nothing before it alone: the same by the scan's own call, not a chain of half of it. */
static heddle_array *scan_columns(void)
{
    heddle_array *x = DATA(200, 3000), *w = DATA(3000);
    heddle_array *s = heddle_cumulative_sum(heddle_multiply(x, w), .axis = 0);
    return heddle_divide(s, heddle_scalar(3.0));
}

/* The transmittance along rays: sums of what a cumulative sum makes are in one chain with it. */
static heddle_array *scan_chain(void)
{
    heddle_array *x = DATA(4096, 64), *s = DATA(4096, 64);
    heddle_array *c = heddle_cumulative_sum(heddle_multiply(s, s), .axis = 1);
    return heddle_sum(heddle_multiply(heddle_exp(heddle_negative(c)), x), .axis = 1);
}

/* A scan along a middle axis begins a chain; maps have that axis elsewhere than reductions. */
static heddle_array *scan_middle(void)
{
    heddle_array *c = heddle_cumulative_sum(DATA(8, 64, 4096), .axis = 1);
    return heddle_subtract(c, heddle_max(c, .axis = 1, .has_axis = true, .keepdims = true));
}

/* What reads it at other places is not; what is before is. */
static heddle_array *scan_read_twice(void)
{
    heddle_array *x = DATA(2048, 300);
    heddle_array *s = heddle_cumulative_sum(heddle_exp(x), .axis = 1);
    return heddle_add(s, heddle_flip(s, .axis = 1));
}

/* A number for each channel of a row of several is part of the chain. */
static heddle_array *group_norm(void)
{
    heddle_array *x = DATA(400, 4, 300), *g = DATA(4, 1);
    heddle_array *m = heddle_mean(x, .axes = HEDDLE_AXES(1, 2), .keepdims = true);
    heddle_array *d = heddle_subtract(x, m);
    heddle_array *v =
        heddle_mean(heddle_multiply(d, d), .axes = HEDDLE_AXES(1, 2), .keepdims = true);
    return heddle_multiply(heddle_divide(d, heddle_sqrt(v)), g);
}

/* What is cheap but for a small, costly operand, which has an array of its own, is computed where it is read. */
static heddle_array *product_of_broadcasts(void)
{
    heddle_array *x = DATA(500, 1, 1), *w = heddle_exp(DATA(8, 1)), *v = heddle_exp(DATA(4));
    return heddle_multiply(heddle_multiply(x, w), v);
}

/* The differences from the mean are computed in both readers; the mean, which is broadcast, once. */
static heddle_array *standardized(void)
{
    heddle_array *x = DATA(50, 8);
    heddle_array *d = heddle_subtract(x, heddle_mean(x, .axis = 0));
    return heddle_divide(d, heddle_sqrt(heddle_mean(heddle_multiply(d, d), .axis = 0)));
}

/* The mask is computed in both readers, which read the data anyway. */
static heddle_array *masked_mean(void)
{
    heddle_array *x = DATA(50000), *m = heddle_greater(x, heddle_scalar(0.0));
    heddle_array *mean =
        heddle_divide(heddle_sum(heddle_where(m, x, heddle_scalar(0.0))), heddle_sum(m));
    return heddle_where(m, heddle_subtract(x, mean), x);
}

#endif
