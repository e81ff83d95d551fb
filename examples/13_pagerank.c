/* What you learn: scaling the rows of a sparse matrix, transposing it, and the power method: the PageRank of a small web,
 * whose answer is known, and of a large one, which must add up. */
#include "common.h"

#define DAMPING 0.85

/* Links from page to page as a matrix that a step multiplies by: entry (to, from) is 1 over the links of `from`. */
static struct heddle_csr step_of(heddle_array *from, heddle_array *to, int64_t n)
{
    const struct heddle_csr links =
        heddle_csr_from_coordinates(heddle_ones(HEDDLE_SHAPE(heddle_size(from))), from, to, n, n);
    heddle_array *degree = heddle_csr_matmul(&links, heddle_ones(HEDDLE_SHAPE(n)));
    heddle_array *one = heddle_scalar(1.0);
    const struct heddle_csr shares =
        heddle_csr_multiply(&links, heddle_reshape(heddle_divide(one, heddle_maximum(degree, one)),
                                                   HEDDLE_SHAPE(n, 1)));
    /* Each step reads it: evaluated once, here, rather than again and again. */
    const struct heddle_csr step = heddle_csr_transpose(&shares);
    HEDDLE_MUST(heddle_eval_all(HEDDLE_ARRAYS(step.data, step.indices, step.indptr)));
    return step;
}

/* Pages without links lead everywhere. The ranks are the caller's, and so is their release. */
static heddle_array *ranks_of(const struct heddle_csr *step, int *n_steps)
{
    const double n = (double)step->rows;
    heddle_array *rank = heddle_keep(heddle_full(HEDDLE_SHAPE(step->rows), heddle_scalar(1 / n)));
    double change = 1;
    for (*n_steps = 0; change > 1e-13 && *n_steps < 300; ++*n_steps) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *followed = heddle_csr_matmul(step, rank);
        heddle_array *lost = heddle_subtract(
            heddle_scalar(1.0), heddle_multiply(heddle_scalar(DAMPING), heddle_sum(followed)));
        heddle_array *next = heddle_add(heddle_multiply(heddle_scalar(DAMPING), followed),
                                        heddle_divide(lost, heddle_scalar(n)));
        heddle_array *moved = heddle_sum(heddle_abs(heddle_subtract(next, rank)));
        HEDDLE_MUST(heddle_eval_all(HEDDLE_ARRAYS(next, moved)));
        change = HEDDLE_MUST_ITEM(moved);
        heddle_keep(next);
        heddle_release(rank);
        rank = next;
        heddle_scope_close(scope);
    }
    return rank;
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    /* 0 and 1 link to each other, 2 to both: by hand, r2 = 0.15 / 3 and r0 = r1. */
    const int64_t from[] = {0, 1, 2, 2}, to[] = {1, 0, 0, 1};
    int n_steps;
    struct heddle_csr step = step_of(heddle_asarray(from, HEDDLE_INT64, HEDDLE_SHAPE(4)),
                                     heddle_asarray(to, HEDDLE_INT64, HEDDLE_SHAPE(4)), 3);
    heddle_array *rank = ranks_of(&step, &n_steps);
    expect_true("page 0", fabs(value_at(rank, 0) - 0.475) < 1e-12);
    expect_true("page 1", fabs(value_at(rank, 1) - 0.475) < 1e-12);
    expect_true("page 2", fabs(value_at(rank, 2) - 0.05) < 1e-12);
    heddle_release(rank);

    /* A web of 20,000 pages: page k links to k / 2, k / 3 and 7 k + 1; every hundredth page has no links. */
    enum { PAGES = 20000 };
    heddle_array *page = heddle_arange(heddle_scalar(PAGES), NULL, NULL);
    page =
        heddle_getitem(page, HEDDLE_INDEX(HEDDLE_BY(heddle_not_equal(
                                 heddle_remainder(page, heddle_scalar(100)), heddle_scalar(99)))));
    heddle_array *far =
        heddle_remainder(heddle_add(heddle_multiply(page, heddle_scalar(7)), heddle_scalar(1)),
                         heddle_scalar(PAGES));
    step = step_of(heddle_concat(HEDDLE_ARRAYS(page, page, page), 0),
                   heddle_concat(HEDDLE_ARRAYS(heddle_floor_divide(page, heddle_scalar(2)),
                                               heddle_floor_divide(page, heddle_scalar(3)), far),
                                 0),
                   PAGES);
    rank = ranks_of(&step, &n_steps);
    printf("%d steps\n", n_steps);
    expect_true("ranks add up to 1", fabs(HEDDLE_MUST_ITEM(heddle_sum(rank)) - 1) < 1e-12);
    EXPECT("the first page is the best", value_at(heddle_argmax(rank), 0), 0);
    expect_true("none below its share of jumps",
                HEDDLE_MUST_ITEM(heddle_min(rank)) > (1 - DAMPING) / PAGES);

    /* What is left of a step from the ranks must be the ranks. */
    heddle_array *followed =
        heddle_multiply(heddle_scalar(DAMPING), heddle_csr_matmul(&step, rank));
    heddle_array *again = heddle_add(
        followed, heddle_divide(heddle_subtract(heddle_scalar(1.0), heddle_sum(followed)),
                                heddle_scalar((double)PAGES)));
    expect_true("a fixed point",
                HEDDLE_MUST_ITEM(heddle_sum(heddle_abs(heddle_subtract(again, rank)))) < 1e-12);
    heddle_release(rank);
    heddle_scope_close(scope);
    return examples_failed();
}
