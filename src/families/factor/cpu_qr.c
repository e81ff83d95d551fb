/* QR of a panel by Householder reflectors, in blocks of columns, and products with Q. A team shares the columns that are
 * reflected. Entry points: cpu_lapack.h. */
#include "families/factor/cpu_lapack.h"

enum { BLOCK = 32, BLOCK_ALONE = HEDDLE_FACTOR_BLOCK };

/* n reflectors, the first of which begins in row `row`, and columns that they change. */
struct reflection {
    const char *v; /* the first element of the first reflector */
    const char *tau;
    char *t; /* the triangular factor of their product */
    char *to;
    int64_t row, n, columns, each;
    bool adjoint;
};

static void find_t(const struct heddle_factor_cpu *c, void *argument, int64_t item, void *scratch)
{
    (void)item, (void)scratch;
    const struct reflection *r = argument;
    const int m = (int)(c->f->rows - r->row), n = (int)r->n;
    c->lapack->larft("F", "C", &m, &n, r->v, &c->rows, r->tau, r->t, &n, 1, 1);
}

static void reflect_columns(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                            void *scratch)
{
    const struct reflection *r = argument;
    const int64_t from = item * r->each;
    const int m = (int)(c->f->rows - r->row), k = (int)r->n;
    const int n = (int)(r->columns - from < r->each ? r->columns - from : r->each);
    c->lapack->larfb("L", r->adjoint ? "C" : "N", "F", "C", &m, &n, &k, r->v, &c->rows, r->t, &k,
                     r->to + (from * c->rows + r->row) * c->size, &c->rows,
                     (char *)scratch + (size_t)(BLOCK_ALONE * BLOCK_ALONE * c->size), &n, 1, 1, 1,
                     1);
}

/* T is at the front of the first thread's scratch, what a thread works in behind that place of its own. */
static void reflect(const struct heddle_factor_cpu *c, struct reflection r)
{
    if (r.columns <= 0) return;
    r.t = c->scratch;
    heddle__factor_share(c, 1, find_t, &r);
    const int64_t n = heddle__factor_chunks(c, r.columns, &r.each);
    heddle__factor_share(c, n, reflect_columns, &r);
}

struct block {
    char *at, *tau;
    int m, n;
};

static void factor_block(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                         void *scratch)
{
    (void)item;
    const struct block *b = argument;
    const int room = b->n * BLOCK;
    int info;
    c->lapack->geqrf(&b->m, &b->n, b->at, &c->rows, b->tau, scratch, &room, &info);
}

void heddle__cpu_qr_panel(const struct heddle_factor_cpu *c)
{
    const int64_t width = c->f->width, k = heddle__factor_pivots(c->f);
    const int64_t block = c->n_threads == 1 ? width : BLOCK;
    for (int64_t j = 0; j < k; j += block) {
        const int64_t n = width - j < block ? width - j : block, row = c->f->first + j,
                      of = c->f->rows - row < n ? c->f->rows - row : n;
        struct block b = {heddle__factor_at(c, c->panel, row, j), (char *)c->scales + j * c->size,
                          (int)(c->f->rows - row), (int)n};
        heddle__factor_share(c, 1, factor_block, &b);
        reflect(c, (struct reflection){.v = b.at,
                                       .tau = b.tau,
                                       .to = heddle__factor_at(c, c->panel, 0, j + n),
                                       .row = row,
                                       .n = of,
                                       .columns = width - j - n,
                                       .adjoint = true});
    }
}

/* The block's columns that reflectors from row `row` on may change: those of the identity begin in their own row. */
static int64_t first_changed(const struct heddle_factor_cpu *c, int64_t row)
{
    if (!c->f->begins || row <= c->f->begin) return 0;
    return row - c->f->begin < c->f->columns ? row - c->f->begin : c->f->columns;
}

void heddle__cpu_qr_apply(const struct heddle_factor_cpu *c, bool adjoint)
{
    const int64_t k = heddle__factor_pivots(c->f), block = BLOCK;
    const int64_t n_blocks = (k + block - 1) / block;
    for (int64_t i = 0; i < n_blocks; i++) {
        const int64_t j = (adjoint ? i : n_blocks - 1 - i) * block, row = c->f->first + j,
                      from = first_changed(c, row);
        reflect(c, (struct reflection){.v = heddle__factor_at(c, c->panel, row, j),
                                       .tau = (char *)c->scales + j * c->size,
                                       .to = heddle__factor_at(c, c->block, 0, from),
                                       .row = row,
                                       .n = k - j < block ? k - j : block,
                                       .columns = c->f->columns - from,
                                       .adjoint = adjoint});
    }
}
