/* Cases of the test plans: shifted readings of what is computed, and boxes that take turns. */
#ifndef HEDDLE_TESTS_CASES_OF_SHIFTS_H
#define HEDDLE_TESTS_CASES_OF_SHIFTS_H

#include "planned.h"

/* Sums of three rows are computed again where three columns of them are added: nothing is stored between. */
static heddle_array *box_filter(void)
{
    heddle_array *u = DATA(64, 64);
    heddle_array *rows =
        heddle_add(heddle_add(heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2))),
                              heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)))),
                   heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2))));
    return heddle_add(
        heddle_add(heddle_getitem(rows, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_TO(-2))),
                   heddle_getitem(rows, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(1, -1)))),
        heddle_getitem(rows, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_FROM(2))));
}

/* Neighbours in a period by index: two views of the array, and no look-up. */
static heddle_array *wrapped_neighbours(void)
{
    heddle_array *x = DATA(90000);
    heddle_array *i =
        heddle_add(heddle_arange(heddle_scalar_int(90000), NULL, NULL), heddle_scalar(1));
    return heddle_subtract(heddle_take(x, heddle_remainder(i, heddle_scalar_int(90000))), x);
}

/* Halves of rows that are turned by one angle: one program stores both, and reads each operand once. */
static heddle_array *turned_halves(void)
{
    heddle_array *x = DATA(5000, 64), *c = DATA(5000, 32), *s = DATA(5000, 32);
    heddle_array *a = heddle_getitem(x, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_TO(32))),
                 *b = heddle_getitem(x, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_FROM(32)));
    return heddle_concat(
        HEDDLE_ARRAYS(heddle_subtract(heddle_multiply(a, c), heddle_multiply(b, s)),
                      heddle_add(heddle_multiply(b, c), heddle_multiply(a, s))),
        1);
}

/* One program writes the three of each place. */
static heddle_array *stacked_bytes(void)
{
    heddle_array *r = DATA(40, 50), *g = DATA(40, 50), *sum = heddle_add(r, g);
    return heddle_astype(heddle_stack(HEDDLE_ARRAYS(r, sum, g), 2), HEDDLE_UINT8);
}

#endif
