/* Allocations that a test has left behind, without what the library keeps: its settings, and what
 * heddle_shutdown frees. */
#ifndef HEDDLE_TESTS_BLOCKS_LEFT_H
#define HEDDLE_TESTS_BLOCKS_LEFT_H

#include "base/memory.h"
#include "run/settings.h"

#include <heddle.h>

static inline int64_t blocks_left(void)
{
    const int kept = heddle__settings() ? 2 : 0; /* its folders */
    heddle_shutdown();
    return heddle__alloc_live() - kept;
}

#endif
