/* Proves that products cut for several GPUs, here invented ones, are right: all ways in which operands
 * lie, in host memory or over the GPUs, against sums by hand over small whole numbers, which are exact. */
#include "check.h"
#include "machine/machine.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

/* A matrix and its values in C order. */
struct matrix {
    int64_t rows, columns;
    double *at;
    heddle_array *array;
};

static struct matrix make(int64_t rows, int64_t columns)
{
    struct matrix m = {rows, columns, calloc((size_t)(rows * columns) + 1, sizeof(double)), NULL};
    for (int64_t i = 0; i < rows * columns; i++) m.at[i] = (double)(word_below(19) - 9);
    m.array = heddle_asarray(m.at, HEDDLE_FLOAT64, HEDDLE_SHAPE(rows, columns), .borrow = true);
    if (word_below(2)) { /* computed, so where Heddle puts it */
        m.array = heddle_add(m.array, heddle_scalar(0.0));
        CHECK_EQ(heddle_eval(m.array), HEDDLE_OK);
    }
    return m;
}

/* rows x columns of `m`, which is larger, as a view: the rest of it may lie around it, or across. */
static struct matrix seen(int64_t rows, int64_t columns, double **values, struct matrix *whole)
{
    const bool across = word_below(2), inside = word_below(2);
    const int64_t before = inside ? word_below(5) : 0, r = rows + 2 * before, c = columns + before;
    *whole = across ? make(c, r) : make(r, c);
    heddle_array *a = across ? heddle_matrix_transpose(whole->array) : whole->array;
    a = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(before, before + rows),
                                       HEDDLE_SLICE(before, before + columns)));
    *values = calloc((size_t)(rows * columns) + 1, sizeof(double));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            (*values)[i * columns + j] = across ? whole->at[(j + before) * r + i + before]
                                                : whole->at[(i + before) * c + j + before];
    return (struct matrix){rows, columns, *values, a};
}

static void check_product(int64_t m, int64_t k, int64_t n)
{
    heddle_scope scope = heddle_scope_open();
    double *x, *y, *got = calloc((size_t)(m * n) + 1, sizeof *got);
    struct matrix all[2];
    const struct matrix a = seen(m, k, &x, &all[0]), b = seen(k, n, &y, &all[1]);
    heddle_array *product = heddle_matmul(a.array, b.array);
    CHECK(heddle_read(product, got, m * n * (int64_t)sizeof *got) == HEDDLE_OK, "%s",
          heddle_error(product));
    int64_t wrong = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++) sum += x[i * k + l] * y[l * n + j];
            wrong += got[i * n + j] != sum;
        }
    CHECK(wrong == 0, "%lld of %lld x %lld elements are wrong, k = %lld", (long long)wrong,
          (long long)m, (long long)n, (long long)k);
    heddle_scope_close(scope);
    free(got);
    free(x);
    free(y);
    free(all[0].at);
    free(all[1].at);
}

int main(void)
{
    static const int64_t part_bytes[] = {1 << 20, 1 << 12, 1 << 9};
    for (int way = 0; way < 3; way++) {
        CHECK_EQ(machine_configure(
                     &(struct heddle_config){.inline_bytes = -1, .part_bytes = part_bytes[way]}),
                 HEDDLE_OK);
        for (int i = 0; i < 150; i++)
            check_product(1 + word_below(150), word_below(20) ? 1 + word_below(150) : 0,
                          1 + word_below(150));
        heddle_shutdown();
    }
    return check_done();
}
