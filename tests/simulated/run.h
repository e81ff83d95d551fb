/* A runtime for plans in virtual time: each task becomes a StarPU-SimGrid task that computes nothing
 * and takes what the roofline says on the worker that StarPU chose, or that the plan names. Transfers
 * take what the invented machine's links allow. Arrays have sizes and places, but no data. It stands
 * in for src/runtime, so the core's evaluation comes here. */
#ifndef HEDDLE_TESTS_RUN_H
#define HEDDLE_TESTS_RUN_H

#include "machine.h"

#include "plan/grid.h"

#include <heddle.h>

/* Starts StarPU on the machine, whose files the environment names. */
bool run_open(const struct machine *machine);
void run_close(void);

/* The policy that plans are made with: at first the one that src/runtime would have. */
extern struct heddle_policy run_policy;

/* float64 data in host memory, or on the GPUs in the places that the partition names. */
heddle_array *run_data(int ndim, const int64_t *shape, bool on_gpus);

/* What happened between run_start and run_end, which waits for all tasks. */
struct run {
    double us; /* virtual */
    int64_t n_tasks;
    double flops, bytes;                /* of the plans */
    double busy_us[MACHINE_MAX_PLACES]; /* in tasks */
    int64_t n_run[MACHINE_MAX_PLACES];
    double to_gpus, from_gpus, between_gpus; /* bytes moved */
};
void run_start(void);
void run_end(struct run *run);

#endif
