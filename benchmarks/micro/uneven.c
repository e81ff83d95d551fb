/* Two CPU workers of one core each, one of them slowed by a thread that spins on its core: how near
 * an expression comes to the ideal split, by what each worker takes alone.
 *
 *     micro_uneven [RUNS]      one JSON line; seconds are medians
 */
#include "timing.h"

#include <heddle.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 24, MOST_RUNS = 99 };

static int runs = 15;

static cpu_set_t allowed;

/* The calling thread, and those that it makes, run on cores [first, first + n) of the allowed. */
static void stay_on(int first, int n)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t c = 0, k = 0; c < CPU_SETSIZE; c++) {
        if (!CPU_ISSET(c, &allowed)) continue;
        if ((int)k >= first && (int)k < first + n) CPU_SET(c, &set);
        k++;
    }
    sched_setaffinity(0, sizeof set, &set);
}

static void *spin(void *core)
{
    stay_on(*(const int *)core, 1);
    for (volatile unsigned long i = 0;; i++) continue;
    return NULL;
}

/* Seconds of an evaluation on `n` workers, from core `first` on; `slowed` < 0: no core is. */
static double measure(int first, int n, int slowed)
{
    stay_on(first, n);
    const struct heddle_config config = {
        .devices = "cpu", .cpu_workers = n, .cpu_threads = n, .inline_bytes = -1};
    pthread_t thread;
    double took[MOST_RUNS];
    if (heddle_configure(&config) != HEDDLE_OK || heddle_start() != HEDDLE_OK) return -1;
    if (slowed >= 0 && pthread_create(&thread, NULL, spin, &slowed) != 0) return -1;
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_linspace(heddle_scalar(0.0), heddle_scalar(1.0), N);
    if (heddle_eval(x) != HEDDLE_OK || heddle_wait(x) != HEDDLE_OK) return -1;
    for (int i = -3; i < runs; i++) { /* three to learn by */
        heddle_scope inner = heddle_scope_open();
        const double start = now();
        heddle_array *y = heddle_sqrt(heddle_exp(heddle_sin(x)));
        if (heddle_eval(y) != HEDDLE_OK || heddle_wait(y) != HEDDLE_OK) return -1;
        if (i >= 0) took[i] = now() - start;
        heddle_scope_close(inner);
    }
    heddle_scope_close(scope);
    return median_of(took, runs);
}

/* In a process of its own: Heddle asks once for the cores that it may use. */
static double apart(int first, int n, int slowed)
{
    double seconds = -1;
    int ends[2];
    if (pipe(ends) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        seconds = measure(first, n, slowed);
        _exit(write(ends[1], &seconds, sizeof seconds) != sizeof seconds);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &seconds, sizeof seconds) != sizeof seconds) seconds = -1;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return seconds;
}

int main(int argc, char **argv)
{
    if (argc > 1) runs = atoi(argv[1]);
    if (runs < 1 || runs > MOST_RUNS || sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        CPU_COUNT(&allowed) < 2) {
        fprintf(stderr, "micro_uneven: 1 to %d runs, on two cores\n", MOST_RUNS);
        return 2;
    }
    const double fast = apart(0, 1, -1), slow = apart(1, 1, 1), both = apart(0, 2, 1);
    if (fast <= 0 || slow <= 0 || both <= 0) {
        fprintf(stderr, "micro_uneven: %s\n", heddle_last_error());
        return 1;
    }
    const double ideal = 1 / (1 / fast + 1 / slow);
    printf("{\"limit\": \"uneven\", \"fast_s\": %.5f, \"slow_s\": %.5f, \"both_s\": %.5f, "
           "\"ideal_s\": %.5f, \"of_the_ideal\": %.3f}\n",
           fast, slow, both, ideal, both / ideal);
    return 0;
}
