/* Random distributions over all places of the machine, by choices of their own, so that the programs whose
 * values they distribute stay the same. */
#ifndef HEDDLE_TESTS_RANDOM_DISTRIBUTION_H
#define HEDDLE_TESTS_RANDOM_DISTRIBUTION_H

#include "property/oracle.h"

/* Once for a configuration, before the first distribution. */
void random_places_find(void);
/* Of this thread's. */
void random_distribution_seed(uint64_t seed);
/* The same values: as they are, distributed at random, or also through a function over parts. waits: until
 * they are there. */
heddle_array *random_distribution(heddle_array *a, bool waits);

#endif
