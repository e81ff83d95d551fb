/* The product of a chain of matrices, in the order with the least products. Entry point: heddle_linalg_multi_dot. */
#include "api/compose/compose.h"

#include "base/memory.h"

#include <heddle/linalg.h>

#include <math.h>

/* The chain: matrix i has extent[i] rows and extent[i + 1] columns. */
struct chain {
    int n;
    heddle_array *const *matrix;
    const double *extent;
    double *cost; /* [first * n + last]: of the best order of this part */
    int *half;    /* the last matrix of its first half */
};

/* Dynamic programming over the parts of the chain, from short to long ones. */
static void choose(struct chain *c)
{
    const int n = c->n;
    for (int i = 0; i < n; i++) c->cost[i * n + i] = 0;
    for (int length = 2; length <= n; length++)
        for (int first = 0; first + length <= n; first++) {
            const int last = first + length - 1;
            double *best = &c->cost[first * n + last];
            *best = INFINITY;
            for (int half = first; half < last; half++) {
                const double cost = c->cost[first * n + half] + c->cost[(half + 1) * n + last] +
                                    c->extent[first] * c->extent[half + 1] * c->extent[last + 1];
                if (cost >= *best) continue;
                *best = cost;
                c->half[first * n + last] = half;
            }
        }
}

/* Multiplies a part. The depth of a call is at most the number of matrices, which the caller limits. */
static heddle_array *multiply(const struct chain *c, int first, int last)
{
    if (first == last) return c->matrix[first];
    const int half = c->half[first * c->n + last];
    return heddle_matmul(multiply(c, first, half), multiply(c, half + 1, last));
}

enum { MAX_CHAIN = 256 };

static enum heddle_status check(int n, heddle_array *const arrays[], double *extent)
{
    HEDDLE_REQUIRE(n >= 2 && n <= MAX_CHAIN, HEDDLE_EARG,
                   "heddle_linalg_multi_dot: %d arrays, not 2 to %d", n, MAX_CHAIN);
    for (int i = 0; i < n; i++) {
        const heddle_array *a = arrays[i];
        const bool vector = a->ndim == 1 && (i == 0 || i == n - 1);
        HEDDLE_REQUIRE(a->ndim == 2 || vector, HEDDLE_ESHAPE,
                       "heddle_linalg_multi_dot: argument %d of shape %s is no matrix", i + 1,
                       HEDDLE_SHAPE_OF(a));
        const int64_t rows = vector && i == 0 ? 1 : a->shape[0];
        const int64_t columns = vector && i > 0 ? 1 : a->shape[a->ndim - 1];
        HEDDLE_REQUIRE(i == 0 || extent[i] == (double)rows, HEDDLE_ESHAPE,
                       "heddle_linalg_multi_dot: arguments %d and %d of shapes %s and %s do not "
                       "fit",
                       i, i + 1, HEDDLE_SHAPE_OF(arrays[i - 1]), HEDDLE_SHAPE_OF(a));
        extent[i] = (double)rows;
        extent[i + 1] = (double)columns;
    }
    return HEDDLE_OK;
}

heddle_array *heddle_linalg_multi_dot(int n, heddle_array *const arrays[])
{
    double extent[MAX_CHAIN + 1];
    heddle_array *const bad = heddle__bad_list("linalg_multi_dot", n, arrays);
    if (bad) return bad;
    if (check(n, arrays, extent) != HEDDLE_OK) return heddle__error_last();
    struct chain c = {n, arrays, extent, heddle__alloc((size_t)n * (size_t)n * sizeof *c.cost),
                      heddle__alloc((size_t)n * (size_t)n * sizeof *c.half)};
    heddle_array *r;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    if (c.cost && c.half) {
        choose(&c);
        r = multiply(&c, 0, n - 1);
    } else {
        r = heddle__error_memory();
    }
    heddle__free(c.cost);
    heddle__free(c.half);
    return heddle__scope_leave(&scope, r);
}
