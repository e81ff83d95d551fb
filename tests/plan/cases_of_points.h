/* Expressions of points and of elements by index, whose plans are compared (plans.c). */
#ifndef HEDDLE_TESTS_CASES_OF_POINTS_H
#define HEDDLE_TESTS_CASES_OF_POINTS_H

#include "planned.h"

static heddle_array *indices_of(int64_t n)
{
    return zeros_data(HEDDLE_INT64, HEDDLE_SHAPE(n));
}

/* Differences of pairs: nothing is stored that is taken by index. */
static heddle_array *edges(void)
{
    heddle_array *x = DATA(1000), *from = indices_of(900), *to = indices_of(900);
    return heddle_subtract(heddle_take(x, from), heddle_take(x, to));
}

/* One value of each row, summed. */
static heddle_array *picked_sum(void)
{
    heddle_array *x = DATA(200, 30);
    heddle_array *rows = indices_of(200), *columns = indices_of(200);
    return heddle_sum(heddle_getitem(x, HEDDLE_INDEX(HEDDLE_BY(rows), HEDDLE_BY(columns))));
}

/* Rows by index, which CPUs copy. */
static heddle_array *rows_by_index(void)
{
    return heddle_multiply(heddle_take(DATA(50, 64), indices_of(200), .axis = 0),
                           heddle_scalar(2.0));
}

/* What two programs read is stored. */
static heddle_array *taken_twice(void)
{
    heddle_array *taken = heddle_take(DATA(1000), indices_of(900));
    return heddle_divide(taken, heddle_sum(taken));
}

/* Of the differences only those that are picked are computed; the maxima are stored. */
static heddle_array *picked_of_rows(void)
{
    heddle_array *x = DATA(200, 30);
    heddle_array *z = heddle_subtract(x, heddle_max(x, .axis = 1, .keepdims = true));
    return heddle_sum(
        heddle_getitem(z, HEDDLE_INDEX(HEDDLE_BY(indices_of(200)), HEDDLE_BY(indices_of(200)))));
}

/* Forces between bodies in three dimensions: what pairs have is never stored. */
static heddle_array *forces(void)
{
    heddle_array *d = heddle_subtract(DATA(1, 60, 3), DATA(60, 1, 3));
    heddle_array *r = heddle_sum(heddle_multiply(d, d), .axis = 2, .keepdims = true);
    heddle_array *w = heddle_divide(DATA(1, 60, 1), heddle_multiply(r, heddle_sqrt(r)));
    return heddle_sum(heddle_multiply(d, w), .axis = 1);
}

static heddle_array *nearest_of(heddle_array *a)
{
    heddle_array *d = heddle_subtract(a, DATA(60, 3));
    return heddle_min(heddle_sum(heddle_multiply(d, d), .axis = 2), .axis = 1);
}

/* Squared distances that two programs read: both compute them. */
static heddle_array *nearest_of_both(void)
{
    heddle_array *d = heddle_subtract(DATA(40, 1, 3), DATA(1, 60, 3));
    heddle_array *s = heddle_sum(heddle_multiply(d, d), .axis = 2);
    return heddle_add(heddle_sum(heddle_min(s, .axis = 1)), heddle_sum(heddle_min(s, .axis = 0)));
}

static heddle_array *nearest(void)
{
    return nearest_of(DATA(40, 1, 3));
}

static heddle_array *nearest_costly(void)
{
    return nearest_of(heddle_exp(DATA(40, 1, 3)));
}

#endif
