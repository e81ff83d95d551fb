/* Lines of text over arrays of more than 2^32 bytes, or 2^31 numbers, and what each element of the result must be: a closed
 * form of its flat index. Elements at borders and at random are looked at. */
#ifndef HEDDLE_TESTS_LARGE_H
#define HEDDLE_TESTS_LARGE_H

#include "check_heddle.h"

#include <stdint.h>

#define PERIOD 251
#define ROWS INT64_C(65609)
#define COLS INT64_C(65520)               /* 2^4 3^2 5 7 13 */
#define N (ROWS * COLS)                   /* 4,298,701,680: beyond 2^32 */
#define COUNT ((INT64_C(1) << 31) + 8192) /* of numbers of 4 bytes */

/* The inputs: x[i] = i % 251, uint8, N of them; m = x in ROWS rows; f = x[:COUNT] as float32. */
static inline int64_t large_x(int64_t i)
{
    return i % PERIOD;
}

struct large_case {
    const char *text;
    int64_t size;               /* of the result */
    double gigabytes;           /* of memory in use at once, about: skipped where there is less */
    double (*value)(int64_t i); /* of element i of the result in C order */
    double relative, absolute;  /* what it may differ by; 0 and 0: nothing */
};

extern const struct large_case large_bytes[], large_shapes[],
    large_numbers[]; /* each ends with a text of NULL */

#endif
