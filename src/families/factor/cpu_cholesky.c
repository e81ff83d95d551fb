/* Cholesky of a panel and what it updates, in column-major lower triangles: blocks of columns, one after the other, each
 * subtracted from the columns after it. The rows are shared by a team. Entry points: cpu_lapack.h. */
#include "families/factor/cpu_lapack.h"

#include <string.h>

enum { ROWS = 192 }; /* of a chunk, at least */

/* Columns of a panel (m, k) that are subtracted from a block. */
struct update {
    const char *columns; /* from the first row on that the block has */
    char *to;            /* the same row of the block's first column */
    int64_t rows, n, k, each;
    int ld; /* of the columns */
};

/* A chunk of rows of all columns of the block, at and below its diagonal. */
static void update_rows(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                        void *scratch)
{
    (void)scratch;
    const struct update *u = argument;
    const int64_t from = item * u->each;
    const int64_t m = u->rows - from < u->each ? u->rows - from : u->each;
    const int64_t n = from + m < u->n ? from + m : u->n; /* columns that reach these rows */
    heddle__factor_subtract(c, m, n, u->k, u->columns + from * c->size, u->columns, u->ld, true,
                            u->to + from * c->size);
}

static int64_t chunk_of(const struct heddle_factor_cpu *c, int64_t rows)
{
    const int64_t each = (rows + 4 * c->n_threads - 1) / (4 * c->n_threads);
    return c->n_threads == 1 ? ROWS * 2 : each < ROWS ? ROWS : each;
}

static void update(const struct heddle_factor_cpu *c, const char *columns, int64_t ld, char *to,
                   int64_t rows, int64_t n, int64_t k)
{
    struct update u = {columns, to, rows, n, k, chunk_of(c, rows), (int)ld};
    if (n > 0) heddle__factor_share(c, (rows + u.each - 1) / u.each, update_rows, &u);
}

/* Rows below a diagonal block: X L^H = them. */
struct below {
    const char *diagonal;
    int64_t rows, n, each;
};

static void solve_rows(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                       void *scratch)
{
    (void)scratch;
    const struct below *b = argument;
    const int64_t from = item * b->each;
    const int m = (int)(b->rows - from < b->each ? b->rows - from : b->each), n = (int)b->n;
    c->lapack->trsm("R", "L", "C", "N", &m, &n, c->one, b->diagonal, &c->rows,
                    (char *)b->diagonal + (b->n + from) * c->size, &c->rows, 1, 1, 1, 1);
}

struct diagonal {
    char *at;
    int n, info;
};

static void factor_diagonal(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                            void *scratch)
{
    (void)item, (void)scratch;
    struct diagonal *d = argument;
    c->lapack->potrf("L", &d->n, d->at, &c->rows, &d->info, 1);
}

int64_t heddle__cpu_cholesky_panel(const struct heddle_factor_cpu *c)
{
    const int64_t rows = c->f->rows, first = c->f->first, width = c->f->width;
    const int64_t block = c->n_threads == 1 ? width : 2 * HEDDLE_FACTOR_BLOCK;
    for (int64_t j = 0; j < width; j += block) {
        const int64_t n = width - j < block ? width - j : block, row = first + j;
        struct diagonal d = {.at = heddle__factor_at(c, c->panel, row, j), .n = (int)n};
        heddle__factor_share(c, 1, factor_diagonal, &d);
        if (d.info != 0) return row + d.info - 1;
        struct below b = {d.at, rows - row - n, n, chunk_of(c, rows - row - n)};
        heddle__factor_share(c, (b.rows + b.each - 1) / b.each, solve_rows, &b);
        update(c, heddle__factor_at(c, c->panel, row + n, j), c->rows,
               heddle__factor_at(c, c->panel, row + n, j + n), rows - row - n, width - j - n, n);
    }
    return -1;
}

static void send_column(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                        void *scratch)
{
    (void)argument, (void)scratch;
    const int64_t row = c->f->first + c->f->width, rows = c->f->rows - row;
    memcpy(c->below + item * rows * c->size, heddle__factor_at(c, c->panel, row, item),
           (size_t)(rows * c->size));
}

void heddle__cpu_cholesky_send(const struct heddle_factor_cpu *c)
{
    heddle__factor_share(c, c->f->width, send_column, NULL);
}

void heddle__cpu_cholesky_update(const struct heddle_factor_cpu *c)
{
    const int64_t row = c->f->first + c->f->width;
    update(c, c->below + (c->f->begin - row) * c->size, c->f->rows - row,
           heddle__factor_at(c, c->block, c->f->begin, 0), c->f->rows - c->f->begin, c->f->columns,
           c->f->width);
}
