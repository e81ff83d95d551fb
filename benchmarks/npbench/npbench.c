/* heddle_npbench: times programs of NPBench, a JSON line each; saves or checks their results.
 *
 *     heddle_npbench [--size test|S|M|L|paper] [--runs N] [--seconds S] [--save DIR] [--expect FILE] [PROGRAM...]
 *     heddle_npbench --list
 *
 * A time is that of recording, evaluating, waiting and releasing; the inputs are computed before, and lie on the GPU if
 * there is one and they have more than 1 MiB. Beside it: evaluations of a run, of these launched directly, tasks on CPUs and GPUs, bytes moved between
 * host and GPUs. --runs 0 computes once and times nothing. --list prints each program with its parameters by size, and its outputs. */
#include "../micro/timing.h"
#include "npbench.h"

#include <string.h>

static const struct npb_program *const fields[] = {
    npb_products, npb_symmetric, npb_statistics, npb_elementwise, npb_learning,
    npb_stencils, npb_flows,     npb_solvers,    npb_others,
};
enum { N_FIELDS = sizeof fields / sizeof *fields };
static const char *const size_names[NPB_SIZES] = {"test", "S", "M", "L", "paper"};

static struct {
    enum npb_size size;
    int runs;
    double seconds;
    const char *save, *expect;
} options = {.size = NPB_S, .runs = 10, .seconds = 10};

static void list(const struct npb_program *p)
{
    const int n = npb_count(p->parameters, NPB_PARAMETERS);
    printf("{\"program\": \"%s\", \"sizes\": {", p->name);
    for (int s = 0; s < NPB_SIZES; s++) {
        printf("%s\"%s\": {", s ? ", " : "", size_names[s]);
        for (int i = 0; i < n; i++)
            printf("%s\"%s\": %.17g", i ? ", " : "", p->parameters[i], p->sizes[s][i]);
        printf("}");
    }
    printf("}, \"outputs\": [");
    for (int i = 0; i < npb_count(p->outputs, NPB_OUTPUTS); i++)
        printf("%s\"%s\"", i ? ", " : "", p->outputs[i]);
    printf("]}\n");
}

/* Seconds; the outputs are the caller's. */
static double compute(const struct npb_program *p, const struct npb_values *values,
                      heddle_array **outputs)
{
    const int n = npb_count(p->outputs, NPB_OUTPUTS);
    const double start = now();
    npb_record(p, values, outputs);
    HEDDLE_MUST(heddle_eval_all(n, outputs));
    for (int i = 0; i < n; i++) HEDDLE_MUST(heddle_wait(outputs[i]));
    return now() - start;
}

static double release(const struct npb_program *p, heddle_array **outputs)
{
    const double start = now();
    for (int i = 0; i < npb_count(p->outputs, NPB_OUTPUTS); i++) heddle_release(outputs[i]);
    return now() - start;
}

static void save(const struct npb_program *p, heddle_array *const *outputs)
{
    char path[4096];
    for (int i = 0; i < npb_count(p->outputs, NPB_OUTPUTS); i++) {
        snprintf(path, sizeof path, "%s/%s.%d.npy", options.save, p->name, i);
        HEDDLE_MUST(heddle_save(outputs[i], path));
    }
}

/* Runs until kernels are compiled, which goes on beside the first runs, and on CPUs begins after some work: peers compile in
 * their first run. */
static void warm_up(const struct npb_program *p, const struct npb_values *values)
{
#define LEAST_SECONDS 0.8
#define MOST_SECONDS 3
    heddle_array *outputs[NPB_OUTPUTS];
    struct heddle_statistics s = {.gpu_interpreted = 1};
    for (const double start = now();
         now() - start < (s.gpu_interpreted > 0 ? MOST_SECONDS : LEAST_SECONDS);) {
        heddle_statistics_reset();
        compute(p, values, outputs);
        release(p, outputs);
        heddle_statistics_get(&s);
    }
}

/* Returns how many results differ from what is expected. */
static int run(const struct npb_program *p)
{
    enum { MOST = 10000 };
    static double times[MOST];
    heddle_array *outputs[NPB_OUTPUTS];
    struct npb_values values = npb_prepare(p, options.size);
    double first = compute(p, &values, outputs);
    if (options.save) save(p, outputs);
    const int wrong =
        options.expect ? npb_compare(options.expect, p, size_names[options.size], outputs) : 0;
    first += release(p, outputs);

    if (options.runs > 0) warm_up(p, &values);
    heddle_statistics_reset();
    int n = 0;
    for (const double start = now();
         n < options.runs && n < MOST && (n < 3 || now() - start < options.seconds); n++) {
        times[n] = compute(p, &values, outputs);
        times[n] += release(p, outputs);
    }
    if (n > 0) {
        const double median = median_of(times, n);
        struct heddle_statistics s;
        heddle_statistics_get(&s);
        printf("{\"program\": \"%s\", \"size\": \"%s\", \"system\": \"heddle\", \"seconds\": %.9g, "
               "\"best\": %.9g, \"first\": %.9g, \"runs\": %d, \"evaluations\": %lld, "
               "\"gpu_direct\": %lld, \"tasks\": [%lld, %lld], \"bytes_moved\": %lld}\n",
               p->name, size_names[options.size], median, times[0], first, n,
               (long long)s.evaluations / n, (long long)s.gpu_direct / n,
               (long long)s.cpu_tasks / n, (long long)s.gpu_tasks / n,
               (long long)(s.bytes_to_gpu + s.bytes_from_gpu) / n);
        fflush(stdout);
    }
    npb_forget(&values);
    return wrong;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: heddle_npbench [--list] [--size test|S|M|L|paper] [--runs N] [--seconds S] "
            "[--save DIR] [--expect FILE] [PROGRAM...]\n");
    return 2;
}

/* The index of a size by its name, or -1. */
static int size_of(const char *name)
{
    for (int s = 0; s < NPB_SIZES; s++)
        if (!strcmp(name, size_names[s])) return s;
    return -1;
}

/* Calls of each program of that name, or of all: returns how many there are. */
static int each(const char *name, int *wrong)
{
    int found = 0;
    for (int f = 0; f < N_FIELDS; f++)
        for (const struct npb_program *p = fields[f]; p->name; p++) {
            if (name && strcmp(name, p->name)) continue;
            found++;
            if (wrong)
                *wrong += run(p);
            else
                list(p);
        }
    return found;
}

int main(int argc, char **argv)
{
    int i = 1, wrong = 0;
    if (argc == 2 && !strcmp(argv[1], "--list")) return each(NULL, NULL) == 0;
    for (; i < argc && argv[i][0] == '-'; i += 2) {
        if (i + 1 == argc) return usage();
        const char *value = argv[i + 1];
        if (!strcmp(argv[i], "--size") && size_of(value) >= 0)
            options.size = (enum npb_size)size_of(value);
        else if (!strcmp(argv[i], "--runs"))
            options.runs = atoi(value);
        else if (!strcmp(argv[i], "--seconds"))
            options.seconds = atof(value);
        else if (!strcmp(argv[i], "--save"))
            options.save = value;
        else if (!strcmp(argv[i], "--expect"))
            options.expect = value;
        else
            return usage();
    }
    if (i == argc) each(NULL, &wrong);
    for (; i < argc; i++)
        if (each(argv[i], &wrong) == 0) {
            fprintf(stderr, "no program %s: --list has their names\n", argv[i]);
            return 2;
        }
    return wrong != 0;
}
