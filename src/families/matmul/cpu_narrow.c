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

static void products(const struct narrow *t, int64_t from, int64_t to)
{
    const struct heddle_matmul *mm = t->mm;
    const struct heddle__block_narrow *blocks = &heddle__cpu_blocks()->narrow;
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

bool heddle__narrow_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                            int n_threads, struct heddle_team *team,
                            struct heddle_epilogue *epilogue)
{
    if ((mm->dtype != HEDDLE_FLOAT32 && mm->dtype != HEDDLE_FLOAT64) || mm->accumulate ||
        mm->n > HEDDLE_NARROW || mm->k > HEDDLE_NARROW || mm->n < 2 ||
        (mm->a_column != 1 && mm->k > 1))
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
