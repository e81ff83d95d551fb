/* Products of sparse matrices: the entries one after the other, in double. */
#include "families/cases.h"

#include <stdlib.h>

/* Entries of small integers in random columns, some of them twice; a few rows have none, one may be long. */
struct entries {
    int64_t rows, columns, n, *start, *index;
    double *value;
};

static struct entries random_entries(struct random *r, int64_t columns)
{
    struct entries e = {.rows = 1 + random_below(r, random_below(r, 4) ? 40 : 3000),
                        .columns = columns};
    const int64_t length = 1 + random_below(r, 12), longest = random_below(r, 3) ? -1 : e.rows / 2;
    e.start = malloc((size_t)(e.rows + 1) * sizeof *e.start);
    for (int64_t i = 0; i < e.rows; i++) {
        e.start[i] = e.n;
        e.n += i == longest         ? 1000 + random_below(r, 3000)
               : random_below(r, 4) ? random_below(r, 2 * length)
                                    : 0;
    }
    e.start[e.rows] = e.n;
    e.index = malloc((size_t)(e.n + 1) * sizeof *e.index);
    e.value = malloc((size_t)(e.n + 1) * sizeof *e.value);
    for (int64_t k = 0; k < e.n; k++) {
        e.index[k] = random_below(r, columns);
        e.value[k] = (double)random_below(r, 7) - 3;
    }
    return e;
}

static struct heddle_csr matrix_of(struct random *r, const struct entries *e,
                                   enum heddle_dtype dtype)
{
    heddle_array *data =
        heddle_astype(heddle_asarray(e->value, HEDDLE_FLOAT64, HEDDLE_SHAPE(e->n)), dtype);
    heddle_array *indices = heddle_asarray(e->index, HEDDLE_INT64, HEDDLE_SHAPE(e->n)),
                 *indptr = heddle_asarray(e->start, HEDDLE_INT64, HEDDLE_SHAPE(e->rows + 1));
    if (random_below(r, 2)) indices = heddle_astype(indices, HEDDLE_INT32);
    if (random_below(r, 2)) indptr = heddle_astype(indptr, HEDDLE_INT32);
    struct heddle_csr a = heddle_csr_make(data, indices, indptr, e->rows, e->columns);
    heddle_place places[3];
    int n_cpus = 0, n_gpus = 0, n = (int)random_below(r, 4);
    if (n == 0 || heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK) return a;
    for (int i = 0; i < n; i++) {
        const int at = (int)random_below(r, n_cpus + n_gpus);
        places[i] = at < n_cpus ? heddle_cpu(at) : heddle_gpu(at - n_cpus);
    }
    return heddle_csr_distribute(&a, n, places);
}

bool csr_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    const int64_t width = a->ndim == 2 ? a->shape[1] : 1;
    if (a->ndim < 1 || a->ndim > 2 || a->size == 0 || a->size > 100000 || width > 60 ||
        !(value_largest(a) < 1000))
        return false;
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT32, HEDDLE_FLOAT32, HEDDLE_FLOAT64};
    const enum heddle_dtype of_data = dtypes[random_below(r, 3)],
                            dtype = heddle_result_type(of_data, a->dtype);
    struct entries e = random_entries(r, a->shape[0]);
    struct heddle_csr m = matrix_of(r, &e, of_data);
    const int64_t shape[2] = {e.rows, width};
    *out = value_new(dtype, a->ndim, shape);
    value_inherit(out, a);
    double magnitude = 0;
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t c = 0; c < width; c++) {
            double sum = 0, sizes = 0;
            for (int64_t k = e.start[i]; k < e.start[i + 1]; k++) {
                const double product = e.value[k] * a->data[e.index[k] * width + c];
                sum += product;
                sizes += product < 0 ? -product : product;
            }
            out->data[i * width + c] = value_round(dtype, sum);
            if (sizes > magnitude) magnitude = sizes;
        }
    if (value_is_float(dtype)) {
        const double largest = value_largest(out) > 0 ? value_largest(out) : 1;
        out->exact = false;
        out->spread =
            (a->spread * 3000 * value_largest(a) * 3 + 64 * value_epsilon(dtype) * magnitude) /
            largest;
    }
    out->array = heddle_csr_matmul(&m, a->array);
    free(e.start);
    free(e.index);
    free(e.value);
    return true;
}
