/* Elements by index that the program reads which needs them: arithmetic on what is taken. */
#include "families/cases.h"

#include <stdlib.h>

static void multiply_and_add(struct value *v, double c)
{
    for (int64_t i = 0; i < v->size; i++) v->data[i] = v->data[i] * c + 1;
    v->array = heddle_add(heddle_multiply(v->array, heddle_scalar(c)), heddle_scalar(1.0));
}

bool checked_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    if (a->dtype != HEDDLE_FLOAT64 || !(value_largest(a) < 1e6) || !gather_case(r, a, b, out))
        return false;
    const double largest = value_largest(out);
    const double c = (double)random_below(r, 9) - 4;
    multiply_and_add(out, c);
    const double now = value_largest(out), terms = 4 * largest + 1;
    if (!out->exact) out->spread = 4 * out->spread * terms / (now > 0 ? now : 1);
    return true;
}
