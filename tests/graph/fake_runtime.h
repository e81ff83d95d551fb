/* Storage and evaluation for tests with no runtime: plain host memory, and an evaluator that
 * follows the graph element by element. It is the oracle of what nodes mean. */
#ifndef HEDDLE_TESTS_FAKE_RUNTIME_H
#define HEDDLE_TESTS_FAKE_RUNTIME_H

#include "graph/node.h"

#include <complex.h>

/* One element. Integers beyond 2^53 are not exact. */
double complex fake_at(const heddle_array *a, const int64_t *index);
/* The element at a position in C order, real part. */
double fake_nth(const heddle_array *a, int64_t n);
int64_t fake_storages_live(void);

#endif
