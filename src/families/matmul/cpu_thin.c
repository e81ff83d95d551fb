/* Products with a small result and long sums, as X^T X and X^T v. Tiles of the result would be few, and BLAS brings long operands
 * into another order on their way through memory. So the sums are cut: into pieces that stay in the cache, and groups of
 * pieces, which threads share and whose results are added in order. Both depend on the extents alone, so that the bits are the
 * same for any number of threads. Entry point: heddle__thin_product. */
#include "families/matmul/cpu_thin.h"

#include "base/memory.h"
#include "base/share.h"

#include <string.h>

enum {
    MOST_RESULT = 4096, /* elements */
    GROUPS = 64,
    LEAST_PIECES = 8,
    PIECE = 512, /* terms of a sum: of BLAS's own blocks */
    PIECE_VECTOR =
        4096 /* the same of a product with a vector, which is not brought into another order */
};

struct thin {
    struct heddle_blas_product product;
    struct heddle_matmul mm; /* of a piece, into partial results that are dense */
    const char *a, *b;
    char *partial;
    int64_t k, size, n_pieces, n_groups, piece;
};

static void some_groups(void *argument, int64_t from, int64_t to)
{
    const struct thin *t = argument;
    const int before = heddle__cpu_blas_begin(1);
    for (int64_t g = from; g < to; g++) {
        struct heddle_matmul mm = t->mm;
        char *const c = t->partial + g * mm.m * mm.n * t->size;
        const int64_t first = g * t->n_pieces / t->n_groups;
        for (int64_t p = first; p < (g + 1) * t->n_pieces / t->n_groups; p++) {
            const int64_t at = p * t->piece, left = t->k - at;
            mm.k = left < t->piece ? left : t->piece;
            mm.accumulate = p > first;
            heddle__blas_product(&t->product, &mm, mm.m, mm.n, t->a + at * mm.a_column * t->size,
                                 t->b + at * mm.b_row * t->size, c);
        }
    }
    heddle__cpu_blas_end(before);
}

#define DEFINE_ADD(name, T)                                                                        \
    static void add_##name(int64_t n, void *to, const void *from)                                  \
    {                                                                                              \
        T *const y = to;                                                                           \
        const T *const x = from;                                                                   \
        for (int64_t i = 0; i < n; i++) y[i] += x[i];                                              \
    }
DEFINE_ADD(f32, float)
DEFINE_ADD(f64, double)

/* Of complex numbers both parts. */
static void add(enum heddle_dtype dtype, int64_t n, void *to, const void *from)
{
    const int64_t parts = heddle_dtype_kind(dtype) == 'C' ? 2 : 1;
    if (heddle__real_dtype(dtype) == HEDDLE_FLOAT32)
        add_f32(n * parts, to, from);
    else
        add_f64(n * parts, to, from);
}

bool heddle__thin_product(const struct heddle_blas_product *product, const struct heddle_matmul *mm,
                          const char *a, const char *b, char *c, int n_threads,
                          struct heddle_team *team)
{
    struct thin t = {.product = *product,
                     .mm = *mm,
                     .a = a,
                     .b = b,
                     .k = mm->k,
                     .size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype),
                     .piece = product->by_vector ? PIECE_VECTOR : PIECE};
    if (mm->batch != 1 || mm->m > MOST_RESULT / mm->n || mm->k < LEAST_PIECES * t.piece)
        return false;
    t.n_pieces = (mm->k + t.piece - 1) / t.piece;
    t.n_groups = t.n_pieces < GROUPS ? t.n_pieces : GROUPS;
    t.partial = heddle__alloc((size_t)(t.n_groups * mm->m * mm->n * t.size));
    if (!t.partial) return false;
    t.mm.c_row = mm->n;
    if (!product->is_dot) t.product.y_stride = 1;
    heddle__share(team, n_threads, t.n_groups, some_groups, &t);

    const enum heddle_dtype dtype = (enum heddle_dtype)mm->dtype;
    for (int64_t g = 0; g < t.n_groups; g++)
        for (int64_t row = 0; row < mm->m; row++) {
            char *const to = c + row * mm->c_row * t.size;
            const char *const from = t.partial + (g * mm->m + row) * mm->n * t.size;
            if (g == 0 && !mm->accumulate)
                memcpy(to, from, (size_t)(mm->n * t.size));
            else
                add(dtype, mm->n, to, from);
        }
    heddle__free(t.partial);
    return true;
}
