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

/* One program writes the three of each place. */
static heddle_array *stacked_bytes(void)
{
    heddle_array *r = DATA(40, 50), *g = DATA(40, 50), *sum = heddle_add(r, g);
    return heddle_astype(heddle_stack(HEDDLE_ARRAYS(r, sum, g), 2), HEDDLE_UINT8);
}

#endif
