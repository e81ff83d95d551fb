/* The memory of what kernels on GPUs report; fault.c alone uses it. */
#ifndef HEDDLE_ARRAY_REPORTS_H
#define HEDDLE_ARRAY_REPORTS_H

#include "array/fault.h"

/* take: what was reported becomes the fault's error. put: the memory may be used again. */
void heddle__report_take(struct heddle_fault *fault);
void heddle__report_put(struct heddle_fault *fault);

#endif
