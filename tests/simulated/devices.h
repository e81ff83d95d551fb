/* The devices of an invented machine, in virtual time: StarPU-SimGrid behind the library's own
 * submission, cost model and scheduler (src/starpu), evaluation (src/run) and planner. A task computes
 * nothing and takes what the cost model says of its kernels on the worker that StarPU chose, or that the
 * plan names; a transfer takes what the machine's links allow. Arrays have sizes and places, but no
 * data. */
#ifndef HEDDLE_TESTS_SIMULATED_DEVICES_H
#define HEDDLE_TESTS_SIMULATED_DEVICES_H

#include "machine.h"

#include <heddle.h>

/* Before anything is evaluated: the machine, whose files the environment names. */
void devices_are(const struct machine *machine);

/* float64 data in pinned host memory. */
heddle_array *host_data(int ndim, const int64_t *shape);
/* On the GPUs, a part each on the first axis; share[i]: of GPU i. */
heddle_array *gpu_data(int ndim, const int64_t *shape, const double *share);

/* What happened between account_begin and account_end, which waits for all tasks. */
struct account {
    double us; /* virtual */
    int64_t n_tasks;
    double flops;                       /* of the plans */
    double busy_us[MACHINE_MAX_PLACES]; /* in tasks */
    int64_t n_run[MACHINE_MAX_PLACES];
    double to_gpus, from_gpus, between_gpus; /* bytes moved */
};
void account_begin(void);
void account_end(struct account *account);

#endif
