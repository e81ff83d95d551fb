/* LU with partial pivoting of a panel and what it updates: blocks of columns, one after the other. A team shares the
 * columns that are updated, each thread with their swaps. Entry points: cpu_lapack.h. */
#include "families/factor/cpu_lapack.h"

/* Columns that are swapped and updated by n columns with pivots, which begin in row `row`. */
struct update {
    const char *factors; /* the first of the n columns */
    const int *pivots;   /* of LAPACK: from 1 on, counted from `row` */
    char *to;
    int64_t row, n, columns, each;
};

static void update_columns(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                           void *scratch)
{
    (void)scratch;
    const struct update *u = argument;
    const struct heddle_lapack *l = c->lapack;
    const int64_t from = item * u->each;
    const int n = (int)(u->columns - from < u->each ? u->columns - from : u->each), k = (int)u->n,
              one = 1;
    char *const to = u->to + (from * c->rows + u->row) * c->size;
    const char *const diagonal = u->factors + u->row * c->size;
    l->laswp(&n, to, &c->rows, &one, &k, u->pivots, &one);
    l->trsm("L", "L", "N", "U", &k, &n, c->one, diagonal, &c->rows, to, &c->rows, 1, 1, 1, 1);
    heddle__factor_subtract(c, c->rows - u->row - k, n, k, diagonal + k * c->size, to, c->rows,
                            false, to + k * c->size);
}

static void update(const struct heddle_factor_cpu *c, struct update u)
{
    const int64_t n = heddle__factor_chunks(c, u.columns, &u.each);
    heddle__factor_share(c, n, update_columns, &u);
}

static void swap_columns(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                         void *scratch)
{
    (void)scratch;
    const struct update *u = argument;
    const int64_t from = item * u->each;
    const int n = (int)(u->columns - from < u->each ? u->columns - from : u->each), k = (int)u->n,
              one = 1;
    c->lapack->laswp(&n, u->to + (from * c->rows + u->row) * c->size, &c->rows, &one, &k, u->pivots,
                     &one);
}

static void swap(const struct heddle_factor_cpu *c, struct update u)
{
    const int64_t n = heddle__factor_chunks(c, u.columns, &u.each);
    heddle__factor_share(c, n, swap_columns, &u);
}

struct block {
    char *at;
    int m, n, *pivots;
};

static void factor_block(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                         void *scratch)
{
    (void)item, (void)scratch;
    struct block *b = argument;
    int info; /* a pivot of 0 is no error here */
    c->lapack->getrf(&b->m, &b->n, b->at, &c->rows, b->pivots, &info);
}

/* How many columns one thread factors: half the work of a block is shared, the other half is not. */
static int64_t block_of(const struct heddle_factor_cpu *c, int64_t width)
{
    return c->n_threads == 1 || width <= HEDDLE_FACTOR_BLOCK ? width : HEDDLE_FACTOR_BLOCK;
}

void heddle__cpu_lu_panel(const struct heddle_factor_cpu *c)
{
    const int64_t first = c->f->first, width = c->f->width, k = heddle__factor_pivots(c->f);
    const int64_t block = block_of(c, width);
    int *const pivots = (int *)(void *)c->scratch;
    int64_t *const out = c->scales;
    for (int64_t j = 0; j < k; j += block) {
        const int64_t n = width - j < block ? width - j : block, row = first + j,
                      of = c->f->rows - row < n ? c->f->rows - row : n;
        struct block b = {heddle__factor_at(c, c->panel, row, j), (int)(c->f->rows - row), (int)n,
                          pivots};
        heddle__factor_share(c, 1, factor_block, &b);
        swap(c,
             (struct update){.pivots = pivots, .to = c->panel, .row = row, .n = of, .columns = j});
        update(c, (struct update){.factors = heddle__factor_at(c, c->panel, 0, j),
                                  .pivots = pivots,
                                  .to = heddle__factor_at(c, c->panel, 0, j + n),
                                  .row = row,
                                  .n = of,
                                  .columns = width - j - n});
        for (int64_t i = 0; i < of; i++) out[j + i] = row + pivots[i] - 1;
    }
}

/* Pivots `from` .. `from` + n - 1 of LAPACK's kind, for rows from `row` on. */
static int *pivots_of(const struct heddle_factor_cpu *c, int64_t from, int64_t n, int64_t row)
{
    int *const pivots = (int *)(void *)c->scratch;
    const int64_t *const given = c->scales;
    for (int64_t i = 0; i < n; i++) pivots[i] = (int)(given[from + i] - row + 1);
    return pivots;
}

void heddle__cpu_lu_update(const struct heddle_factor_cpu *c)
{
    const int64_t k = heddle__factor_pivots(c->f), row = c->f->first;
    update(c, (struct update){.factors = c->panel,
                              .pivots = pivots_of(c, 0, k, row),
                              .to = c->block,
                              .row = row,
                              .n = k,
                              .columns = c->f->columns});
}

void heddle__cpu_lu_swap(const struct heddle_factor_cpu *c)
{
    const int64_t row = c->f->begin + c->f->columns, n = c->f->n_pivots - row;
    if (n <= 0) return;
    swap(c, (struct update){.pivots = pivots_of(c, row, n, row),
                            .to = c->block,
                            .row = row,
                            .n = n,
                            .columns = c->f->columns});
}

void heddle__cpu_lu_order(const struct heddle_factor_cpu *c, int64_t *order, int64_t *sign)
{
    const int64_t *const pivots = c->scales;
    for (int64_t i = 0; i < c->f->rows; i++) order[i] = i;
    *sign = 1;
    for (int64_t i = 0; i < c->f->n_pivots; i++) {
        const int64_t with = pivots[i], row = order[i];
        if (with == i) continue;
        order[i] = order[with];
        order[with] = row;
        *sign = -*sign;
    }
}
