/* Valid expressions and their random mutations, the same for a seed; shared by the tests that want
 * bad ones. */
#ifndef HEDDLE_TESTS_MUTATE_H
#define HEDDLE_TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { MUTANT_MAX = 400 };

/* Row i of the valid expressions; NULL beyond the last. */
const char *valid_expression(size_t i);

/* Writes a mutation of a random valid expression; *state is the generator's. */
void mutate_expression(uint64_t *state, char out[MUTANT_MAX]);

#endif
