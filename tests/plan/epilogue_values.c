/* Proves that elementwise work which becomes part of a product's calls gives the values that it should: random
 * products, single and of batches, narrow, thin and wide, with operands that lie across, and maps of them that read
 * them in place, several times, turned over, or beside what the product reads; against values that are found element by
 * element. Whole numbers, so that all are exact. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "asked_values.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

enum {
    PROGRAMS = CHECK_SOME(60, 12),
    LEAST = 70000
}; /* elements of a product, more than stay in a cache */

/* Matrices, one after the other, and what their elements should be. */
struct value {
    int64_t batch, rows, columns;
    double *x;
    heddle_array *a;
};

static double *all[64]; /* of one program */
static int n_all;
static enum heddle_dtype dtype; /* of one program */

static struct value new_value(int64_t batch, int64_t rows, int64_t columns)
{
    struct value v = {batch, rows, columns, NULL, NULL};
    v.x = all[n_all++] = calloc((size_t)(batch * rows * columns) + 1, sizeof *v.x);
    return v;
}

static int64_t size_of(const struct value *v)
{
    return v->batch * v->rows * v->columns;
}

static struct value data(int64_t batch, int64_t rows, int64_t columns, bool evaluated)
{
    struct value v = new_value(batch, rows, columns);
    for (int64_t i = 0; i < size_of(&v); i++) v.x[i] = (double)(word_below(9) - 4);
    const int64_t shape[] = {batch, rows, columns};
    const int least = batch == 1;
    v.a = heddle_asarray(v.x, HEDDLE_FLOAT64, 3 - least, shape + least);
    v.a = heddle_astype(v.a, dtype);
    if (evaluated) CHECK_EQ(heddle_eval(v.a), HEDDLE_OK);
    return v;
}

/* An operand that lies across: the transpose of data. */
static struct value across(int64_t batch, int64_t rows, int64_t columns)
{
    const struct value t = data(batch, columns, rows, true);
    struct value v = new_value(batch, rows, columns);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                v.x[(b * rows + i) * columns + j] = t.x[(b * columns + j) * rows + i];
    v.a = heddle_matrix_transpose(t.a);
    return v;
}

static struct value operand(int64_t batch, int64_t rows, int64_t columns)
{
    return word_below(3) ? data(batch, rows, columns, true) : across(batch, rows, columns);
}

/* v += a b */
CHECK_ORACLE static void multiply(const struct value *a, const struct value *b,
                                  const struct value *v)
{
    const int64_t k = a->columns;
    for (int64_t t = 0; t < v->batch; t++)
        for (int64_t i = 0; i < v->rows; i++)
            for (int64_t l = 0; l < k; l++) {
                const double x = a->x[(t * v->rows + i) * k + l];
                const double *const y = b->x + ((b->batch == 1 ? 0 : t) * k + l) * v->columns;
                double *const to = v->x + (t * v->rows + i) * v->columns;
                for (int64_t j = 0; j < v->columns; j++) to[j] += x * y[j];
            }
}

static struct value product(const struct value *a, const struct value *b)
{
    struct value v = new_value(a->batch, a->rows, b->columns);
    multiply(a, b, &v);
    v.a = heddle_matmul(a->a, b->a);
    return v;
}

/* `a` is the product's left operand. */
static struct value map_of(const struct value *p, const struct value *a)
{
    struct value v = new_value(p->batch, p->rows, p->columns);
    const int64_t n = size_of(p);
    heddle_array *const three = heddle_scalar_int(3);
    int kind = (int)word_below(10);
    if (p->rows == p->columns && word_below(3) == 0) kind = 5 + (int)word_below(2);
    struct value other = *p;
    if (kind == 1 || kind == 2 || kind == 8)
        other = data(p->batch, p->rows, p->columns, word_below(2));
    if (kind == 3) other = data(1, 1, p->columns, true);
    if (kind == 4) other = data(1, p->rows, 1, true);
    if (kind == 5 && size_of(a) == n && a->columns == p->columns) other = *a;
    const bool turns = kind == 6 && p->rows == p->columns;
    if (turns) other.a = heddle_matrix_transpose(p->a);
    if (kind == 7) other.a = heddle_flip(p->a, .axis = -2);
    if (kind == 9) {
        other.a = heddle_arange(heddle_scalar_int(0), heddle_scalar_int(p->columns), NULL);
        other.a = heddle_broadcast_to(heddle_astype(other.a, dtype), heddle_ndim(p->a),
                                      heddle_shape(p->a));
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = i % p->columns, row = i / p->columns % p->rows,
                      first = i - row * p->columns - j;
        const int64_t at = kind == 3   ? j
                           : kind == 4 ? row
                           : turns     ? first + j * p->columns + row
                           : kind == 7 ? first + (p->rows - 1 - row) * p->columns + j
                                       : i;
        const double x = p->x[i], y = kind == 9 ? (double)j : other.x[at];
        v.x[i] = kind == 0 ? (x > 3 ? x : 3) : kind == 8 ? (x < y ? x : 3) : x * 3 + y;
    }
    if (kind == 0)
        v.a = heddle_maximum(p->a, three);
    else if (kind == 8)
        v.a = heddle_where(heddle_less(p->a, other.a), p->a, three);
    else
        v.a = heddle_add(heddle_multiply(p->a, three), other.a);
    return v;
}

/* Whether the plan has a product with elementwise work. */
static bool check_program(int way, int program)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT32,
                                               HEDDLE_FLOAT64};
    static const int64_t widths[] = {1, 2, 3, 5, 16, 17, 64, 150, 266, 700};
    heddle_scope scope = heddle_scope_open();
    n_all = 0;
    dtype = dtypes[word_below(4)];
    int64_t columns = widths[word_below(10)];
    const int64_t k = word_below(4) ? 1 + word_below(20) : 100 + word_below(50);
    const int64_t batch = word_below(3)   ? 1
                          : word_below(2) ? 2 + word_below(3)
                                          : 200 + word_below(200);
    int64_t rows = LEAST / (columns * batch) + 1 + word_below(9);
    const bool is_square = batch == 1 && word_below(3) == 0; /* as its operand, half of the times */
    if (is_square) rows = columns = 266 + word_below(20);
    const struct value a = operand(batch, rows, is_square && word_below(2) ? columns : k);
    const struct value b = operand(word_below(2) ? 1 : batch, a.columns, columns);
    const struct value p = product(&a, &b);
    struct value asked[3];
    int n_asked = 0;
    if (word_below(8) == 0) asked[n_asked++] = p; /* so it is stored */
    asked[n_asked++] = map_of(&p, &a);
    if (word_below(4) == 0) asked[n_asked++] = map_of(&p, &a);
    if (word_below(4) == 0) { /* a result of another dtype */
        struct value *v = &asked[n_asked - 1];
        v->a = heddle_less(v->a, heddle_scalar_int(5));
        for (int64_t i = 0; i < size_of(v); i++) v->x[i] = v->x[i] < 5;
    } else if (word_below(4) == 0 && batch == 1) { /* under another shape */
        asked[n_asked - 1].a =
            heddle_negative(heddle_reshape(asked[n_asked - 1].a, 1, (int64_t[]){rows * columns}));
        for (int64_t i = 0; i < rows * columns; i++) asked[n_asked - 1].x[i] *= -1;
    }

    struct asked all_asked[3];
    for (int i = 0; i < n_asked; i++)
        all_asked[i] = (struct asked){asked[i].a, asked[i].x, size_of(&asked[i])};
    const bool found = check_all_asked(all_asked, n_asked, "matmul;", "matmul;", way, program);
    heddle_scope_close(scope);
    while (n_all > 0) free(all[--n_all]);
    return found;
}

int main(int argc, char **argv)
{
    return check_ways(argc > 1 ? atoi(argv[1]) : PROGRAMS, check_program);
}
