/* The cache of plans is bounded in bytes: thousands of expressions that differ leave memory as it was, what is used
 * again and again stays, and plans that are too large are not kept. */
#include "check_heddle.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define MB ((int64_t)1 << 20)
static const double one = 1;

static struct heddle_statistics now(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s;
}

/* Evaluates a chain of n operations; each `kind` has a structure of its own. */
static void evaluate(int kind, int n)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(&one, HEDDLE_FLOAT64, HEDDLE_SHAPE(1)), *x = a;
    double value = 1, expected = 1;
    for (int i = 0; i < n; i++) {
        const bool adds = i < 24 && (kind >> i & 1);
        x = adds ? heddle_add(x, a) : heddle_subtract(a, x);
        expected = adds ? expected + 1 : 1 - expected;
    }
    CHECK_EQ(heddle_read(x, &value, sizeof value), HEDDLE_OK);
    CHECK_NUM(value, expected);
    heddle_scope_close(scope);
}

/* Resident bytes. */
static int64_t resident(void)
{
    long long pages[2] = {0, 0};
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%lld %lld", &pages[0], &pages[1]) == 2);
    if (file) fclose(file);
    return pages[1] * sysconf(_SC_PAGESIZE);
}

static void test_bound(int64_t most)
{
    const int rounds = 3000, size = 400;
    for (int i = 0; i < rounds / 2; i++) evaluate(i, size);
    const int64_t before = resident();
    for (int i = rounds / 2; i < rounds; i++) {
        evaluate(i, size);
        CHECK(now().plan_bytes <= most, "%lld bytes", (long long)now().plan_bytes);
    }
    CHECK(now().plans_cached > 0 && now().plans_cached < rounds / 4, "%lld plans",
          (long long)now().plans_cached);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
    CHECK(resident() - before < 2 * MB, "%lld kB more", (long long)(resident() - before) / 1024);
#endif
}

/* A plan that is used among many others stays; the others push each other out. */
static void test_order(void)
{
    const int rounds = 500;
    const int64_t made = now().plans_made;
    for (int i = 0; i < rounds; i++) {
        evaluate(10000, 400);
        evaluate(20000 + i, 400);
    }
    CHECK_EQ(now().plans_made, made + 1 + rounds);
    const int64_t before = now().plans_made;
    evaluate(20000, 400);
    CHECK_EQ(now().plans_made, before + 1);
}

/* One that would take most of the cache pushes nothing out. */
static void test_large(void)
{
    const struct heddle_statistics before = now();
    evaluate(1, 20000);
    evaluate(1, 20000);
    CHECK_EQ(now().plans_made, before.plans_made + 2);
    CHECK_EQ(now().plans_cached, before.plans_cached);
    CHECK_EQ(now().plan_bytes, before.plan_bytes);
}

int main(void)
{
    const struct heddle_config config = {.devices = "cpu", .cpu_memory_bytes = 256 * MB};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    test_bound(4 * MB); /* 1/64 */
    test_order();
    test_large();
    check_nothing_left();
    CHECK_EQ(now().plans_cached, 0);
    CHECK_EQ(now().plan_bytes, 0);
    return check_done();
}
