/* The rates of a CPU team, for cost estimates before anything has run: a pass over memory that no
 * cache holds, and float64 additions of blocks in the cache, as programs do them. Some 100 ms. Entry
 * point: heddle__cpu_measure. */
#include "cpu/blocks.h"
#include "kernels.h"

#include <base/median.h>
#include <base/memory.h>
#include <base/team.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 1000,
    PASSES = 5,
};
static const double BUDGET_S = 0.008; /* of the additions */
static const double MEETING_S = 0.05; /* to wait for all threads */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Elements of an array that, with another, the last-level cache does not hold; within limits. */
static size_t large(void)
{
    const size_t least = 32 << 20, most = 384 << 20; /* bytes; then both are no longer held */
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const size_t bytes = cache > 0 ? 2 * (size_t)cache : least;
    return (bytes < least ? least : bytes > most ? most : bytes) / sizeof(double);
}

/* Fewer page faults: they take longer than what is measured. */
static void use_huge_pages(void *at, size_t bytes)
{
    const uintptr_t page = 2 << 20, begin = ((uintptr_t)at + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)at + bytes) / page * page;
    if (begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* What a program does at the least with so much: reads, and stores past the caches. */
static void pass(size_t n, const double *from, double *to)
{
    const struct heddle__blocks *blocks = heddle__cpu_blocks();
    for (size_t i = 0; i < n; i += HEDDLE_BLOCK)
        blocks->moves.stream((n - i < HEDDLE_BLOCK ? n - i : HEDDLE_BLOCK) * sizeof *to, to + i,
                             from + i);
    blocks->moves.settle();
}

/* ROUNDS blocks of additions, as programs do them. */
static void add(void)
{
    _Alignas(64) double sum[HEDDLE_BLOCK], step[HEDDLE_BLOCK];
    heddle__block_fn *const block =
        heddle__cpu_blocks()->types[HEDDLE_FLOAT64].ops[HEDDLE_OP_ADD].vector;
    for (int i = 0; i < HEDDLE_BLOCK; i++) sum[i] = step[i] = (double)i;
    for (int r = 0; r < ROUNDS; r++) block(HEDDLE_BLOCK, sum, sum, step, NULL);
}

struct measure {
    int n_threads;
    size_t size; /* elements */
    double *from, *to;
    atomic_int arrived;
    double *copied, *added; /* of each thread */
};

/* All threads at once, but not for ever: on a busy machine some may not come. */
static void meet(struct measure *m)
{
    const double begin = now();
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < m->n_threads && now() - begin < MEETING_S) continue;
}

/* A thread's own times, all running at once: the median pass, for they share the memory; the best
 * additions, for other load disturbs some, and a thread that waits for a processor must not count against
 * the others. */
static void measure_thread(void *argument, int thread)
{
    struct measure *m = argument;
    const size_t t = (size_t)thread, n = (size_t)m->n_threads;
    const size_t a = m->size * t / n, count = m->size * (t + 1) / n - a;
    memset(m->from + a, 0, count * sizeof *m->from);
    memset(m->to + a, 0, count * sizeof *m->to);
    double times[PASSES], add_s = 1e9;
    meet(m);
    for (int i = 0; i < PASSES; i++) {
        const double start = now();
        pass(count, m->from + a, m->to + a);
        times[i] = now() - start;
    }
    const double middle = now();
    for (double start = middle; start < middle + BUDGET_S;) {
        add();
        const double end = now();
        if (end - start < add_s) add_s = end - start;
        start = end;
    }
    m->copied[thread] = 2.0 * (double)(count * sizeof *m->from) / heddle__median(times, PASSES);
    m->added[thread] = (double)HEDDLE_BLOCK * ROUNDS / add_s;
}

enum heddle_status heddle__cpu_measure(struct heddle_team *team, double *bytes_per_s,
                                       double *flops_per_s)
{
    struct measure m = {.n_threads = heddle__team_size(team), .size = large()};
    const size_t n = (size_t)m.n_threads;
    m.from = heddle__alloc_aligned(m.size * sizeof *m.from);
    m.to = heddle__alloc_aligned(m.size * sizeof *m.to);
    m.copied = heddle__calloc(2 * n, sizeof *m.copied);
    m.added = m.copied + n;
    *bytes_per_s = *flops_per_s = 0;
    if (m.from && m.to && m.copied) {
        use_huge_pages(m.from, m.size * sizeof *m.from);
        use_huge_pages(m.to, m.size * sizeof *m.to);
        heddle__team_run(team, m.n_threads, measure_thread, &m);
        for (size_t t = 0; t < n; t++) {
            *bytes_per_s += m.copied[t];
            *flops_per_s += m.added[t];
        }
    }
    heddle__free(m.from);
    heddle__free(m.to);
    heddle__free(m.copied);
    HEDDLE_REQUIRE(*flops_per_s > 0, HEDDLE_ENOMEM, "no memory to measure the CPU");
    return HEDDLE_OK;
}
