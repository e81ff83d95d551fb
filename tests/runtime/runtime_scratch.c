/* What kernels take beside their operands: partials of reductions over what is broadcast, of which there are far more
 * than elements in memory, take a few MB, and the values are right wherever boxes of them begin. Files are read in small parts. */
#include "check_heddle.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PLANES = 3,
    ROWS = 5120,
    COLUMNS = CHECK_SOME(40000, 10000)
};              /* 20 chunks of rows: 2.4 million partials */
#define MB 1024 /* of kB, as the system counts peaks */

static long peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

/* Pages of libraries, which count in peaks, and come by the megabyte where a library was written a moment ago; in kB. */
static long of_files(void)
{
    char line[128];
    long n = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "RssFile:", 8)) n = strtol(line + 8, NULL, 10);
    if (file) fclose(file);
    return n;
}

static heddle_array *range(int64_t n)
{
    return heddle_arange(heddle_scalar_int(0), heddle_scalar_int(n), NULL);
}

/* A file with few long rows, most of it a hole; false: it cannot be made. */
static bool make_file(const char *path, int64_t rows, int64_t columns)
{
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\0\x76\0", 10);
    const int length = snprintf(header + 10, sizeof header - 10,
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld, %lld), }",
                                (long long)rows, (long long)columns);
    header[10 + length] = ' ';
    header[sizeof header - 1] = '\n';
    FILE *file = fopen(path, "wb");
    const bool ok = file && fwrite(header, sizeof header, 1, file) == 1 && fflush(file) == 0 &&
                    ftruncate(fileno(file), (off_t)sizeof header + rows * columns * 8) == 0;
    return file && fclose(file) == 0 && ok;
}

/* Rows are fewer than a chunk has, so that no part can have fewer; parts are as small as memory asks for all the
 * same. */
static void test_parts_of_files(void)
{
    static const char path[] = "runtime_scratch.npy";
    heddle_scope scope = heddle_scope_open();
    char *text = NULL;
    int steps = 0, tasks = 0;
    if (make_file(path, 64, 2000000)) {
        heddle_array *sum = heddle_sum(heddle_load(path), .axis = 0);
        CHECK_EQ(heddle_explain(sum, HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
        CHECK(text && sscanf(text, "plan: %d steps, %d tasks", &steps, &tasks) == 2); /* NOLINT */
        CHECK(tasks >= 16, "%d tasks for 1 GB with 64 MB", tasks);
        heddle_free(text);
    }
    unlink(path);
    heddle_scope_close(scope);
}

int main(void)
{
    CHECK_EQ(heddle_configure(
                 &(struct heddle_config){.devices = "cpu", .cpu_memory_bytes = (int64_t)64 << 20}),
             HEDDLE_OK);
    test_parts_of_files();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu"}), HEDDLE_OK);
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    static int64_t plane[PLANES] = {1, 2, 3}, sum[PLANES][COLUMNS], at[PLANES][COLUMNS];
    static int64_t spot[ROWS];
    spot[ROWS - 7] = 1;
    memset(sum, 1, sizeof sum); /* its pages */
    memset(at, 1, sizeof at);

    /* plane + column, and 1 more in one row */
    heddle_array *planes = heddle_asarray(plane, HEDDLE_INT64, HEDDLE_SHAPE(PLANES, 1, 1));
    heddle_array *spots = heddle_asarray(spot, HEDDLE_INT64, HEDDLE_SHAPE(1, ROWS, 1));
    heddle_array *a = heddle_add(heddle_add(planes, spots), range(COLUMNS));
    const long before = peak(), files = of_files();
    CHECK_EQ(heddle_read(heddle_sum(a, .axis = 1), sum, sizeof sum), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_argmax(a, .axis = 1), at, sizeof at), HEDDLE_OK);
    int n_wrong = 0;
    for (int p = 0; p < PLANES; p++)
        for (int64_t c = 0; c < COLUMNS; c++)
            n_wrong += sum[p][c] != ROWS * (plane[p] + c) + 1 || at[p][c] != ROWS - 7;
    CHECK_EQ(n_wrong, 0);
    const long more = peak() - before - (of_files() - files);
#ifndef __SANITIZE_ADDRESS__                    /* which keeps what is freed */
    CHECK(more < 24 * MB, "%ld kB more", more); /* of partials 19 and 38 MB */
#else
    (void)more;
#endif
    heddle_scope_close(scope);
    check_nothing_left();
    return check_done();
}
