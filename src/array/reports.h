/* The memory of what kernels on GPUs report: for fault.c. */
#ifndef HEDDLE_ARRAY_REPORTS_H
#define HEDDLE_ARRAY_REPORTS_H

#include "array/fault.h"

/* What was reported becomes the fault's error. */
void heddle__report_take(struct heddle_fault *fault);
void heddle__report_put(struct heddle_fault *fault);

#endif
