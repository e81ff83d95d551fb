/* The folder for caches. Entry points: settings.h, heddle__cache_dir. */
#include "base/at_fork.h"
#include "cpu/compiled/object.h"
#include "run/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

bool heddle__make_folder(const char *path)
{
    char part[PATH_ROOM];
    const size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) return false;
    memcpy(part, path, n + 1);
    for (char *at = part + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            return false;
        *at = '/';
    }
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
    return access(path, W_OK | X_OK) == 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
HEDDLE_AT_FORK(.mutex = &mutex)
static char cache_dir[PATH_ROOM];
static enum { UNKNOWN, USABLE, UNUSABLE } cache_state;

const char *heddle__cache_dir(void)
{
    const struct heddle_settings *settings = heddle__settings();
    if (!settings) return NULL;
    pthread_mutex_lock(&mutex);
    if (cache_state == UNKNOWN) {
        snprintf(cache_dir, sizeof cache_dir, "%s", settings->cache_dir);
        heddle__make_folder(cache_dir);
        /* one that is read-only may have been filled by somebody else */
        cache_state = access(cache_dir, R_OK | X_OK) == 0 ? USABLE : UNUSABLE;
    }
    const bool usable = cache_state == USABLE;
    pthread_mutex_unlock(&mutex);
    return usable ? cache_dir : NULL;
}

void heddle__cache_dir_forget(void)
{
    pthread_mutex_lock(&mutex);
    cache_state = UNKNOWN;
    pthread_mutex_unlock(&mutex);
}

/* The port of what a C compiler makes. */
__attribute__((constructor)) static void fill_port(void)
{
    heddle__object_folder = heddle__cache_dir;
}
