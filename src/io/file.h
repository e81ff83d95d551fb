/* A file's contents as bytes in memory, and text that names a file in messages. */
#ifndef HEDDLE_IO_FILE_H
#define HEDDLE_IO_FILE_H

#include <heddle/status.h>
#include <stddef.h>

/* Bytes and who frees them: release(user) once. */
struct heddle_bytes {
    const unsigned char *data;
    size_t n;
    void (*release)(void *user);
    void *user;
};

enum { HEDDLE_WHERE_MAX = 256 };

/* "function: 'path'", the middle of a long path left out. */
void heddle__where(char out[HEDDLE_WHERE_MAX], const char *function, const char *path);

/* All of a regular file: mapped read-only, or read if it is small or cannot be mapped. The start is
 * aligned to 64 bytes. On failure the last error is set (HEDDLE_EARG, _EIO, _ENOMEM). */
enum heddle_status heddle__file_open(const char *where, const char *path, struct heddle_bytes *out);

static inline void heddle__bytes_release(struct heddle_bytes *bytes)
{
    if (bytes->release) bytes->release(bytes->user);
    *bytes = (struct heddle_bytes){0};
}

#endif
