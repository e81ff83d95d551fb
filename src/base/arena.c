/* The bump allocator. Entry points: arena.h. */
#include "base/arena.h"

#include "base/memory.h"

#include <string.h>

struct heddle_arena_block {
    struct heddle_arena_block *next;
    size_t size_bytes; /* of the data that follow at offset 16 */
};

enum { HEADER = 16, FIRST_BLOCK = 2048, LARGEST_BLOCK = 1 << 20 };

void *heddle__arena_alloc(struct heddle_arena *arena, size_t size_bytes)
{
    size_bytes = (size_bytes + 15) / 16 * 16;
    if ((size_t)(arena->end - arena->at) < size_bytes) {
        size_t room = arena->blocks ? arena->blocks->size_bytes * 2 : FIRST_BLOCK;
        if (room > LARGEST_BLOCK) room = LARGEST_BLOCK;
        if (room < size_bytes) room = size_bytes;
        struct heddle_arena_block *block = heddle__alloc(HEADER + room);
        if (!block) return NULL;
        block->next = arena->blocks;
        block->size_bytes = room;
        arena->blocks = block;
        arena->size_bytes += HEADER + room;
        arena->at = (char *)block + HEADER;
        arena->end = arena->at + room;
    }
    void *p = arena->at;
    arena->at += size_bytes;
    return memset(p, 0, size_bytes);
}

void heddle__arena_free(struct heddle_arena *arena)
{
    for (struct heddle_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        heddle__free(block);
    }
    *arena = (struct heddle_arena){0};
}
