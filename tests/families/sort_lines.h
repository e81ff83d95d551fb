/* The phases of sorting a line of runs, call by call, on a kernel. */
#ifndef HEDDLE_TESTS_FAMILIES_SORT_LINES_H
#define HEDDLE_TESTS_FAMILIES_SORT_LINES_H

#include "kernels.h"

#include <stddef.h>

/* Where the kernel runs. */
struct sort_machine {
    enum heddle_status (*run)(const void *arguments, struct heddle_kernel_context *context);
    void *(*put)(const void *from, size_t bytes);          /* in a new buffer */
    void (*get)(void *to, const void *from, size_t bytes); /* from one */
    void (*free_all)(void);
    struct heddle_kernel_context context;
    int threads; /* 0: a GPU */
};

/* Random lines of all dtypes: samples, windows, splits, pieces and merges against qsort. */
void sort_lines(const struct sort_machine *machine, int n_lines);

#endif
