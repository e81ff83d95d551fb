/* Faults: the error slot of an array that tasks compute, shared by its storage and the tasks. Set by
 * kernels on any thread, read by successors and by who waits. */
#ifndef HEDDLE_ARRAY_FAULT_H
#define HEDDLE_ARRAY_FAULT_H

#include "kernels.h"

#include <stdatomic.h>
#include <stdbool.h>

struct heddle_fault {
    atomic_int refs;
    atomic_int state; /* 0: none; 1: being written; else enum heddle_status */
    char text[160];
    atomic_bool has_report; /* kernels on GPUs may report on it: */
    struct heddle_report report;
    heddle_describe *describe;
};

struct heddle_fault *heddle__fault_new(void); /* NULL when memory is gone */
struct heddle_fault *heddle__fault_retain(struct heddle_fault *fault);
void heddle__fault_release(struct heddle_fault *fault);
/* The first one stays. */
void heddle__fault_set(struct heddle_fault *fault, enum heddle_status code, const char *text);
/* Where kernels on GPUs that compute the array report what is wrong with their data (kernels.h): one place
 * for the array, made at the first call. False: no memory for it. What is reported is known when they
 * are done. */
bool heddle__fault_report(struct heddle_fault *fault, heddle_describe *describe,
                          struct heddle_report *report);
/* Before CUDA goes down, nothing is in flight: what was reported is kept, and the memory freed. */
void heddle__reports_close(void);
/* HEDDLE_OK, or the code; *text lives as long as the fault. NULL has none. */
enum heddle_status heddle__fault_get(struct heddle_fault *fault, const char **text);

#endif
