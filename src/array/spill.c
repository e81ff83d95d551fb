/* Memory in files. Each buffer is a file of its own, without a name, whose space is allocated first: on a full
 * disk a store to a mapping would kill the process. Entry points: spill.h. */
#include "array/spill.h"

#include "array/file_pages.h"
#include "base/at_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
HEDDLE_AT_FORK(.mutex = &mutex)
static char folder[PATH_ROOM]; /* "": not known yet */
static bool folder_asked;
static atomic_llong bytes;

void heddle__set_spill_folder(const char *path, bool asked)
{
    pthread_mutex_lock(&mutex);
    snprintf(folder, sizeof folder, "%s", path);
    folder_asked = asked;
    pthread_mutex_unlock(&mutex);
}

static bool copy_folder(char path[PATH_ROOM])
{
    pthread_mutex_lock(&mutex);
    memcpy(path, folder, PATH_ROOM);
    const bool asked = folder_asked;
    pthread_mutex_unlock(&mutex);
    return asked;
}

int64_t heddle__spill_room(char *path, size_t path_bytes)
{
    char at[PATH_ROOM];
    struct statfs fs;
    const bool asked = copy_folder(at);
    snprintf(path, path_bytes, "%s", at);
    if (!at[0] || statfs(at, &fs) != 0 || access(at, W_OK) != 0) return 0;
    if (!asked && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC)) return 0;
    return (int64_t)fs.f_bavail * (int64_t)fs.f_bsize;
}

int64_t heddle__spill_bytes(void)
{
    return atomic_load_explicit(&bytes, memory_order_relaxed);
}

static int open_nameless(const char *path)
{
    const int fd = open(path, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    char name[PATH_ROOM + 32];
    snprintf(name, sizeof name, "%s/heddle-XXXXXX", path);
    const int named = mkostemp(name, O_CLOEXEC);
    if (named >= 0) unlink(name);
    return named;
}

/* NULL: there is no room. */
static void *map_new(int fd, size_t n)
{
    int rc;
    do rc = posix_fallocate(fd, 0, (off_t)n);
    while (rc == EINTR);
    void *at = rc == 0 ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    return at == MAP_FAILED ? NULL : at;
}

void *heddle__spill_get(size_t size_bytes)
{
    char path[PATH_ROOM];
    copy_folder(path);
    const int fd = path[0] ? open_nameless(path) : -1;
    if (fd < 0) return NULL;
    void *at = map_new(fd, size_bytes);
    close(fd);
    struct heddle_mapping *m = at ? heddle__mapping_new(at, size_bytes) : NULL;
    if (!m) return NULL;
    m->is_spill = true;
    atomic_fetch_add(&bytes, (long long)size_bytes);
    return at;
}

bool heddle__spill_put(void *at)
{
    if (heddle__spill_bytes() == 0) return false;
    struct heddle_mapping *m = heddle__mapping_at(at);
    if (!m || !m->is_spill) return false;
    atomic_fetch_sub(&bytes, (long long)m->n);
    heddle__mapping_release(m);
    return true;
}
