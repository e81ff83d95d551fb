/* Limits of memory that somebody has set to the process. Reads /proc and /sys. Entry points: limits.h. */
#include "base/limits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };
#define RESERVE_BYTES ((int64_t)48 << 20) /* for tasks, handles, stacks and the like */

static bool read_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    const size_t n = fread(text, 1, room - 1, file);
    fclose(file);
    text[n] = 0;
    return n > 0;
}

/* ---- Control groups ----------------------------------------------------------------------------------- */

/* The number in a file of a group; INT64_MAX when there is none, or "max". */
static int64_t limit_in(const char *mount, const char *group, const char *name)
{
    char path[PATH_ROOM], text[64], *end;
    if (snprintf(path, sizeof path, "%s%s/%s", mount, group, name) >= (int)sizeof path ||
        !read_text(path, text, sizeof text))
        return INT64_MAX;
    const long long bytes = strtoll(text, &end, 10);
    return end != text && bytes > 0 ? bytes : INT64_MAX;
}

/* The smallest limit from a group up to the root. In a container the path may be the host's, which is not
 * there: then only groups that are count. */
static int64_t limit_along(const char *mount, char *group, const char *const names[])
{
    int64_t least = INT64_MAX;
    if (!strcmp(group, "/")) group[0] = 0;
    for (;;) {
        for (int i = 0; names[i]; i++) {
            const int64_t limit = limit_in(mount, group, names[i]);
            if (limit < least) least = limit;
        }
        char *slash = strrchr(group, '/');
        if (!slash) return least;
        *slash = 0;
    }
}

/* Whether a list such as "cpu,memory" has a word. */
static bool has_word(const char *list, size_t n, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at < list + n;) {
        const char *end = memchr(at, ',', n - (size_t)(at - list));
        if (!end) end = list + n;
        if ((size_t)(end - at) == length && !memcmp(at, word, length)) return true;
        at = end + 1;
    }
    return false;
}

/* Texts that would be much of a small stack. */
struct room {
    char path[PATH_ROOM], mount[PATH_ROOM], again[PATH_ROOM], text[2 * PATH_ROOM];
};

/* A line of /proc/self/cgroup: number, controllers, path. */
static int64_t limit_of_line(struct room *room, const char *root, char *line)
{
    static const char *const unified[] = {"memory.max", "memory.high", NULL};
    static const char *const legacy[] = {"memory.limit_in_bytes", NULL};
    char *const mount = room->mount, *const again = room->again;
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return INT64_MAX;
    controllers++;
    const size_t n = (size_t)(group - controllers);
    group++;
    if (strstr(group, "/..")) group[0] = 0; /* it is outside of what can be seen */
    if (n > 0) {
        snprintf(mount, PATH_ROOM, "%s/sys/fs/cgroup/memory", root);
        return has_word(controllers, n, "memory") ? limit_along(mount, group, legacy) : INT64_MAX;
    }
    snprintf(again, PATH_ROOM, "%s", group);
    snprintf(mount, PATH_ROOM, "%s/sys/fs/cgroup", root);
    const int64_t limit = limit_along(mount, group, unified);
    snprintf(mount, PATH_ROOM, "%s/sys/fs/cgroup/unified", root); /* both versions at once */
    const int64_t hybrid = limit_along(mount, again, unified);
    return limit < hybrid ? limit : hybrid;
}

int64_t heddle__cgroup_memory(const char *root)
{
    char *rest = NULL;
    int64_t least = INT64_MAX;
    struct room *room = malloc(sizeof *room); /* without it no limit is found */
    if (!room) return least;
    snprintf(room->path, sizeof room->path, "%s/proc/self/cgroup", root);
    if (!read_text(room->path, room->text, sizeof room->text)) room->text[0] = 0;
    for (char *line = strtok_r(room->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const int64_t limit = limit_of_line(room, root, line);
        if (limit < least) least = limit;
    }
    free(room);
    return least;
}

/* ---- Address space ------------------------------------------------------------------------------------ */

/* Overcommitment is strict: the kernel refuses what it cannot back. */
static bool is_strict;

static void look(void)
{
    char text[16];
    is_strict = read_text("/proc/sys/vm/overcommit_memory", text, sizeof text) && text[0] == '2';
}

/* Whether anything can make mmap fail. */
static bool is_limited(struct rlimit *space, struct rlimit *data)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    if (getrlimit(RLIMIT_AS, space) != 0) space->rlim_cur = RLIM_INFINITY;
    if (getrlimit(RLIMIT_DATA, data) != 0) data->rlim_cur = RLIM_INFINITY;
    return is_strict || space->rlim_cur != RLIM_INFINITY || data->rlim_cur != RLIM_INFINITY;
}

/* A line of /proc/meminfo, in bytes; 0: there is none. */
static int64_t meminfo(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoll(at + strlen(name), NULL, 10) * 1024 : 0;
}

static int64_t commitment_left(void)
{
    char text[8192];
    if (!is_strict || !read_text("/proc/meminfo", text, sizeof text)) return INT64_MAX;
    return meminfo(text, "CommitLimit:") - meminfo(text, "Committed_AS:");
}

int64_t heddle__memory_left(void)
{
    struct rlimit space, data;
    char text[256];
    long long pages[6] = {0}; /* all, resident, shared, text, 0, data and stack */
    if (!is_limited(&space, &data)) return INT64_MAX;
    int64_t left = commitment_left();
    const int64_t page = sysconf(_SC_PAGESIZE);
    if (read_text("/proc/self/statm", text, sizeof text) &&
        sscanf(text, "%lld %lld %lld %lld %lld %lld", &pages[0], &pages[1], &pages[2], &pages[3],
               &pages[4], &pages[5]) == 6) {
        if (space.rlim_cur < (rlim_t)INT64_MAX && (int64_t)space.rlim_cur - pages[0] * page < left)
            left = (int64_t)space.rlim_cur - pages[0] * page;
        if (data.rlim_cur < (rlim_t)INT64_MAX && (int64_t)data.rlim_cur - pages[5] * page < left)
            left = (int64_t)data.rlim_cur - pages[5] * page;
    }
    if (left == INT64_MAX) return left;
    return left > RESERVE_BYTES ? left - RESERVE_BYTES : 0;
}

bool heddle__memory_has_room(size_t size_bytes)
{
    struct rlimit space, data;
    if (!is_limited(&space, &data)) return true;
    const size_t size = size_bytes + (size_t)RESERVE_BYTES;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (at == MAP_FAILED) return false;
    munmap(at, size);
    return true;
}
