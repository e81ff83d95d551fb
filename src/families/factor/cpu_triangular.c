/* One panel's part of triangular equations; a team shares the columns of the right-hand sides. Entry point:
 * heddle__cpu_triangular. */
#include "families/factor/cpu_lapack.h"

/* Unknowns that BLAS solves for at once: the rest is products of matrices, which are three times as fast. */
enum { BLOCK = 64 };

struct part {
    int64_t each;
};

/* The unknowns of the panel's columns begin .. end - 1, and what is left for the others; n columns at `to`. */
static void solve_block(const struct heddle_factor_cpu *c, int64_t begin, int64_t end, int n,
                        char *to)
{
    const struct heddle_factor *f = c->f;
    const int64_t row = f->first + begin, after = f->first + end;
    const int k = (int)(end - begin);
    char *const x = to + row * c->size;
    c->lapack->trsm("L", f->lower ? "L" : "U", "N", f->unit ? "U" : "N", &k, &n, c->one,
                    heddle__factor_at(c, c->panel, row, begin), &c->rows, x, &c->rows, 1, 1, 1, 1);
    if (f->lower)
        heddle__factor_subtract(c, f->rows - after, n, k,
                                heddle__factor_at(c, c->panel, after, begin), x, c->rows, false,
                                to + after * c->size);
    else
        heddle__factor_subtract(c, row, n, k, heddle__factor_at(c, c->panel, 0, begin), x, c->rows,
                                false, to);
}

static void solve_columns(const struct heddle_factor_cpu *c, void *argument, int64_t item,
                          void *scratch)
{
    (void)scratch;
    const struct heddle_factor *f = c->f;
    const int64_t each = ((const struct part *)argument)->each, from = item * each;
    const int n = (int)(f->columns - from < each ? f->columns - from : each);
    char *const to = heddle__factor_at(c, c->block, 0, from);
    if (f->lower)
        for (int64_t j = 0; j < f->width; j += BLOCK)
            solve_block(c, j, j + BLOCK < f->width ? j + BLOCK : f->width, n, to);
    else
        for (int64_t j = f->width; j > 0; j -= BLOCK)
            solve_block(c, j > BLOCK ? j - BLOCK : 0, j, n, to);
}

static bool is_zero(const struct heddle_factor_cpu *c, const char *x)
{
    switch ((enum heddle_dtype)c->f->dtype) {
    case HEDDLE_FLOAT32: return *(const float *)(const void *)x == 0;
    case HEDDLE_FLOAT64: return *(const double *)(const void *)x == 0;
    case HEDDLE_COMPLEX64: return *(const float _Complex *)(const void *)x == 0;
    default: return *(const double _Complex *)(const void *)x == 0;
    }
}

int64_t heddle__cpu_triangular(const struct heddle_factor_cpu *c)
{
    const struct heddle_factor *f = c->f;
    for (int64_t j = 0; j < f->width && !f->unit; j++)
        if (is_zero(c, heddle__factor_at(c, c->panel, f->first + j, j))) return f->first + j;
    struct part p;
    const int64_t n = heddle__factor_chunks(c, f->columns, &p.each);
    heddle__factor_share(c, n, solve_columns, &p);
    return -1;
}
