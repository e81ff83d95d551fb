/* Proves that a program of small plans alone gets a team before the runtime is up: not for a few of them, with the same
 * bits, until shut-down or the runtime's start, anew after a change of settings, and in a forked child. */
#include "check_heddle.h"

#include <dirent.h>
#include <heddle.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 30000, FEW = 20, MANY = 300, THREADS = 3 };
static const int64_t shape[] = {N};

static int n_threads(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL, "no /proc");
    for (const struct dirent *e; tasks && (e = readdir(tasks));) n += e->d_name[0] != '.';
    if (tasks) closedir(tasks);
    return n;
}

/* A thread that has been joined stays in /proc for a moment: the kernel wakes who joins it before it removes the entry. */
static void check_threads(int want)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    for (int turn = 0; turn < 2000 && n_threads() > want; turn++) nanosleep(&ms, NULL);
    const int n = n_threads();
    CHECK_EQ(n, want);
    if (n != want && system("cat /proc/$PPID/task/*/comm >&2") != 0)
        fputs("no names\n", stderr); /* NOLINT */
}

/* Small products of whole numbers, whose sum is exact in any order. */
static void plans(int n)
{
    static double data[N];
    double want = 0;
    for (int i = 0; i < N; i++) want += (data[i] = i % 100) * (i % 100);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, 1, shape);
    for (int turn = 0; turn < n; turn++) {
        heddle_scope inner = heddle_scope_open();
        double sum = -1;
        CHECK_EQ(
            heddle_read(heddle_sum(heddle_multiply(heddle_multiply(a, a), heddle_scalar(turn))),
                        &sum, sizeof sum),
            HEDDLE_OK);
        CHECK_NUM(sum, want * turn);
        heddle_scope_close(inner);
    }
    heddle_scope_close(scope);
}

int main(void)
{
    const int alone = n_threads();
    CHECK_EQ(heddle_configure(
                 &(struct heddle_config){.devices = "cpu", .cpu_threads = THREADS, .no_jit = true}),
             HEDDLE_OK);
    plans(FEW);
    check_threads(alone);
    plans(MANY);
    check_threads(alone + THREADS - 1);

    const pid_t child = fork();
    if (child == 0) {
        plans(FEW);
        check_threads(1);
        plans(MANY);
        check_threads(THREADS);
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        check_threads(1);
        _exit(check_done());
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    CHECK_EQ(status, 0);

    CHECK_EQ(heddle_configure(
                 &(struct heddle_config){.devices = "cpu", .cpu_threads = 2, .no_jit = true}),
             HEDDLE_OK);
    check_threads(alone);
    plans(MANY);
    check_threads(alone + 1);
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    const int started = n_threads();
    plans(MANY);
    check_threads(started);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    plans(MANY);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    return check_done();
}
