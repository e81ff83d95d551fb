/* What you learn: a small NumPy program, line by line in C. docs/from-numpy.md explains it. */
#include "common.h"

#include <heddle/must.h>

enum { ROWS = 6, COLUMNS = 4 };

static heddle_array *standardise(heddle_array *x)
{
    heddle_array *mean = heddle_mean(x, .axis = 0);
    heddle_array *centred = heddle_subtract(x, mean);
    heddle_array *variance = heddle_mean(heddle_square(centred), .axis = 0);
    return heddle_divide(centred, heddle_sqrt(variance));
}

static heddle_array *decayed(heddle_array *x)
{
    for (int step = 0; step < 100; step++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *next = heddle_own(heddle_multiply(x, heddle_scalar(0.99)));
        heddle_scope_close(scope);
        if (step > 0) heddle_release(x);
        x = next;
        HEDDLE_MUST(heddle_eval(x)); /* begins, and returns */
    }
    return x;
}

int main(void)
{
    double numbers[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) numbers[i] = i * i % 7;

    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_asarray(numbers, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    heddle_array *z = standardise(x);
    heddle_array *large =
        heddle_where(heddle_greater(z, heddle_scalar(1.0)), z, heddle_scalar(0.0));
    double total = HEDDLE_MUST_ITEM(heddle_sum(large));
    HEDDLE_MUST_PRINT(z);

    heddle_array *same =
        heddle_expr("z = (x - x.mean(axis=0)) / sqrt(((x - x.mean(axis=0))**2).mean(axis=0))\n"
                    "where(z > 1, z, 0).sum()",
                    HEDDLE_BIND("x", x));
    EXPECT("sum of what is above one", total, HEDDLE_MUST_ITEM(same));

    heddle_array *inner = heddle_getitem(x, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_STEP(2)));
    EXPECT("x[1:-1, ::2].size", heddle_size(inner), 8);

    heddle_array *y = heddle_set_item(x, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(1.0));
    EXPECT("y[0].sum() after y[0] = 1",
           value_at(heddle_sum(heddle_getitem(y, HEDDLE_INDEX(HEDDLE_AT(0)))), 0), COLUMNS);
    EXPECT("x[0, 1], which stays", value_at(x, 1), 1);

    float rows[ROWS];
    HEDDLE_MUST(heddle_read_as(heddle_max(x, .axis = 1), HEDDLE_FLOAT32, rows, sizeof rows));
    EXPECT("x.max(axis=1)[0]", rows[0], 4);

    heddle_array *end = decayed(x);
    EXPECT("x[0, 1] * 0.99**100", value_at(end, 1), pow(0.99, 100));
    heddle_release(end);
    heddle_scope_close(scope);
    return examples_failed();
}
