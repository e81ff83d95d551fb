/* Random scans along an axis of arrays of up to three, of operands that are data, their negatives and products with rows and columns, turned over or
 * broadcast, with values that are found element by element: whole numbers, so that all are exact. */
#ifndef HEDDLE_TESTS_PLAN_SCANNED_H
#define HEDDLE_TESTS_PLAN_SCANNED_H

#include "asked_values.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

/* An array of (outer, n, inner), and what its elements should be. */
struct value {
    double *x;
    heddle_array *a;
};

static int64_t shape[3];
static int axis; /* of the scan */
static enum heddle_dtype dtype;
static double *all[64]; /* of one program */
static int n_all;

static int64_t size(void)
{
    return shape[0] * shape[1] * shape[2];
}

static struct value new_value(void)
{
    struct value v = {all[n_all++] = calloc((size_t)size() + 1, sizeof *v.x), NULL};
    return v;
}

/* Data, constant along axes that are not in `along`: bits. */
static struct value data(unsigned along)
{
    struct value v = new_value();
    int64_t own[3];
    for (int d = 0; d < 3; d++) own[d] = along >> d & 1 ? shape[d] : 1;
    double *x = calloc((size_t)(own[0] * own[1] * own[2]), sizeof *x);
    for (int64_t i = 0; i < own[0] * own[1] * own[2]; i++) x[i] = (double)(word_below(9) - 4);
    for (int64_t i = 0; i < size(); i++) {
        const int64_t at[3] = {i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]};
        int64_t from = 0;
        for (int d = 0; d < 3; d++) from = from * own[d] + (own[d] > 1 ? at[d] : 0);
        v.x[i] = x[from];
    }
    v.a = heddle_astype(heddle_asarray(x, HEDDLE_FLOAT64, 3, own), dtype);
    CHECK_EQ(heddle_eval(v.a), HEDDLE_OK);
    free(x);
    return v;
}

static struct value turned(const struct value *v, int d)
{
    struct value t = new_value();
    int64_t step = 1;
    for (int e = 2; e > d; e--) step *= shape[e];
    for (int64_t i = 0; i < size(); i++) {
        const int64_t at = i / step % shape[d];
        t.x[i] = v->x[i + (shape[d] - 1 - 2 * at) * step];
    }
    t.a = heddle_flip(v->a, .axis = d);
    return t;
}

/* v * 3 + something, or a smaller number of it. */
static struct value map_of(const struct value *v)
{
    struct value m = new_value();
    const int kind = (int)word_below(6);
    const struct value other = kind == 0   ? data(7)
                               : kind == 1 ? data(1u << word_below(3))
                               : kind == 2 ? turned(v, (int)word_below(3))
                               : kind == 3 ? data(3)
                                           : *v;
    heddle_array *const three = heddle_scalar_int(3);
    for (int64_t i = 0; i < size(); i++)
        m.x[i] = kind == 4   ? (v->x[i] > 3 ? v->x[i] : 3)
                 : kind == 5 ? (double)(v->x[i] < 3)
                             : v->x[i] * 3 + other.x[i];
    m.a = kind == 4   ? heddle_maximum(v->a, three)
          : kind == 5 ? heddle_astype(heddle_less(v->a, three), dtype)
                      : heddle_add(heddle_multiply(v->a, three), other.a);
    return m;
}

/* Sums, or largest so far. */
CHECK_ORACLE static void add_up(const struct value *v, bool largest, double *to)
{
    int64_t step = 1;
    for (int e = 2; e > axis; e--) step *= shape[e];
    for (int64_t i = 0; i < size(); i++) {
        const bool first = i / step % shape[axis] == 0;
        const double before = first ? v->x[i] : to[i - step];
        to[i] = first     ? v->x[i]
                : largest ? (before > v->x[i] ? before : v->x[i])
                          : before + v->x[i];
    }
}

static struct value scan(const struct value *v)
{
    struct value s = new_value();
    const bool largest = word_below(3) == 0;
    add_up(v, largest, s.x);
    s.a = largest ? heddle_cumulative_max(v->a, .axis = axis, .has_axis = true)
                  : heddle_cumulative_sum(v->a, .axis = axis, .has_axis = true, .dtype = dtype);
    return s;
}

#endif
