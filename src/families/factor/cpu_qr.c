/* QR of a panel by Householder reflectors, in blocks of columns, and products with Q. A team shares the columns that are
 * reflected. Entry points: cpu_lapack.h. */
#include "families/factor/cpu_lapack.h"

#include <string.h>

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

void heddle__cpu_qr_expand(const struct heddle_factor_cpu *c)
{
    const int64_t k = heddle__factor_pivots(c->f), block = BLOCK;
    for (int64_t j = (k - 1) / block * block; j >= 0; j -= block) {
        const int64_t row = c->f->first + j, from = first_changed(c, row);
        reflect(c, (struct reflection){.v = heddle__factor_at(c, c->panel, row, j),
                                       .tau = (char *)c->scales + j * c->size,
                                       .to = heddle__factor_at(c, c->block, 0, from),
                                       .row = row,
                                       .n = k - j < block ? k - j : block,
                                       .columns = c->f->columns - from});
    }
}

/* ---- By V and T ----------------------------------------------------------------------------------------- */

static void send_column(const struct heddle_factor_cpu *c, void *argument, int64_t j, void *scratch)
{
    (void)argument, (void)scratch;
    const int64_t m = c->f->rows - c->f->first;
    char *const to = c->below + j * m * c->size;
    memset(to, 0, (size_t)(j * c->size));
    memcpy(to + j * c->size, c->one, (size_t)c->size);
    memcpy(to + (j + 1) * c->size, heddle__factor_at(c, c->panel, c->f->first + j + 1, j),
           (size_t)((m - j - 1) * c->size));
}

static void send_t(const struct heddle_factor_cpu *c, void *argument, int64_t item, void *scratch)
{
    (void)argument, (void)item, (void)scratch;
    const int m = (int)(c->f->rows - c->f->first), k = (int)heddle__factor_pivots(c->f);
    char *const t = c->below + (int64_t)m * k * c->size;
    memset(t, 0, (size_t)k * (size_t)k * (size_t)c->size);
    c->lapack->larft("F", "C", &m, &k, c->below, &m, c->scales, t, &k, 1, 1);
}

void heddle__cpu_qr_send(const struct heddle_factor_cpu *c)
{
    heddle__factor_share(c, heddle__factor_pivots(c->f), send_column, NULL);
    heddle__factor_share(c, 1, send_t, NULL);
}

struct product {
    int64_t each;
    bool adjoint;
};

/* C - V (T (V^H C)), or with the adjoint of T, for some columns at a time. */
static void reflect_chunk(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                          void *scratch)
{
    static const double zero[2] = {0, 0};
    const struct product *p = argument;
    const int m = (int)(c->f->rows - c->f->first), k = (int)heddle__factor_pivots(c->f);
    const char *const v = c->below, *const t = v + (int64_t)m * k * c->size;
    char *const w = scratch, *const tw = w + (int64_t)k * HEDDLE_FACTOR_BLOCK * c->size;
    int64_t to = (item + 1) * p->each;
    if (to > c->f->columns) to = c->f->columns;
    for (int64_t from = item * p->each; from < to; from += HEDDLE_FACTOR_BLOCK) {
        const int n = (int)(to - from < HEDDLE_FACTOR_BLOCK ? to - from : HEDDLE_FACTOR_BLOCK);
        char *const x = heddle__factor_at(c, c->block, c->f->first, from);
        c->lapack->gemm("C", "N", &k, &n, &m, c->one, v, &m, x, &c->rows, zero, w, &k, 1, 1);
        c->lapack->gemm(p->adjoint ? "C" : "N", "N", &k, &n, &k, c->one, t, &k, w, &k, zero, tw, &k,
                        1, 1);
        c->lapack->gemm("N", "N", &m, &n, &k, c->minus_one, v, &m, tw, &k, c->one, x, &c->rows, 1,
                        1);
    }
}

void heddle__cpu_qr_reflect(const struct heddle_factor_cpu *c, bool adjoint)
{
    struct product p = {.adjoint = adjoint};
    const int64_t n = heddle__factor_chunks(c, c->f->columns, &p.each);
    heddle__factor_share(c, n, reflect_chunk, &p);
}
