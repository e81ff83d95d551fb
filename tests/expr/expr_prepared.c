/* Prepared texts: the values are those of the same text recorded each time, for inputs whose kind, aliases, constants and
 * owners change between runs; what the caller still holds is never overwritten; failures leave what they promise. */
#include "check_heddle.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int64_t runs_again(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.runs_again;
}

static heddle_array *numbers(int n, double from)
{
    double *x = malloc((size_t)n * sizeof *x + 1);
    for (int i = 0; i < n; i++) x[i] = sin(from + 0.7 * i);
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(n));
    free(x);
    return a;
}

static void check_same(heddle_array *a, heddle_array *b, const char *what)
{
    heddle_scope scope = heddle_scope_open();
    CHECK_EQ(heddle_status_of(a), HEDDLE_OK);
    CHECK(heddle_dtype_of(a) == heddle_dtype_of(b) && heddle_ndim(a) == heddle_ndim(b), "%s: kinds",
          what);
    const int64_t bytes = heddle_nbytes(b);
    char *x = malloc((size_t)bytes + 1), *y = malloc((size_t)bytes + 1);
    CHECK_EQ(heddle_read(a, x, bytes), HEDDLE_OK);
    CHECK_EQ(heddle_read(b, y, bytes), HEDDLE_OK);
    CHECK(memcmp(x, y, (size_t)bytes) == 0, "%s: values", what);
    free(x);
    free(y);
    heddle_scope_close(scope);
}

/* ---- Values ------------------------------------------------------------------------------------------ */

static const char step_text[] =
    "before = u[1:-1]; u[1:-1] = before + c * (u[2:] - 2 * before + u[:-2])\n"
    "v = v + u * 2; u[0] = v[1]";
/* What is rolled is read where it lands, of what is overwritten. */
static const char rolled_text[] =
    "w = roll(u, 2); u[1:-1] = u[1:-1] * 0.5 + c * (roll(u, -1)[1:-1] - 2 * w[1:-1])\n"
    "v[2:] = roll(v, 1)[2:] - u[2:] * c; u[0] = u[-2]";

/* The text recorded each time. */
static void advance_plainly(const char *text, heddle_array *state[3])
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_binding out[2] = {{"u", NULL}, {"v", NULL}};
    CHECK_EQ(heddle_expr_run(
                 text, HEDDLE_BIND_ALL({"u", state[0]}, {"v", state[1]}, {"c", state[2]}), 2, out),
             HEDDLE_OK);
    for (int k = 0; k < 2; k++) {
        heddle_keep(out[k].array);
        heddle_release(state[k]);
        state[k] = out[k].array;
    }
    heddle_scope_close(scope);
    CHECK_EQ(heddle_eval_all(2, state), HEDDLE_OK);
}

static void check_iteration(const char *text, int n, int steps)
{
    heddle_prepared *step =
        heddle_prepare(text, HEDDLE_NAMES("u", "v", "c"), HEDDLE_NAMES("u", "v"));
    CHECK(step, "%s", heddle_last_error());
    heddle_array *state[3] = {numbers(n, 0), numbers(n, 5), heddle_scalar(0.1)};
    heddle_array *plain[3] = {numbers(n, 0), numbers(n, 5), heddle_scalar(0.1)};
    heddle_array *held = NULL, *held_plain = NULL;
    const int64_t before = runs_again();
    for (int t = 0; t < steps; t++) {
        CHECK_EQ(heddle_prepared_advance(step, state), HEDDLE_OK);
        advance_plainly(text, plain);
        if (t == steps / 2) { /* must survive the steps that follow */
            held = heddle_keep(state[0]);
            held_plain = heddle_keep(plain[0]);
        }
    }
    CHECK(runs_again() - before >= steps - 6, "%d steps, %lld again", steps,
          (long long)(runs_again() - before));
    check_same(state[0], plain[0], "u");
    check_same(state[1], plain[1], "v");
    check_same(held, held_plain, "held");
    heddle_release(held);
    heddle_release(held_plain);
    for (int i = 0; i < 3; i++) {
        heddle_release(state[i]);
        heddle_release(plain[i]);
    }
    heddle_prepared_release(step);
}

/* Kinds of inputs in turns, dtypes and shapes `often` or seldom; constants that change; arrays that are lazy. */
static void check_kinds(int often)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT64};
    static const char text[] = "y = a * k + sum(b); z = a[::-1]";
    heddle_prepared *p = heddle_prepare(text, HEDDLE_NAMES("a", "b", "k"), HEDDLE_NAMES("y", "z"));
    for (int round = 0; round < 60; round++) {
        heddle_scope scope = heddle_scope_open();
        const int n = 5 + (often ? 0 : round / 10 % 2);
        heddle_array *a = heddle_astype(heddle_multiply(numbers(n, round), heddle_scalar(100.0)),
                                        dtypes[(often ? round : round / 20) % 3]);
        heddle_array *b = round % 4 == 3 ? a : numbers(n, 2 * round);
        heddle_array *k =
            round % 5 == 0 ? heddle_scalar(round) : heddle_scalar(round % 5 < 3 ? 2.5 : 3.5);
        if (round % 7) CHECK_EQ(heddle_eval(a), HEDDLE_OK);
        heddle_array *inputs[] = {a, b, k}, *outputs[2];
        struct heddle_binding plain[] = {{"y", NULL}, {"z", NULL}};
        CHECK_EQ(heddle_prepared_run(p, inputs, outputs), HEDDLE_OK);
        CHECK_EQ(heddle_expr_run(text, HEDDLE_BIND_ALL({"a", a}, {"b", b}, {"k", k}), 2, plain),
                 HEDDLE_OK);
        check_same(outputs[0], plain[0].array, "y");
        check_same(outputs[1], plain[1].array, "z");
        heddle_scope_close(scope);
    }
    heddle_prepared_release(p);
}

/* The same array whole, and in blocks. */
static void check_cuts(void)
{
    const struct heddle_distribution blocks = {.cut = {{HEDDLE_CUT_PARTS, 3, NULL}}};
    heddle_prepared *p = heddle_prepare("y = a[::-1] * 2", HEDDLE_NAMES("a"), HEDDLE_NAMES("y"));
    for (int round = 0; round < 8; round++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = numbers(1001, round), *whole = a, *y;
        if (round % 2) a = heddle_distribute(a, &blocks);
        CHECK_EQ(heddle_eval(a), HEDDLE_OK);
        CHECK_EQ(heddle_prepared_run(p, &a, &y), HEDDLE_OK);
        check_same(y, heddle_expr("a[::-1] * 2", HEDDLE_BIND("a", whole)), "cut");
        heddle_scope_close(scope);
    }
    heddle_prepared_release(p);
}

/* An output that is an input, and outputs that change places. */
static void check_swap(void)
{
    heddle_prepared *p = heddle_prepare("t = a; a = b + 0 * b; b = t; c = a",
                                        HEDDLE_NAMES("a", "b", "c"), HEDDLE_NAMES("a", "b", "c"));
    heddle_array *state[] = {numbers(4, 1), numbers(4, 2), heddle_scalar(0.0)};
    heddle_array *first = heddle_keep(state[0]), *second = heddle_keep(state[1]);
    for (int t = 0; t < 6; t++) CHECK_EQ(heddle_prepared_advance(p, state), HEDDLE_OK);
    check_same(state[0], first, "a");
    check_same(state[1], second, "b");
    check_same(state[2], first, "c");
    for (int i = 0; i < 3; i++) heddle_release(state[i]);
    heddle_release(first);
    heddle_release(second);
    heddle_prepared_release(p);
}

/* A text that asks for elements gets those of each run. */
static void check_elements(void)
{
    heddle_prepared *p = heddle_prepare("y = a + int(a[0])", HEDDLE_NAMES("a"), HEDDLE_NAMES("y"));
    const int64_t before = runs_again();
    for (int t = 0; t < 8; t++) {
        heddle_scope scope = heddle_scope_open();
        const double x = t;
        heddle_array *a = heddle_asarray(&x, HEDDLE_FLOAT64, HEDDLE_SHAPE(1)), *y;
        CHECK_EQ(heddle_prepared_run(p, &a, &y), HEDDLE_OK);
        double value = 0;
        CHECK_EQ(heddle_read(y, &value, sizeof value), HEDDLE_OK);
        CHECK(value == 2 * x, "step %d: %g", t, value);
        heddle_scope_close(scope);
    }
    CHECK_EQ(runs_again(), before);
    heddle_prepared_release(p);
}

/* ---- Owners ------------------------------------------------------------------------------------------- */

/* Memory of the caller's, and arrays that somebody else holds, are never written. */
static void check_held(void)
{
    heddle_prepared *p = heddle_prepare("u[1] = 7", HEDDLE_NAMES("u"), HEDDLE_NAMES("u"));
    for (int round = 0; round < 8; round++) {
        double mine[3] = {1, 2, 3};
        heddle_array *u =
            round % 2 ? heddle_asarray(mine, HEDDLE_FLOAT64, HEDDLE_SHAPE(3), .borrow = true)
                      : heddle_asarray(mine, HEDDLE_FLOAT64, HEDDLE_SHAPE(3));
        heddle_array *held = round % 4 < 2 ? heddle_keep(u) : NULL;
        CHECK_EQ(heddle_prepared_advance(p, &u), HEDDLE_OK);
        double now[3], old[3] = {1, 2, 3};
        CHECK_EQ(heddle_read(u, now, sizeof now), HEDDLE_OK);
        if (held) CHECK_EQ(heddle_read(held, old, sizeof old), HEDDLE_OK);
        CHECK(now[1] == 7 && old[1] == 2 && mine[1] == 2, "round %d: %g %g %g", round, now[1],
              old[1], mine[1]);
        heddle_release(held);
        heddle_release(u);
    }
    heddle_prepared_release(p);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

static void check_refused(const char *part, int n_in, const char *const *in, int n_out,
                          const char *const *out)
{
    CHECK(!heddle_prepare("y = a", n_in, in, n_out, out), "%s", part);
    CHECK_HAS(heddle_last_error(), part);
}

static void check_errors(void)
{
    const char *many[HEDDLE_PREPARED_NAMES + 1];
    for (int i = 0; i <= HEDDLE_PREPARED_NAMES; i++) many[i] = "a";
    CHECK(!heddle_prepare(NULL, HEDDLE_NO_NAMES, HEDDLE_NO_NAMES), "no text");
    check_refused("is not a name", HEDDLE_NAMES("1a"), HEDDLE_NO_NAMES);
    check_refused("is twice", HEDDLE_NAMES("a"), HEDDLE_NAMES("y", "y"));
    check_refused("at most 64", HEDDLE_PREPARED_NAMES + 1, many, HEDDLE_NO_NAMES);
    check_refused("-1 outputs", HEDDLE_NAMES("a"), -1, NULL);

    heddle_array *a = numbers(4, 1), *y = NULL;
    heddle_prepared *p = heddle_prepare("y = a + b", HEDDLE_NAMES("a"), HEDDLE_NAMES("y"));
    for (int t = 0; t < 2; t++) {
        CHECK_EQ(heddle_prepared_run(p, &a, &y), HEDDLE_ENAME);
        check_error(y, HEDDLE_ENAME, "b");
        heddle_release(y);
    }
    CHECK_EQ(heddle_prepared_advance(p, &a), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "'y' is not among the inputs");
    CHECK_EQ(heddle_prepared_run(NULL, &a, &y), HEDDLE_EARG);
    heddle_prepared_release(p);

    /* a text that fails leaves the arrays; the next kind of inputs works */
    p = heddle_prepare("a = a + b", HEDDLE_NAMES("a", "b"), HEDDLE_NAMES("a"));
    heddle_array *state[] = {a, numbers(3, 1)};
    for (int t = 0; t < 3; t++) {
        CHECK_EQ(heddle_prepared_advance(p, state), HEDDLE_ESHAPE);
        CHECK(state[0] == a && heddle_status_of(a) == HEDDLE_OK, "the array stays");
    }
    heddle_release(state[1]);
    state[1] = numbers(4, 1);
    for (int t = 0; t < 3; t++) CHECK_EQ(heddle_prepared_advance(p, state), HEDDLE_OK);
    heddle_release(state[0]);
    heddle_release(state[1]);
    heddle_prepared_release(p);
    heddle_prepared_release(NULL);
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static heddle_prepared *shared;

static void *iterate(void *argument)
{
    const int n = *(int *)argument;
    heddle_array *state[3] = {numbers(n, n), numbers(n, 5), heddle_scalar(0.1)};
    heddle_array *plain[3] = {numbers(n, n), numbers(n, 5), heddle_scalar(0.1)};
    for (int t = 0; t < 200; t++) {
        CHECK_EQ(heddle_prepared_advance(shared, state), HEDDLE_OK);
        advance_plainly(step_text, plain);
    }
    check_same(state[1], plain[1], "a thread's v");
    for (int i = 0; i < 3; i++) {
        heddle_release(state[i]);
        heddle_release(plain[i]);
    }
    return NULL;
}

static void check_threads(void)
{
    enum { N = 4 };
    int sizes[N] = {10, 10, 12, 300};
    pthread_t threads[N];
    shared = heddle_prepare(step_text, HEDDLE_NAMES("u", "v", "c"), HEDDLE_NAMES("u", "v"));
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, iterate, &sizes[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    heddle_prepared_release(shared);
}

/* Plans of before a shut-down are not used after it. */
static void check_shutdown(void)
{
    heddle_prepared *step =
        heddle_prepare(step_text, HEDDLE_NAMES("u", "v", "c"), HEDDLE_NAMES("u", "v"));
    heddle_array *state[3] = {numbers(50, 0), numbers(50, 5), heddle_scalar(0.1)};
    heddle_array *plain[3] = {numbers(50, 0), numbers(50, 5), heddle_scalar(0.1)};
    for (int t = 0; t < 12; t++) {
        CHECK_EQ(heddle_prepared_advance(step, state), HEDDLE_OK);
        advance_plainly(step_text, plain);
        if (t % 3 == 2) CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        if (t == 6) CHECK_EQ(heddle_start(), HEDDLE_OK);
    }
    check_same(state[0], plain[0], "after a shut-down");
    for (int i = 0; i < 3; i++) {
        heddle_release(state[i]);
        heddle_release(plain[i]);
    }
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    heddle_prepared_release(step);
}

/* expr_prepared cpu|gpu: skipped (77) without such processors */
int main(int argc, char **argv)
{
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (argc > 1 && !strcmp(argv[1], "gpu") && n_gpus == 0)
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    for (int k = 0; k < 2; k++) {
        const char *const text = k ? rolled_text : step_text;
        check_iteration(text, 3 + k, 40);
        check_iteration(text, 1000, 40);
        check_iteration(text, 300000, 12);
    }
    check_kinds(0);
    check_kinds(1);
    check_cuts();
    check_swap();
    check_elements();
    check_held();
    check_errors();
    check_threads();
    check_shutdown();
    check_nothing_left();
    return check_done();
}
