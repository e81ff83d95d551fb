/* Checks of the library's own state, for test programs that are linked with it. */
#ifndef HEDDLE_TESTS_CHECK_HEDDLE_H
#define HEDDLE_TESTS_CHECK_HEDDLE_H

#include "check.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check_error(heddle_array *a, enum heddle_status status, const char *text)
{
    CHECK_EQ(heddle_status_of(a), status);
    CHECK_HAS(heddle_error(a), text);
}

/* Starts Heddle. 0: it runs; else what main returns, as the devices that HEDDLE_DEVICES names are not there. */
static inline int check_started(void)
{
    if (heddle_start() == HEDDLE_OK) return 0;
    fprintf(stderr, "skipped: %s\n", heddle_last_error());
    return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
}

/* For tests that configure Heddle themselves: the same if HEDDLE_DEVICES is set, and Heddle is shut down again. */
static inline int check_devices_named(void)
{
    if (!getenv("HEDDLE_DEVICES")) return 0;
    const int no = check_started();
    if (!no) heddle_shutdown();
    return no;
}

/* The runtime goes down, and no array nor byte is left. */
static inline void check_nothing_left(void)
{
    struct heddle_statistics s;
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    heddle_statistics_get(&s);
    CHECK_EQ(s.arrays_live, 0);
    CHECK_EQ(s.bytes_live, 0);
}

#endif
