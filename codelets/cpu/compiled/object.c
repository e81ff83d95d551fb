/* Shared objects of C sources: found on disk, or compiled and put there. What is loaded stays. Entry points: object.h. */
#include "cpu/compiled/object.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/whole_file.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, MOST_FILES = 2048 /* of the folder: some 30 MB */ };

static const char file_kind[] = "HeddleC1";

const char *(*heddle__object_folder)(void);

/* ---- Loading --------------------------------------------------------------------------------------------- */

/* A path of a file descriptor that no call had before: dlopen takes what it has loaded by the same name. The bits of a
 * counter are slashes that count as one, and folders that are the same. */
static void name_file(char path[128], int file)
{
    static atomic_uint counter;
    int n = snprintf(path, 128, "/proc/self");
    for (unsigned bits = atomic_fetch_add(&counter, 1) + 1, k = 0; k < 24; k++, bits >>= 1)
        n += snprintf(path + n, (size_t)(128 - n), bits & 1 ? "/." : "/");
    snprintf(path + n, (size_t)(128 - n), "/fd/%d", file);
}

/* Loads a shared object from its bytes; its memory has no name in any folder. */
static void *load(const char *bytes, size_t size)
{
    char path[128];
    const int file = memfd_create("heddle-kernel", MFD_CLOEXEC);
    if (file < 0) return NULL;
    name_file(path, file);
    void *const library =
        heddle__write_all(file, bytes, size) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    close(file);
    return library;
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* What -march=native depends on: the first processor's lines. 0: they cannot be read. */
static uint64_t processor(void)
{
    char text[8192];
    const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    if (n <= 0) return 0;
    text[n] = 0;
    const char *const flags = strstr(text, "\nflags"), *const model = strstr(text, "model name");
    if (!flags || !model) return 0;
    const uint64_t hash = heddle__hash_bytes(0, flags, strcspn(flags + 1, "\n"));
    return heddle__hash_bytes(hash, model, strcspn(model, "\n")) | 1;
}

struct heddle__object_key heddle__object_key(const struct heddle__object_source *source)
{
    const char *const asked = heddle__environment_get(source->environment, "HEDDLE_CC");
    const size_t n = strlen(source->text);
    struct heddle__object_key key = {{0, heddle__hash_bytes(1, source->text, n)}};
    const uint64_t machine = processor();
    if (machine == 0) return key; /* none: it is not kept */
    for (const char *const *option = source->options; *option; option++)
        key.hash[1] = heddle__hash_bytes(key.hash[1], *option, strlen(*option));
    if (asked) key.hash[1] = heddle__hash_bytes(key.hash[1], asked, strlen(asked));
    key.hash[0] = heddle__hash_bytes(machine, source->text, n) | 1;
    return key;
}

static bool folder_of(char path[PATH_ROOM])
{
    const char *const folder = heddle__object_folder ? heddle__object_folder() : NULL;
    const int n = folder ? snprintf(path, PATH_ROOM, "%s/kernels", folder) : -1;
    return n > 0 && n < PATH_ROOM;
}

static bool path_of(char path[PATH_ROOM], struct heddle__object_key key)
{
    if (key.hash[0] == 0 || !folder_of(path)) return false;
    const size_t n = strlen(path);
    const int m = snprintf(path + n, PATH_ROOM - n, "/%016llx%016llx.so",
                           (unsigned long long)key.hash[0], (unsigned long long)key.hash[1]);
    return m > 0 && (size_t)m < PATH_ROOM - n;
}

/* Of a folder that has become too large: about half of the files, by their names, which are hashes. */
static void trim(const char *folder)
{
    DIR *const dir = opendir(folder);
    if (!dir) return;
    int n = 0;
    for (const struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.';
    rewinddir(dir);
    for (const struct dirent *e; n > MOST_FILES && (e = readdir(dir));)
        if (e->d_name[0] >= '0' && e->d_name[0] <= '7') unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
}

void *heddle__object_read(struct heddle__object_key key)
{
    char path[PATH_ROOM];
    size_t size = 0;
    char *const bytes = path_of(path, key) ? heddle__whole_file_read(path, file_kind, &size) : NULL;
    void *const library = bytes ? load(bytes, size) : NULL;
    heddle__free(bytes);
    return library;
}

void *heddle__object_make(const struct heddle__object_source *source, struct heddle__object_key key,
                          const atomic_bool *stop)
{
    char path[PATH_ROOM];
    size_t size = 0;
    char *const bytes =
        heddle__run_compilers(source->environment, source->text, source->options, stop, &size);
    void *const library = bytes ? load(bytes, size) : NULL;
    if (library && folder_of(path)) {
        mkdir(path, 0777);
        trim(path);
        if (path_of(path, key)) heddle__whole_file_write(path, file_kind, bytes, size);
    }
    heddle__free(bytes);
    return library;
}
