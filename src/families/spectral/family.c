/* What the core knows of eigenvalues and singular values. */
#include "base/dtype.h"
#include "base/hash.h"
#include "base/text.h"
#include "families/spectral/spectral.h"

double heddle__spectral_flops(int operation, int64_t rows, int64_t columns, bool is_complex)
{
    static const double of_operation[HEDDLE_SPECTRAL_OPERATIONS] = {
        [HEDDLE_SPECTRAL_EIGVALSH] = 4.0 / 3, [HEDDLE_SPECTRAL_EIGH] = 9,
        [HEDDLE_SPECTRAL_SVDVALS] = 4,        [HEDDLE_SPECTRAL_SVD] = 20,
        [HEDDLE_SPECTRAL_EIGVALS] = 10,       [HEDDLE_SPECTRAL_EIG] = 27,
    };
    return of_operation[operation] * (is_complex ? 4 : 1) * (double)rows * (double)rows *
           (double)columns;
}

static double work(const heddle_array *node)
{
    const heddle_array *a = node->in[0];
    const struct heddle_spectral_params *params = heddle__params_of(node);
    const int64_t rows = a->shape[a->ndim - 2], columns = a->shape[a->ndim - 1];
    const double n = (double)a->size / ((double)rows * (double)columns);
    return n *
           (2000 + heddle__spectral_flops(params->operation, rows, columns,
                                          heddle_dtype_kind((enum heddle_dtype)a->dtype) == 'C'));
}

static void output(const heddle_array *node, int i, enum heddle_dtype *dtype,
                   struct heddle_shape *shape)
{
    const heddle_array *a = node->in[0];
    const struct heddle_spectral_params *params = heddle__params_of(node);
    const int64_t rows = a->shape[a->ndim - 2], columns = a->shape[a->ndim - 1];
    if (params->operation < HEDDLE_SPECTRAL_EIGVALS) *dtype = (enum heddle_dtype)a->dtype;
    shape->ndim = a->ndim; /* the leading axes are the node's */
    shape->extent[a->ndim - 2] = i == 2 && params->full ? columns : rows;
    shape->extent[a->ndim - 1] = i == 2 ? columns : rows;
}

/* Values without vectors take a half to a tenth. */
static heddle_array *alone(const heddle_array *node, int i)
{
    static const enum heddle_spectral_operation of[HEDDLE_SPECTRAL_OPERATIONS] = {
        [HEDDLE_SPECTRAL_EIGH] = HEDDLE_SPECTRAL_EIGVALSH,
        [HEDDLE_SPECTRAL_SVD] = HEDDLE_SPECTRAL_SVDVALS,
        [HEDDLE_SPECTRAL_EIG] = HEDDLE_SPECTRAL_EIGVALS,
    };
    const struct heddle_spectral_params *params = heddle__params_of(node);
    heddle_array *values = NULL;
    return i == 0 && heddle__spectral(of[params->operation], node->in[0], params->upper != 0, false,
                                      &values)
               ? values
               : NULL;
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_spectral_params *params = heddle__params_of(node);
    heddle__text_put(text, " %s",
                     heddle__spectral_name(params->operation) + sizeof "heddle_linalg");
}

/* The rate depends on the operation, the dtype and the smaller extent. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_spectral *s = arguments;
    uint64_t log2 = 0;
    while (log2 < 14 && s->rows >> (log2 + 1) > 0) log2++;
    return heddle__hash_word(heddle__hash_word(s->dtype, s->operation), log2);
}

#define FAMILY(outputs)                                                                            \
    {                                                                                              \
        .name = "spectral",                                                                        \
        .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_MAY_FAIL,             \
        .params_bytes = sizeof(struct heddle_spectral_params), .work = work, .n_outputs = outputs, \
        .output = output, .alone = alone, .print = print, .cut = heddle__spectral_cut,             \
        .id = HEDDLE_FAMILY_SPECTRAL, .cost_key = cost_key                                         \
    }
const struct heddle_family_info heddle__spectral_family = FAMILY(1),
                                heddle__spectral_pair_family = FAMILY(2),
                                heddle__spectral_triple_family = FAMILY(3);
