/* The rates of a CPU team, for cost estimates before anything has run: a pass over memory that no
 * cache holds, and float64 additions of blocks in the cache, as programs do them. Some 100 ms. Entry
 * point: heddle__cpu_measure. */
#include "cpu/blocks.h"
#include "kernels.h"

#include <base/median.h>
#include <base/memory.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 1000,
    PASSES = 5,
};
static const double BUDGET_S = 0.008; /* of the additions */

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

enum heddle_status heddle__cpu_measure(const struct heddle_cpu_team *team, double *bytes_per_s,
                                       double *flops_per_s)
{
    const int n_threads = team->n_threads < 1 ? 1 : team->n_threads;
    (void)n_threads; /* without OpenMP */
    const size_t size = large();
    double *from = heddle__alloc_aligned(size * sizeof *from);
    double *to = heddle__alloc_aligned(size * sizeof *to);
    if (!from || !to) {
        heddle__free(from);
        heddle__free(to);
        return heddle__fail(HEDDLE_ENOMEM, "no memory to measure the CPU");
    }
    use_huge_pages(from, size * sizeof *from);
    use_huge_pages(to, size * sizeof *to);
    /* Each thread's own times, all running at once: the median pass, for they share the memory; the
     * best additions, for other load disturbs some, and a thread that waits for a processor must not
     * count against the others. */
    double copied = 0, added = 0;
#pragma omp parallel num_threads(n_threads) reduction(+ : copied, added)
    {
        const size_t t = (size_t)omp_get_thread_num(), n = (size_t)omp_get_num_threads();
        const size_t a = size * t / n, count = size * (t + 1) / n - a;
        memset(from + a, 0, count * sizeof *from);
        memset(to + a, 0, count * sizeof *to);
        double times[PASSES], add_s = 1e9;
#pragma omp barrier
        for (int i = 0; i < PASSES; i++) {
            const double start = now();
            pass(count, from + a, to + a);
            times[i] = now() - start;
        }
        const double middle = now();
        for (double start = middle; start < middle + BUDGET_S;) {
            add();
            const double end = now();
            if (end - start < add_s) add_s = end - start;
            start = end;
        }
        copied += 2.0 * (double)(count * sizeof *from) / heddle__median(times, PASSES);
        added += (double)HEDDLE_BLOCK * ROUNDS / add_s;
    }
    *bytes_per_s = copied;
    *flops_per_s = added;
    heddle__free(from);
    heddle__free(to);
    return HEDDLE_OK;
}
