/* What the core knows of factorisations. */
#include "base/hash.h"
#include "base/text.h"
#include "families/factor/factor.h"

/* Operations of a matrix for each of its elements, as bytes: a fraction of its extent. */
static double work(const heddle_array *a)
{
    const int64_t rows = a->in[0]->shape[a->in[0]->ndim - 1];
    return (double)a->size * (double)rows + (double)a->in[0]->size * (double)rows / 2;
}

/* Operands are copied into panels by a program, which reads any view. */
static bool reads_view(const heddle_array *a, int i, const struct heddle_map *map,
                       const int64_t *shape)
{
    (void)a, (void)i, (void)map, (void)shape;
    return true;
}

static void print_triangular(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_triangular_params *params = heddle__params_of(node);
    heddle__text_put(text, params->lower ? " lower" : " upper");
    if (params->unit) heddle__text_put(text, " unit diagonal");
}

/* The rate of a step depends on the dtype and on the smallest extent. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_factor *f = arguments;
    int64_t least = f->width;
    if (f->columns > 0 && f->columns < least) least = f->columns;
    uint64_t log2 = 0;
    while (log2 < 14 && least >> (log2 + 1) > 0) log2++;
    return heddle__hash_word(HEDDLE_FAMILY_CHOLESKY,
                             (uint64_t)f->step << 16 | (uint64_t)f->dtype << 8 | log2);
}

/* LU: the order of rows, and whether it is even. */
static void lu_output(const heddle_array *node, int i, enum heddle_dtype *dtype,
                      struct heddle_shape *shape)
{
    *dtype = HEDDLE_INT64;
    *shape = (struct heddle_shape){.ndim = node->ndim - 2};
    for (int d = 0; d < shape->ndim; d++) shape->extent[d] = node->shape[d];
    if (i == 1) shape->extent[shape->ndim++] = node->shape[node->ndim - 1];
}

/* QR: tau. */
static void qr_output(const heddle_array *node, int i, enum heddle_dtype *dtype,
                      struct heddle_shape *shape)
{
    (void)i;
    const int64_t m = node->shape[node->ndim - 1], n = node->shape[node->ndim - 2];
    *dtype = (enum heddle_dtype)node->dtype;
    *shape = (struct heddle_shape){.ndim = node->ndim - 1};
    for (int d = 0; d < node->ndim - 2; d++) shape->extent[d] = node->shape[d];
    shape->extent[node->ndim - 2] = m < n ? m : n;
}

const struct heddle_family_info heddle__cholesky_family = {
    .name = "cholesky",
    .flags =
        HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT | HEDDLE_FAMILY_MAY_FAIL,
    .work = work,
    .reads_view = reads_view,
    .cut = heddle__cholesky_cut,
    .id = HEDDLE_FAMILY_CHOLESKY,
    .cost_key = cost_key,
    .scratch_bytes = heddle__factor_scratch,
    .describe = heddle__describe_factor,
};

const struct heddle_family_info heddle__lu_family = {
    .name = "lu",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .work = work,
    .reads_view = reads_view,
    .n_outputs = 3,
    .output = lu_output,
    .cut = heddle__lu_cut,
    .id = HEDDLE_FAMILY_LU,
    .cost_key = cost_key,
    .scratch_bytes = heddle__factor_scratch,
};

const struct heddle_family_info heddle__qr_family = {
    .name = "qr",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .work = work,
    .reads_view = reads_view,
    .n_outputs = 2,
    .output = qr_output,
    .cut = heddle__qr_cut,
    .id = HEDDLE_FAMILY_QR,
    .cost_key = cost_key,
    .scratch_bytes = heddle__factor_scratch,
};

const struct heddle_family_info heddle__reflect_family = {
    .name = "reflect",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT,
    .work = work,
    .reads_view = reads_view,
    .cut = heddle__reflect_cut,
    .id = HEDDLE_FAMILY_REFLECT,
    .cost_key = cost_key,
    .scratch_bytes = heddle__factor_scratch,
};

const struct heddle_family_info heddle__triangular_family = {
    .name = "triangular",
    .flags =
        HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT | HEDDLE_FAMILY_MAY_FAIL,
    .params_bytes = sizeof(struct heddle_triangular_params),
    .work = work,
    .reads_view = reads_view,
    .print = print_triangular,
    .cut = heddle__triangular_cut,
    .id = HEDDLE_FAMILY_TRIANGULAR,
    .cost_key = cost_key,
    .scratch_bytes = heddle__factor_scratch,
    .describe = heddle__describe_factor,
};
