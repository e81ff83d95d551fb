/* Small systems, call by call, on a kernel. */
#ifndef HEDDLE_TESTS_FAMILIES_SYSTEMS_CALLS_H
#define HEDDLE_TESTS_FAMILIES_SYSTEMS_CALLS_H

#include "kernels.h"

#include <stddef.h>

/* Where the kernel runs. */
struct systems_machine {
    enum heddle_status (*run)(const void *arguments, struct heddle_kernel_context *context);
    void *(*put)(const void *from, size_t bytes);          /* in a new buffer */
    void (*get)(void *to, const void *from, size_t bytes); /* from one */
    void (*free_all)(void);
    struct heddle_kernel_context context;
    volatile int64_t *report; /* words that a GPU's kernel writes; NULL: run returns the error */
};

/* All extents and numbers of columns, batches about every number of lanes, both dtypes: what is asked of them against Gauss and
 * Jordan in long double; pivots by LAPACK's rule; the first singular matrix of several. */
void systems_calls(const struct systems_machine *machine);

#endif
