/* What the core knows of factorisations. */
#include "base/hash.h"
#include "base/text.h"
#include "families/factor/factor.h"
#include "families/factor/systems.h"

/* Operations of a matrix for each of its elements, a fraction of its extent; as bytes moved in the same time. */
static double work(const heddle_array *a)
{
    const int64_t rows = a->in[0]->shape[a->in[0]->ndim - 1];
    return ((double)a->size + (double)a->in[0]->size / 2) * (double)rows / 2;
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

/* What all five have in common. */
#define FACTOR(ID, id_name)                                                                        \
    .name = #id_name, .work = work, .reads_view = reads_view, .cut = heddle__##id_name##_cut,      \
    .id = HEDDLE_FAMILY_##ID, .cost_key = cost_key, .scratch_bytes = heddle__factor_scratch
enum { FLAGS = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_DIRECT };

const struct heddle_family_info heddle__cholesky_family = {
    FACTOR(CHOLESKY, cholesky),
    .flags = FLAGS | HEDDLE_FAMILY_MAY_FAIL,
    .describe = heddle__describe_factor,
};

const struct heddle_family_info heddle__lu_family = {
    FACTOR(LU, lu),
    .flags = FLAGS,
    .n_outputs = 3,
    .output = lu_output,
};

const struct heddle_family_info heddle__qr_family = {
    FACTOR(QR, qr),
    .flags = FLAGS,
    .n_outputs = 2,
    .output = qr_output,
};

const struct heddle_family_info heddle__reflect_family = {
    FACTOR(REFLECT, reflect),
    .flags = FLAGS,
};

const struct heddle_family_info heddle__triangular_family = {
    FACTOR(TRIANGULAR, triangular),
    .flags = FLAGS | HEDDLE_FAMILY_MAY_FAIL,
    .params_bytes = sizeof(struct heddle_triangular_params),
    .print = print_triangular,
    .describe = heddle__describe_factor,
};

/* ---- Small systems ----------------------------------------------------------------------------------------- */

/* In lanes a tenth of what LAPACK takes for as many operations. */
static double systems_work(const heddle_array *node)
{
    const heddle_array *a = node->in[0];
    const double n = (double)a->shape[a->ndim - 1];
    return ((double)a->size + (double)node->size) * n / (n <= HEDDLE_SYSTEMS_IN_LANES ? 4 : 2);
}

static void print_systems(struct heddle_text *text, const heddle_array *node)
{
    static const char *const names[HEDDLE_N_SYSTEMS] = {
        [HEDDLE_SYSTEMS_SOLVE] = "solve",
        [HEDDLE_SYSTEMS_INVERT] = "invert",
        [HEDDLE_SYSTEMS_PIVOTS] = "pivots",
        [HEDDLE_SYSTEMS_DETERMINANT] = "determinant",
    };
    const struct heddle_systems_params *params = heddle__params_of(node);
    heddle__text_put(text, " %s", names[params->what]);
}

static uint64_t systems_key(const void *arguments)
{
    const struct heddle_systems *s = arguments;
    return heddle__hash_word(HEDDLE_FAMILY_SYSTEMS,
                             (uint64_t)s->what << 16 | (uint64_t)s->dtype << 8 | (uint64_t)s->n);
}

/* For what *first says, on a GPU. */
static size_t systems_scratch(const void *arguments, int n_threads)
{
    (void)arguments;
    return n_threads == 0 ? sizeof(uint64_t) : 0;
}

/* Pivots and determinants cannot fail. */
#define SYSTEMS                                                                                    \
    .name = "systems", .params_bytes = sizeof(struct heddle_systems_params), .work = systems_work, \
    .reads_view = reads_view, .print = print_systems, .cut = heddle__systems_cut,                  \
    .id = HEDDLE_FAMILY_SYSTEMS, .cost_key = systems_key, .scratch_bytes = systems_scratch
const struct heddle_family_info heddle__systems_family = {
    SYSTEMS,
    .flags = FLAGS | HEDDLE_FAMILY_MAY_FAIL,
    .describe = heddle__describe_factor,
};
const struct heddle_family_info heddle__pivots_family = {SYSTEMS, .flags = FLAGS};
