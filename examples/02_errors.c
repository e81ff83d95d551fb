/* What you learn: errors flow like NaN. A bad call returns an array in the error state, operations
 * pass it on, and one check at the end tells where it began. */
#include "common.h"

#include <string.h>

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(3, 4));
    heddle_array *b = heddle_ones(HEDDLE_SHAPE(2, 4));

    /* Shapes are checked at the call, before anything is computed... */
    heddle_array *bad = heddle_add(a, b);
    expect_true("shapes do not fit", heddle_status_of(bad) == HEDDLE_ESHAPE);
    printf("  %s\n", heddle_error(bad));

    /* ...and the error goes through whatever uses the array, its message unchanged. */
    heddle_array *sum = heddle_sum(heddle_sqrt(heddle_multiply(bad, heddle_scalar(2.0))));
    double value = -1;
    expect_true("read gives the same code",
                heddle_read(sum, &value, sizeof value) == HEDDLE_ESHAPE);
    expect_true("and the same text", !strcmp(heddle_error(sum), heddle_error(bad)));
    EXPECT("the output is untouched", value, -1);

    /* A call that makes no array returns its status; heddle_last_error has the text. */
    const enum heddle_status status = heddle_save(a, "no/such/folder/a.npy");
    expect_true("saving failed", status == HEDDLE_EIO);
    printf("  %s: %s\n", heddle_status_name(status), heddle_last_error());

    /* No file, no crash: an array in the error state. */
    heddle_array *missing = heddle_load("no-such-file.npy");
    expect_true("loading failed", heddle_status_of(missing) == HEDDLE_EIO);
    printf("  %s\n", heddle_error(missing));

    /* The operands are as they were. */
    EXPECT("sum of a", value_at(heddle_sum(a), 0), 12);
    heddle_scope_close(scope);
    return examples_failed();
}
