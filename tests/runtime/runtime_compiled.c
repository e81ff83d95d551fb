/* A program that runs often is compiled, if the machine has a C compiler, which heddle_statistics tells: with the same results,
 * as a map, in place, and in a reduction; HEDDLE_JIT=0 keeps it from that. */
#include "check_heddle.h"

#include <stdlib.h>
#include <time.h>

enum { N = 300000, ROUNDS = 4000 };

static int64_t compiled(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.cpu_compiled;
}

/* ((x + 1) * x + 2) * x - 3 of whole numbers, which is exact. */
static heddle_array *polynomial(heddle_array *x)
{
    heddle_array *y = heddle_multiply(heddle_add(x, heddle_scalar_float(1)), x);
    y = heddle_multiply(heddle_add(y, heddle_scalar_float(2)), x);
    return heddle_subtract(y, heddle_scalar_float(3));
}

static double value(double x)
{
    return ((x + 1) * x + 2) * x - 3;
}

static int wrong_at(const double *out, int step)
{
    int n = 0;
    for (int i = 0; i < N; i += step) n += out[i] != value(i % 1000);
    return n;
}

int main(void)
{
    static double x[N], out[N];
    const bool on = !getenv("HEDDLE_JIT");
    double total = 0, sum = 0;
    int n_wrong = 0, rounds = 0;
    for (int i = 0; i < N; i++) total += value(x[i] = i % 1000);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu"}), HEDDLE_OK);
    const time_t begin = time(NULL);
    while (rounds < ROUNDS && compiled() < 2 && time(NULL) - begin < (on ? 30 : 3)) {
        rounds++;
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
        n_wrong += heddle_read(polynomial(a), out, sizeof out) != HEDDLE_OK;
        n_wrong += wrong_at(out, 97);
        n_wrong += heddle_read(heddle_sum(polynomial(a)), &sum, sizeof sum) != HEDDLE_OK;
        n_wrong += sum != total;
        heddle_scope_close(scope);
    }
    CHECK_EQ(n_wrong, 0);
    CHECK_EQ(wrong_at(out, 1), 0);
    if (on && system("cc --version >/dev/null 2>&1") == 0) /* NOLINT */
        CHECK(compiled() == 2, "%lld programs in %d rounds", (long long)compiled(), rounds);
    if (!on) CHECK_EQ(compiled(), 0);
    heddle_statistics_reset();
    CHECK_EQ(compiled(), 0);
    check_nothing_left();
    return check_done();
}
