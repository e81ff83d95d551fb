/* Hashing of words: one avalanche step for each (the finaliser of MurmurHash3, public domain). */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t heddle__hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
    return hash * 0xc4ceb9fe1a85ec53ULL + 0x9e3779b97f4a7c15ULL;
}

/* Both halves of the 128-bit product. */
static inline uint64_t heddle__hash_fold(uint64_t a, uint64_t b)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* One multiplication for two words, in two chains that do not wait for each other (as wyhash does). */
static inline uint64_t heddle__hash_words(uint64_t hash, const uint64_t *words, int64_t n)
{
    uint64_t other = heddle__hash_word(hash, (uint64_t)n);
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        hash = heddle__hash_fold(words[i] ^ 0xa0761d6478bd642fULL, words[i + 1] ^ hash);
        other = heddle__hash_fold(words[i + 2] ^ 0xe7037ed1a0b428dbULL, words[i + 3] ^ other);
    }
    for (; i < n; i++) other = heddle__hash_word(other, words[i]);
    return heddle__hash_word(hash, other);
}

static inline uint64_t heddle__hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *at = data;
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = heddle__hash_word(hash, word);
    }
    uint64_t last = n;
    memcpy(&last, at, n < 7 ? n : 7);
    return heddle__hash_word(hash, last ^ ((uint64_t)n << 56));
}

#endif
