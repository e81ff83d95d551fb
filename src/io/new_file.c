/* Files that appear complete or not at all. The file has no name until it is on the disk (O_TMPFILE), so that
 * nothing is left behind by whatever ends the process; where the file system cannot do that, it has a short
 * name of its own beside the target meanwhile. Knows no format. Entry points: new_file.h. */
#include "io/new_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAP_FROM = 1 << 20, /* bytes: less is written at once */
    MOST_LINKS = 40,    /* as the kernel follows */
    ATTEMPTS = 100,     /* to find an unused name */
};

static enum heddle_status io_error(const struct heddle_new_file *f)
{
    return heddle__fail(HEDDLE_EIO, "%s: %m", f->where);
}

/* ---- Where it goes -------------------------------------------------------------------------------- */

/* Opens the folder of `path`, seen from `base`, and copies the last part of it to f->name. */
static enum heddle_status open_folder(struct heddle_new_file *f, int base, const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t n = slash ? (size_t)(slash - path) : 0;
    errno = !*path ? ENOENT : !*name ? EISDIR : ENAMETOOLONG;
    if (!*name || strlen(name) > NAME_MAX || n >= PATH_MAX) return io_error(f);
    memcpy(folder, path, n);
    folder[n] = 0;
    if (!slash)
        snprintf(folder, sizeof folder, ".");
    else if (n == 0)
        snprintf(folder, sizeof folder, "/");
    memcpy(f->name, name, strlen(name) + 1);
    f->folder = openat(base, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->folder < 0 && errno == EACCES) /* it cannot be listed, nor made durable */
        f->folder = openat(base, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return f->folder < 0 ? io_error(f) : HEDDLE_OK;
}

/* What the name is now: *link has where a symbolic link leads, else it is empty. */
static enum heddle_status look(struct heddle_new_file *f, char link[PATH_MAX])
{
    struct stat st;
    link[0] = 0;
    if (fstatat(f->folder, f->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? HEDDLE_OK : io_error(f);
    if (S_ISLNK(st.st_mode)) {
        const ssize_t n = readlinkat(f->folder, f->name, link, PATH_MAX - 1);
        if (n < 0) return io_error(f);
        link[n] = 0;
        return HEDDLE_OK;
    }
    HEDDLE_REQUIRE(S_ISREG(st.st_mode), HEDDLE_EIO, "%s: not a regular file", f->where);
    f->replaces = true;
    f->mode = st.st_mode & 07777;
    f->owner = st.st_uid;
    f->group = st.st_gid;
    return HEDDLE_OK;
}

static enum heddle_status resolve(struct heddle_new_file *f, const char *path)
{
    char link[PATH_MAX];
    struct stat st;
    if (stat(path, &st) == 0) /* also what is no link to a name, as in /proc */
        HEDDLE_REQUIRE(S_ISREG(st.st_mode), HEDDLE_EIO, "%s: not a regular file", f->where);
    enum heddle_status status = open_folder(f, AT_FDCWD, path);
    for (int i = 0; status == HEDDLE_OK; i++) {
        status = look(f, link);
        if (status != HEDDLE_OK || !link[0]) break;
        errno = ELOOP;
        if (i == MOST_LINKS) return io_error(f);
        const int base = f->folder; /* a relative link counts from where it is */
        f->folder = -1;
        status = open_folder(f, base, link);
        close(base);
    }
    return status;
}

/* ---- The file --------------------------------------------------------------------------------------- */

static void next_temporary(struct heddle_new_file *f)
{
    static atomic_uint counter;
    snprintf(f->temporary, sizeof f->temporary, ".heddle-%ld-%u.tmp", (long)getpid(),
             atomic_fetch_add(&counter, 1));
}

static int create(struct heddle_new_file *f)
{
    int fd = openat(f->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd >= 0 || errno == EACCES || errno == ENOSPC || errno == EROFS) return fd;
    for (int i = 0; i < ATTEMPTS; i++) {
        next_temporary(f);
        fd = openat(f->folder, f->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) return fd;
        f->temporary[0] = 0;
        if (errno != EEXIST) break;
    }
    return fd;
}

enum heddle_status heddle__new_file_open(const char *where, const char *path,
                                         struct heddle_new_file *f)
{
    *f = (struct heddle_new_file){.where = where, .folder = -1, .fd = -1};
    enum heddle_status status = resolve(f, path);
    if (status == HEDDLE_OK && (f->fd = create(f)) < 0) status = io_error(f);
    if (status == HEDDLE_OK && f->replaces) {
        const int kept = fchown(f->fd, f->owner, f->group);
        if (kept != 0) f->mode &= 01777; /* another owner's file must not get rights of this one */
        if (fchmod(f->fd, f->mode) != 0) status = io_error(f);
    }
    if (status != HEDDLE_OK) heddle__new_file_abandon(f);
    return status;
}

/* ---- Contents ------------------------------------------------------------------------------------------ */

/* Allocates the space first: on a full disk a store to a mapping would kill the process. NULL, and *status is
 * HEDDLE_OK: it cannot be mapped. */
static struct heddle_mapping *map(struct heddle_new_file *f, size_t n, enum heddle_status *status)
{
    int rc;
    do rc = posix_fallocate(f->fd, 0, (off_t)n);
    while (rc == EINTR);
    if (rc == EINVAL || rc == EOPNOTSUPP || rc == ENODEV) return NULL;
    errno = rc;
    if (rc != 0) {
        *status = io_error(f);
        return NULL;
    }
    void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
    return at == MAP_FAILED ? NULL : heddle__mapping_new(at, n);
}

enum heddle_status heddle__new_file_bytes(struct heddle_new_file *f, size_t n)
{
    enum heddle_status status = HEDDLE_OK;
    f->n = n;
    f->mapping = n > MAP_FROM ? map(f, n, &status) : NULL;
    f->bytes = f->mapping ? f->mapping->base : NULL;
    if (!f->bytes && status == HEDDLE_OK) f->bytes = heddle__alloc_aligned(n);
    if (!f->bytes && status == HEDDLE_OK)
        status = heddle__fail(HEDDLE_ENOMEM, "%s: no memory for %zu bytes", f->where, n);
    return status;
}

static void free_bytes(struct heddle_new_file *f)
{
    if (f->mapping)
        heddle__mapping_release(f->mapping);
    else
        heddle__free(f->bytes);
    f->bytes = NULL;
    f->mapping = NULL;
}

static enum heddle_status write_all(const struct heddle_new_file *f)
{
    return heddle__write_all(f->fd, f->bytes, f->n) ? HEDDLE_OK : io_error(f);
}

/* ---- The end --------------------------------------------------------------------------------------------- */

/* Gives a file without a name one; false, and errno. */
static bool link_as(const struct heddle_new_file *f, const char *name)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    return linkat(AT_FDCWD, path, f->folder, name, AT_SYMLINK_FOLLOW) == 0 ||
           (errno == ENOENT && linkat(f->fd, "", f->folder, name, AT_EMPTY_PATH) == 0);
}

/* The name itself or, as that may be taken and linking replaces nothing, one to be renamed at once. */
static enum heddle_status name_it(struct heddle_new_file *f)
{
    if (!f->temporary[0]) {
        if (!f->replaces && link_as(f, f->name)) return HEDDLE_OK;
        bool linked = false;
        for (int i = 0; i < ATTEMPTS && !linked; i++) {
            next_temporary(f);
            linked = link_as(f, f->temporary);
            if (!linked && errno != EEXIST) break;
        }
        if (!linked) f->temporary[0] = 0;
        if (!linked) return io_error(f);
    }
    if (renameat(f->folder, f->temporary, f->folder, f->name) != 0) return io_error(f);
    f->temporary[0] = 0;
    return HEDDLE_OK;
}

/* A signal that ends the process waits until there is no temporary name, unless another thread of the program
 * gets it: the library's own take none. */
static enum heddle_status give_name(struct heddle_new_file *f)
{
    sigset_t before;
    const bool held = heddle__signals_hold(&before);
    const enum heddle_status status = name_it(f);
    if (status != HEDDLE_OK && f->temporary[0]) {
        unlinkat(f->folder, f->temporary, 0);
        f->temporary[0] = 0;
    }
    heddle__signals_release(held, &before);
    return status;
}

enum heddle_status heddle__new_file_commit(struct heddle_new_file *f)
{
    enum heddle_status status = HEDDLE_OK;
    if (f->bytes && !f->mapping) status = write_all(f);
    if (status == HEDDLE_OK && fsync(f->fd) != 0) status = io_error(f);
    if (status == HEDDLE_OK) status = give_name(f);
    if (status == HEDDLE_OK && fsync(f->folder) != 0 && errno != EBADF && errno != EINVAL &&
        errno != EROFS)
        status = io_error(f);
    heddle__new_file_abandon(f);
    return status;
}

void heddle__new_file_abandon(struct heddle_new_file *f)
{
    if (f->bytes) free_bytes(f);
    if (f->temporary[0]) unlinkat(f->folder, f->temporary, 0);
    if (f->fd >= 0) close(f->fd);
    if (f->folder >= 0) close(f->folder);
    f->temporary[0] = 0;
    f->fd = f->folder = -1;
}
