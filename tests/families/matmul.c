/* Matrix products: sums of products in double. */
#include "families/cases.h"

bool matmul_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)r;
    if (a->ndim != 2 || b->ndim != 2) return false;
    const int64_t k =
        a->shape[1] < b->shape[0] ? a->shape[1] : b->shape[0]; /* views, if they differ */
    const enum heddle_dtype dtype = heddle_result_type(a->dtype, b->dtype);
    if (dtype == HEDDLE_BOOL || k == 0 || !(value_largest(a) < 1000 && value_largest(b) < 1000) ||
        (double)a->shape[0] * (double)k * (double)b->shape[1] > 4e6)
        return false;
    const int64_t shape[2] = {a->shape[0], b->shape[1]};
    *out = value_new(dtype, 2, shape);
    value_inherit(out, a);
    value_inherit(out, b);
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += a->data[i * a->shape[1] + l] * b->data[l * shape[1] + j];
            out->data[i * shape[1] + j] = value_round(dtype, sum);
        }
    if (value_is_float(dtype)) {
        out->exact = false;
        out->by_blas = true;
        out->spread = (a->spread + b->spread + 64 * value_epsilon(dtype)) * value_largest(a) *
                      value_largest(b) * (double)k /
                      (value_largest(out) > 0 ? value_largest(out) : 1);
    }
    heddle_array *left = a->array, *right = b->array;
    if (k < a->shape[1]) left = heddle_getitem(left, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(0, k)));
    if (k < b->shape[0]) right = heddle_getitem(right, HEDDLE_INDEX(HEDDLE_SLICE(0, k)));
    out->array = heddle_matmul(left, right);
    return true;
}
