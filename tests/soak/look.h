/* What the system says that this process has. */
#ifndef HEDDLE_TESTS_LOOK_H
#define HEDDLE_TESTS_LOOK_H

#include <stdbool.h>

struct look {
    double seconds;
    long resident_kb, heap_kb, descriptors, threads; /* heap: what malloc has given out */
};
struct look look_now(double seconds);
void look_print(const struct look *look);

/* Whether the median of what was resident in the last third is within 5 % of the second third's, and no
 * descriptor or thread came after the first. True of fewer than nine looks. */
bool look_is_flat(int n, const struct look *looks);

#endif
