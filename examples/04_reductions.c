/* What you learn: reductions over no, one or several axes, with named options; elementwise work
 * before and after a reduction is part of the same pass over memory. */
#include "common.h"

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    /* a[i, j, k] = 12 i + 4 j + k, shape (2, 3, 4) */
    heddle_array *a =
        heddle_reshape(heddle_arange(heddle_scalar(24.0), NULL, NULL), HEDDLE_SHAPE(2, 3, 4));

    EXPECT("sum of all", value_at(heddle_sum(a), 0), 276);
    EXPECT("mean", value_at(heddle_mean(a), 0), 11.5);

    /* .axis = 0 differs from no axis; negative axes count from the end. */
    heddle_array *over_first = heddle_sum(a, .axis = 0);
    EXPECT("sum over axis 0: size", heddle_size(over_first), 12);
    EXPECT("sum over axis 0: [0, 0]", value_at(over_first, 0), 12);
    EXPECT("max over the last: [1, 2]", value_at(heddle_max(a, .axis = -1), 5), 23);

    /* Several axes; .keepdims keeps them with extent 1, so that the result broadcasts back. */
    heddle_array *total = heddle_sum(a, .axes = HEDDLE_AXES(1, 2), .keepdims = true);
    EXPECT("sum over axes 1, 2: [1]", value_at(total, 1), 210);
    heddle_array *share = heddle_divide(a, total);
    EXPECT("shares sum to", value_at(heddle_sum(share, .axes = HEDDLE_AXES(1, 2)), 1), 1);

    /* Where the largest element is; whether any, how many satisfy something. */
    heddle_array *wave = heddle_sin(a);
    EXPECT("argmax(sin(a))", value_at(heddle_argmax(wave), 0), 14);
    heddle_array *positive = heddle_greater(wave, heddle_scalar(0.0));
    EXPECT("count_nonzero(sin(a) > 0)", value_at(heddle_count_nonzero(positive), 0), 12);
    EXPECT("any(sin(a) > 1)", value_at(heddle_any(heddle_greater(wave, heddle_scalar(1.0))), 0), 0);

    /* The accumulator may be wider than the elements. */
    heddle_array *bytes =
        heddle_full(HEDDLE_SHAPE(1000), heddle_scalar(200), .dtype = HEDDLE_UINT8);
    EXPECT("sum of uint8", value_at(heddle_sum(bytes), 0), 200000);
    EXPECT("the same in uint8", value_at(heddle_sum(bytes, .dtype = HEDDLE_UINT8), 0),
           200000 % 256);
    heddle_scope_close(scope);
    return examples_failed();
}
