/* A file's contents as bytes in memory, and text that names a file in messages. */
#ifndef HEDDLE_IO_FILE_H
#define HEDDLE_IO_FILE_H

#include <heddle/status.h>
#include <stddef.h>

struct heddle_mapping;

/* Bytes, which release(user), called once, frees. */
struct heddle_bytes {
    const unsigned char *data;
    size_t n;
    void (*release)(void *user);
    void *user;
    struct heddle_mapping *mapping; /* the same as `user`, if they are a mapped file's; else NULL */
};

enum { HEDDLE_WHERE_MAX = 256 };

/* Writes "function: 'path'", without the middle of a long path. */
void heddle__where(char out[HEDDLE_WHERE_MAX], const char *function, const char *path);

/* Opens a whole regular file: maps it read-only, or reads it if it is small or cannot be mapped. Its start
 * is aligned to 64 bytes. Errors: HEDDLE_EARG, HEDDLE_EIO, HEDDLE_ENOMEM. */
enum heddle_status heddle__file_open(const char *where, const char *path, struct heddle_bytes *out);

static inline void heddle__bytes_release(struct heddle_bytes *bytes)
{
    if (bytes->release) bytes->release(bytes->user);
    *bytes = (struct heddle_bytes){0};
}

#endif
