/* The machine anew, for tests that go through configurations with values that are distributed at random. */
#ifndef HEDDLE_TESTS_RANDOM_MACHINE_H
#define HEDDLE_TESTS_RANDOM_MACHINE_H

#include "check.h"
#include "machine/machine.h"
#include "property/random_distribution.h"

/* Ends Heddle and configures it. `distributed`: random_distribution is called, by choices from `seed`. */
static inline void random_machine(const struct heddle_config *config, bool distributed,
                                  uint64_t seed)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(machine_configure(config), HEDDLE_OK);
    if (distributed) random_places_find();
    random_distribution_seed(seed);
}

#endif
