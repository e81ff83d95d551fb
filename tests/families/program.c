/* Programs: one fused expression of two operands. The other operations of random programs are nearly all
 * programs, too; kernels/random_program.c makes random ones. */
#include "families/cases.h"

#include <stdlib.h>

bool program_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    if (!value_broadcast_shape(a, b, &ndim, shape) || a->dtype != HEDDLE_FLOAT64 ||
        b->dtype != HEDDLE_FLOAT64 || !(value_largest(a) < 1e6 && value_largest(b) < 1e6))
        return false;
    const double c = (double)random_below(r, 9) - 4;
    *out = value_new(HEDDLE_FLOAT64, ndim, shape);
    value_inherit(out, a);
    value_inherit(out, b);
    for (int64_t i = 0; i < out->size; i++) {
        const double x = value_broadcast_at(a, ndim, shape, i),
                     y = value_broadcast_at(b, ndim, shape, i);
        out->data[i] = (x + y) * c - x * y;
    }
    const double largest = value_largest(out), terms = 4 * (value_largest(a) + value_largest(b)) +
                                                       value_largest(a) * value_largest(b);
    if (!out->exact) out->spread = 4 * out->spread * terms / (largest > 0 ? largest : 1);
    out->array = heddle_subtract(heddle_multiply(heddle_add(a->array, b->array), heddle_scalar(c)),
                                 heddle_multiply(a->array, b->array));
    return true;
}
