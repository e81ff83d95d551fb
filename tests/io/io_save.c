/* heddle_save and heddle_save_all: what becomes of modes, links, long names and the disk; nothing is left
 * behind by errors and signals; archives. Files are read byte by byte. */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "io_save.XXXXXX"; /* the working directory of all of it */

/* Names in the working directory. */
static int count_all(void)
{
    int n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    if (d) closedir(d);
    return n;
}

static void clear(void)
{
    DIR *d = opendir(".");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (unlink(e->d_name) != 0) rmdir(e->d_name);
    if (d) closedir(d);
}

/* Whether the file is a .npy of `n` int32, first, first + 1, ... */
static int holds(const char *path, int first, int n)
{
    static unsigned char got[BYTES_MAX];
    const size_t size = read_file(path, got, sizeof got);
    char text[40];
    snprintf(text, sizeof text, "'shape': (%d,)", n);
    if (size != 128 + (size_t)n * 4 || memcmp(got, "\x93NUMPY\1\0v\0", 10) != 0) return 0;
    if (!memmem(got, 128, text, strlen(text)) || !memmem(got, 128, "'<i4'", 5)) return 0;
    for (int i = 0; i < n; i++) {
        int32_t x;
        memcpy(&x, got + 128 + (size_t)i * 4, 4);
        if (x != first + i) return 0;
    }
    return 1;
}

static heddle_array *vector(int first, int n)
{
    int32_t data[1000];
    for (int i = 0; i < n; i++) data[i] = first + i;
    return heddle_asarray(data, HEDDLE_INT32, HEDDLE_SHAPE(n));
}

static void save(heddle_array *a, const char *path)
{
    CHECK(heddle_save(a, path) == HEDDLE_OK, "%s", heddle_last_error());
}

/* ---- Names, modes, links ---------------------------------------------------------------------------- */

static mode_t mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void test_modes(heddle_array *a)
{
    const mode_t mask = umask(027);
    save(a, "new.npy");
    CHECK(mode_of("new.npy") == 0640, "mode %o", mode_of("new.npy"));
    static const mode_t modes[] = {0604, 0600, 0666, 0444, 0755};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_file("old.npy", "old", 3);
        CHECK(chmod("old.npy", modes[i]) == 0, "chmod");
        save(a, "old.npy");
        CHECK(mode_of("old.npy") == modes[i], "%o became %o", modes[i], mode_of("old.npy"));
        CHECK(holds("old.npy", 1, 5), "contents");
        unlink("old.npy");
    }
    umask(mask);
    CHECK(count_all() == 1, "%d files", count_all());
    clear();
}

static void test_links(heddle_array *a)
{
    /* dangling: directly, by another link, into a folder, and absolutely */
    CHECK(mkdir("sub", 0777) == 0 && symlink("sub/real.npy", "one") == 0 &&
              symlink("one", "two") == 0 && symlink("../there.npy", "sub/up") == 0 &&
              symlink("sub/up", "three") == 0,
          "symlink");
    save(a, "two");
    CHECK(holds("sub/real.npy", 1, 5) && holds("two", 1, 5), "two");
    save(a, "three");
    CHECK(holds("there.npy", 1, 5), "three");
    struct stat st;
    CHECK(lstat("one", &st) == 0 && S_ISLNK(st.st_mode), "one is a link no more");
    CHECK(lstat("three", &st) == 0 && S_ISLNK(st.st_mode), "three is a link no more");
    char here[4000], target[4096];
    CHECK(getcwd(here, sizeof here) != NULL, "getcwd");
    snprintf(target, sizeof target, "%s/absolute.npy", here);
    CHECK(symlink(target, "four") == 0, "symlink");
    save(a, "four");
    CHECK(holds("absolute.npy", 1, 5), "four");

    CHECK(symlink("loop", "loop") == 0 && symlink("no/where", "lost") == 0, "symlink");
    CHECK(heddle_save(a, "loop") == HEDDLE_EIO && strstr(heddle_last_error(), strerror(ELOOP)),
          "%s", heddle_last_error());
    CHECK(heddle_save(a, "lost") == HEDDLE_EIO && strstr(heddle_last_error(), "'lost'"), "%s",
          heddle_last_error());
    CHECK(heddle_save(a, "sub/") == HEDDLE_EIO && heddle_save(a, "sub") == HEDDLE_EIO, "a folder");
    unlink("sub/real.npy");
    unlink("sub/up");
    clear();
    CHECK(count_all() == 0, "%d files left", count_all());
}

static void test_long_names(heddle_array *a)
{
    char name[258];
    memset(name, 'x', sizeof name);
    memcpy(name + 251, ".npy", 5);
    for (int again = 0; again < 2; again++) {
        save(a, name);
        CHECK(holds(name, 1, 5), "255 bytes");
    }
    CHECK(count_all() == 1, "%d files", count_all());
    memcpy(name + 252, ".npy", 5);
    CHECK(heddle_save(a, name) == HEDDLE_EIO && strstr(heddle_last_error(), strerror(ENAMETOOLONG)),
          "%s", heddle_last_error());
    clear();
}

/* ---- The disk ------------------------------------------------------------------------------------------ */

#if HEDDLE_TEST_ALONE
/* The linker leads the library's calls here (--wrap). */
static char calls[64]; /* f: fsync of a file, d: of a folder; n: a file gets its name */
static const char *final_name;

static void note(char what)
{
    const size_t n = strlen(calls);
    if (n + 1 < sizeof calls) calls[n] = what;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    struct stat st;
    note(fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? 'd' : 'f');
    return __real_fsync(fd);
}

int __real_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name)
{
    if (final_name && !strcmp(name, final_name)) note('n');
    return __real_renameat(from, old, to, name);
}

int __real_linkat(int from, const char *old, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *name, int flags)
{
    if (final_name && !strcmp(name, final_name)) note('n');
    return __real_linkat(from, old, to, name, flags);
}

static int openat_fails_with; /* for files without a name */
int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...)
{
    if (openat_fails_with && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = openat_fails_with;
        return -1;
    }
    return __real_openat(at, path, flags, 0666);
}

static void test_durability(heddle_array *a)
{
    final_name = "durable.npy";
    for (int round = 0; round < 4;
         round++) { /* new and replaced; without and with a name meanwhile */
        openat_fails_with = round < 2 ? 0 : EOPNOTSUPP;
        if (round == 2) unlink("durable.npy");
        memset(calls, 0, sizeof calls);
        save(a, "durable.npy");
        CHECK(!strcmp(calls, "fnd"), "round %d: calls %s", round, calls);
        CHECK(holds("durable.npy", 1, 5), "round %d", round);
        CHECK(count_all() == 1, "%d files", count_all());
    }
    openat_fails_with = 0;
    final_name = NULL;
    clear();
}
#endif

/* In a process of its own with a limit for the size of files, as on a full disk. */
static void save_with_limit(int64_t n, rlim_t limit)
{
    write_file("old.npy", "old", 3);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const struct rlimit r = {limit, limit};
        heddle_array *a = heddle_zeros(HEDDLE_SHAPE(n));
        const int ok = setrlimit(RLIMIT_FSIZE, &r) == 0 &&
                       heddle_save(a, "old.npy") == HEDDLE_EIO &&
                       strstr(heddle_last_error(), "heddle_save: 'old.npy': File too large") &&
                       heddle_save(a, "new.npy") == HEDDLE_EIO;
        if (!ok) fprintf(stderr, "%s\n", heddle_last_error());
        _exit(!ok);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "status %d", status);
    unsigned char got[8];
    CHECK(read_file("old.npy", got, 8) == 3 && count_all() == 1, "%d files", count_all());
    clear();
}

/* Files are whole, and alone, whenever a signal ends the process that writes them. */
static void test_signals(void)
{
    enum { LARGE = 16 << 20, ROUNDS = 12 };
    for (int round = 0; round < ROUNDS; round++) {
        const pid_t child = fork();
        if (child == 0) {
            heddle_array *a = heddle_zeros(HEDDLE_SHAPE(LARGE / 8));
            for (;;)
                if (heddle_save(a, "kept.npy") != HEDDLE_OK) _exit(1);
        }
        struct timespec wait = {0, (5 + 17 * round) * 1000000L};
        nanosleep(&wait, NULL);
        int status = 0;
        CHECK(kill(child, SIGTERM) == 0 && waitpid(child, &status, 0) == child &&
                  WIFSIGNALED(status),
              "status %d", status);
        struct stat st;
        const int there = stat("kept.npy", &st) == 0;
        CHECK(!there || st.st_size == LARGE + 128, "%lld bytes", (long long)st.st_size);
        CHECK(count_all() == there, "round %d: %d files", round, count_all());
    }
    clear();
}

/* ---- Archives ------------------------------------------------------------------------------------------- */

static unsigned char *archive;
static size_t archive_bytes;

static uint64_t le(size_t at, int n)
{
    uint64_t x = 0;
    for (int i = n; i-- > 0;) x = x << 8 | archive[at + (size_t)i];
    return x;
}

static void read_archive(const char *path)
{
    struct stat st;
    free(archive);
    archive_bytes = stat(path, &st) == 0 ? (size_t)st.st_size : 0;
    archive = calloc(1, archive_bytes + 64);
    if (!archive) exit(1);
    CHECK(read_file(path, archive, archive_bytes) == archive_bytes && archive_bytes >= 22, "%s",
          path);
}

/* The entry of the directory at *at, which moves on: name, checksum, alignment, an int32 vector. */
static void check_entry(size_t *at, const char *name, int first, int n)
{
    const size_t e = *at, length = strlen(name), local = le(e + 42, 4);
    CHECK(!memcmp(archive + e, "PK\1\2", 4) && !memcmp(archive + local, "PK\3\4", 4), "%s", name);
    CHECK(le(e + 28, 2) == length && !memcmp(archive + e + 46, name, length), "%.*s",
          (int)le(e + 28, 2), archive + e + 46);
    CHECK(le(local + 26, 2) == length && !memcmp(archive + local + 30, name, length), "%s", name);
    const size_t size = le(e + 24, 4), data = local + 30 + length + le(local + 28, 2);
    CHECK(size == 128 + (size_t)n * 4 && le(e + 20, 4) == size && le(e + 10, 2) == 0, "%s", name);
    CHECK(!memcmp(archive + local + 4, archive + e + 6, 22), "%s: headers differ", name);
    CHECK(le(e + 16, 4) == crc32(0, archive + data, (uInt)size), "%s: checksum", name);
    CHECK(data % 64 == 0 && !memcmp(archive + data, "\x93NUMPY", 6), "%s at %zu", name, data);
    for (int i = 0; i < n; i++)
        CHECK((int)le(data + 128 + (size_t)i * 4, 4) == first + i, "%s[%d]", name, i);
    *at = e + 46 + length + le(e + 30, 2);
}

static void test_archives(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = vector(1, 5), *b = vector(100, 1000), *none = vector(0, 0);
    save(a, "one.npz");
    read_archive("one.npz");
    const size_t end = archive_bytes - 22;
    size_t at = le(end + 16, 4);
    CHECK(!memcmp(archive + end, "PK\5\6", 4) && le(end + 10, 2) == 1, "the end");
    check_entry(&at, "arr_0.npy", 1, 5);
    CHECK(at == end && le(end + 12, 4) == end - le(end + 16, 4), "the directory");

    const struct heddle_output outputs[] = {
        {.array = a, .path = "all.npz"},
        {.array = heddle_add(b, b)}, /* not written */
        {.array = b, .path = "b.npy"},
        {.array = b, .path = "all.npz", .name = "b"},
        {.array = none, .path = "all.npz"},
        {.array = heddle_add(a, a), .path = "all.npz", .name = "\xc3\xa4 long name, of two words"},
        {.array = a, .path = "two.npz", .name = "x"},
    };
    CHECK(heddle_save_all(7, outputs) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK(count_all() == 4 && holds("b.npy", 100, 1000), "%d files", count_all());
    read_archive("all.npz");
    at = le(archive_bytes - 22 + 16, 4);
    check_entry(&at, "arr_0.npy", 1, 5);
    check_entry(&at, "b.npy", 100, 1000);
    check_entry(&at, "arr_2.npy", 0, 0);
    const size_t last = at;
    CHECK(le(at + 8, 2) & 1 << 11, "its name is UTF-8");
    at = le(last + 42, 4);
    at += 30 + le(at + 26, 2) + le(at + 28, 2) + 128;
    CHECK(le(at, 4) == 2 && le(at + 16, 4) == 10, "the sum");
    heddle_array *back = heddle_load_npz("all.npz", "b");
    int32_t got[1000];
    CHECK(heddle_read(back, got, sizeof got) == HEDDLE_OK && got[999] == 1099, "%s",
          heddle_error(back));
    clear();

    CHECK(heddle_save_all(0, NULL) == HEDDLE_OK && heddle_save_all(1, NULL) == HEDDLE_EARG, "NULL");
    CHECK(heddle_save_all(-1, outputs) == HEDDLE_EARG, "negative");
    const struct heddle_output bad[][2] = {
        {{.array = a, .path = "x.npy"}, {.array = b, .path = "x.npy"}},
        {{.array = a, .path = "x.npz", .name = "x"}, {.array = b, .path = "x.npz", .name = "x"}},
        {{.array = a, .path = "x.npz", .name = "arr_1"}, {.array = b, .path = "x.npz"}},
        {{.array = a, .path = "x.npz", .name = ""}, {.array = b, .path = "y.npz"}},
        {{.array = a, .path = "x.npz"}, {.array = NULL, .path = "y.npz"}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(heddle_save_all(2, bad[i]) == HEDDLE_EARG, "%zu: %s", i, heddle_last_error());
    const struct heddle_output failing[] = {{.array = a, .path = "x.npy"},
                                            {.array = heddle_load("missing"), .path = "y.npy"}};
    CHECK(heddle_save_all(2, failing) == HEDDLE_EIO, "an error");
    CHECK(strstr(heddle_last_error(), "heddle_save_all: 'y.npy': heddle_load: 'missing'"), "%s",
          heddle_last_error());
    CHECK(count_all() == 0, "%d files left", count_all());
    heddle_scope_close(scope);
}

/* More members than 16 bits count. */
static void test_many_members(void)
{
    enum { MANY = 70000 };
    heddle_array *a = vector(3, 1);
    struct heddle_output *outputs = calloc(MANY, sizeof *outputs);
    if (!outputs) exit(1);
    for (int i = 0; i < MANY; i++) outputs[i] = (struct heddle_output){.array = a, .path = "m.npz"};
    CHECK(heddle_save_all(MANY, outputs) == HEDDLE_OK, "%s", heddle_last_error());
    read_archive("m.npz");
    const size_t end = archive_bytes - 22, end64 = end - 20 - 56;
    CHECK(le(end + 10, 2) == UINT16_MAX && !memcmp(archive + end64, "PK\6\6", 4), "the end");
    CHECK(!memcmp(archive + end - 20, "PK\6\7", 4) && le(end - 12, 8) == end64, "the locator");
    CHECK(le(end64 + 32, 8) == MANY, "%d members", (int)le(end64 + 32, 8));
    size_t at = le(end64 + 48, 8);
    for (int i = 0; i < MANY; i++) {
        char name[24];
        snprintf(name, sizeof name, "arr_%d.npy", i);
        check_entry(&at, name, 3, 1);
    }
    CHECK(at == end64, "the directory ends at %zu", at);
    heddle_release(a);
    free(outputs);
    clear();
}

int main(void)
{
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    save_with_limit(1 << 20, 1 << 20); /* mapped */
    save_with_limit(1 << 16, 1 << 16); /* written at once */
    test_signals();
    heddle_array *a = vector(1, 5);
    test_modes(a);
    test_links(a);
    test_long_names(a);
#if HEDDLE_TEST_ALONE
    test_durability(a);
#endif
    heddle_release(a);
    test_archives();
    test_many_members();
    free(archive);
    if (chdir("..") != 0 || rmdir(folder) != 0) n_failures++;
    return n_failures != 0;
}
