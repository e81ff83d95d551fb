/* Whether the checked mode is on: HEDDLE_CHECK=1. graph/check.h has what it does. */
#ifndef HEDDLE_BASE_CHECKED_H
#define HEDDLE_BASE_CHECKED_H

#include <stdatomic.h>
#include <stdbool.h>

extern atomic_int heddle__check_mode; /* -1: not yet known */
bool heddle__check_find_out(void);

/* On or off for good from the first call on; tests set it. */
static inline bool heddle__checking(void)
{
    const int mode = atomic_load_explicit(&heddle__check_mode, memory_order_relaxed);
    return mode > 0 || (mode < 0 && heddle__check_find_out());
}
void heddle__check_set(bool on);

#endif
