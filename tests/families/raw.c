/* Kernels of the user's, by their twins for CPUs: one that adds the neighbours of each element, over parts with a halo. */
#include "families/cases.h"

static enum heddle_status add_neighbours(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *in = &l->arguments[0], *out = &l->arguments[1];
    const double *x = in->data;
    double *y = out->data;
    int64_t row = 1;
    for (int d = 1; d < in->ndim; d++) row *= in->extents.shape[d];
    const int64_t first = in->extents.before[0], n = in->extents.shape[0];
    for (int64_t i = 0; i < out->extents.shape[0]; i++)
        for (int64_t j = 0; j < row; j++) {
            const int64_t at = first + i;
            y[i * row + j] = x[at * row + j] + (at > 0 ? x[(at - 1) * row + j] : 0) +
                             (at + 1 < n ? x[(at + 1) * row + j] : 0);
        }
    return HEDDLE_OK;
}

/* The function is one of CPUs. Others than the first axis are not cut, as the function is written for that. */
bool raw_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)r, (void)b;
    int n_cpus = 0, n_gpus = 0;
    if (a->dtype != HEDDLE_FLOAT64 || a->ndim == 0 || a->size == 0 || !(value_largest(a) < 1e6) ||
        heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK || n_cpus == 0)
        return false;
    *out = value_new(HEDDLE_FLOAT64, a->ndim, a->shape);
    value_inherit(out, a);
    const int64_t row = a->size / a->shape[0];
    for (int64_t i = 0; i < a->size; i++)
        out->data[i] = a->data[i] + (i >= row ? a->data[i - row] : 0) +
                       (i + row < a->size ? a->data[i + row] : 0);
    if (!out->exact)
        out->spread =
            4 * a->spread * value_largest(a) / (value_largest(out) > 0 ? value_largest(out) : 1);
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(add_neighbours);
    struct heddle_raw_call_options o = {.size = sizeof o, .over_parts = true, .uncut = ~1u};
    o.halo.count = a->ndim;
    o.halo.at[0] = 1;
    const struct heddle_raw_argument arguments[] = {
        heddle_raw_read(a->array),
        heddle_raw_write(&out->array, HEDDLE_FLOAT64, a->ndim, a->shape)};
    const enum heddle_status status = heddle_raw_call_with(k, 2, arguments, &o);
    heddle_raw_kernel_release(k);
    return status == HEDDLE_OK;
}
