/* Proves that counts, sums, extremes and their places over pairs, x[i] with t[j], have the values that they should, along either axis: of
 * 1 to 70000 of them, at the borders of what a byte counts, also where all are true; against values found pair by pair. Whole numbers, so
 * that all are exact. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "asked_values.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

enum { PROGRAMS = CHECK_SOME(60, 12), PAIRS = 300000 };

/* What is made of the pairs of one x. */
struct results {
    double count, other, mean, sum, largest, least_at, any;
};

CHECK_ORACLE static struct results of_pairs(int32_t x, const int32_t *t, int64_t n)
{
    struct results r = {.largest = -1e300};
    int64_t least = INT64_MAX;
    for (int64_t j = 0; j < n; j++) {
        const int64_t d = (int64_t)x - t[j], far = d < 0 ? -d : d;
        r.count += x >= t[j];
        r.other += x == t[j];
        r.sum += (double)far;
        if ((double)d > r.largest) r.largest = (double)d;
        if (far < least) {
            least = far;
            r.least_at = (double)j;
        }
        r.any = r.any > 0 || d == 3;
    }
    r.mean = r.count / (double)n;
    return r;
}

static const char *const texts[] = {
    "c = sum(x >= t, axis=A)",
    "c = sum(x >= t, axis=A) * 2 + sum(x == t, axis=A)",
    "c = mean(x >= t, axis=A)",
    "c = sum(abs(astype(x, int64) - t), axis=A)",
    "c = sum(x >= t, axis=A) + max(astype(x, int64) - t, axis=A)",
    "c = argmin(abs(astype(x, int64) - t), axis=A)",
    "c = astype(any(x - t == 3, axis=A), int64) + sum(astype(x >= t, float32), axis=A)",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static double expected(int text, const struct results *r)
{
    switch (text) {
    case 0: return r->count;
    case 1: return r->count * 2 + r->other;
    case 2: return r->mean;
    case 3: return r->sum;
    case 4: return r->count + r->largest;
    case 5: return r->least_at;
    default: return r->any + r->count;
    }
}

static bool check_program(int way, int program)
{
    static const int64_t lengths[] = {1,   2,   16,  17,  50,  254, 255,  256,
                                      257, 510, 511, 765, 766, 900, 5000, 70000};
    const int text = program % TEXTS, axis = (int)word_below(2);
    const int64_t n = lengths[word_below(sizeof lengths / sizeof *lengths)],
                  m = PAIRS / n + 1 + word_below(PAIRS / n + 70);
    const bool all_true = word_below(3) == 0;
    heddle_scope scope = heddle_scope_open();
    int32_t *x = calloc((size_t)m, sizeof *x), *t = calloc((size_t)n, sizeof *t);
    double *want = calloc((size_t)m, sizeof *want);
    for (int64_t i = 0; i < m; i++) x[i] = (int32_t)word_below(200) + (all_true ? 200 : 0);
    for (int64_t j = 0; j < n; j++) t[j] = (int32_t)word_below(200);
    for (int64_t i = 0; i < m; i++) {
        const struct results r = of_pairs(x[i], t, n);
        want[i] = expected(text, &r);
    }
    const int64_t of_x[2] = {axis ? m : 1, axis ? 1 : m}, of_t[2] = {axis ? 1 : n, axis ? n : 1};
    char line[128], *at;
    snprintf(line, sizeof line, "%s", texts[text]);
    while ((at = strchr(line, 'A'))) *at = (char)('0' + axis);
    const struct heddle_binding in[] = {{"x", heddle_asarray(x, HEDDLE_INT32, 2, of_x)},
                                        {"t", heddle_asarray(t, HEDDLE_INT32, 2, of_t)}};
    const struct asked asked = {heddle_expr(line, 2, in), want, m};
    const bool found = check_all_asked(&asked, 1, ">", ">", way, program);
    heddle_scope_close(scope);
    free(x);
    free(t);
    free(want);
    return found;
}

int main(int argc, char **argv)
{
    return check_ways(argc > 1 ? atoi(argv[1]) : PROGRAMS, check_program);
}
