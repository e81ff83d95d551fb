/* heddle_save: evaluates an array and writes it as .npy to a file beside the target, which it then renames,
 * so that the file is complete or not there. Large data go straight into a mapping of the new file.
 * Entry point: heddle_save. */
#include "base/memory.h"
#include "io/npy.h"
#include "graph/check.h"

#include <errno.h>
#include <fcntl.h>
#include <heddle/io.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20 }; /* more goes through a mapping, not through memory */

static enum heddle_status write_all(const char *where, int fd, const unsigned char *data, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, data, n);
        if (done < 0 && errno == EINTR) continue;
        HEDDLE_REQUIRE(done > 0, HEDDLE_EIO, "%s: %m", where);
        data += done;
        n -= (size_t)done;
    }
    return HEDDLE_OK;
}

/* heddle_read with its message under our name. */
static enum heddle_status read_data(const char *where, heddle_array *a, void *out)
{
    const enum heddle_status status = heddle_read(a, out, heddle_nbytes(a));
    if (status != HEDDLE_OK) return heddle__fail(status, "%s: %s", where, heddle_error(a));
    return HEDDLE_OK;
}

static enum heddle_status write_buffered(const char *where, int fd, const unsigned char *header,
                                         size_t header_bytes, heddle_array *a)
{
    const size_t n = (size_t)heddle_nbytes(a);
    unsigned char *file = heddle__alloc_aligned(header_bytes + n);
    HEDDLE_REQUIRE(file, HEDDLE_ENOMEM, "%s: no memory for %zu bytes", where, header_bytes + n);
    memcpy(file, header, header_bytes);
    enum heddle_status status = read_data(where, a, file + header_bytes);
    if (status == HEDDLE_OK) status = write_all(where, fd, file, header_bytes + n);
    heddle__free(file);
    return status;
}

/* Allocates the space first: on a full disk a store to a mapping would kill the process. */
static enum heddle_status write_mapped(const char *where, int fd, const unsigned char *header,
                                       size_t header_bytes, heddle_array *a)
{
    const size_t n = header_bytes + (size_t)heddle_nbytes(a);
    int rc;
    do rc = posix_fallocate(fd, 0, (off_t)n);
    while (rc == EINTR);
    if (rc == EINVAL || rc == EOPNOTSUPP || rc == ENODEV)
        return write_buffered(where, fd, header, header_bytes, a);
    errno = rc;
    HEDDLE_REQUIRE(rc == 0, HEDDLE_EIO, "%s: %m", where);
    unsigned char *file = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) return write_buffered(where, fd, header, header_bytes, a);
    memcpy(file, header, header_bytes);
    const enum heddle_status status = read_data(where, a, file + header_bytes);
    munmap(file, n);
    return status;
}

/* Creates a file beside `target` under an unused name; its mode follows the umask. */
static int create_beside(const char *target, char temporary[PATH_MAX])
{
    static atomic_uint counter;
    int fd = -1;
    for (int attempt = 0; attempt < 100; attempt++) {
        const int n = snprintf(temporary, PATH_MAX, "%s.%ld-%u.tmp", target, (long)getpid(),
                               atomic_fetch_add(&counter, 1));
        if (n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) break;
    }
    return fd;
}

/* Finds the file that `path` means, through symbolic links; if it exists it must be a regular one. */
static enum heddle_status resolve(const char *where, const char *path, char target[PATH_MAX])
{
    struct stat st;
    if (stat(path, &st) == 0) {
        HEDDLE_REQUIRE(S_ISREG(st.st_mode), HEDDLE_EIO, "%s: not a regular file", where);
        HEDDLE_REQUIRE(realpath(path, target), HEDDLE_EIO, "%s: %m", where);
        return HEDDLE_OK;
    }
    errno = strlen(path) < PATH_MAX ? errno : ENAMETOOLONG;
    HEDDLE_REQUIRE(errno == ENOENT, HEDDLE_EIO, "%s: %m", where);
    snprintf(target, PATH_MAX, "%s", path);
    return HEDDLE_OK;
}

enum heddle_status heddle_save(heddle_array *a, const char *path)
{
    char where[HEDDLE_WHERE_MAX], target[PATH_MAX], temporary[PATH_MAX];
    enum heddle_status status;
    HEDDLE_REQUIRE(a && path, HEDDLE_EARG, "heddle_save: %s is NULL", a ? "path" : "a");
    HEDDLE_REQUIRE_ALIVE("save", a);
    heddle__where(where, "heddle_save", path);

    /* Compute before any file exists. */
    status = heddle_wait(a);
    HEDDLE_REQUIRE(status == HEDDLE_OK, status, "%s: %s", where, heddle_error(a));
    status = resolve(where, path, target);
    if (status != HEDDLE_OK) return status;

    const int fd = create_beside(target, temporary);
    HEDDLE_REQUIRE(fd >= 0, HEDDLE_EIO, "%s: %m", where);
    unsigned char header[HEDDLE_NPY_HEADER_MAX];
    const size_t header_bytes =
        heddle__npy_format_header(heddle_dtype_of(a), heddle_ndim(a), heddle_shape(a), header);
    status = heddle_nbytes(a) > BUFFER_BYTES ? write_mapped(where, fd, header, header_bytes, a)
                                             : write_buffered(where, fd, header, header_bytes, a);
    if (close(fd) != 0 && status == HEDDLE_OK) status = heddle__fail(HEDDLE_EIO, "%s: %m", where);
    if (status == HEDDLE_OK && rename(temporary, target) != 0)
        status = heddle__fail(HEDDLE_EIO, "%s: %m", where);
    if (status != HEDDLE_OK) unlink(temporary);
    return status;
}
