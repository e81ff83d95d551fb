/* Random words and numbers, the same in each run of a program: Marsaglia's xorshift of 64 bits. */
#ifndef HEDDLE_TESTS_RANDOM_WORDS_H
#define HEDDLE_TESTS_RANDOM_WORDS_H

#include <stdint.h>

static inline uint64_t random_word(void)
{
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* 0 to n - 1. */
static inline int64_t word_below(int64_t n)
{
    return (int64_t)(random_word() % (uint64_t)n);
}

/* At least 0, less than 1. */
static inline double random_part(void)
{
    return (double)(random_word() >> 11) * 0x1p-53;
}

#endif
