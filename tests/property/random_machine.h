/* The machine anew, for tests that go through configurations with values that are distributed at random. */
#ifndef HEDDLE_TESTS_RANDOM_MACHINE_H
#define HEDDLE_TESTS_RANDOM_MACHINE_H

#include "check.h"
#include "machine/machine.h"
#include "property/random_distribution.h"

/* Ways to run a plan. `distributed`: random_distribution is called, by choices from the way's number. */
static const struct random_way {
    struct heddle_config config;
    bool distributed;
} random_ways[] = {
    {{.inline_bytes = (int64_t)1 << 40}, false},
    {{.inline_bytes = -1}, false},
    {{.inline_bytes = -1, .partition = "3"}, false},
    {{.inline_bytes = -1, .partition = "2x3"}, false},
    {{.inline_bytes = -1, .part_bytes = 1000}, false},
    {{.inline_bytes = -1, .cpu_workers = 3}, true},
    {{.inline_bytes = 1}, false}, /* on GPUs directly */
};
enum { N_RANDOM_WAYS = sizeof random_ways / sizeof random_ways[0] };

/* Ends Heddle and configures it for the way; whether that is distributed. */
static inline bool random_machine(size_t way)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(machine_configure(&random_ways[way].config), HEDDLE_OK);
    if (random_ways[way].distributed) random_places_find();
    random_distribution_seed(way);
    return random_ways[way].distributed;
}

#endif
