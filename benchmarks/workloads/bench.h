/* Timing of evaluations and one JSON line a case. Entry points: bench_time, bench_line. */
#ifndef BENCH_H
#define BENCH_H

#include <heddle.h>
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_OUTPUTS_MAX = 4 };

/* Records a fresh expression; returns how many arrays of `out` are to be computed. */
typedef int bench_record(void *context, heddle_array *out[BENCH_OUTPUTS_MAX]);

struct bench_times {
    double median, best; /* seconds of: record, heddle_eval_all, wait for each, release */
    int runs;
    double check; /* element heddle_size / 3 of the first output: peers must agree */
    struct heddle_statistics statistics; /* of the last run */
};

extern int bench_runs_max;       /* repetitions of a case at most */
extern double bench_seconds_max; /* and its time, after which no further one starts */
extern int64_t bench_asked;      /* the size that follows the case's name and an @; 0: none does */
extern bool
    bench_paced; /* a burst of bench_runs_max for each line of standard input, which says ready */

/* The case as it was asked for: its name, or with its size "NAME@N". */
const char *bench_case(const char *name);

/* Of "S", "K", "T": "call" and "put". */
extern const char bench_black_scholes[];

double bench_now(void);

/* Ends the program with the error's text unless `status` is HEDDLE_OK. */
void bench_must(enum heddle_status status, const char *what);

/* Computes `a`, and keeps it out of the scope that is open. */
heddle_array *bench_ready(heddle_array *a);

/* lo + (hi - lo) * frac(i * golden ratio * (1 + lo + hi)), evaluated: the peers make the same numbers. */
heddle_array *bench_input(int ndim, const int64_t *shape, double lo, double hi,
                          enum heddle_dtype dtype);

/* Runs to warm up: three, and until compiled kernels serve (first use is a case of its own); then the
 * timed ones. */
struct bench_times bench_time(bench_record *record, void *context);

/* The same with new inputs for each run, made by `make` outside the time that counts: no device has seen them. */
struct bench_times bench_time_new(bench_record *record, void *(*make)(void *from), void *from);

/* One line of JSON; bytes and nodes may be 0: not given. */
void bench_line(const char *name, int64_t n, int64_t bytes, const struct bench_times *times);

double bench_median(double *values, int n);

#endif
