/* Teams: each item is done once, whoever takes part; nobody waits for a thread that has not begun. */
#include "base/memory.h"
#include "base/share.h"
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 5000 };

struct marks {
    atomic_int of[MOST];
    atomic_int most_thread; /* numbers seen */
};

static void mark(void *argument, int64_t from, int64_t to)
{
    struct marks *m = argument;
    for (int64_t i = from; i < to; i++) atomic_fetch_add(&m->of[i], 1);
}

static void check_once(struct heddle_team *team, int n_threads, int64_t n, struct marks *m)
{
    for (int i = 0; i < MOST; i++) atomic_store(&m->of[i], 0);
    heddle__share(team, n_threads, n, mark, m);
    int64_t bad = 0;
    for (int i = 0; i < MOST; i++) bad += atomic_load(&m->of[i]) != (i < n);
    CHECK_EQ(bad, 0);
}

static void each_item_once(void)
{
    static struct marks m;
    static const int64_t sizes[] = {0, 1, 2, 63, 64, 129, MOST};
    for (int size = 1; size <= 9; size += 2) {
        struct heddle_team *team = heddle__team_open(size, NULL);
        CHECK_EQ(heddle__team_size(team), size);
        for (int round = 0; round < 50; round++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                check_once(team, 1 + round % (size + 2), sizes[k], &m);
        heddle__team_close(team);
    }
    check_once(NULL, 4, MOST, &m);
    CHECK_EQ(heddle__team_size(NULL), 1);
}

/* Behind ranges in which nothing is left, the caller finds the last one, and no other has to. */
static void last_range(void)
{
    enum { N = 20, RANGES = 20 };
    static struct heddle__shares s;
    int64_t from = 0, to = 0;
    for (int thread = 1; thread >= 0; thread--) {
        heddle__shares_begin(&s, N, RANGES);
        for (int i = 0; i < RANGES - 1; i++) atomic_store(&s.of[i].taken, 1);
        struct heddle__taker taker = heddle__taker(&s, thread);
        CHECK_EQ(heddle__take(&taker, &from, &to), thread == 0);
        if (thread == 0)
            CHECK(from == N - 1 && to == N, "%lld to %lld", (long long)from, (long long)to);
        CHECK(!heddle__take(&taker, &from, &to), "more than there is");
    }
}

/* Numbers are of one thread each, and below the limit. */
static void note_thread(void *argument, int thread)
{
    struct marks *m = argument;
    CHECK_EQ(atomic_fetch_add(&m->of[thread], 1), 0);
    int most = atomic_load(&m->most_thread);
    while (thread > most && !atomic_compare_exchange_weak(&m->most_thread, &most, thread)) {
    }
    const struct timespec a_little = {0, 200000};
    nanosleep(&a_little, NULL);
}

static void numbers(void)
{
    static struct marks m;
    struct heddle_team *team = heddle__team_open(6, NULL);
    for (int limit = 1; limit <= 8; limit++)
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < MOST; i++) atomic_store(&m.of[i], 0);
            atomic_store(&m.most_thread, 0);
            heddle__team_run(team, limit, note_thread, &m);
            CHECK_EQ(atomic_load(&m.of[0]), 1);
            CHECK(atomic_load(&m.most_thread) < (limit < 6 ? limit : 6), "thread %d of %d",
                  atomic_load(&m.most_thread), limit);
        }
    heddle__team_close(team);
}

/* More come at once than are let in, into runs that end at once, one after the other: each number is one thread's, and who comes
 * too late for a run is in none. Where it is not so, this fails or does not end. */
struct rush {
    atomic_int inside, of[16];
    int limit;
};

static void in_a_rush(void *argument, int thread)
{
    struct rush *r = argument;
    CHECK(thread < r->limit && atomic_fetch_add(&r->of[thread], 1) == 0, "thread %d of %d", thread,
          r->limit);
    atomic_fetch_add(&r->inside, 1);
    if (thread == 0) /* others come meanwhile */
        for (int i = 0; i < 2000 && atomic_load(&r->inside) < r->limit; i++) sched_yield();
    atomic_fetch_sub(&r->inside, 1);
}

static void rushes(void)
{
    enum { RUNS = 3000 };
    struct heddle_team *team = heddle__team_open(16, NULL);
    int64_t helped = 0;
    for (int i = 0; i < RUNS; i++) {
        struct rush r = {.limit = 2 + i % 4};
        heddle__team_run(team, r.limit, in_a_rush, &r);
        CHECK_EQ(atomic_load(&r.inside), 0);
        CHECK_EQ(atomic_load(&r.of[0]), 1);
        for (int t = 1; t < r.limit; t++) helped += atomic_load(&r.of[t]);
    }
    CHECK(helped > 0, "nobody came");
    heddle__team_close(team);
}

/* Who takes a range takes it again in the next loop. */
static pthread_t takers[8];

static void note_taker(void *argument, int64_t from, int64_t to)
{
    (void)argument;
    for (int64_t i = from; i < to; i++) takers[i] = pthread_self();
    const struct timespec till_all_have_begun = {0, 10000000};
    nanosleep(&till_all_have_begun, NULL);
}

static void homes(void)
{
    enum { N = 6, ROUNDS = 30 };
    struct heddle_team *team = heddle__team_open(N, NULL);
    pthread_t before[N];
    int same = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        heddle__share(team, N, N, note_taker, NULL);
        for (int i = 0; i < N && round > 0; i++) same += pthread_equal(takers[i], before[i]) != 0;
        memcpy(before, takers, sizeof before);
    }
    CHECK(same > N * ROUNDS * 3 / 4, "%d of %d", same, N * ROUNDS);
    CHECK_EQ(heddle__team_home(), 0);
    heddle__team_close(team);
}

/* Members that have slept are not ready; asked often enough, some are woken. */
static void readiness(void)
{
    CHECK_EQ(heddle__team_ready(NULL, 4), 1);
    struct heddle_team *alone = heddle__team_open(1, NULL), *pair = heddle__team_open(2, NULL);
    CHECK_EQ(heddle__team_ready(alone, 4), 1);
    CHECK_EQ(heddle__team_ready(pair, 1), 1);
    int ready = 2;
    for (int i = 0; i < 5000 && ready == 2; i++) { /* too seldom to wake it */
        usleep(1000);
        ready = heddle__team_ready(pair, 2);
    }
    CHECK_EQ(ready, 1);
    for (int i = 0; i < 10000000 && ready == 1; i++) ready = heddle__team_ready(pair, 2);
    CHECK_EQ(ready, sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1);
    heddle__team_close(alone);
    heddle__team_close(pair);
}

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void work_10_us(void *argument, int thread)
{
    (void)argument, (void)thread;
    for (const int64_t end = now_us() + 10; now_us() < end;) continue;
}

/* Runs that want two threads keep one member awake, not all: the others would take power, and half of a core, from those that
 * work. On paper there are cores for all. */
static void who_is_not_wanted_sleeps(void)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (size_t i = 0; i < 8; i++) CPU_SET(i, &cores);
    struct heddle_team *team = heddle__team_open(6, &cores);
    int n_looks = 0, n_awake = 0;
    for (const int64_t begin = now_us(); now_us() < begin + 400000;) {
        for (int i = 0; i < 100; i++) heddle__team_run(team, 2, work_10_us, NULL);
        if (now_us() < begin + 200000) continue;
        n_awake += heddle__team_ready(team, 6) - 1;
        n_looks++;
    }
    CHECK(n_awake <= 2 * n_looks, "%d awake in %d looks", n_awake, n_looks);
    heddle__team_close(team);
}

/* A member that took part in the last run is there for what comes half a millisecond later. On a machine that others use it may
 * rightly sleep: what is judged are rounds in which the scheduler took no core from this process, for as long as a team heeds
 * that, and in which the caller overslept little. */
static atomic_int n_helped;

static void help_10_us(void *argument, int thread)
{
    if (thread > 0) atomic_fetch_add(&n_helped, 1);
    work_10_us(argument, thread);
}

static long times_put_off(void)
{
    struct rusage used;
    CHECK_EQ(getrusage(RUSAGE_SELF, &used), 0);
    return used.ru_nivcsw;
}

static void stays_awake(void)
{
    enum { ENOUGH = 50, MOST_US = 5000000, HEEDED_US = 60000, OVERSLEPT_US = 1000 };
    struct heddle_team *pair = heddle__team_open(2, NULL);
    int n_judged = 0, n_awake = 0;
    long put_off = times_put_off();
    const int64_t start = now_us();
    int64_t quiet_since = start;
    while (now_us() - start < MOST_US && n_judged < ENOUGH) {
        int helped = 0;
        for (int k = 0; k < 20; k++) {
            helped = atomic_load(&n_helped);
            heddle__team_run(pair, 2, help_10_us, NULL);
        }
        helped = atomic_load(&n_helped) - helped;
        const int64_t begin = now_us();
        usleep(500);
        const bool is_awake = heddle__team_ready(pair, 2) == 2;
        const int64_t end = now_us();
        if (times_put_off() != put_off) {
            put_off = times_put_off();
            quiet_since = end;
        }
        if (!helped || end - begin > OVERSLEPT_US || begin - quiet_since < HEEDED_US) continue;
        n_judged++;
        n_awake += is_awake;
    }
    CHECK(n_awake * 10 >= n_judged * 9, "in %d of %d rounds", n_awake, n_judged);
    if (n_judged < ENOUGH) printf("a busy machine: %d rounds judged\n", n_judged);
    heddle__team_close(pair);
}

/* A run takes the whole team until it is told to end; another one meanwhile. */
static atomic_int n_held, let_go;

static void hold(void *argument, int thread)
{
    (void)argument, (void)thread;
    atomic_fetch_add(&n_held, 1);
    while (!atomic_load(&let_go)) usleep(100);
}

static void *hold_team(void *team)
{
    heddle__team_run(team, 4, hold, NULL);
    return NULL;
}

static void nobody_waits(void)
{
    static struct marks m;
    struct heddle_team *team = heddle__team_open(4, NULL);
    pthread_t holder;
    CHECK_EQ(pthread_create(&holder, NULL, hold_team, team), 0);
    while (atomic_load(&n_held) < 4) usleep(100);
    for (int i = 0; i < 100; i++) check_once(team, 4, MOST, &m); /* hangs if it waits for them */
    atomic_store(&let_go, 1);
    pthread_join(holder, NULL);
    heddle__team_close(team);
}

/* Many threads use one team at once, more than it has slots. */
static void *run_many(void *team)
{
    struct marks *m = calloc(1, sizeof *m);
    for (int i = 0; i < 200; i++) check_once(team, 4, 100 + i, m);
    free(m);
    return NULL;
}

static void several_callers(void)
{
    enum { CALLERS = 12 };
    struct heddle_team *team = heddle__team_open(4, NULL);
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        CHECK_EQ(pthread_create(&callers[i], NULL, run_many, team), 0);
    for (int i = 0; i < CALLERS; i++) pthread_join(callers[i], NULL);
    heddle__team_close(team);
}

/* Taken back while others borrow it: they end first, later ones are alone. */
static void *borrow_often(void *argument)
{
    struct marks *m = calloc(1, sizeof *m);
    for (int i = 0; i < 500; i++) {
        struct heddle_team *team = heddle__team_borrow();
        check_once(team, 4, 300, m);
        heddle__team_give_back(team);
    }
    free(m);
    return argument;
}

static void lending(void)
{
    pthread_t borrowers[3];
    CHECK(heddle__team_borrow() == NULL);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&borrowers[i], NULL, borrow_often, NULL), 0);
    for (int i = 0; i < 50; i++) {
        struct heddle_team *team = heddle__team_open(3, NULL);
        heddle__team_lend(team);
        usleep(500);
        heddle__team_lend(NULL);
        heddle__team_close(team);
    }
    for (int i = 0; i < 3; i++) pthread_join(borrowers[i], NULL);
}

/* Of a team, a fork has the calling thread alone: it does all by itself. */
static void forked(void)
{
    static struct marks m;
    struct heddle_team *team = heddle__team_open(4, NULL);
    check_once(team, 4, MOST, &m);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        heddle__share(team, 4, MOST, mark, &m);
        _exit(0);
    }
    int status = -1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    heddle__team_close(team);
}

int main(void)
{
    each_item_once();
    last_range();
    numbers();
    rushes();
    homes();
    readiness();
    who_is_not_wanted_sleeps();
    stays_awake();
    nobody_waits();
    several_callers();
    lending();
    forked();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
