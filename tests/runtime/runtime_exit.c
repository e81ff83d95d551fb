/* Proves that a process ends, whatever Heddle has in hand: views that nobody gives back, work in flight,
 * another thread that reads, a user's function that calls exit, an interrupt. And that data can be read
 * in exit handlers that run after Heddle's. Each case is a process of its own: this program, by name. */
#include "check.h"
#include "runtime/slow.h"

#include <heddle.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 1 << 18, SECONDS = 10 };
static const int64_t shape[] = {N};
static heddle_array *kept;
static struct heddle_part_view view;

static void configure(int64_t inline_bytes)
{
    if (heddle_configure(&(struct heddle_config){.devices = "cpu", .inline_bytes = inline_bytes}) !=
        HEDDLE_OK)
        _exit(90);
}

static heddle_array *slow(double value)
{
    static int ms = 300;
    heddle_array *a = computed(N, value), *b = slowed(a, &ms);
    heddle_release(a);
    return b;
}

/* ---- Handlers that run after Heddle's, as they were set before it started ------------------------- */

static void read_at_exit(void)
{
    static double data[N];
    if (heddle_read(kept, data, sizeof data) != HEDDLE_OK) _exit(91);
    if (data[0] != 3 || data[N - 1] != 3) _exit(92);
}

static void look_at_exit(void)
{
    const double *data = view.data;
    if (data[0] != 3 || data[N - 1] != 3) _exit(93);
    read_at_exit();
    heddle_part_release(&view);
    heddle_release(kept);
}

/* New work is refused, small work is done. */
static void work_at_exit(void)
{
    double four = 0;
    heddle_array *two = heddle_scalar(2.0), *a = heddle_add(two, two), *large = computed(N, 1);
    if (heddle_wait(large) != HEDDLE_EDEVICE) _exit(94);
    if (heddle_read(a, &four, sizeof four) != HEDDLE_OK || four != 4) _exit(95);
    if (heddle_shutdown() != HEDDLE_OK) _exit(96);
}

/* ---- Cases ------------------------------------------------------------------------------------------ */

static void hold_a_view(void)
{
    atexit(look_at_exit);
    configure(-1);
    kept = computed(N, 3);
    if (heddle_part_acquire(kept, 0, HEDDLE_ANYWHERE, &view) != HEDDLE_OK) _exit(97);
}

static void hold_a_view_in_flight(void)
{
    hold_a_view();
    heddle_release(slow(1));
    heddle_eval(slow(2));
}

static void leave_work(void)
{
    atexit(read_at_exit);
    configure(-1);
    kept = slow(3);
    heddle_eval(kept);
}

static void try_at_exit(void)
{
    atexit(work_at_exit);
    configure(1000);
    heddle_start();
}

static void ignore(heddle_array *a, enum heddle_status status, void *data)
{
    (void)a, (void)status, (void)data;
}

/* work_at_exit stands for the driver of GPUs, whose handler is set when the runtime starts. A wish has asked for one of
 * Heddle's before. */
static void start_after_a_wish(void)
{
    configure(1000);
    heddle_array *two = heddle_scalar(2.0), *four = heddle_add(two, two);
    if (heddle_on_done(four, ignore, NULL) != HEDDLE_OK) _exit(98);
    atexit(work_at_exit);
    heddle_start();
    heddle_release(two);
    heddle_release(four);
}

/* Whom nobody will tell any more. */
static void told(heddle_array *a, enum heddle_status status, void *data)
{
    (void)status, (void)data;
    static double values[N];
    heddle_read(a, values, sizeof values);
    heddle_array *again = slow(1);
    heddle_on_done(again, told, NULL);
    heddle_release(again);
}

static void leave_a_wish(void)
{
    configure(-1);
    heddle_array *a = computed(N, 1);
    told(a, HEDDLE_OK, NULL);
    heddle_release(a);
    const struct timespec pause = {0, 400000000};
    nanosleep(&pause, NULL); /* into the second call */
}

static void exit_when_told(heddle_array *a, enum heddle_status status, void *data)
{
    (void)a, (void)status, (void)data;
    exit(7);
}

static void exit_on_done(void)
{
    const struct timespec pause = {5, 0};
    configure(-1);
    heddle_eval(slow(1));
    heddle_on_done(computed(N, 1), exit_when_told, NULL);
    nanosleep(&pause, NULL);
    _exit(99);
}

static void *read_it(void *unused)
{
    static double data[N];
    (void)unused;
    for (;;) {
        heddle_array *a = slow(1);
        heddle_read(a, data, sizeof data);
        heddle_release(a);
    }
    return NULL;
}

static void leave_a_reader(void)
{
    const struct timespec pause = {0, 50000000};
    pthread_t thread;
    configure(-1);
    heddle_start();
    pthread_create(&thread, NULL, read_it, NULL);
    nanosleep(&pause, NULL);
}

static enum heddle_status leave(const struct heddle_part_view *in, void *out, void *user)
{
    (void)in, (void)out, (void)user;
    exit(7);
}

static void exit_in_a_function(void)
{
    heddle_array *a = computed(N, 1), *b = heddle_map_parts(a, HEDDLE_FLOAT64, leave);
    heddle_wait(b);
    _exit(98);
}

static void exit_in_a_task(void)
{
    configure(-1);
    exit_in_a_function();
}

static void exit_inline(void)
{
    configure(1 << 30);
    heddle_start();
    exit_in_a_function();
}

static void exit_in_a_deleter(void *unused)
{
    (void)unused;
    exit(7);
}

static void exit_deleting(void)
{
    static double data[N];
    configure(-1);
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, 1, shape, .borrow = true,
                                     .deleter = exit_in_a_deleter);
    heddle_array *b = heddle_add(a, a);
    heddle_eval(b);
    heddle_release(a);
    heddle_wait(b);
    const struct timespec pause = {2, 0};
    nanosleep(&pause, NULL); /* a thread of Heddle's deletes */
    _exit(99);
}

static atomic_int is_deleting;

static void never_returns(void *user)
{
    (void)user;
    atomic_store(&is_deleting, 1);
    for (;;) pause();
}

/* As a deleter that needs the lock of an interpreter which ends: it is called by a thread of Heddle's. */
static void exit_around_a_deleter(void)
{
    static double data[N];
    configure(-1);
    heddle_array *a =
        heddle_asarray(data, HEDDLE_FLOAT64, 1, shape, .borrow = true, .deleter = never_returns);
    heddle_array *b = heddle_add(a, heddle_scalar(1.0));
    if (heddle_wait(b) != HEDDLE_OK) _exit(98);
    heddle_release(a);
    heddle_release(b);
    for (int i = 0; i < 2000 && !is_deleting; i++) usleep(1000);
    exit(is_deleting ? 7 : 99);
}

/* One that is called first when the process exits is not called at all. */
static void exit_with_a_deleter(void)
{
    static double data[N];
    configure(-1);
    heddle_array *a =
        heddle_asarray(data, HEDDLE_FLOAT64, 1, shape, .borrow = true, .deleter = never_returns);
    heddle_eval(slow(1));
    heddle_eval(heddle_add(a, heddle_scalar(1.0)));
    exit(7);
}

static void interrupt(void)
{
    configure(-1);
    heddle_start();
    for (int i = 0;; i++) {
        heddle_array *a = slow(i);
        heddle_eval(a);
        if (i == 1) kill(getpid(), SIGINT);
        heddle_wait(a);
        heddle_release(a);
    }
}

static const struct way {
    const char *name;
    void (*body)(void);
    int code, signal;
} ways[] = {
    {"hold a view", hold_a_view, 0, 0},
    {"hold a view, with work in flight", hold_a_view_in_flight, 0, 0},
    {"leave work", leave_work, 0, 0},
    {"work at exit", try_at_exit, 0, 0},
    {"start after a wish", start_after_a_wish, 0, 0},
    {"leave a reader", leave_a_reader, 0, 0},
    {"leave a wish", leave_a_wish, 0, 0},
    {"exit on done", exit_on_done, 7, 0},
    {"exit in a task", exit_in_a_task, 7, 0},
    {"exit inline", exit_inline, 7, 0},
    {"exit in a deleter", exit_deleting, 7, 0},
    {"exit around a deleter", exit_around_a_deleter, 7, 0},
    {"exit with a deleter", exit_with_a_deleter, 7, 0},
    {"interrupt", interrupt, 0, SIGINT},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static void run(char *self, const struct way *way)
{
    extern char **environ;
    char *arguments[] = {self, (char *)(uintptr_t)way->name, NULL};
    pid_t pid;
    int state = 0;
    CHECK_EQ(posix_spawn(&pid, self, NULL, NULL, arguments, environ), 0);
    waitpid(pid, &state, 0);
    const int code = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
    const int killed_by = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    CHECK(code == way->code && killed_by == way->signal, "%s: code %d, signal %d%s", way->name,
          code, killed_by, killed_by == SIGALRM ? ", it hangs" : "");
}

int main(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < N_WAYS; i++) {
        if (strcmp(argv[1], ways[i].name) != 0) continue;
        alarm(SECONDS);
        ways[i].body();
        return 0;
    }
    for (int i = 0; i < N_WAYS; i++) run(argv[0], &ways[i]);
    return check_done();
}
