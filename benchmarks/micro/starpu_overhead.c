/* What the runtime costs by itself: start-up, a small evaluation inline, a round trip through StarPU
 * hot and from idle, and a task among many. Prints one line each, in microseconds: the median of
 * several samples. Usage: starpu_overhead [devices]. */
#include "timing.h"

#include <heddle.h>
#include <stdio.h>

enum { SAMPLES = 15 };

static double now_us(void)
{
    return 1e6 * now();
}

static void need(enum heddle_status status, const char *what)
{
    if (status == HEDDLE_OK) return;
    fprintf(stderr, "%s: %s\n", what, heddle_last_error());
    exit(1);
}

static heddle_array *numbers(int64_t n)
{
    double *data = malloc((size_t)n * sizeof *data);
    if (!data) exit(1);
    for (int64_t i = 0; i < n; i++) data[i] = (double)i;
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, 1, &n);
    free(data);
    return a;
}

/* a * b + c, recorded, evaluated, waited for and released. */
static double expression_us(int64_t n, int repeats, long pause_ns)
{
    heddle_array *a = numbers(n), *b = numbers(n), *c = numbers(n);
    double samples[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        if (pause_ns) nanosleep(&(struct timespec){0, pause_ns}, NULL);
        const double start = now_us();
        for (int i = 0; i < repeats; i++) {
            heddle_array *product = heddle_multiply(a, b), *sum = heddle_add(product, c);
            need(heddle_wait(sum), "wait");
            heddle_release(product);
            heddle_release(sum);
        }
        samples[s] = (now_us() - start) / repeats;
    }
    heddle_release(a);
    heddle_release(b);
    heddle_release(c);
    return median_of(samples, SAMPLES);
}

/* Evaluations one after the other, not waited for: the cost of a task in a stream of tasks. */
static double stream_us(int n_tasks)
{
    heddle_array *a = numbers(64);
    double samples[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *last = NULL;
        const double start = now_us();
        for (int i = 0; i < n_tasks; i++) {
            last = heddle_add(a, a);
            need(heddle_eval(last), "eval");
        }
        need(heddle_wait(last), "wait");
        heddle_scope_close(scope);
        samples[s] = (now_us() - start) / n_tasks;
    }
    heddle_release(a);
    return median_of(samples, SAMPLES);
}

/* Each evaluation needs the one before. */
static double chain_us(int n_tasks)
{
    double samples[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = numbers(64);
        const double start = now_us();
        for (int i = 0; i < n_tasks; i++) {
            a = heddle_negative(a);
            need(heddle_eval(a), "eval");
        }
        need(heddle_wait(a), "wait");
        samples[s] = (now_us() - start) / n_tasks;
        heddle_scope_close(scope);
    }
    return median_of(samples, SAMPLES);
}

static void configure(const char *devices, int64_t inline_bytes)
{
    need(heddle_shutdown(), "shutdown");
    need(
        heddle_configure(&(struct heddle_config){.devices = devices, .inline_bytes = inline_bytes}),
        "configure");
}

int main(int argc, char **argv)
{
    const char *devices = argc > 1 ? argv[1] : "all";
    configure(devices, 0);
    printf("%-44s %9.2f us\n", "inline, a*b+c, n = 1", expression_us(1, 20000, 0));
    printf("%-44s %9.2f us\n", "inline, a*b+c, n = 1000", expression_us(1000, 20000, 0));
    printf("%-44s %9.2f us\n", "default, a*b+c, n = 20000", expression_us(20000, 500, 0));
    printf("%-44s %9.2f us\n", "default, a*b+c, n = 200000", expression_us(200000, 50, 0));

    configure(devices, -1);
    for (int i = 0; i < 2; i++) {
        const double start = now_us();
        need(heddle_start(), "start");
        printf("%-44s %9.0f us\n", i == 0 ? "start-up" : "start-up, again", now_us() - start);
        if (i == 0) need(heddle_shutdown(), "shutdown");
    }
    printf("%-44s %9.2f us\n", "StarPU, a*b+c, n = 64, waited for", expression_us(64, 200, 0));
    printf("%-44s %9.2f us\n", "StarPU, the same after 20 ms of idleness",
           expression_us(64, 1, 20000000));
    printf("%-44s %9.2f us\n", "StarPU, n = 20000", expression_us(20000, 200, 0));
    printf("%-44s %9.2f us\n", "StarPU, n = 200000", expression_us(200000, 50, 0));
    printf("%-44s %9.2f us\n", "StarPU, a task of 1000 independent ones", stream_us(1000));
    printf("%-44s %9.2f us\n", "StarPU, a task of a chain of 1000", chain_us(1000));
    need(heddle_shutdown(), "shutdown");
    return 0;
}
