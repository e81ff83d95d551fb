/* Rows in stretches: launches of one map over boxes that follow each other along the last axis, and that differ only in where operands
 * are, as those of a rolled array do at its border. As one launch, whole rows are computed together. */
#ifndef HEDDLE_CODELETS_STRETCHES_H
#define HEDDLE_CODELETS_STRETCHES_H

#include "program.h"

#include <stdbool.h>

enum { HEDDLE_MOST_STRETCHES = 8 };

/* Of a launch over whole rows, whose access is that of its longest stretch. Element i of the last axis is of stretch s if
 * end[s - 1] <= i < end[s]; operand k is there apart[s][k] elements beyond where its access says. */
struct heddle_stretches {
    int n;
    int64_t end[HEDDLE_MOST_STRETCHES];
    uint32_t moved; /* bit k: some apart[s][k] is not 0 */
    int64_t apart[HEDDLE_MOST_STRETCHES][HEDDLE_MAX_OPERANDS];
};

/* Whether b may be the stretch after a; whether n launches that may follow each other are stretches of the same rows. */
bool heddle__stretch_goes_on(const struct heddle_launch *a, const struct heddle_launch *b);
bool heddle__are_stretches(const struct heddle_launch *const launches[], int n);
/* The launch over the rows of n stretches; `access` and `stretches` are for it, which has none if no operand is moved. */
struct heddle_launch heddle__stretches_join(const struct heddle_launch *const launches[], int n,
                                            struct heddle_access access[],
                                            struct heddle_stretches *stretches);
/* Stretch s of such a launch alone; `access` is its own. */
struct heddle_launch heddle__stretch(const struct heddle_launch *launch, int s,
                                     struct heddle_access access[]);

#endif
