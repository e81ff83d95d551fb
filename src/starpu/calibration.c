/* StarPU's calibration of links. StarPU keeps it as several files in a folder, parses them with assertions,
 * writes them in place, and aborts if it cannot. So it only ever sees a private folder that exists while it
 * starts; what it writes there is packed into one file of the cache, with a checksum, whole or not at all.
 * Entry points: calibration.h. */
#include "starpu/calibration.h"

#include "base/hash.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "run/settings.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FOLDER_ROOM = 192,       /* StarPU cuts its paths off at 256 bytes */
    PATH_ROOM = 4096,        /* of the cache */
    SPACE_BYTES = 256 << 10, /* that a folder must have: more than StarPU's files for 32 memories */
};
static const char kind[] = "links";

static char folder[FOLDER_ROOM]; /* "": there is none */
static char *known;              /* what was in the cache, or NULL */
static size_t n_known;
static char cached_path[PATH_ROOM]; /* "": there is no cache */

/* ---- A folder that can be written to ---------------------------------------------------------------- */

static bool has_space(const char *path)
{
    static const char zeros[4096];
    char name[FOLDER_ROOM + 16];
    if (!heddle__file_size_allowed(SPACE_BYTES)) return false;
    snprintf(name, sizeof name, "%s/space", path);
    const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool ok = true;
    for (int i = 0; i < SPACE_BYTES && ok; i += (int)sizeof zeros)
        ok = write(file, zeros, sizeof zeros) == (ssize_t)sizeof zeros;
    ok = close(file) == 0 && ok; /* some file systems tell only now */
    return unlink(name) == 0 && ok;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

/* StarPU's files by name, which takes no file descriptor; whatever else there may be by a walk. */
static void remove_folder(void)
{
    static const char *const names[] = {"affinity", "latency",      "bandwidth",
                                        "config",   "platform.xml", "platform.v4.xml"};
    char path[FOLDER_ROOM + 64];
    if (!folder[0]) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/bus/" HEDDLE_CALIBRATION_HOST ".%s", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/bus", folder);
    rmdir(path);
    if (rmdir(folder) != 0) nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    folder[0] = 0;
}

static bool make_folder_in(const char *parent)
{
    char bus[FOLDER_ROOM + 16];
    if (!parent || parent[0] != '/' || strlen(parent) > FOLDER_ROOM - 32) return false;
    snprintf(folder, sizeof folder, "%s/heddle-XXXXXX", parent);
    if (!mkdtemp(folder)) {
        folder[0] = 0;
        return false;
    }
    snprintf(bus, sizeof bus, "%s/bus", folder);
    if (has_space(folder) && mkdir(bus, 0700) == 0) return true;
    remove_folder();
    return false;
}

static bool make_folder(void)
{
    const char *const parents[] = {getenv("TMPDIR"),          "/tmp",     "/dev/shm",
                                   getenv("XDG_RUNTIME_DIR"), "/var/tmp", heddle__cache_dir()};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        if (make_folder_in(parents[i])) return true;
    return false;
}

/* ---- Packing ------------------------------------------------------------------------------------------ */

/* A file follows another: its name and size on a line, and its bytes. */
static bool unpack(const char *data, size_t size)
{
    char path[FOLDER_ROOM + 80], name[65];
    size_t n;
    int length;
    for (; size > 0; data += n, size -= n) {
        if (sscanf(data, "%64[a-z0-9.] %zu%n", name, &n, &length) != 2 || data[length] != '\n')
            return false;
        data += length + 1;
        size -= (size_t)length + 1;
        if (n > size) return false;
        snprintf(path, sizeof path, "%s/bus/%s", folder, name);
        FILE *file = fopen(path, "wxe");
        if (!file) return false;
        const bool written = fwrite(data, 1, n, file) == n;
        if (fclose(file) != 0 || !written) return false;
    }
    return true;
}

static void pack_file(struct heddle_text *pack, const char *name)
{
    char path[FOLDER_ROOM + 272];
    struct stat info;
    snprintf(path, sizeof path, "%s/bus/%.255s", folder, name);
    FILE *file = fopen(path, "re");
    char *data = NULL;
    if (file && fstat(fileno(file), &info) == 0 && info.st_size > 0)
        data = heddle__alloc((size_t)info.st_size + 1);
    if (data && fread(data, 1, (size_t)info.st_size, file) == (size_t)info.st_size &&
        data[info.st_size - 1] == '\n' && !memchr(data, 0, (size_t)info.st_size)) {
        data[info.st_size] = 0;
        heddle__text_put(pack, "%s %lld\n", name, (long long)info.st_size);
        heddle__text_put_all(pack, data);
    } else {
        pack->failed = true; /* the disk is full, or the like */
    }
    heddle__free(data);
    if (file) fclose(file);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Keeps what StarPU has in its folder, unless it is what was known. */
static void keep_files(void)
{
    struct heddle_text pack = {0};
    struct dirent **entries;
    char path[FOLDER_ROOM + 16];
    snprintf(path, sizeof path, "%s/bus", folder);
    const int n = scandir(path, &entries, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        pack_file(&pack, entries[i]->d_name);
        free(entries[i]); /* scandir's */
    }
    if (n >= 0) free(entries);
    char *text = n > 0 ? heddle__text_take(&pack) : NULL;
    if (text && !(known && strlen(text) == n_known && memcmp(text, known, n_known) == 0))
        heddle__whole_file_write(cached_path, kind, text, strlen(text));
    heddle__free(text);
}

/* ---- Open and close ---------------------------------------------------------------------------------- */

/* What was measured holds for a kind of machine, not for a container's passing name. */
static void find_cached(int n_gpus)
{
    const char *cache = heddle__cache_dir();
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *order = getenv("CUDA_DEVICE_ORDER");
    const struct heddle_machine *m = heddle__machine();
    uint64_t key = heddle__hash_bytes(1, m->cpu_model, strlen(m->cpu_model));
    key = heddle__hash_word(key, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    key = heddle__hash_word(key, (uint64_t)n_gpus << 32 | STARPU_MAXNODES);
    key = heddle__hash_word(key, STARPU_MAJOR_VERSION * 1000000ULL + STARPU_MINOR_VERSION * 1000 +
                                     STARPU_RELEASE_VERSION);
    if (visible) key = heddle__hash_bytes(key, visible, strlen(visible));
    if (order) key = heddle__hash_bytes(key, order, strlen(order));
    if (!cache || snprintf(cached_path, sizeof cached_path, "%s/links-%016" PRIx64, cache, key) >=
                      (int)sizeof cached_path)
        cached_path[0] = 0;
}

enum heddle_status heddle__calibration_open(int n_gpus, const char **out, bool *is_known)
{
    HEDDLE_REQUIRE(
        make_folder(), HEDDLE_EIO,
        "heddle_start: StarPU needs a folder to write to, but none of $TMPDIR, /tmp, "
        "/dev/shm, /var/tmp and the cache folder takes %d KB: a full disk, or a limit of "
        "file sizes (ulimit -f) or of open files (ulimit -n)",
        SPACE_BYTES >> 10);
    find_cached(n_gpus);
    known = cached_path[0] ? heddle__whole_file_read(cached_path, kind, &n_known) : NULL;
    if (known && !unpack(known, n_known)) { /* it is measured anew, in an empty folder */
        remove_folder();
        heddle__free(known);
        known = NULL;
        if (!make_folder())
            return heddle__fail(HEDDLE_EIO, "heddle_start: no folder can be written to");
    }
    *out = folder;
    *is_known = known != NULL;
    return HEDDLE_OK;
}

void heddle__calibration_close(bool keep)
{
    if (keep && folder[0] && cached_path[0]) keep_files();
    remove_folder();
    heddle__free(known);
    known = NULL;
}
