/* What nodes mean: an evaluator that follows the graph element by element, and shares nothing with the
 * library's. Data must be in host memory. */
#ifndef HEDDLE_TESTS_MEANING_H
#define HEDDLE_TESTS_MEANING_H

#include "graph/node.h"

#include "complex_numbers.h"

/* One element. Integers beyond 2^53 are not exact. */
double complex meaning_at(const heddle_array *a, const int64_t *index);
/* The element at a position in C order, real part. */
double meaning_nth(const heddle_array *a, int64_t n);

#endif
