/* Proves that chains of reductions along any axes, and what is made of them and their operands, give the values that they should:
 * random ones of arrays of three axes, of operands that are data, or constant along some axes, turned over or transposed, with values that depend on
 * indices, in whose order axes are seen; against values that are found element by element. Whole numbers, so that all are exact. Skipped
 * (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "asked_values.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

enum { PROGRAMS = CHECK_SOME(40, 8), LEAST = 300000 }; /* elements: smaller plans stay in a cache */

struct value {
    double *x; /* as if it had all elements */
    heddle_array *a;
};

static int64_t shape[3];
static int reduced; /* axes: bits */
static enum heddle_dtype dtype;
static double *all[32]; /* of one program */
static int n_all;

static int64_t size(void)
{
    return shape[0] * shape[1] * shape[2];
}

static void place_of(int64_t i, int64_t at[3])
{
    at[0] = i / shape[2] / shape[1];
    at[1] = i / shape[2] % shape[1];
    at[2] = i % shape[2];
}

static struct value new_value(void)
{
    return (struct value){all[n_all++] = calloc((size_t)size() + 1, sizeof(double)), NULL};
}

/* Data, constant along axes that are not in `along`; `turned`: its last two axes lie the other way round in memory. */
static struct value data(unsigned along, bool turned)
{
    struct value v = new_value();
    int64_t own[3];
    for (int d = 0; d < 3; d++) own[d] = along >> d & 1 ? shape[d] : 1;
    const int64_t lies[3] = {own[0], own[turned ? 2 : 1], own[turned ? 1 : 2]};
    double *x = calloc((size_t)(own[0] * own[1] * own[2]), sizeof *x);
    for (int64_t i = 0; i < own[0] * own[1] * own[2]; i++) x[i] = (double)(word_below(9) - 4);
    for (int64_t i = 0; i < size(); i++) {
        int64_t at[3];
        place_of(i, at);
        for (int d = 0; d < 3; d++) at[d] = own[d] > 1 ? at[d] : 0;
        v.x[i] = x[(at[0] * lies[1] + at[turned ? 2 : 1]) * lies[2] + at[turned ? 1 : 2]];
    }
    v.a = heddle_astype(heddle_asarray(x, HEDDLE_FLOAT64, 3, lies), dtype);
    CHECK_EQ(heddle_eval(v.a), HEDDLE_OK);
    if (turned) v.a = heddle_permute_dims(v.a, 3, (const int[]){0, 2, 1});
    free(x);
    return v;
}

/* The result for each row, at all of its elements. */
CHECK_ORACLE static void reduce(const struct value *v, bool largest, double *to)
{
    double *row = calloc((size_t)size() + 1, sizeof *row);
    char *seen = calloc((size_t)size() + 1, 1);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < size(); i++) {
            int64_t at[3];
            place_of(i, at);
            for (int d = 0; d < 3; d++) at[d] = reduced >> d & 1 ? 0 : at[d];
            const int64_t k = (at[0] * shape[1] + at[1]) * shape[2] + at[2];
            if (pass == 1)
                to[i] = row[k];
            else if (!seen[k])
                row[k] = v->x[i];
            else
                row[k] = !largest ? row[k] + v->x[i] : v->x[i] > row[k] ? v->x[i] : row[k];
            seen[k] = 1;
        }
    free(row);
    free(seen);
}

static struct value reduction(const struct value *v, bool largest)
{
    struct value r = new_value();
    struct heddle_axes axes = {0};
    for (int d = 0; d < 3; d++)
        if (reduced >> d & 1) axes.at[axes.count++] = d;
    reduce(v, largest, r.x);
    r.a = largest ? heddle_max(v->a, .axes = axes, .keepdims = true)
                  : heddle_sum(v->a, .axes = axes, .keepdims = true, .dtype = dtype);
    return r;
}

/* a - b, a + b, or a where an index along some axis is less than a number, else b. */
static struct value map_of(const struct value *a, const struct value *b)
{
    struct value m = new_value();
    const int kind = (int)word_below(3), axis = (int)word_below(3);
    const int64_t least = word_below(shape[axis] + 1);
    for (int64_t i = 0; i < size(); i++) {
        int64_t at[3];
        place_of(i, at);
        m.x[i] = kind == 0   ? a->x[i] - b->x[i]
                 : kind == 1 ? a->x[i] + b->x[i]
                             : (at[axis] < least ? a->x[i] : b->x[i]);
    }
    int64_t along[3] = {1, 1, 1};
    along[axis] = shape[axis];
    heddle_array *i = heddle_reshape(
        heddle_arange(heddle_scalar_int(0), heddle_scalar_int(shape[axis]), heddle_scalar_int(1)),
        3, along);
    m.a = kind == 0   ? heddle_subtract(a->a, b->a)
          : kind == 1 ? heddle_add(a->a, b->a)
                      : heddle_where(heddle_less(i, heddle_scalar_int(least)), a->a, b->a);
    return m;
}

/* Whether the plan has a chain. */
static bool check_program(int way, int program)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_FLOAT32, HEDDLE_INT32,
                                               HEDDLE_INT64};
    heddle_scope scope = heddle_scope_open();
    n_all = 0;
    dtype = dtypes[word_below(4)];
    reduced = word_below(4) ? 1 + (int)word_below(3)
                            : 1 + (int)word_below(6); /* mostly not the last axis */
    const int most = word_below(3) ? 16 : 70;
    for (int d = 0; d < 3; d++) shape[d] = 1 + word_below(most);
    int longest = (int)word_below(3);
    while (reduced >> longest & 1 && word_below(8)) longest = (int)word_below(3);
    while (size() < LEAST)
        shape[longest] += LEAST / size() * shape[longest] / 2 + 1 + word_below(5);
    const struct value x = data(7, word_below(5) == 0),
                       w = word_below(2) ? data(7, false) : data(1u << word_below(3), false);
    const struct value from = word_below(3) ? x : map_of(&x, &w);
    int64_t length = 1;
    for (int d = 0; d < 3; d++) length *= reduced >> d & 1 ? shape[d] : 1;
    /* sums of sums of long rows are more than float32 has whole numbers for */
    const struct value m = reduction(&from, word_below(2) || length > 1000);
    const struct value d = map_of(&from, &m);
    const struct value s = reduction(&d, word_below(2));
    struct value asked[3];
    int n_asked = 0;
    if (word_below(5) == 0) asked[n_asked++] = d; /* so it is stored */
    asked[n_asked++] = map_of(&d, &s);
    struct asked all_asked[3];
    for (int i = 0; i < n_asked; i++) all_asked[i] = (struct asked){asked[i].a, asked[i].x, size()};
    const bool found = check_all_asked(all_asked, n_asked, "max;", "sum;", way, program);
    heddle_scope_close(scope);
    while (n_all > 0) free(all[--n_all]);
    return found;
}

int main(int argc, char **argv)
{
    return check_ways(argc > 1 ? atoi(argv[1]) : PROGRAMS, check_program);
}
