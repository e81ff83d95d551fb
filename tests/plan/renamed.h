/* What the tests of views that only rename axes read. */
#ifndef HEDDLE_TESTS_RENAMED_H
#define HEDDLE_TESTS_RENAMED_H

#include "check.h"

#include <heddle.h>

/* x is of (3000, 2000), t of (3000). */
static inline void bind(struct heddle_binding inputs[2])
{
    heddle_array *x = heddle_expr("sin(reshape(arange(6000000), (3000, 2000)) * 0.37)", 0, NULL);
    heddle_array *t = heddle_expr("sin(arange(3000) * 0.77)", 0, NULL);
    CHECK_EQ(heddle_wait(x), HEDDLE_OK);
    CHECK_EQ(heddle_wait(t), HEDDLE_OK);
    inputs[0] = (struct heddle_binding){"x", x};
    inputs[1] = (struct heddle_binding){"t", t};
}

#endif
