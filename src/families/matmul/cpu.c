/* The CPU twin of matmul: BLAS for floating dtypes, kernels of ours for integers (cpu_integers.h). The threads of the team share tiles of
 * the results; BLAS itself runs on one thread. Entry: heddle__cpu_matmul. */
#include "cpu/blocks.h"
#include "families/matmul/cpu_epilogue.h"
#include "families/matmul/cpu_integers.h"
#include "families/matmul/cpu_narrow.h"
#include "families/matmul/cpu_packed.h"
#include "families/matmul/cpu_thin.h"

#include "base/share.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum {
    PRODUCT_OF_THREAD = 500000, /* multiplications that are worth a thread, by BLAS */
    VECTOR_OF_THREAD = 40000,   /* by a vector: each reads an element of the matrix */
    TILE_LEAST = 32,            /* rows or columns */
    TILES_OF_THREAD = 4         /* at most, for balance */
};

/* ---- the call ---------------------------------------------------------------------------------- */

struct operands {
    char *a, *b, *c;
    int64_t a_batch, b_batch, c_batch; /* bytes */
};

static void clear(const struct heddle_matmul *mm, const struct operands *p, size_t size)
{
    for (int64_t i = 0; i < mm->batch; i++)
        for (int64_t r = 0; r < mm->m; r++)
            memset(p->c + i * p->c_batch + r * mm->c_row * (int64_t)size, 0, (size_t)mm->n * size);
}

/* Tiles of all results in turn: whole ones, then the rest of them in quarters, so that the threads end
 * together (guided self-scheduling of two sizes). */
struct tiles {
    struct heddle_blas_product product;
    const struct heddle_matmul *mm;
    const struct operands *p;
    int64_t size;          /* bytes of an element */
    int64_t down, across;  /* tiles of a result */
    int64_t height, width; /* of a tile */
    int64_t n, n_whole;    /* tiles; those that are not in quarters */
    atomic_llong taken;    /* whole ones, then quarters */
    struct heddle_epilogue *epilogue;
};

/* What a tile costs, in multiplications for each term of its sums: its products, bringing its rows and
 * columns into the order that BLAS wants, and the call. Of OpenBLAS with AVX-512; the places where the
 * cost is least are broad. */
static double tile_cost(const struct tiles *t, int64_t height, int64_t width)
{
    const double row = 30, column = 10, call = 40000;
    return (double)height * (double)width + row * (double)height + column * (double)width +
           call / (double)t->mm->k;
}

/* Of `whole` rounds of whole tiles and the rest in quarters. Threads are not equally fast: the last one is
 * waited for, for a part of its tile, and of more threads it is later. */
static double rounds_cost(const struct tiles *t, int64_t n_tiles, int64_t whole, int n_threads,
                          int64_t height, int64_t width)
{
    const double wait = 0.035 * (n_threads - 2);
    const double tile = tile_cost(t, height, width);
    const int64_t left = n_tiles - whole * n_threads;
    if (left <= 0) return ((double)whole + wait) * tile;
    const double quarter = tile_cost(t, (height + 1) / 2, (width + 1) / 2);
    const int64_t quarters = (4 * left + n_threads - 1) / n_threads;
    const double end = (double)whole * tile + ((double)quarters + wait) * quarter;
    const double late = ((double)whole + wait) * tile;
    return whole > 0 && late > end ? late : end;
}

/* Cuts the results so that the slowest thread is done soonest. */
static void cut_tiles(struct tiles *t, int n_threads)
{
    const int64_t m = t->mm->m, n = t->mm->n, batch = t->mm->batch;
    double least = 0;
    t->down = t->across = 1;
    t->height = m;
    t->width = n;
    t->n = t->n_whole = batch;
    if (n_threads <= 1) return;
    for (int64_t down = 1; down <= (int64_t)n_threads * TILES_OF_THREAD; down++) {
        const int64_t height = ((m + down - 1) / down + 7) / 8 * 8;
        for (int64_t k = 1; k <= TILES_OF_THREAD; k++) {
            int64_t across = k * n_threads / down / (batch < n_threads ? batch : n_threads);
            if (across < 1) across = 1;
            const int64_t width = ((n + across - 1) / across + 7) / 8 * 8;
            const int64_t a = (m + height - 1) / height, b = (n + width - 1) / width;
            const int64_t tiles = a * b * batch, rounds = (tiles + n_threads - 1) / n_threads;
            const bool has_quarters = !t->product.by_vector && rounds <= TILES_OF_THREAD;
            for (int64_t whole = has_quarters ? 0 : rounds; whole <= rounds; whole++) {
                const double cost = rounds_cost(t, tiles, whole, n_threads, height, width);
                if (least > 0 && cost >= least) continue;
                least = cost;
                t->down = a;
                t->across = b;
                t->height = height;
                t->width = width;
                t->n = tiles;
                t->n_whole = whole < rounds ? whole * n_threads : tiles;
            }
        }
        if (height <= TILE_LEAST) return;
    }
}

/* Rows of a tile at a time that stay in the cache until the epilogue reads them. BLAS brings the tile's columns
 * into another order for each: with long sums that takes longer than it saves. */
static int64_t strip_of(const struct tiles *t, int64_t height, int64_t width)
{
    enum { FEW = 128, MANY = 512, LONG = 128 };
    const int64_t least = t->product.by_vector ? 0 : t->mm->k < LONG ? FEW : MANY;
    const int64_t rows = heddle__epilogue_rows(t->mm, width);
    if (rows >= height || least >= height) return height;
    return rows > least ? rows : least;
}

/* The i-th of whole tiles and quarters. */
static void one_tile(const struct tiles *t, int64_t i)
{
    const struct heddle_matmul *mm = t->mm;
    const bool is_whole = i < t->n_whole;
    const int64_t at = is_whole ? i : t->n_whole + (i - t->n_whole) / 4,
                  of_result = t->down * t->across;
    const int64_t batch = at / of_result, tile = at % of_result;
    int64_t row = tile / t->across * t->height, column = tile % t->across * t->width;
    int64_t height = t->height, width = t->width;
    if (!is_whole) {
        const int64_t quarter = (i - t->n_whole) % 4, h = (height / 2 + 7) / 8 * 8,
                      w = (width / 2 + 7) / 8 * 8;
        row += quarter / 2 * h;
        column += quarter % 2 * w;
        height = quarter / 2 ? height - h : h;
        width = quarter % 2 ? width - w : w;
    }
    if (height > mm->m - row) height = mm->m - row;
    if (width > mm->n - column) width = mm->n - column;
    if (height <= 0 || width <= 0) return;
    const int64_t end = row + height;
    if (t->epilogue) height = strip_of(t, height, width);
    for (; row < end; row += height) {
        if (height > end - row) height = end - row;
        heddle__blas_product(&t->product, mm, height, width,
                             t->p->a + batch * t->p->a_batch + row * mm->a_row * t->size,
                             t->p->b + batch * t->p->b_batch + column * mm->b_column * t->size,
                             t->p->c + batch * t->p->c_batch +
                                 (row * mm->c_row + column) * t->size);
        if (t->epilogue)
            heddle__epilogue_tile(t->epilogue, (int64_t[]){batch, row, column},
                                  (int64_t[]){1, height, width});
    }
}

/* By a vector: what counts is that a thread's rows may be in its cache from the last time. */
static void some_tiles(void *argument, int64_t from, int64_t to)
{
    const int before = heddle__cpu_blas_begin(1);
    for (int64_t i = from; i < to; i++) one_tile(argument, i);
    heddle__cpu_blas_end(before);
}

/* All threads take from one list, in order. */
static void take_tiles(void *argument, int64_t from, int64_t to)
{
    (void)from, (void)to;
    struct tiles *t = argument;
    const int64_t n = t->n_whole + 4 * (t->n - t->n_whole);
    const int before = heddle__cpu_blas_begin(1);
    for (int64_t i; (i = atomic_fetch_add_explicit(&t->taken, 1, memory_order_relaxed)) < n;)
        one_tile(t, i);
    heddle__cpu_blas_end(before);
}

static enum heddle_status floating(const struct heddle_matmul *mm, const struct operands *p,
                                   void *scratch, struct heddle_team *team,
                                   struct heddle_epilogue *epilogue)
{
    struct tiles t = {
        .mm = mm, .p = p, .size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype)};
    double work = (double)mm->m * (double)mm->n * (double)mm->k * (double)mm->batch;
    if (heddle__narrow_product(mm, p->a, p->b, p->c,
                               heddle__threads_worth(team, work, VECTOR_OF_THREAD), team, epilogue))
        return HEDDLE_OK;
    const enum heddle_status status = heddle__blas_product_begin(mm, &t.product);
    if (status != HEDDLE_OK) return status;
    if (heddle_dtype_kind((enum heddle_dtype)mm->dtype) == 'C') work *= 4;
    const int n_threads = heddle__threads_worth(
        team, work, t.product.by_vector ? VECTOR_OF_THREAD : PRODUCT_OF_THREAD);
    if (heddle__thin_product(&t.product, mm, p->a, p->b, p->c, n_threads, team)) return HEDDLE_OK;
    if (heddle__packed_product(mm, p->a, p->b, p->c, scratch, n_threads, team, epilogue))
        return HEDDLE_OK;
    if (epilogue && heddle__epilogue_in_tiles(mm)) {
        t.epilogue = epilogue;
        epilogue->done = true;
    }
    cut_tiles(&t, n_threads);
    if (t.product.by_vector)
        heddle__share(team, n_threads, t.n, some_tiles, &t);
    else
        heddle__share(team, n_threads, n_threads, take_tiles, &t);
    return HEDDLE_OK;
}

/* `epilogue`: NULL, or done where it can be on tiles. */
static enum heddle_status multiply(const struct heddle_matmul *mm, void *const buffers[],
                                   void *scratch, struct heddle_team *team,
                                   struct heddle_epilogue *epilogue)
{
    if (mm->m <= 0 || mm->n <= 0 || mm->batch <= 0) return HEDDLE_OK;
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype);
    const struct operands p = {
        .a = (char *)buffers[mm->buffer[0]] + mm->a_offset * size,
        .b = (char *)buffers[mm->buffer[1]] + mm->b_offset * size,
        .c = (char *)buffers[mm->buffer[2]] + mm->c_offset * size,
        .a_batch = mm->a_batch * size,
        .b_batch = mm->b_batch * size,
        .c_batch = mm->c_batch * size,
    };
    if (mm->k <= 0) {
        if (!mm->accumulate) clear(mm, &p, (size_t)size);
        return HEDDLE_OK;
    }
    const char kind = heddle_dtype_kind((enum heddle_dtype)mm->dtype);
    if (kind == 'F' || kind == 'C') return floating(mm, &p, scratch, team, epilogue);
    heddle__integer_product(mm, p.a, p.b, p.c, team, epilogue);
    return HEDDLE_OK;
}

enum heddle_status heddle__cpu_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                      void *scratch, struct heddle_team *team)
{
    return multiply(matmul, buffers, scratch, team, NULL);
}

/* ---- halves ------------------------------------------------------------------------------------- */

/* Rows of a matrix of halves as dense float32. */
struct widening {
    const uint16_t *from;
    float *to;
    int64_t rows, columns, row, column, batch;
    heddle__block_fn *cast;
};

static void widen_rows(void *argument, int64_t from, int64_t to)
{
    const struct widening *w = argument;
    for (int64_t i = from; i < to; i++) {
        const uint16_t *x = w->from + i / w->rows * w->batch + i % w->rows * w->row;
        float *out = w->to + i * w->columns;
        if (w->column == 1 || w->columns == 1) {
            w->cast((size_t)w->columns, out, x, NULL, NULL);
            continue;
        }
        for (int64_t j = 0; j < w->columns; j++) w->cast(1, out + j, x + j * w->column, NULL, NULL);
    }
}

/* The operand widened; *to moves behind it. */
static float *widen(struct heddle_team *team, struct widening w, int64_t n_matrices, float **to)
{
    float *const at = w.to = *to;
    heddle__share(team, heddle__team_size(team), w.rows * n_matrices, widen_rows, &w);
    *to = at + w.rows * n_matrices * w.columns;
    return at;
}

/* Rows of float32 as halves. */
struct rounding {
    const float *from;
    uint16_t *to;
    int64_t rows, columns, row, batch;
    heddle__block_fn *cast;
};

static void round_rows(void *argument, int64_t from, int64_t to)
{
    const struct rounding *r = argument;
    for (int64_t i = from; i < to; i++)
        r->cast((size_t)r->columns, r->to + i / r->rows * r->batch + i % r->rows * r->row,
                r->from + i * r->columns, NULL, NULL);
}

static enum heddle_status halves(const struct heddle_matmul *p, struct heddle_kernel_context *k)
{
    heddle__block_fn *const cast = heddle__cpu_blocks()->types[p->halves].casts[HEDDLE_FLOAT32];
    float *free = k->scratch;
    const int64_t n_a = p->a_batch ? p->batch : 1, n_b = p->b_batch ? p->batch : 1;
    struct heddle_matmul mm = *p;
    if (p->m <= 0 || p->n <= 0 || p->batch <= 0 || p->k <= 0)
        return heddle__cpu_matmul(p, k->buffers, NULL, k->team);
    const uint16_t *a = (const uint16_t *)k->buffers[p->buffer[0]] + p->a_offset,
                   *b = (const uint16_t *)k->buffers[p->buffer[1]] + p->b_offset;
    void *buffers[3] = {widen(k->team,
                              (struct widening){.from = a,
                                                .rows = p->m,
                                                .columns = p->k,
                                                .row = p->a_row,
                                                .column = p->a_column,
                                                .batch = p->a_batch,
                                                .cast = cast},
                              n_a, &free),
                        widen(k->team,
                              (struct widening){.from = b,
                                                .rows = p->k,
                                                .columns = p->n,
                                                .row = p->b_row,
                                                .column = p->b_column,
                                                .batch = p->b_batch,
                                                .cast = cast},
                              n_b, &free),
                        k->buffers[p->buffer[2]]};
    mm.a_offset = mm.b_offset = 0;
    mm.a_row = p->k;
    mm.b_row = p->n;
    mm.a_column = mm.b_column = 1;
    mm.a_batch = p->a_batch ? p->m * p->k : 0;
    mm.b_batch = p->b_batch ? p->k * p->n : 0;
    for (uint32_t i = 0; i < 3; i++) mm.buffer[i] = i;
    if (!p->rounded) return heddle__cpu_matmul(&mm, buffers, free, k->team);
    mm.c_offset = 0;
    mm.c_row = p->n;
    mm.c_batch = p->m * p->n;
    buffers[2] = free;
    const enum heddle_status status =
        heddle__cpu_matmul(&mm, buffers, free + mm.c_batch * mm.batch, k->team);
    if (status != HEDDLE_OK) return status;
    struct rounding r = {.from = free,
                         .to = (uint16_t *)k->buffers[p->buffer[2]] + p->c_offset,
                         .rows = p->m,
                         .columns = p->n,
                         .row = p->c_row,
                         .batch = p->c_batch,
                         .cast = heddle__cpu_blocks()->types[HEDDLE_FLOAT32].casts[p->halves]};
    heddle__share(k->team, heddle__team_size(k->team), p->m * p->batch, round_rows, &r);
    return HEDDLE_OK;
}

static enum heddle_status run_batch(const struct heddle_matmul *mm, struct heddle_kernel_context *k)
{
    struct heddle_epilogue epilogue = {.mm = mm, .buffers = k->buffers, .constants = k->constants};
    const enum heddle_status status =
        mm->halves ? halves(mm, k)
                   : multiply(mm, k->buffers, k->scratch, k->team, mm->epilogue ? &epilogue : NULL);
    if (status != HEDDLE_OK || !mm->epilogue) return status;
    return heddle__epilogue_end(&epilogue, k->team);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_matmul batch = *(const struct heddle_matmul *)arguments;
    const int64_t n = batch.outer;
    enum heddle_status status = HEDDLE_OK;
    batch.outer = 1;
    for (int64_t i = 0; i < n && status == HEDDLE_OK; i++) {
        status = run_batch(&batch, k);
        batch.a_offset += batch.a_outer;
        batch.b_offset += batch.b_outer;
        batch.c_offset += batch.c_outer;
    }
    return status;
}

const struct heddle_cpu_kernel heddle__matmul_cpu = {.run = run};
