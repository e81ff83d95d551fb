/* The ways in which small operations run: on the caller's thread, through StarPU in one part and in several, on GPUs. */
#ifndef HEDDLE_TESTS_FAMILIES_WAYS_H
#define HEDDLE_TESTS_FAMILIES_WAYS_H

#include <heddle/runtime.h>

static const struct heddle_config ways[] = {
    {.inline_bytes = (int64_t)1 << 40, .devices = "cpu"},
    {.inline_bytes = -1},
    {.inline_bytes = -1, .partition = "3"},
    {.inline_bytes = 1}, /* on GPUs directly */
    {.inline_bytes = 1, .no_direct = true},
};

enum { N_WAYS = sizeof ways / sizeof *ways };

#endif
