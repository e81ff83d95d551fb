/* Opens a file as bytes: a read-only mapping that costs nothing until it is used, or a copy.
 * Knows no format. The file must not shrink while it is mapped. Entry points: file.h. */
#include "io/file.h"

#include "array/file_pages.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL_BYTES = 1 << 16 }; /* up to this size a copy is cheaper than a mapping */

void heddle__where(char out[HEDDLE_WHERE_MAX], const char *function, const char *path)
{
    const size_t room = 180, n = strlen(path);
    if (n <= room)
        snprintf(out, HEDDLE_WHERE_MAX, "%s: '%s'", function, path);
    else
        snprintf(out, HEDDLE_WHERE_MAX, "%s: '%.60s...%s'", function, path, path + n - 117);
}

/* False when the file cannot be mapped, or there is no memory to remember it. */
static bool map(int fd, size_t n, struct heddle_bytes *out)
{
    void *base = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    struct heddle_mapping *m = base == MAP_FAILED ? NULL : heddle__mapping_new(base, n);
    if (!m) return false;
    *out = (struct heddle_bytes){
        .data = base, .n = n, .release = heddle__mapping_release, .user = m, .mapping = m};
    return true;
}

static enum heddle_status copy(const char *where, int fd, size_t n, struct heddle_bytes *out)
{
    unsigned char *data = heddle__alloc_aligned(n);
    HEDDLE_REQUIRE(data, HEDDLE_ENOMEM, "%s: no memory for the %zu bytes of the file", where, n);
    for (size_t done = 0; done < n;) {
        const ssize_t got = read(fd, data + done, n - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            if (got < 0)
                heddle__fail(HEDDLE_EIO, "%s: %m", where);
            else
                heddle__fail(HEDDLE_EIO, "%s: the file became shorter while it was read", where);
            heddle__free(data);
            return HEDDLE_EIO;
        }
        done += (size_t)got;
    }
    *out = (struct heddle_bytes){.data = data, .n = n, .release = heddle__free, .user = data};
    return HEDDLE_OK;
}

enum heddle_status heddle__file_open(const char *where, const char *path, struct heddle_bytes *out)
{
    /* without blocking, so that a pipe without a writer is an error and no wait */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    HEDDLE_REQUIRE(fd >= 0, HEDDLE_EIO, "%s: %m", where);

    enum heddle_status status = HEDDLE_OK;
    struct stat st;
    if (fstat(fd, &st) != 0)
        status = heddle__fail(HEDDLE_EIO, "%s: %m", where);
    else if (!S_ISREG(st.st_mode))
        status = heddle__fail(HEDDLE_EIO, "%s: not a regular file", where);
    else if ((size_t)st.st_size <= SMALL_BYTES || !map(fd, (size_t)st.st_size, out))
        status = copy(where, fd, (size_t)st.st_size, out);
    close(fd);
    return status;
}
