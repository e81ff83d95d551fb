/* Proves that threads may evaluate, read and release at the same time, small work and large, with
 * shared inputs. */
#include "check.h"

#include <heddle.h>
#include <pthread.h>

enum { N_THREADS = 4, N_ROUNDS = 60, N = 20000 };
static const int64_t shape[] = {N};
static heddle_array *shared;

static void *work(void *argument)
{
    const int id = *(const int *)argument;
    static _Thread_local double out[N];
    for (int round = 0; round < N_ROUNDS; round++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *k = heddle_scalar((double)(id * 1000 + round));
        heddle_array *a = heddle_add(shared, k);
        heddle_array *small = heddle_multiply(k, k);
        double square, k_value = id * 1000 + round;
        CHECK_EQ(heddle_eval(a), HEDDLE_OK);
        CHECK_EQ(heddle_read(small, &square, sizeof square), HEDDLE_OK);
        CHECK_NUM(square, k_value * k_value);
        CHECK_EQ(heddle_read(a, out, sizeof out), HEDDLE_OK);
        CHECK_NUM(out[0], k_value);
        CHECK_NUM(out[N - 1], k_value + N - 1);
        heddle_scope_close(scope);
    }
    return NULL;
}

int main(void)
{
    static const struct heddle_config ways[] = {
        {.devices = "cpu"},
        {.devices = "cpu", .inline_bytes = 1000},
        {.devices = "cpu", .inline_bytes = 1000, .partition = "3", .max_tasks = 5},
    };
    static double data[N];
    for (int i = 0; i < N; i++) data[i] = i;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(heddle_configure(&ways[i]), HEDDLE_OK);
        shared = heddle_asarray(data, HEDDLE_FLOAT64, 1, shape);
        pthread_t threads[N_THREADS];
        int ids[N_THREADS];
        for (int t = 0; t < N_THREADS; t++) {
            ids[t] = t;
            CHECK_EQ(pthread_create(&threads[t], NULL, work, &ids[t]), 0);
        }
        for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
        heddle_release(shared);
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}
