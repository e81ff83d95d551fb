/* What you learn: a sparse matrix from coordinates, its product with a vector, and an iteration whose arrays outlive
 * their scopes. Conjugate gradients solve Poisson's equation on a square: -u'' = f with the five-point stencil, as a
 * matrix that nobody would store densely. */
#include "common.h"

enum { SIDE = 64, POINTS = SIDE * SIDE };

/* The entries of one neighbour: the points that have it, and where it is. */
static void add_neighbour(heddle_array *has_it, int64_t step, heddle_array **row,
                          heddle_array **column)
{
    heddle_array *here = heddle_flatnonzero(has_it);
    *row = heddle_concat(HEDDLE_ARRAYS(*row, here), 0);
    *column = heddle_concat(HEDDLE_ARRAYS(*column, heddle_add(here, heddle_scalar(step))), 0);
}

/* 4 on the diagonal, -1 for each neighbour inside the square. */
static struct heddle_csr poisson(void)
{
    heddle_array *point = heddle_arange(heddle_scalar(POINTS), NULL, NULL);
    heddle_array *side = heddle_scalar(SIDE), *last = heddle_scalar(SIDE - 1),
                 *zero = heddle_scalar(0);
    heddle_array *i = heddle_floor_divide(point, side), *j = heddle_remainder(point, side);
    heddle_array *row = point, *column = point;
    add_neighbour(heddle_greater(i, zero), -SIDE, &row, &column);
    add_neighbour(heddle_less(i, last), SIDE, &row, &column);
    add_neighbour(heddle_greater(j, zero), -1, &row, &column);
    add_neighbour(heddle_less(j, last), 1, &row, &column);
    heddle_array *entry =
        heddle_where(heddle_equal(row, column), heddle_scalar(4.0), heddle_scalar(-1.0));
    return heddle_csr_from_coordinates(entry, row, column, POINTS, POINTS);
}

/* An array that the next iteration needs, instead of the last one's. */
static void replace(heddle_array **old, heddle_array *new)
{
    HEDDLE_MUST(heddle_eval(new));
    heddle_keep(new);
    heddle_release(*old);
    *old = new;
}

/* Solves a x = b, and gives the number of iterations. */
static int solve(const struct heddle_csr *a, heddle_array *b, heddle_array **x)
{
    heddle_array *r = heddle_keep(b), *p = heddle_keep(b);
    *x = heddle_keep(heddle_zeros_like(b));
    double size = HEDDLE_MUST_ITEM(heddle_vecdot(b, b));
    const double enough = 1e-20 * size;
    int n = 0;
    for (; size > enough && n < 1000; n++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *ap = heddle_csr_matmul(a, p);
        heddle_array *alpha = heddle_divide(heddle_scalar(size), heddle_vecdot(p, ap));
        replace(x, heddle_add(*x, heddle_multiply(alpha, p)));
        replace(&r, heddle_subtract(r, heddle_multiply(alpha, ap)));
        const double before = size;
        size = HEDDLE_MUST_ITEM(heddle_vecdot(r, r));
        replace(&p, heddle_add(r, heddle_multiply(heddle_scalar(size / before), p)));
        heddle_scope_close(scope);
    }
    heddle_release(r);
    heddle_release(p);
    return n;
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    const struct heddle_csr a = poisson();
    EXPECT("entries", heddle_size(a.data), 5 * POINTS - 4 * SIDE);

    /* A wave is an eigenvector: the solution is known. */
    heddle_array *angle =
        heddle_multiply(heddle_arange(heddle_scalar(1), heddle_scalar(SIDE + 1), NULL),
                        heddle_scalar(3.141592653589793 / (SIDE + 1)));
    heddle_array *wave = heddle_reshape(
        heddle_outer(heddle_sin(angle), heddle_sin(heddle_multiply(heddle_scalar(2.0), angle))),
        HEDDLE_SHAPE(POINTS));
    heddle_array *const b = heddle_csr_matmul(&a, wave);
    const double eigenvalue =
        4 - 2 * cos(3.141592653589793 / (SIDE + 1)) - 2 * cos(2 * 3.141592653589793 / (SIDE + 1));
    heddle_array *off = heddle_subtract(b, heddle_multiply(heddle_scalar(eigenvalue), wave));
    expect_true("A wave = eigenvalue wave", HEDDLE_MUST_ITEM(heddle_max(heddle_abs(off))) < 1e-14);

    /* A right side of many waves takes many iterations. */
    heddle_array *truth = heddle_add(
        wave, heddle_cos(heddle_multiply(heddle_arange(heddle_scalar(POINTS), NULL, NULL),
                                         heddle_scalar(0.37))));
    heddle_array *x;
    const int n = solve(&a, heddle_csr_matmul(&a, truth), &x);
    printf("%d iterations\n", n);
    expect_true("more than 50, less than 400", n > 50 && n < 400);
    const double error = HEDDLE_MUST_ITEM(heddle_max(heddle_abs(heddle_subtract(x, truth))));
    expect_true("error below 1e-7", error < 1e-7);
    heddle_release(x);
    heddle_scope_close(scope);
    return examples_failed();
}
