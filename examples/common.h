/* What the examples share: EXPECT() to compare and print; HEDDLE_MUST (heddle/must.h) for calls that return a
 * status.
 * A program that uses them ends with `return examples_failed();`. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <heddle.h>
#include <heddle/must.h>
#include <math.h>
#include <stdio.h>

static int n_wrong;

/* Prints a number beside what it should be. */
#define EXPECT(what, got, expected) expect(what, (double)(got), (double)(expected))

static inline void expect(const char *what, double got, double expected)
{
    const int same = fabs(got - expected) <= 1e-12 * fabs(expected);
    printf("%-32s %12.6g   expected %12.6g%s\n", what, got, expected, same ? "" : "   WRONG");
    n_wrong += !same;
}

/* Prints a condition that must hold. */
static inline void expect_true(const char *what, int holds)
{
    printf("%-32s %12s\n", what, holds ? "yes" : "NO: WRONG");
    n_wrong += !holds;
}

/* The only element of an array of size 1, or element i of a larger one, as double. */
static inline double value_at(heddle_array *a, int64_t i)
{
    heddle_array *flat = heddle_reshape(heddle_astype(a, HEDDLE_FLOAT64), 1, (int64_t[]){-1});
    return HEDDLE_MUST_ITEM(heddle_getitem(flat, HEDDLE_INDEX(HEDDLE_AT(i))));
}

static inline int examples_failed(void)
{
    printf(n_wrong ? "%d wrong\n" : "all as expected\n", n_wrong);
    return n_wrong != 0;
}

#endif
