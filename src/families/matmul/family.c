/* What the core knows of matrix products. */
#include "base/hash.h"
#include "base/text.h"
#include "families/matmul/cut.h"
#include "families/matmul/kernel_packed.h"
#include "families/matmul/kernel_thin.h"

/* As bytes moved in the same time: a thread multiplies and adds 40 G doubles a second by BLAS, or moves 20 GB. */
static double work(const heddle_array *a)
{
    const double n = (double)a->size * (double)a->in[0]->shape[a->in[0]->ndim - 1];
    const double each = (double)heddle_dtype_size((enum heddle_dtype)a->dtype);
    switch (heddle_dtype_kind((enum heddle_dtype)a->dtype)) {
    case 'F': return n * each / 16;
    case 'C': return n * each / 8; /* four products of numbers half as large */
    default: return n;
    }
}

static void print(struct heddle_text *text, const heddle_array *node)
{
    const struct heddle_matmul_params *params = heddle__params_of(node);
    if (params->tf32) heddle__text_put(text, " of TF32");
}

/* BLAS takes a view of a compact array that has a unit stride on one of the last two axes. */
static bool reads_view(const heddle_array *a, int i, const struct heddle_map *map,
                       const int64_t *shape)
{
    const heddle_array *in = a->in[i];
    int64_t stride[HEDDLE_MAX_NDIM] = {0}, along = 1;
    for (int d = map->n - 1; d >= 0; d--) {
        if (map->axis[d] >= 0) stride[map->axis[d]] += map->step[d] * along;
        along *= shape[d];
    }
    const int row = in->ndim - 2, column = in->ndim - 1;
    if (stride[row] < 0 || stride[column] < 0) return false;
    if (in->shape[column] <= 1 || stride[column] == 1)
        return in->shape[row] <= 1 || stride[row] >= in->shape[column];
    if (in->shape[row] <= 1 || stride[row] == 1) return stride[column] >= in->shape[row];
    return false;
}

/* The rate of a BLAS depends on the dtype and on the smallest extent; elementwise work has another one. */
static uint64_t cost_key(const void *arguments)
{
    const struct heddle_matmul *mm = arguments;
    int64_t least = mm->m < mm->n ? mm->m : mm->n;
    if (mm->k < least) least = mm->k;
    uint64_t log2 = 0;
    while (log2 < 12 && least >> (log2 + 1) > 0) log2++; /* constant from 4096 on */
    return heddle__hash_word(HEDDLE_FAMILY_MATMUL,
                             (uint64_t)(mm->epilogue != NULL) << 25 | (uint64_t)mm->tf32 << 24 |
                                 (uint64_t)mm->halves << 16 | (uint64_t)mm->dtype << 8 | log2);
}

static int64_t copies(int64_t batch, int64_t stride)
{
    return stride == 0 ? 1 : batch;
}

size_t heddle__matmul_scratch(const void *arguments, int n_threads)
{
    const struct heddle_matmul *mm = arguments;
    if (n_threads == 0)
        return heddle__matmul_takes_addresses(mm)
                   ? 3 * sizeof(void *) * (size_t)(mm->batch * mm->outer)
                   : heddle__thin_scratch(mm);
    if (!mm->halves) return heddle__packed_bytes(mm, n_threads);
    struct heddle_matmul wide = *mm; /* dense */
    wide.a_column = 1;
    const int64_t a = mm->m * mm->k * copies(mm->batch, mm->a_batch),
                  b = mm->k * mm->n * copies(mm->batch, mm->b_batch),
                  c = mm->rounded ? mm->m * mm->n * mm->batch : 0;
    return (size_t)(a + b + c) * sizeof(float) + heddle__packed_bytes(&wide, n_threads);
}

static bool takes(const void *arguments, const struct heddle_launch *launch,
                  enum heddle_work_side side)
{
    return side == HEDDLE_AFTER && heddle__matmul_takes(arguments, launch);
}

static void join(void *arguments, const struct heddle_launch *launch, enum heddle_work_side side)
{
    (void)side;
    ((struct heddle_matmul *)arguments)->epilogue = launch;
}

const struct heddle_family_info heddle__matmul_family = {
    .name = "matmul",
    .flags = HEDDLE_FAMILY_MERGES | HEDDLE_FAMILY_INLINE | HEDDLE_FAMILY_TAKES_GRID |
             HEDDLE_FAMILY_IN_PLACE | HEDDLE_FAMILY_DIRECT,
    .params_bytes = sizeof(struct heddle_matmul_params),
    .work = work,
    .print = print,
    .reads_view = reads_view,
    .cut = heddle__matmul_cut,
    .id = HEDDLE_FAMILY_MATMUL,
    .cost_key = cost_key,
    .scratch_bytes = heddle__matmul_scratch,
    .takes = takes,
    .join = join,
};
