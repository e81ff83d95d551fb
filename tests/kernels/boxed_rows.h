/* Programs over boxes of larger arrays: operands whose rows have gaps, steps, and either direction. */
#ifndef HEDDLE_TESTS_KERNELS_BOXED_ROWS_H
#define HEDDLE_TESTS_KERNELS_BOXED_ROWS_H

#include "build.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* A program over boxes of larger arrays. What is beside the boxes must not change. */
struct rows {
    struct build b;
    enum heddle_dtype dtype;
    size_t bytes[HEDDLE_MAX_OPERANDS];
    char *before[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    int64_t apart; /* elements more between rows: those of one element are columns */
};

/* The data of the last operand, which has a box of it from `offset` on: rows with `step` between elements and `gap` after
 * them; `back`: from the last one to the first. */
static inline void set_box(struct rows *t, int64_t step, int64_t gap, bool back)
{
    const int o = t->b.program.n_operands - 1;
    const struct heddle_geometry *g = &t->b.launch.geometry;
    int64_t *stride = t->b.access[o].stride, next = step;
    int64_t offset = 3;
    gap += t->apart;
    for (int d = g->ndim - 1; d >= 0; d--) {
        const bool is_row = d == g->ndim - 2;
        stride[d] = is_row && back ? -next : next;
        if (is_row && back) offset += next * (g->extent[d] - 1);
        next *= g->extent[d] + (d > 0 ? gap : 0);
        if (d == g->ndim - 1) next += gap ? o % 3 : 0;
    }
    t->b.access[o].offset = offset;
    const int64_t n = next + 2 * offset + 8;
    t->bytes[o] = (size_t)n * heddle_dtype_size(t->dtype);
    t->b.buffers[o] = malloc(t->bytes[o]);
    if (!t->b.buffers[o]) exit(1);
    const int64_t period = 5003;
    const size_t size = heddle_dtype_size(t->dtype);
    for (int64_t i = 0; i < n && i < period; i++)
        oracle_set(t->dtype, t->b.buffers[o], i,
                   oracle_value(t->dtype, 100 + (uint64_t)(i * 7919 % period + 31 * o)));
    for (int64_t i = period; i < n; i += period)
        memcpy((char *)t->b.buffers[o] + (size_t)i * size, t->b.buffers[o],
               (size_t)(n - i < period ? n - i : period) * size);
}

static inline int load_box(struct rows *t, int64_t step, int64_t gap, bool back)
{
    const int v = build_load(&t->b, t->dtype, NULL, NULL, 0);
    set_box(t, step, gap, back);
    return v;
}

static inline void store_box(struct rows *t, int value, int64_t step, int64_t gap, bool back)
{
    build_store(&t->b, value, t->dtype, NULL, NULL, 0);
    set_box(t, step, gap, back);
}

/* A store to the elements of load v. */
static inline void store_over(struct rows *t, int value, int v)
{
    const int from = t->b.program.instrs[v].a, o = t->b.program.n_operands;
    build_store(&t->b, value, t->dtype, t->b.buffers[from], t->b.access[from].stride,
                t->b.access[from].offset);
    t->b.buffer[o] = t->b.buffer[from];
    t->bytes[o] = 0;
}

static inline int op_of(struct rows *t, enum heddle_op op, int x, int y)
{
    return build_op(&t->b, op, t->dtype, x, y);
}

#endif
