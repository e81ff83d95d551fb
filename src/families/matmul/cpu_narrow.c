/* Products with a matrix of few rows and columns: BLAS brings both operands into another order first, which takes longer than the
 * product. Entry point: heddle__narrow_product. */
#include "families/matmul/cpu_narrow.h"

#include "base/share.h"
#include "cpu/blocks.h"

enum { PIECE = 256 }; /* rows */

struct narrow {
    const struct heddle_matmul *mm;
    const char *a, *b;
    char *c;
    int64_t size, pieces; /* bytes of an element; pieces of a result */
    struct heddle_epilogue *epilogue;
};

/* Small matrices by vectors: the vector is the one row, and the matrix's columns come first. */
static void by_vectors(const struct narrow *t, int64_t from, int64_t to)
{
    const struct heddle_matmul *mm = t->mm;
    const struct heddle__block_narrow *blocks = &heddle__cpu_blocks()->narrow;
    for (int64_t i = from; i < to; i++)
        blocks->real[mm->dtype == HEDDLE_FLOAT64](
            &(struct heddle__narrow){.rows = 1,
                                     .n = (int)mm->m,
                                     .k = (int)mm->k,
                                     .a = t->b + i * mm->b_batch * t->size,
                                     .a_row = mm->k,
                                     .b = t->a + i * mm->a_batch * t->size,
                                     .b_row = mm->a_column,
                                     .b_column = mm->a_row,
                                     .c = t->c + i * mm->c_batch * t->size,
                                     .c_row = mm->m});
}

static void products(const struct narrow *t, int64_t from, int64_t to)
{
    const struct heddle_matmul *mm = t->mm;
    const struct heddle__block_narrow *blocks = &heddle__cpu_blocks()->narrow;
    if (mm->n == 1) {
        by_vectors(t, from, to);
        return;
    }
    while (from < to) {
        const int64_t result = from / t->pieces, first = from % t->pieces;
        const int64_t count = t->pieces - first < to - from ? t->pieces - first : to - from;
        const int64_t row = first * PIECE, left = mm->m - row;
        blocks->real[mm->dtype == HEDDLE_FLOAT64](
            &(struct heddle__narrow){.rows = left < count * PIECE ? left : count * PIECE,
                                     .n = (int)mm->n,
                                     .k = (int)mm->k,
                                     .a = t->a + (result * mm->a_batch + row * mm->a_row) * t->size,
                                     .a_row = mm->a_row,
                                     .b = t->b + result * mm->b_batch * t->size,
                                     .b_row = mm->b_row,
                                     .b_column = mm->b_column,
                                     .c = t->c + (result * mm->c_batch + row * mm->c_row) * t->size,
                                     .c_row = mm->c_row});
        from += count;
    }
}

/* Whole results, or pieces of one, that stay in the cache. */
static void some_pieces(void *argument, int64_t from, int64_t to)
{
    const struct narrow *t = argument;
    const struct heddle_matmul *mm = t->mm;
    if (!t->epilogue) {
        products(t, from, to);
        return;
    }
    int64_t rows = heddle__epilogue_rows(mm, mm->n);
    while (from < to) {
        const int64_t result = from / t->pieces, first = from % t->pieces;
        int64_t lo[3] = {result, first * PIECE, 0}, size[3] = {1, mm->m, mm->n}, count;
        if (first == 0 && to - from >= t->pieces && rows >= 2 * mm->m) {
            size[0] = (to - from) / t->pieces;
            if (size[0] > rows / mm->m) size[0] = rows / mm->m;
            count = size[0] * t->pieces;
        } else {
            count = (rows + PIECE - 1) / PIECE;
            if (count > to - from) count = to - from;
            if (count > t->pieces - first) count = t->pieces - first;
            size[1] = count * PIECE;
            if (size[1] > mm->m - lo[1]) size[1] = mm->m - lo[1];
        }
        products(t, from, from + count);
        heddle__epilogue_tile(t->epilogue, lo, size);
        from += count;
    }
}

/* Many small matrices by a vector each: BLAS takes longer to be called than for the product. */
static bool is_by_vectors(const struct heddle_matmul *mm)
{
    enum { ELEMENTS = 144 };
    return mm->n == 1 && mm->m > 1 && mm->m <= HEDDLE_NARROW && mm->m * mm->k <= ELEMENTS &&
           mm->batch > 1 && mm->c_row == 1 && (mm->b_row == 1 || mm->k == 1);
}

static bool is_by_narrow(const struct heddle_matmul *mm)
{
    return mm->n >= 2 && mm->n <= HEDDLE_NARROW && (mm->a_column == 1 || mm->k == 1);
}

bool heddle__narrow_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                            int n_threads, struct heddle_team *team,
                            struct heddle_epilogue *epilogue)
{
    if ((mm->dtype != HEDDLE_FLOAT32 && mm->dtype != HEDDLE_FLOAT64) || mm->accumulate ||
        mm->k > HEDDLE_NARROW || !(is_by_vectors(mm) || is_by_narrow(mm)))
        return false;
    struct narrow t = {mm,
                       a,
                       b,
                       c,
                       (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype),
                       (mm->m + PIECE - 1) / PIECE,
                       epilogue};
    if (epilogue) epilogue->done = true;
    heddle__share(team, n_threads, t.pieces * mm->batch, some_pieces, &t);
    return true;
}
