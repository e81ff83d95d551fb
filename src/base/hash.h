/* Hashing of words: an avalanche step a word (the finaliser of MurmurHash3, public domain). */
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

static inline uint64_t heddle__hash_words(uint64_t hash, const uint64_t *words, int64_t n)
{
    for (int64_t i = 0; i < n; i++) hash = heddle__hash_word(hash, words[i]);
    return hash ^ (hash >> 29);
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
