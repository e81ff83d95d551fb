/* The disk cache of compiled kernels: a file for each, named by its key, that begins with the key, the
 * size and a checksum. Trouble of any kind means "not cached". Entry points: compile.h. */
#include "cuda/compile.h"

#include <base/memory.h>
#include <base/whole_file.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 4096 };

struct header {
    char magic[8];
    uint64_t hash[2], size, checksum;
};
static const char magic[8] = {'H', 'e', 'd', 'd', 'l', 'e', 'K', '1'};

static uint64_t checksum_of(const char *data, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)data[i]) * 0x100000001b3u;
    return sum;
}

static int path_of(char path[PATH_MAX_BYTES], const char *folder, struct heddle_compile_key key,
                   const char *suffix)
{
    const int n =
        snprintf(path, PATH_MAX_BYTES, "%s/%016llx%016llx%s", folder,
                 (unsigned long long)key.hash[0], (unsigned long long)key.hash[1], suffix);
    return n > 0 && n < PATH_MAX_BYTES;
}

/* Whole reads and writes; false at an error or an early end. */
static int read_all(int file, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        const ssize_t n = read(file, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n;
        size -= (size_t)n;
    }
    return 1;
}

static int write_all(int file, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        const ssize_t n = write(file, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n;
        size -= (size_t)n;
    }
    return 1;
}

static void make_folders(const char *folder)
{
    char path[PATH_MAX_BYTES];
    const size_t length = strlen(folder);
    if (length >= sizeof path) return;
    memcpy(path, folder, length + 1);
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        mkdir(path, 0777);
        *at = '/';
    }
    mkdir(path, 0777);
}

char *heddle__disk_read(const char *folder, struct heddle_compile_key key, size_t *size)
{
    char path[PATH_MAX_BYTES], *data = NULL;
    struct header header;
    struct stat info;
    if (!path_of(path, folder, key, ".cubin")) return NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    if (fstat(file, &info) == 0 && read_all(file, &header, sizeof header) &&
        memcmp(header.magic, magic, sizeof magic) == 0 &&
        memcmp(header.hash, key.hash, sizeof header.hash) == 0 && header.size > 0 &&
        (uint64_t)info.st_size == sizeof header + header.size)
        data = heddle__alloc(header.size);
    if (data &&
        (!read_all(file, data, header.size) || checksum_of(data, header.size) != header.checksum)) {
        heddle__free(data);
        data = NULL;
    }
    close(file);
    if (data) *size = header.size;
    return data;
}

void heddle__disk_write(const char *folder, struct heddle_compile_key key, const char *data,
                        size_t size)
{
    static atomic_uint counter;
    char path[PATH_MAX_BYTES], temporary[PATH_MAX_BYTES], suffix[64];
    struct header header = {.size = size, .checksum = checksum_of(data, size)};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.hash, key.hash, sizeof header.hash);
    snprintf(suffix, sizeof suffix, ".%ld.%u.part", (long)getpid(), atomic_fetch_add(&counter, 1));
    if (!path_of(path, folder, key, ".cubin") || !path_of(temporary, folder, key, suffix)) return;
    if (!heddle__file_size_allowed(sizeof header + size)) return;
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == ENOENT) {
        make_folders(folder);
        file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (file < 0) return;
    const int written = write_all(file, &header, sizeof header) && write_all(file, data, size);
    if (close(file) != 0 || !written || rename(temporary, path) != 0) unlink(temporary);
}
