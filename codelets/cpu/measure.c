/* The rates of a CPU team, for cost estimates before anything has run: a copy from memory, and
 * float64 additions of blocks in the cache, as programs do them. About 20 ms. Entry point: heddle__cpu_measure. */
#include "cpu/blocks.h"
#include "kernels.h"

#include <base/memory.h>
#include <omp.h>
#include <string.h>
#include <time.h>

enum {
    COPY_BYTES = 16 << 20, /* each way */
    ROUNDS = 1000,
};
static const double BUDGET_S = 0.008; /* of each of the two rates */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
    char *from = heddle__alloc_aligned(COPY_BYTES), *to = heddle__alloc_aligned(COPY_BYTES);
    if (!from || !to) {
        heddle__free(from);
        heddle__free(to);
        return heddle__fail(HEDDLE_ENOMEM, "no memory to measure the CPU");
    }
    /* Each thread's best of many short runs, all running at once: other load on the machine disturbs
     * some of them, and a thread that waits for a processor must not count against the others. */
    double copied = 0, added = 0;
#pragma omp parallel num_threads(n_threads) reduction(+ : copied, added)
    {
        const size_t t = (size_t)omp_get_thread_num(), n = (size_t)omp_get_num_threads();
        const size_t a = COPY_BYTES * t / n, bytes = COPY_BYTES * (t + 1) / n - a;
        memset(from + a, 1, bytes);
        memset(to + a, 1, bytes);
        double copy_s = 1e9, add_s = 1e9;
#pragma omp barrier
        const double begin = now();
        for (double start = begin; start < begin + BUDGET_S;) {
            memcpy(to + a, from + a, bytes);
            const double end = now();
            if (end - start < copy_s) copy_s = end - start;
            start = end;
        }
        const double middle = now();
        for (double start = middle; start < middle + BUDGET_S;) {
            add();
            const double end = now();
            if (end - start < add_s) add_s = end - start;
            start = end;
        }
        copied += 2.0 * (double)bytes / copy_s;
        added += (double)HEDDLE_BLOCK * ROUNDS / add_s;
    }
    *bytes_per_s = copied;
    *flops_per_s = added;
    heddle__free(from);
    heddle__free(to);
    return HEDDLE_OK;
}
