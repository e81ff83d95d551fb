/* Products of integers. Threads share tiles of the results; each brings pieces of B into the order in which the kernels read them
 * (products/packed.c), for itself: what it writes and then reads stays in its nearest cache, and for tens of rows that takes little
 * beside their products. Few rows read B where it is, and vectors are no matrices of one column. Entry point: cpu_integers.h. */
#include "families/matmul/cpu_integers.h"

#include "base/share.h"
#include "families/matmul/cpu_pack.h"

enum {
    WORK_OF_THREAD = 1 << 20,    /* bytes of B's elements times rows that are worth a thread */
    BYTES_OF_THREAD = 256 << 10, /* likewise, where each element is of few products */
    TO_BEGIN = 4096,             /* likewise, of a result */
    SMALL = 32,                  /* products of two numbers in one of matrices */
    ITEMS_OF_THREAD = 4,         /* at least, for balance */
    PANEL_BYTES = 24 << 10,      /* of packed B, and what is read beside it: of the nearest cache */
    STRIP_BYTES = 8 << 10,       /* of packed A */
    ROWS_BYTES = 1 << 20,        /* of A's rows that are read for each panel: of a core's cache */
    LEAST_ROWS = 64,             /* that are worth a panel, where there may be more */
    MOST_ROWS = 512,
    FEW_ROWS = 8,   /* by which B is read where it is */
    FEW_TERMS = 16, /* at a time, then: so many rows of B are read side by side */
    CONFLICT = 4096 /* bytes: lines so far apart share a set of the nearest cache */
};

struct integers {
    struct heddle_matmul mm;
    const struct heddle__block_packed *blocks;
    const char *a, *b;
    char *c;
    enum heddle__packed_type type;
    int64_t size;          /* bytes of an element */
    int64_t height, width; /* of a tile */
    int64_t down, across;  /* tiles of a result */
    bool is_dots, reads_b; /* a matrix by a vector; B is read where it is */
    bool packs_a;          /* rows of A share sets of the cache */
    struct heddle_epilogue *epilogue;
};

/* ---- Products of few elements, which take longer to begin than to compute ------------------------------ */

#define DEFINE_SMALL(T)                                                                            \
    static void small_##T(const struct heddle_matmul *mm, const void *a, const void *b, void *c)   \
    {                                                                                              \
        for (int64_t i = 0; i < mm->m; i++)                                                        \
            for (int64_t j = 0; j < mm->n; j++) {                                                  \
                const T *x = (const T *)a + i * mm->a_row, *y = (const T *)b + j * mm->b_column;   \
                T *to = (T *)c + i * mm->c_row + j;                                                \
                uint64_t sum = mm->accumulate ? *to : 0;                                           \
                for (int64_t l = 0; l < mm->k; l++, x += mm->a_column, y += mm->b_row)             \
                    sum += (uint64_t)*x * *y;                                                      \
                *to = (T)sum;                                                                      \
            }                                                                                      \
    }
DEFINE_SMALL(uint8_t)
DEFINE_SMALL(uint16_t)
DEFINE_SMALL(uint32_t)
DEFINE_SMALL(uint64_t)

static void small(const struct integers *p, int64_t batch)
{
    const struct heddle_matmul *mm = &p->mm;
    const char *a = p->a + batch * mm->a_batch * p->size, *b = p->b + batch * mm->b_batch * p->size;
    char *c = p->c + batch * mm->c_batch * p->size;
    switch (p->type) {
    case HEDDLE_PACKED_1: small_uint8_t(mm, a, b, c); break;
    case HEDDLE_PACKED_2: small_uint16_t(mm, a, b, c); break;
    case HEDDLE_PACKED_4: small_uint32_t(mm, a, b, c); break;
    default: small_uint64_t(mm, a, b, c); break;
    }
}

static void some_small(void *argument, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) small(argument, i);
}

/* ---- Tiles -------------------------------------------------------------------------------------------- */

/* Of a result: where it begins, and its first elements. */
struct tile {
    int64_t height, width;
    const char *a, *b;
    char *c;
};

/* Columns from `column` on, `width` of them, by panels of their own; whole tiles are several of these. */
static void by_panel(const struct integers *p, const struct tile *t, int64_t column, int64_t width)
{
    const struct heddle_matmul *mm = &p->mm;
    const int64_t lanes = p->blocks->lanes[p->type], rows = p->blocks->rows;
    const int64_t vectors = heddle__parts(width, lanes), columns = vectors * lanes;
    const int64_t most = PANEL_BYTES / (columns * p->size);
    const int64_t terms = p->packs_a ? heddle__at_most(most, STRIP_BYTES / (rows * p->size)) : most;
    _Alignas(64) char panel[PANEL_BYTES], strip[STRIP_BYTES];
    for (int64_t l = 0; l < mm->k; l += terms) {
        struct heddle__packed tile = {.vectors = (int)vectors,
                                      .n = width,
                                      .k = heddle__at_most(mm->k - l, terms),
                                      .b = panel,
                                      .a_row = mm->a_row,
                                      .a_column = mm->a_column,
                                      .c_row = mm->c_row,
                                      .accumulate = mm->accumulate || l > 0};
        heddle__pack(p->type, p->size, t->b + (l * mm->b_row + column * mm->b_column) * p->size,
                     tile.k, mm->b_row, mm->b_column, width, columns, panel);
        for (int64_t r = 0; r < t->height; r += rows) {
            tile.rows = (int)heddle__at_most(t->height - r, rows);
            tile.a = t->a + (r * mm->a_row + l * mm->a_column) * p->size;
            tile.c = t->c + (r * mm->c_row + column) * p->size;
            if (p->packs_a) {
                heddle__pack(p->type, p->size, tile.a, tile.k, mm->a_column, mm->a_row, tile.rows,
                             rows, strip);
                tile.a = strip;
                tile.a_row = 1;
                tile.a_column = rows;
            }
            p->blocks->multiply[p->type](&tile);
        }
    }
}

/* Whole vectors of columns, from B where it is. */
static void by_rows(const struct integers *p, const struct tile *t, int64_t width)
{
    const struct heddle_matmul *mm = &p->mm;
    const int64_t rows = p->blocks->rows;
    for (int64_t l = 0; l < mm->k; l += FEW_TERMS) {
        struct heddle__packed tile = {.vectors = HEDDLE_PANEL,
                                      .n = width,
                                      .k = heddle__at_most(mm->k - l, FEW_TERMS),
                                      .b = t->b + l * mm->b_row * p->size,
                                      .a_row = mm->a_row,
                                      .a_column = mm->a_column,
                                      .b_row = mm->b_row,
                                      .c_row = mm->c_row,
                                      .accumulate = mm->accumulate || l > 0};
        for (int64_t r = 0; r < t->height; r += rows) {
            tile.rows = (int)heddle__at_most(t->height - r, rows);
            tile.a = t->a + (r * mm->a_row + l * mm->a_column) * p->size;
            tile.c = t->c + r * mm->c_row * p->size;
            p->blocks->multiply[p->type](&tile);
        }
    }
}

/* Elements that lie close, those of x or a copy of them. */
static const void *dense(const struct integers *p, const char *x, int64_t k, int64_t step,
                         char *copy)
{
    if (step == 1) return x;
    heddle__pack(p->type, p->size, x, k, step, 1, 1, 1, copy);
    return copy;
}

static void by_vector(const struct integers *p, const struct tile *t)
{
    const struct heddle_matmul *mm = &p->mm;
    const bool is_dense = mm->a_column == 1 && mm->b_row == 1;
    const int64_t terms = is_dense ? mm->k : STRIP_BYTES / p->size;
    char a[STRIP_BYTES], b[STRIP_BYTES];
    for (int64_t l = 0; l < mm->k; l += terms) {
        const int64_t k = heddle__at_most(mm->k - l, terms);
        const struct heddle__dots dots = {
            .rows = t->height,
            .k = k,
            .a = dense(p, t->a + l * mm->a_column * p->size, k, mm->a_column, a),
            .b = dense(p, t->b + l * mm->b_row * p->size, k, mm->b_row, b),
            .c = t->c,
            .a_row = mm->a_row,
            .c_row = mm->c_row,
            .accumulate = mm->accumulate || l > 0};
        p->blocks->dots[p->type](&dots);
    }
}

static void one_tile(const struct integers *p, int64_t i)
{
    const struct heddle_matmul *mm = &p->mm;
    const int64_t lanes = p->blocks->lanes[p->type], of_result = p->down * p->across;
    const int64_t batch = i / of_result, at = i % of_result;
    const int64_t row = at % p->down * p->height, column = at / p->down * p->width;
    const struct tile t = {.height = heddle__at_most(mm->m - row, p->height),
                           .width = heddle__at_most(mm->n - column, p->width),
                           .a = p->a + (batch * mm->a_batch + row * mm->a_row) * p->size,
                           .b = p->b + (batch * mm->b_batch + column * mm->b_column) * p->size,
                           .c = p->c + (batch * mm->c_batch + row * mm->c_row + column) * p->size};
    if (p->is_dots) {
        by_vector(p, &t);
        return;
    }
    int64_t j = p->reads_b ? t.width / lanes * lanes : 0;
    if (j > 0) by_rows(p, &t, j);
    for (; j < t.width; j += HEDDLE_PANEL * lanes)
        by_panel(p, &t, j, heddle__at_most(t.width - j, HEDDLE_PANEL * lanes));
    if (p->epilogue)
        heddle__epilogue_tile(p->epilogue, (int64_t[]){batch, row, column},
                              (int64_t[]){1, t.height, t.width});
}

static void some_tiles(void *argument, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) one_tile(argument, i);
}

/* ---- Cuts --------------------------------------------------------------------------------------------- */

/* Tiles of so many rows that they are worth their panels and stay in a core's cache, of all columns, or of fewer columns and then rows
 * until there are enough for the threads. */
static void cut(struct integers *p, int n_threads)
{
    const struct heddle_matmul *mm = &p->mm;
    const int64_t unit = HEDDLE_PANEL * p->blocks->lanes[p->type], rows = p->blocks->rows;
    const int64_t wanted = n_threads > 1
                               ? heddle__parts((int64_t)ITEMS_OF_THREAD * n_threads, mm->batch)
                               : 1; /* of a result */
    int64_t most = ROWS_BYTES / (mm->k * p->size);
    if (most > MOST_ROWS) most = MOST_ROWS;
    if (most < LEAST_ROWS) most = LEAST_ROWS;
    if (p->is_dots) {
        p->across = 1;
        p->down = heddle__at_most(wanted, heddle__parts(mm->m, rows));
    } else {
        p->down = heddle__parts(mm->m, most);
        p->across = heddle__at_most(heddle__parts(wanted, p->down), heddle__parts(mm->n, unit));
        while (p->down * p->across < wanted && mm->m / (p->down + 1) >= LEAST_ROWS / 2) p->down++;
    }
    p->height = heddle__parts(heddle__parts(mm->m, p->down), rows) * rows;
    p->width = p->across == 1 ? mm->n : heddle__parts(heddle__parts(mm->n, p->across), unit) * unit;
    p->down = heddle__parts(mm->m, p->height);
    p->across = heddle__parts(mm->n, p->width);
}

/* C^T = B^T A^T where C is one row or column: a row by a matrix becomes a matrix by a vector if its columns are what lies close, and
 * the other way round. Few rows by such a matrix are as many products. */
static void turn(struct integers *p)
{
    struct heddle_matmul *mm = &p->mm;
    const bool has_columns = mm->b_row == 1 && mm->b_column != 1;
    if (has_columns && mm->batch == 1 && mm->m < 4 && mm->a_column == 1) {
        mm->batch = mm->m;
        mm->m = 1;
        mm->a_batch = mm->a_row;
        mm->b_batch = 0;
        mm->c_batch = mm->c_row;
    }
    const bool is_row = mm->m == 1 && has_columns;
    const bool is_column =
        mm->n == 1 && mm->c_row == 1 && mm->m > 1 && mm->a_row == 1 && mm->a_column != 1;
    if (!is_row && !is_column) return;
    struct heddle_matmul turned = *mm;
    turned.m = mm->n;
    turned.n = mm->m;
    turned.a_row = mm->b_column;
    turned.a_column = mm->b_row;
    turned.a_batch = mm->b_batch;
    turned.b_row = mm->a_column;
    turned.b_column = mm->a_row;
    turned.b_batch = mm->a_batch;
    turned.c_row = 1;
    p->mm = turned;
    const char *const a = p->a;
    p->a = p->b;
    p->b = a;
}

void heddle__integer_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                             struct heddle_team *team, struct heddle_epilogue *epilogue)
{
    static const enum heddle__packed_type types[] = {HEDDLE_PACKED_1, HEDDLE_PACKED_2,
                                                     HEDDLE_PACKED_4, HEDDLE_PACKED_8};
    const size_t size = heddle_dtype_size((enum heddle_dtype)mm->dtype);
    struct integers p = {.mm = *mm,
                         .blocks = &heddle__cpu_blocks()->packed,
                         .a = a,
                         .b = b,
                         .c = c,
                         .type = types[heddle__log2_size(size)],
                         .size = (int64_t)size};
    const double terms = (double)mm->m * (double)mm->n * (double)mm->k;
    const double work = (terms * (double)size + TO_BEGIN) * (double)mm->batch;
    if (terms <= SMALL) {
        heddle__share(team, heddle__threads_worth(team, work, WORK_OF_THREAD), mm->batch,
                      some_small, &p);
        return;
    }
    turn(&p);
    p.is_dots = p.mm.n == 1 && (p.mm.a_column == 1 || p.mm.m == 1);
    p.reads_b = p.mm.m <= FEW_ROWS && p.mm.b_column == 1;
    p.packs_a = p.mm.a_column != 1 && p.mm.a_column * p.size % CONFLICT == 0;
    const int n_threads = heddle__threads_worth(
        team, work, p.is_dots || p.reads_b ? BYTES_OF_THREAD : WORK_OF_THREAD);
    cut(&p, n_threads);
    const bool is_turned = p.mm.m != mm->m || p.mm.n != mm->n;
    if (epilogue && !p.is_dots && !is_turned && heddle__epilogue_in_tiles(mm) &&
        p.height * p.width >= HEDDLE_EPILOGUE_TILE) {
        p.epilogue = epilogue;
        epilogue->done = true;
    }
    heddle__share(team, n_threads, p.down * p.across * p.mm.batch, some_tiles, &p);
}
