/* Philox4x32-10 and what is made of its words, written again from the papers: shares no code with codelets/draw.h. */
#ifndef HEDDLE_TESTS_ORACLE_DRAWS_H
#define HEDDLE_TESTS_ORACLE_DRAWS_H

#include <math.h>
#include <stdint.h>

/* Ten rounds on counter[4] with key[2], in place. */
static inline void oracle_philox(uint32_t counter[4], uint32_t k0, uint32_t k1)
{
    static const uint64_t multiplier[2] = {0xD2511F53, 0xCD9E8D57};
    for (int round = 0; round < 10; round++) {
        uint32_t high[2], low[2], next[4];
        for (int half = 0; half < 2; half++) {
            const unsigned __int128 product =
                (unsigned __int128)multiplier[half] * counter[2 * half];
            low[half] = (uint32_t)(product % 4294967296u);
            high[half] = (uint32_t)(product / 4294967296u);
        }
        next[0] = high[1] ^ counter[1] ^ k0;
        next[1] = low[1];
        next[2] = high[0] ^ counter[3] ^ k1;
        next[3] = low[0];
        for (int i = 0; i < 4; i++) counter[i] = next[i];
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

/* The key of a stream: SplitMix64's finaliser of the stream's step from that of the seed. */
static inline uint64_t oracle_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t oracle_key(uint64_t seed, uint64_t stream)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return oracle_mix(oracle_mix(seed + golden) + stream * golden);
}

/* Word `word` of the block `block` of a stream. */
static inline uint32_t oracle_word(uint64_t seed, uint64_t stream, uint64_t block, int word)
{
    const uint64_t key = oracle_key(seed, stream);
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    oracle_philox(counter, (uint32_t)key, (uint32_t)(key >> 32));
    return counter[word];
}

/* Two words for each element. */
static inline uint64_t oracle_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    const int first = (int)(index % 2) * 2;
    return oracle_word(seed, stream, index / 2, first) +
           4294967296u * (uint64_t)oracle_word(seed, stream, index / 2, first + 1);
}

/* 52 bits and a half: (k + 1/2) 2^-52. */
static inline long double oracle_open_unit(uint64_t bits)
{
    return ldexpl((long double)(bits % 0x10000000000000u) + 0.5L, -52);
}

/* The low 52 bits, and the highest one below them. */
static inline double oracle_uniform(uint64_t bits)
{
    return ldexp((double)(bits % 0x10000000000000u * 2 + bits / 0x8000000000000000u), -53);
}

static inline long double oracle_exponential(uint64_t bits)
{
    return -logl(oracle_open_unit(bits));
}

/* Box and Muller's point of a block: one coordinate for each of two neighbours. */
static inline long double oracle_normal(uint64_t seed, uint64_t stream, uint64_t index)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    const uint64_t first = oracle_bits(seed, stream, index - index % 2),
                   second = oracle_bits(seed, stream, index - index % 2 + 1);
    const long double quarter = (long double)(second / 0x4000000000000000u);
    const long double angle = pi / 2 * (quarter + oracle_open_unit(second) - 0.5L);
    return sqrtl(-2 * logl(oracle_open_unit(first))) * (index % 2 ? sinl(angle) : cosl(angle));
}

#endif
