/* Kernels of the user's, by their twins for CPUs: one that squares, and one that adds the neighbours of each element, over parts with a halo. */
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

static enum heddle_status square(const struct heddle_part_view *in, void *out, void *user)
{
    const double *from = in->data;
    double *to = out;
    int64_t n = 1;
    (void)user;
    for (int d = 0; d < HEDDLE_MAX_NDIM && in->shape[d] > 0; d++) n *= in->shape[d];
    for (int64_t i = 0; i < n; i++) to[i] = from[i] * from[i];
    return HEDDLE_OK;
}

/* A function over parts that squares; no part of this has an overlap. */
static bool map_parts_case(const struct value *a, struct value *out)
{
    *out = value_new(HEDDLE_FLOAT64, a->ndim, a->shape);
    value_inherit(out, a);
    for (int64_t i = 0; i < a->size; i++) out->data[i] = a->data[i] * a->data[i];
    if (!out->exact)
        out->spread = 2 * a->spread * value_largest(a) * value_largest(a) /
                      (value_largest(out) > 0 ? value_largest(out) : 1);
    const struct heddle_cut whole = {HEDDLE_CUT_PARTS, 3, NULL};
    heddle_array *cut = heddle_distribute(a->array, &(struct heddle_distribution){.cut[0] = whole});
    out->array = heddle_map_parts(cut, HEDDLE_FLOAT64, square);
    return true;
}

/* The functions are ones of CPUs. Others than the first axis are not cut, as the function is written for that. */
bool raw_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    int n_cpus = 0, n_gpus = 0;
    if (a->dtype != HEDDLE_FLOAT64 || a->ndim == 0 || !(value_largest(a) < 1e6) ||
        heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK || n_cpus == 0)
        return false;
    if (a->size == 0 || random_below(r, 2) == 0) return map_parts_case(a, out);
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
