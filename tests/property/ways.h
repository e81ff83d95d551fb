/* The ways to run a program that must all give the same values: on the caller's thread, through StarPU in one
 * part or many, unfused, distributed at random, interpreted, launched directly. */
#ifndef HEDDLE_TESTS_WAYS_H
#define HEDDLE_TESTS_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAY_ASKED = 3 };

/* What a program asks for, as the first way gave it. Zeroed before. */
struct way_results {
    bool known;
    uint64_t hashes[WAY_ASKED];
};

extern const size_t n_ways;
const char *way_name(size_t w);
/* Shuts the runtime down and configures it anew. False after a printed failure. */
bool way_start(size_t w);
/* Whether it is another one than the ways before it, on this machine; after way_start. */
bool way_applies(size_t w);

/* Runs the random program of that seed, or an operation of the family that is its turn (by_family), compares with
 * the oracle and with *first, which it sets. Returns failures, which it prints with the seed and the plan. */
int way_run(size_t w, uint64_t seed, bool by_family, struct way_results *first);

#endif
