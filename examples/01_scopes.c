/* What you learn: who owns an array. A scope owns what is made while it is open; heddle_keep takes
 * one out of it; with no scope open the caller owns what a function returns. */
#include "common.h"

/* The six temporaries of this expression belong to the scope and go with it. */
static heddle_array *variance(heddle_array *a)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *deviation = heddle_subtract(a, heddle_mean(a));
    heddle_array *result = heddle_keep(heddle_mean(heddle_square(deviation)));
    heddle_scope_close(scope);
    return result; /* our own reference: the caller's now */
}

int main(void)
{
    struct heddle_statistics before, after;
    heddle_statistics_get(&before);

    /* No scope is open: each array is released by hand. */
    const double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
    heddle_array *a = heddle_asarray(v, HEDDLE_FLOAT64, HEDDLE_SHAPE(8));
    heddle_array *var = variance(a);
    double value = 0;
    HEDDLE_MUST(heddle_read(var, &value, sizeof value));
    EXPECT("variance", value, 4);

    /* Releasing an operand changes nothing: what needs it holds it. */
    heddle_array *root = heddle_sqrt(var);
    heddle_release(var);
    heddle_release(a);
    HEDDLE_MUST(heddle_read(root, &value, sizeof value));
    EXPECT("standard deviation", value, 2);
    heddle_release(root);

    /* Code that cannot know whether its caller has a scope open owns what it makes: heddle_own. */
    heddle_array *owned = heddle_own(heddle_zeros(HEDDLE_SHAPE(1000)));
    heddle_release(owned);

    /* Scopes nest; closing one closes those still open inside it. */
    heddle_scope outer = heddle_scope_open();
    heddle_zeros(HEDDLE_SHAPE(1000, 1000));
    heddle_scope_open();
    heddle_ones(HEDDLE_SHAPE(1000, 1000));
    heddle_scope_close(outer);

    heddle_statistics_get(&after);
    EXPECT("arrays left", after.arrays_live - before.arrays_live, 0);
    return examples_failed();
}
