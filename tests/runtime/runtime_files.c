/* Files larger than memory, with a small limit of memory for a sparse file: what is read is what is used. Each
 * case runs in a process of its own, so that its peak of memory is known. Files are made, and results checked,
 * byte by byte. */
#include "check_heddle.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER = 128 };
#define LIMIT (64LL << 20)
#define FILE_BYTES (512LL << 20)
#define N (FILE_BYTES / 8)
#define N_PASS (192LL << 17) /* elements of what is written, too: three times the limit */

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
    const char *temp_dir;
};

/* Makes the peak of memory the present use, where the system can. */
static void forget_peak(void)
{
    const int fd = open("/proc/self/clear_refs", O_WRONLY);
    if (fd < 0) return;
    if (write(fd, "5", 1) != 1) fputs("the peak of memory cannot be reset\n", stderr);
    close(fd);
}

/* Runs a case in a process of its own, and checks how much memory it took beyond what the runtime takes. */
static void run(const char *name, void (*function)(void), struct setting s)
{
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        atomic_store(&check_n_failed, 0);
        const struct heddle_config config = {.devices = "cpu",
                                             .cpu_memory_bytes = s.limit,
                                             .part_bytes = s.part_bytes,
                                             .temp_dir = s.temp_dir ? s.temp_dir : "."};
        CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
        CHECK_EQ(heddle_start(), HEDDLE_OK);
        forget_peak();
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

/* An expression over the file, in the scope that is open. */
static heddle_array *array_of(const char *text, const char *path)
{
    const struct heddle_binding in = {"a", heddle_load(path)};
    struct heddle_binding out = {"_", NULL};
    heddle_expr_run(text, 1, &in, 1, &out);
    CHECK(heddle_status_of(out.array) == HEDDLE_OK, "%s", heddle_error(out.array));
    return out.array;
}

/* Checks a file whose data begin at `at`: 2 * x + 1 of pass.npy, read here and there, and all of its size. */
static void check_doubled(const char *path, int64_t at, int64_t file_bytes)
{
    static const int64_t places[] = {0,          1,          999,       1000, N_PASS / 2 - 1,
                                     N_PASS / 2, N_PASS - 2, N_PASS - 1};
    const int in = open("pass.npy", O_RDONLY), out = open(path, O_RDONLY);
    struct stat st;
    CHECK(in >= 0 && out >= 0 && fstat(out, &st) == 0 && st.st_size == file_bytes, "%s: %lld bytes",
          path, (long long)st.st_size);
    double x, y;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CHECK(pread(in, &x, 8, HEADER + 8 * places[i]) == 8 &&
              pread(out, &y, 8, at + 8 * places[i]) == 8);
        CHECK(y == 2 * x + 1, "%s[%lld] is %g", path, (long long)places[i], y);
    }
    for (int64_t i = 0; i < N_PASS; i += 4099) {
        CHECK(pread(out, &y, 8, at + 8 * i) == 8 && y >= 1 && (i % 4096 == 0 || y == 1), "%s[%lld]",
              path, (long long)i);
    }
    close(in);
    close(out);
}

/* A whole pass whose result is a file: it is computed there, and not in memory. */
static void to_files(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = array_of("2 * a + 1", "pass.npy");
    CHECK(heddle_save(b, "out.npy") == HEDDLE_OK, "%s", heddle_last_error());
    check_doubled("out.npy", HEADER, HEADER + 8 * N_PASS);
    CHECK_NUM(value_of("sum(a)", "out.npy"), N_PASS + 30);
    double sum; /* of the array itself, whose data are the file's now */
    CHECK_EQ(heddle_read(heddle_sum(b), &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, N_PASS + 30);
    unlink("out.npy");

    const struct heddle_output outputs[] = {
        {.array = array_of("2 * a + 1", "pass.npy"), .path = "out.npz"},
        {.array = array_of("sum(a)", "pass.npy"), .path = "sum.npy"}};
    CHECK(heddle_save_all(2, outputs) == HEDDLE_OK, "%s", heddle_last_error());
    struct stat st;
    CHECK(stat("out.npz", &st) == 0);
    check_doubled("out.npz", HEADER + 64, st.st_size);
    heddle_array *back = heddle_load_npz("out.npz", "arr_0"); /* in place, as it is not packed */
    CHECK_EQ(heddle_read(heddle_sum(back), &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, N_PASS + 30);
    CHECK_NUM(value_of("sum(a)", "sum.npy"), 15);
    heddle_scope_close(scope);
    unlink("out.npz");
    unlink("sum.npy");
}

/* Results and temporaries that no memory has room for. */
static void to_disk(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = array_of("2 * a + 1", "pass.npy");
    CHECK(heddle_wait(b) == HEDDLE_OK, "%s", heddle_error(b));
    double sum, ends[2];
    CHECK_EQ(heddle_read(heddle_sum(b), &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, N_PASS + 30);
    const struct heddle_binding in = {"b", b};
    CHECK_EQ(heddle_read(heddle_expr("b[::b.size - 1]", 1, &in), ends, sizeof ends), HEDDLE_OK);
    CHECK(ends[0] == 3 && ends[1] == 17, "%g %g", ends[0], ends[1]);
    CHECK(heddle_save(b, "out.npy") == HEDDLE_OK, "%s", heddle_last_error()); /* computed before */
    check_doubled("out.npy", HEADER, HEADER + 8 * N_PASS);
    unlink("out.npy");
    heddle_scope_close(scope);
    const int64_t half = N_PASS / 2; /* the sum so far is 1, 3, 7, then 15 */
    CHECK_NUM(value_of("sum(cumsum(a) * 2)", "pass.npy"),
              2 * (999 + 3 * (half - 999) + 7 * (N_PASS - 1 - half) + 15));
}

/* Temporaries larger than memory exist part by part: there is no disk for them here. */
static void in_order(void)
{
    const int64_t half = N_PASS / 2; /* the sum so far is 1, 3, 7, then 15 */
    CHECK_NUM(value_of("sum(cumsum(a) * 2)", "pass.npy"),
              2 * (999 + 3 * (half - 999) + 7 * (N_PASS - 1 - half) + 15));
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = array_of("cumsum(cumsum(a) * 0 + 1) + 1", "pass.npy");
    CHECK(heddle_save(b, "out.npy") == HEDDLE_OK, "%s", heddle_last_error());
    heddle_scope_close(scope);
    const int fd = open("out.npy", O_RDONLY);
    for (int64_t i = 0; i < N_PASS; i += 100003) {
        double x = -1;
        CHECK(pread(fd, &x, 8, HEADER + 8 * i) == 8);
        CHECK_NUM(x, i + 2);
    }
    close(fd);
    unlink("out.npy");
}

/* Of elements far from each other, their pages alone are read. */
static void sparse(void)
{
    enum { WINDOW = 16 << 20 };
    static unsigned char there[WINDOW / 4096];
    const int64_t n = 4 * (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 8;
    CHECK_NUM(value_of("sum(a[a.size // 3::a.size // 97])", "huge.npy"), 0);
    const int64_t at = (n / 3 + n / 97 * 5) * 8 / 4096 * 4096 - WINDOW / 2;
    const int fd = open("huge.npy", O_RDONLY);
    void *map = mmap(NULL, WINDOW, PROT_READ, MAP_SHARED, fd, at);
    CHECK(map != MAP_FAILED && mincore(map, WINDOW, there) == 0);
    int pages = 0;
    for (size_t i = 0; i < sizeof there; i++) pages += there[i] & 1;
    CHECK(pages >= 1 && pages <= 16, "%d pages", pages);
    munmap(map, WINDOW);
    close(fd);
}

/* Nothing is left in the folder but what was there. */
static int count_all(void)
{
    int n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += e->d_name[0] != '.' || e->d_name[1] > '.';
    if (d) closedir(d);
    return n;
}

static void check_refused(const char *says)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = array_of("2 * a + 1", "pass.npy");
    CHECK_EQ(heddle_wait(b), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(b), says);
    heddle_scope_close(scope);
}

static void no_disk(void)
{
    check_refused("heddle_eval: 0 B are in use and 201 MB more are needed, of 67.1 MB of memory "
                  "and 0 B that are "
                  "free in '/none' (HEDDLE_TMP)");
}

/* A disk that is full only when it comes to it: an error, and not one more try for ever. */
static void full_disk(void)
{
    const struct rlimit r = {1 << 20, 1 << 20};
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &r) == 0);
    check_refused("heddle_eval: memory is full, and there is no room for more in '.' (HEDDLE_TMP)");
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = array_of("2 * a + 1", "pass.npy");
    CHECK_EQ(heddle_save(b, "out.npy"), HEDDLE_EIO);
    CHECK_HAS(heddle_last_error(), "heddle_save: 'out.npy': File too large");
    CHECK(access("out.npy", F_OK) != 0, "half a file");
    CHECK_EQ(heddle_read(heddle_sum(b), &(double){0}, sizeof(double)),
             HEDDLE_OK); /* it is as it was */
    heddle_scope_close(scope);
}

static void nothing(void) {}

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
    fd = make_file("pass.npy", N_PASS);
    set_at(fd, 0, 1);
    set_at(fd, 999, 2);
    set_at(fd, N_PASS / 2, 4);
    set_at(fd, N_PASS - 1, 8);
    close(fd);
}

int main(void)
{
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    make_files();
    const int64_t machine = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    run("start", nothing, (struct setting){0}); /* measures the machine, if that is not known yet */
    run("slices", slices, (struct setting){.most = LIMIT});
    run("slices, limit raised", slices, (struct setting){.limit = 16 * machine, .most = LIMIT});
    run("strided", strided, (struct setting){.limit = LIMIT, .most = LIMIT});
    run("strided, many parts", strided,
        (struct setting){.limit = LIMIT, .part_bytes = 2 << 20, .most = LIMIT});
    run("whole", whole, (struct setting){.limit = LIMIT, .most = LIMIT});
    run("to files", to_files, (struct setting){.limit = LIMIT, .most = LIMIT});
    run("to disk", to_disk, (struct setting){.limit = LIMIT, .most = LIMIT + LIMIT / 4});
    run("in order", in_order,
        (struct setting){.limit = LIMIT, .most = LIMIT + LIMIT / 4, .temp_dir = "/none"});
    run("sparse", sparse, (struct setting){.limit = LIMIT, .most = LIMIT});
    run("no disk", no_disk, (struct setting){.limit = LIMIT, .temp_dir = "/none"});
    run("full disk", full_disk, (struct setting){.limit = LIMIT});
    CHECK_EQ(count_all(), 3);
    unlink("huge.npy");
    unlink("large.npy");
    unlink("pass.npy");
    CHECK(chdir("..") == 0 && rmdir(folder) == 0, "files are left");
    return check_done();
}
