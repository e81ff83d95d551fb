/* Functions over parts: one that squares. */
#include "families/cases.h"

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

/* The function is one of CPUs, and no part of this has an overlap. */
bool map_parts_case(struct random *r, const struct value *a, const struct value *b,
                    struct value *out)
{
    (void)r, (void)b;
    int n_cpus = 0, n_gpus = 0;
    if (a->dtype != HEDDLE_FLOAT64 || a->ndim == 0 || !(value_largest(a) < 1e6) ||
        heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK || n_cpus == 0)
        return false;
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
