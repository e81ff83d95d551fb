/* Small files that are whole or not there. Trouble of any kind means "not there". Entry points:
 * whole_file.h. */
#include "base/whole_file.h"

#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, HEADER_ROOM = 128, VERSION = 1 };
#define SIZE_LIMIT ((size_t)16 << 20)

bool heddle__file_size_allowed(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= size;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

bool heddle__write_all(int file, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        const ssize_t n = write(file, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static int write_header(char header[HEADER_ROOM], const char *kind, const void *data, size_t size)
{
    return snprintf(header, HEADER_ROOM, "heddle %d %.32s %zu %016" PRIx64 "\n", VERSION, kind,
                    size, heddle__hash_bytes(VERSION, data, size));
}

bool heddle__whole_file_write(const char *path, const char *kind, const void *data, size_t size)
{
    static atomic_uint counter;
    char header[HEADER_ROOM], temporary[PATH_ROOM];
    const int n = write_header(header, kind, data, size);
    if (snprintf(temporary, sizeof temporary, "%s.%ld.%u.part", path, (long)getpid(),
                 atomic_fetch_add(&counter, 1)) >= (int)sizeof temporary)
        return false;
    if (size > SIZE_LIMIT || !heddle__file_size_allowed(size + (size_t)n)) return false;
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return false;
    const bool written =
        heddle__write_all(file, header, (size_t)n) && heddle__write_all(file, data, size);
    if (close(file) == 0 && written && rename(temporary, path) == 0) return true;
    unlink(temporary);
    return false;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

char *heddle__read_all(const char *path, size_t most, size_t *size)
{
    struct stat info;
    char *data = NULL;
    size_t n = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        (size_t)info.st_size <= most)
        data = heddle__alloc((size_t)info.st_size + 1);
    while (data && n < (size_t)info.st_size) {
        const ssize_t got = read(file, data + n, (size_t)info.st_size - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
    }
    close(file);
    if (data && n < (size_t)info.st_size) {
        heddle__free(data);
        data = NULL;
    }
    if (data) data[n] = 0;
    *size = n;
    return data;
}

char *heddle__whole_file_read(const char *path, const char *kind, size_t *size)
{
    size_t n, n_header;
    char expected[HEADER_ROOM];
    char *data = heddle__read_all(path, SIZE_LIMIT + HEADER_ROOM, &n);
    const char *line_end = data ? memchr(data, '\n', n) : NULL;
    if (line_end) {
        n_header = (size_t)(line_end - data) + 1;
        const int length = write_header(expected, kind, data + n_header, n - n_header);
        if ((size_t)length == n_header && memcmp(data, expected, n_header) == 0) {
            *size = n - n_header;
            memmove(data, data + n_header, *size + 1);
            return data;
        }
    }
    heddle__free(data);
    return NULL;
}
