/* All tables of functions together, and what their files share. Entry point: heddle__expr_function_at. */
#include "expr/functions/functions.h"

#include <limits.h>

static const struct function_table *const tables[] = {
    &heddle__expr_elementwise, &heddle__expr_reductions, &heddle__expr_creation,
    &heddle__expr_shapes,      &heddle__expr_sorting,    &heddle__expr_known,
};

const struct function *heddle__expr_function_at(size_t i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (i < tables[t]->n) return &tables[t]->rows[i];
        i -= tables[t]->n;
    }
    return NULL;
}

bool heddle__expr_given(const struct value *v)
{
    return v->kind != VALUE_ABSENT && v->kind != VALUE_NONE;
}

bool heddle__expr_to_axes(struct run *run, const struct value *v, int *axes, int *n)
{
    int64_t numbers[HEDDLE_MAX_NDIM];
    *n = -1;
    if (!heddle__expr_given(v)) return true;
    if (!heddle__expr_to_ints(run, v, "axis", HEDDLE_MAX_NDIM, numbers, n)) return false;
    for (int i = 0; i < *n; i++) {
        if (numbers[i] < -INT_MAX + 1 || numbers[i] > INT_MAX)
            return heddle__expr_fail(run, HEDDLE_EAXIS, v->at, "axis %lld is out of range",
                                     (long long)numbers[i]);
        axes[i] = (int)numbers[i];
    }
    return true;
}

bool heddle__expr_to_shape(struct run *run, const struct value *v, int64_t *shape, int *ndim)
{
    return heddle__expr_to_ints(run, v, "a shape", HEDDLE_MAX_NDIM, shape, ndim);
}
