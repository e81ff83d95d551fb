/* A test of values, as often as plans are made in other ways: all by tasks, small ones on the caller's thread, and in three parts. */
#ifndef HEDDLE_TESTS_EACH_WAY_H
#define HEDDLE_TESTS_EACH_WAY_H

#include "check_heddle.h"
#include "machine/machine.h"

/* What main returns: 77 where the devices that HEDDLE_DEVICES names are not there. */
static inline int check_each_way(void (*test)(void))
{
    const int no = check_devices_named();
    if (no) return no;
    for (int turn = 0; turn < 3; turn++) {
        CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = turn == 0 ? 0 : -1,
                                                           .partition = turn == 2 ? "3" : NULL}),
                 HEDDLE_OK);
        test();
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}

#endif
