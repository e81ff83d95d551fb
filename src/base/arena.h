/* A bump allocator: many small pieces that die together. */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>

struct heddle_arena {
    struct heddle_arena_block *blocks;
    char *at, *end;
    size_t size_bytes; /* of all blocks */
};

/* Zeroed memory aligned to 16 bytes; NULL when memory is gone. A zeroed arena is an empty one. */
void *heddle__arena_alloc(struct heddle_arena *arena, size_t size_bytes);
void heddle__arena_free(struct heddle_arena *arena);

#endif
