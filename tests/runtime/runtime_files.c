/* Files larger than memory, with a small limit of memory for a sparse file: what is read is what is used. Each
 * case runs in a process of its own, so that its peak of memory is known. Files are made, and results checked,
 * byte by byte. */
#include "check_heddle.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER = 128 };
#define LIMIT (64LL << 20)
#define FILE_BYTES (512LL << 20)
#define N (FILE_BYTES / 8)

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MEMORY_IS_TELLING = 0 }; /* they take memory of their own */
#else
enum { MEMORY_IS_TELLING = 1 };
#endif

static char folder[] = "runtime_files.XXXXXX"; /* the working directory */

/* ---- Files --------------------------------------------------------------------------------------------- */

/* A .npy of n float64, zeros but for those that are set; the file takes no room. */
static int make_file(const char *path, int64_t n)
{
    char header[HEADER + 1] = "\x93NUMPY\1";
    header[8] = HEADER - 10;
    const int used =
        10 + snprintf(header + 10, HEADER - 10,
                      "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld,), }", (long long)n);
    memset(header + used, ' ', (size_t)(HEADER - 1 - used));
    header[HEADER - 1] = '\n';
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    const int ok =
        fd >= 0 && write(fd, header, HEADER) == HEADER && ftruncate(fd, HEADER + 8 * n) == 0;
    CHECK(ok, "%s", path);
    return fd;
}

static void set_at(int fd, int64_t i, double x)
{
    CHECK(pwrite(fd, &x, 8, HEADER + 8 * i) == 8);
}

/* ---- Processes ------------------------------------------------------------------------------------------- */

/* A line of /proc/self/status, in bytes. */
static int64_t status_bytes(const char *name)
{
    char line[256];
    long long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name))) kb = strtoll(line + strlen(name), NULL, 10);
    if (f) fclose(f);
    return kb * 1024;
}

struct setting {
    int64_t limit, part_bytes, most; /* most: bytes of memory that the case may take; 0: anything */
};

/* Runs a case in a process of its own, and checks how much memory it took beyond what the runtime takes. */
static void run(const char *name, void (*function)(void), struct setting s)
{
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        atomic_store(&check_n_failed, 0);
        const struct heddle_config config = {
            .devices = "cpu", .cpu_memory_bytes = s.limit, .part_bytes = s.part_bytes};
        CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
        CHECK_EQ(heddle_start(), HEDDLE_OK);
        const int64_t before = status_bytes("VmRSS:");
        function();
        const int64_t took = status_bytes("VmHWM:") - before;
        if (MEMORY_IS_TELLING && s.most > 0)
            CHECK(took <= s.most, "%s took %lld of %lld bytes", name, (long long)took,
                  (long long)s.most);
        check_nothing_left();
        exit(check_done());
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "%s: status %d", name, status);
}

/* The value of an expression over the file, which must be a number. */
static double value_of(const char *text, const char *path)
{
    double x = -1;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_load(path);
    CHECK(heddle_status_of(a) == HEDDLE_OK, "%s", heddle_error(a));
    const struct heddle_binding in = {"a", a};
    struct heddle_binding out = {"_", NULL};
    heddle_expr_run(text, 1, &in, 1, &out);
    CHECK(heddle_read(out.array, &x, sizeof x) == HEDDLE_OK, "%s: %s", text,
          heddle_error(out.array));
    heddle_scope_close(scope);
    return x;
}

/* ---- Cases ------------------------------------------------------------------------------------------------- */

/* Of a file of four times the machine's memory. */
static void slices(void)
{
    CHECK_NUM(value_of("sum(a[:1000])", "huge.npy"), 3);
    CHECK_NUM(value_of("sum(a[-1000:] * 2)", "huge.npy"), 16);
    CHECK_NUM(value_of("a[999]", "huge.npy"), 2);
    CHECK_NUM(value_of("sum(a[::a.size // 100])", "huge.npy"), 1);
    CHECK_NUM(value_of("max(a[::-(a.size // 100)])", "huge.npy"), 8);
}

static void strided(void)
{
    CHECK_NUM(value_of("sum(a[::10])", "large.npy"), 1 + 16);
    CHECK_NUM(value_of("sum(a[999::1000])", "large.npy"), 2 + 32);
    const int64_t taken = (N + 99) / 100;
    CHECK_NUM(value_of("sum((a[::100] + 1) * 2)", "large.npy"), 2 * (taken + 1 + 16));
    CHECK_NUM(value_of("sum(a.reshape(1024, -1)[:, 0])", "large.npy"), 1 + 4);
}

static void whole(void)
{
    CHECK_NUM(value_of("sum(a)", "large.npy"), 63);
    CHECK_NUM(value_of("max(abs(a[1:] - a[:-1]))", "large.npy"), 32);
    CHECK_NUM(value_of("sum(sum(a.reshape(1024, -1), axis=1)[512:])", "large.npy"), 4 + 8);
}

static void make_files(void)
{
    const int64_t huge = 4 * (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 8;
    int fd = make_file("huge.npy", huge);
    set_at(fd, 0, 1);
    set_at(fd, 999, 2);
    set_at(fd, huge - 1, 8);
    close(fd);
    fd = make_file("large.npy", N);
    set_at(fd, 0, 1);
    set_at(fd, 999, 2);
    set_at(fd, N / 2, 4);
    set_at(fd, N - 1, 8);
    set_at(fd, 1000 * 10, 16);
    set_at(fd, 1000 * 20 + 999, 32);
    close(fd);
}

int main(void)
{
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    make_files();
    const int64_t machine = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    run("slices", slices, (struct setting){.most = LIMIT});
    run("slices, limit raised", slices, (struct setting){.limit = 16 * machine, .most = LIMIT});
    run("strided", strided, (struct setting){.limit = LIMIT, .most = LIMIT});
    run("strided, many parts", strided,
        (struct setting){.limit = LIMIT, .part_bytes = 2 << 20, .most = LIMIT});
    run("whole", whole, (struct setting){.limit = LIMIT, .most = LIMIT});
    unlink("huge.npy");
    unlink("large.npy");
    CHECK(chdir("..") == 0 && rmdir(folder) == 0, "files are left");
    return check_done();
}
