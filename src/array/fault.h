/* Faults: the error slot of an array that tasks compute, shared by its storage and the tasks. Set by
 * kernels on any thread, read by tasks that follow and by whoever waits. */
#ifndef HEDDLE_ARRAY_FAULT_H
#define HEDDLE_ARRAY_FAULT_H

#include "kernels.h"

#include <stdatomic.h>
#include <stdbool.h>

struct heddle_fault {
    atomic_int refs;
    atomic_int state; /* 0: no error; 1: being written; else enum heddle_status */
    char text[160];
    atomic_bool has_report; /* kernels on GPUs may report: */
    struct heddle_report report;
    heddle_describe *describe;
    _Atomic(struct heddle_fault *) with; /* whose error is this one's, too: a reference, or NULL */
};

struct heddle_fault *heddle__fault_new(void); /* NULL when memory is gone */
struct heddle_fault *heddle__fault_retain(struct heddle_fault *fault);
void heddle__fault_release(struct heddle_fault *fault);
/* The first error stays; later ones are ignored. */
void heddle__fault_set(struct heddle_fault *fault, enum heddle_status code, const char *text);
/* The place where kernels on GPUs that compute the array report what is wrong with their data
 * (kernels.h). There is one for each array, made at the first call; false when memory is gone. A report
 * may be read when the kernels are done. */
bool heddle__fault_report(struct heddle_fault *fault, heddle_describe *describe,
                          struct heddle_report *report);
/* What is reported of `first` is the error of `fault`, too: one kernel computes both arrays, and has one place to report to. */
void heddle__fault_join(struct heddle_fault *fault, struct heddle_fault *first);
/* Whether there is a place where kernels report of it. */
bool heddle__fault_is_reported(const struct heddle_fault *fault);
/* Call it before CUDA goes down, with nothing in flight: keeps what was reported, frees the memory. */
void heddle__reports_close(void);
/* HEDDLE_OK, or the code; *text lives as long as the fault. A NULL fault has no error. */
enum heddle_status heddle__fault_get(struct heddle_fault *fault, const char **text);

#endif
