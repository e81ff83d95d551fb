/* Proves that signals whose handlers interrupt system calls (no SA_RESTART), some thousand a second, change
 * nothing: starts, evaluations, waits, files written and read, shut-downs. On a file system in memory too,
 * where what a signal interrupts is undone. And that the library's threads leave signals to the program's. */
#include "check_heddle.h"

#include <dirent.h>
#include <heddle.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { N = 8 << 20, FEW = 1000 }; /* 64 MB: a file so large is mapped */
static atomic_llong n_signals;
static double *out;

static void interrupt(int number)
{
    (void)number;
    atomic_fetch_add(&n_signals, 1);
}

/* For this thread. 0: stops it. */
static void start_timer(long us)
{
    static timer_t timer;
    static bool made;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event._sigev_un._tid = gettid(); /* sigev_notify_thread_id, which old glibc does not name */
    const struct itimerspec every = {{0, us * 1000}, {0, us * 1000}};
    if (!made) CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    made = true;
    CHECK_EQ(timer_settime(timer, 0, &every, NULL), 0);
}

/* Threads of the library take no signals that are sent to the process, and all that they may cause themselves. */
static void test_threads(void)
{
    static const int never[] = {SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGCHLD, SIGUSR1, SIGXFSZ};
    static const int always[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF};
    const int64_t n = N, own = gettid();
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_multiply(heddle_ones(1, &n), heddle_scalar(3.0));
    CHECK_EQ(heddle_read(a, out, N * sizeof *out), HEDDLE_OK);
    heddle_scope_close(scope);
    DIR *threads = opendir("/proc/self/task");
    int n_threads = 0;
    for (struct dirent *d; threads && (d = readdir(threads));) {
        char path[300], line[256];
        unsigned long long held = 0;
        const bool counts = atoi(d->d_name) > 0 && atoi(d->d_name) != own;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = counts ? fopen(path, "r") : NULL;
        bool found = false;
        while (f && !found && fgets(line, sizeof line, f))
            found = sscanf(line, "SigBlk: %llx", &held) == 1;
        if (f) fclose(f);
        if (!found) continue;
        n_threads++;
        for (size_t i = 0; i < sizeof never / sizeof *never; i++)
            CHECK(held >> (never[i] - 1) & 1, "thread %s takes %d: %llx", d->d_name, never[i],
                  held);
        for (size_t i = 0; i < sizeof always / sizeof *always; i++)
            CHECK(!(held >> (always[i] - 1) & 1), "thread %s: %d: %llx", d->d_name, always[i],
                  held);
    }
    if (threads) closedir(threads);
    CHECK(n_threads >= 2, "%d threads", n_threads);
    sigset_t held;
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &held) == 0 && !sigismember(&held, SIGTERM) &&
              !sigismember(&held, SIGALRM),
          "the program's own thread");
}

static void save_and_load(const char *folder, int64_t n)
{
    char path[256], archive[256];
    snprintf(path, sizeof path, "%s/heddle-signals-%ld.npy", folder, (long)getpid());
    snprintf(archive, sizeof archive, "%s/heddle-signals-%ld.npz", folder, (long)getpid());
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_multiply(heddle_ones(1, &n), heddle_scalar(3.0));
    CHECK(heddle_save(a, path) == HEDDLE_OK, "%s", heddle_last_error());
    heddle_array *b = heddle_add(heddle_load(path), a);
    CHECK(heddle_read(b, out, n * (int64_t)sizeof *out) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_NUM(out[0], 6);
    CHECK_NUM(out[n - 1], 6);
    CHECK(heddle_save(a, archive) == HEDDLE_OK, "%s", heddle_last_error());
    heddle_scope_close(scope);
    unlink(path);
    unlink(archive);
}

static void test_evaluations(void)
{
    const int64_t shape[] = {FEW};
    for (int i = 0; i < 30; i++) {
        int which;
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = heddle_multiply(heddle_ones(1, shape), heddle_scalar((double)i));
        heddle_array *arrays[] = {heddle_add(a, a), heddle_sum(a)};
        CHECK_EQ(heddle_wait_any(2, arrays, &which), HEDDLE_OK);
        CHECK_EQ(heddle_read(arrays[0], out, FEW * sizeof *out), HEDDLE_OK);
        CHECK_NUM(out[FEW - 1], 2 * i);
        heddle_scope_close(scope);
        if (i % 10 == 9) CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = interrupt}; /* without SA_RESTART */
    struct stat st;
    out = malloc(N * sizeof *out);
    CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu", .inline_bytes = -1}),
             HEDDLE_OK);
    test_threads();
    start_timer(300);
    test_evaluations();
    save_and_load(".", FEW);
    start_timer(1000);
    save_and_load(".", N);
    if (stat("/dev/shm", &st) == 0 && S_ISDIR(st.st_mode) && access("/dev/shm", W_OK) == 0)
        save_and_load("/dev/shm", N);
    start_timer(0);
    CHECK(atomic_load(&n_signals) > 100, "%lld", (long long)atomic_load(&n_signals));
    free(out);
    check_nothing_left();
    return check_done();
}
