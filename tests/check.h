/* Checks for test programs: each failure prints its place and values and is counted; the program
 * goes on. End main with `return check_done();`. */
#ifndef HEDDLE_TESTS_CHECK_H
#define HEDDLE_TESTS_CHECK_H

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Where addresses are checked, a test that takes the same paths again with other numbers does so less often: the preset ci has
 * all of it. */
#ifdef __SANITIZE_ADDRESS__
#define CHECK_SOME(all, some) (some)
#else
#define CHECK_SOME(all, some) (all)
#endif
/* How many of n cases that are drawn at random. Those of a list stay. */
#define CHECK_CASES(n) CHECK_SOME(n, ((n) + 2) / 3)

/* For a function that only computes what the library is compared with: it is not instrumented, as in files oracle*.c. */
#define CHECK_ORACLE __attribute__((no_sanitize("address", "undefined")))

__attribute__((weak)) atomic_llong check_n_run, check_n_failed; /* one for all files of a program */

/* Counts a check; whether to print it: only the first failures are. */
static inline int check_count(int ok)
{
    atomic_fetch_add(&check_n_run, 1);
    return !ok && atomic_fetch_add(&check_n_failed, 1) < 50;
}

/* The condition, then optionally a printf format and its arguments. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (check_count(!!(condition))) {                                                          \
            fprintf(stderr, "%s:%d: %s is false.", __FILE__, __LINE__, #condition);                \
            fprintf(stderr, " " __VA_ARGS__);                                                      \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* Integers, enums, bool. */
#define CHECK_EQ(actual, expected)                                                                 \
    do {                                                                                           \
        const long long check_a = (long long)(actual), check_e = (long long)(expected);            \
        if (check_count(check_a == check_e))                                                       \
            fprintf(stderr, "%s:%d: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, #actual,     \
                    check_a, #expected, check_e);                                                  \
    } while (0)

/* Numbers, equal or both NaN. */
#define CHECK_NUM(actual, expected)                                                                \
    do {                                                                                           \
        const double check_a = (double)(actual), check_e = (double)(expected);                     \
        if (check_count(check_a == check_e || (isnan(check_a) && isnan(check_e))))                 \
            fprintf(stderr, "%s:%d: %s is %.17g, not %s = %.17g\n", __FILE__, __LINE__, #actual,   \
                    check_a, #expected, check_e);                                                  \
    } while (0)

#define CHECK_STR(actual, expected)                                                                \
    do {                                                                                           \
        const char *check_a = (actual), *check_e = (expected);                                     \
        if (check_count(strcmp(check_a, check_e) == 0))                                            \
            fprintf(stderr, "%s:%d: %s is\n  \"%s\", not\n  \"%s\"\n", __FILE__, __LINE__,         \
                    #actual, check_a, check_e);                                                    \
    } while (0)

/* The text contains a piece. */
#define CHECK_HAS(text, piece)                                                                     \
    do {                                                                                           \
        const char *check_t = (text), *check_p = (piece);                                          \
        if (check_count(strstr(check_t, check_p) != NULL))                                         \
            fprintf(stderr, "%s:%d: \"%s\" is not in\n  \"%s\"\n", __FILE__, __LINE__, check_p,    \
                    check_t);                                                                      \
    } while (0)

/* A line for a row of a table in which checks failed, however many lines were printed before it:
 * scripts/mutate looks for it. Printf format and arguments: the row. */
#define CHECK_ROW(n_failed, ...)                                                                   \
    do {                                                                                           \
        const long long check_n = (n_failed);                                                      \
        if (check_n > 0) {                                                                         \
            fprintf(stderr, "FAILED " __VA_ARGS__);                                                \
            fprintf(stderr, ": %lld checks\n", check_n);                                           \
        }                                                                                          \
    } while (0)

/* The exit code; prints the summary. */
static inline int check_done(void)
{
    const long long run = atomic_load(&check_n_run), failed = atomic_load(&check_n_failed);
    fprintf(stderr, "%lld checks, %lld failed\n", run, failed);
    return failed != 0;
}

#endif
