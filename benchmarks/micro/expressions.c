/* Expressions that users paste: each line of a table (benchmarks/expressions/) as text, its inputs evaluated first. Prints
 * name, median in µs, sum of the result, then what one evaluation was: tasks on CPU teams, on GPUs, plans launched directly,
 * bytes between GPUs. benchmarks/expressions.py runs it beside its peers.
 *
 *   micro_expressions TABLE [NAME...]   lines whose name contains one of these */
#include "timing.h"

#include <heddle.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 8192, NAMES = 16, MOST = 1000 };
#define SECONDS 0.3 /* for each line, and at least as long before; */
#define MOST_SECONDS                                                                               \
    5 /* at most so long, until kernels are compiled, as peers compile theirs in their first call */

/* The names that a text assigns to; cuts copies of them out of `room`. */
static int names_of(const char *text, char room[LINE], struct heddle_binding names[NAMES])
{
    int n = 0;
    snprintf(room, LINE, "%s", text);
    for (char *part = strtok(room, ";"); part && n < NAMES; part = strtok(NULL, ";")) {
        part += strspn(part, " ");
        part[strcspn(part, " =")] = 0;
        names[n++] = (struct heddle_binding){part, NULL};
    }
    return n;
}

static bool failed(const char *name, const char *error)
{
    printf("%s FAIL %s\n", name, error);
    return false;
}

/* One evaluation, its recording and release included. With `sum`, the sum of the result, of complex numbers that of their real parts, too. */
static bool run(const char *name, const char *text, int n, struct heddle_binding inputs[],
                double *sum)
{
    struct heddle_binding y = {"y", NULL};
    heddle_scope scope = heddle_scope_open();
    bool ok =
        heddle_expr_run(text, n, inputs, 1, &y) == HEDDLE_OK || failed(name, heddle_last_error());
    ok = ok && (heddle_wait(y.array) == HEDDLE_OK || failed(name, heddle_error(y.array)));
    if (ok && sum) {
        heddle_array *total = heddle_sum(heddle_astype(heddle_real(y.array), HEDDLE_FLOAT64));
        ok = heddle_read(total, sum, sizeof *sum) == HEDDLE_OK || failed(name, heddle_error(total));
    }
    heddle_scope_close(scope);
    return ok;
}

static void time_line(const char *name, const char *setup, const char *text)
{
    static double times[MOST];
    char room[LINE];
    struct heddle_binding inputs[NAMES];
    const int n_inputs = names_of(setup, room, inputs);
    heddle_scope scope = heddle_scope_open();
    bool ok = heddle_expr_run(setup, 0, NULL, n_inputs, inputs) == HEDDLE_OK ||
              failed(name, heddle_last_error());
    for (int i = 0; i < n_inputs && ok; i++)
        ok = heddle_wait(inputs[i].array) == HEDDLE_OK ||
             failed(name, heddle_error(inputs[i].array));
    double sum = 0;
    ok = ok && run(name, text, n_inputs, inputs, &sum);
    struct heddle_statistics s = {.gpu_interpreted = 1};
    for (const double from = now();
         ok &&
         (now() - from < SECONDS || (s.gpu_interpreted > 0 && now() - from < MOST_SECONDS));) {
        heddle_statistics_reset();
        ok = run(name, text, n_inputs, inputs, NULL);
        heddle_statistics_get(&s);
    }
    int n = 0;
    for (const double from = now(); ok && n < MOST && (n < 5 || now() - from < SECONDS); n++) {
        heddle_statistics_reset();
        const double start = now();
        ok = run(name, text, n_inputs, inputs, NULL);
        times[n] = now() - start;
    }
    heddle_statistics_get(&s);
    if (ok)
        printf("%s %.3f %.9g %lld %lld %lld %lld\n", name, 1e6 * median_of(times, n), sum,
               (long long)s.cpu_tasks, (long long)s.gpu_tasks, (long long)s.gpu_direct,
               (long long)s.bytes_gpu_to_gpu);
    fflush(stdout);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    char line[LINE];
    FILE *table = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!table) {
        fprintf(stderr, "usage: micro_expressions TABLE [NAME...]\n");
        return 2;
    }
    while (fgets(line, sizeof line, table)) {
        char *setup = strchr(line, '|'), *text = setup ? strchr(setup + 1, '|') : NULL;
        if (line[0] == '#' || !text) continue;
        *setup++ = *text++ = 0;
        line[strcspn(line, " ")] = 0;
        text[strcspn(text, "\n")] = 0;
        bool wanted = argc == 2;
        for (int i = 2; i < argc; i++) wanted = wanted || strstr(line, argv[i]);
        if (wanted) time_line(line, setup, text + strspn(text, " "));
    }
    fclose(table);
    return 0;
}
