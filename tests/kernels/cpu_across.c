/* Operands that lie across: maps and reductions of permuted, flipped and stepped operands against the same of copies
 * that lie along, bit for bit, whatever panels and turned squares bring them; with one thread and two.
 * Arguments: share, from 0, and number of shares, of the dtypes. */
#include "build.h"
#include "check.h"
#include "test_team.h"

#include <base/memory.h>
#include <stdlib.h>

enum { MOST_ELEMENTS = 160000 };

static const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_FLOAT32,
                                           HEDDLE_FLOAT64, HEDDLE_COMPLEX128};

struct across {
    int ndim;
    int64_t extent[3];
    size_t size;
    char *along, *data; /* in the order of the axes; as it lies */
    int64_t stride[3], offset;
};

/* The numbers of a seed, which all operands of the dtype begin with. */
static const char *numbers_of(enum heddle_dtype dtype, uint32_t seed)
{
    enum { SEEDS = 4 };
    static char *made[HEDDLE_N_DTYPES][SEEDS];
    const size_t size = heddle_dtype_size(dtype), part = dtype == HEDDLE_COMPLEX128 ? 8 : size;
    char **const data = &made[dtype][seed];
    if (*data) return *data;
    *data = malloc(MOST_ELEMENTS * size);
    if (!*data) exit(1);
    for (size_t at = 0; at < MOST_ELEMENTS * size; at += part) {
        seed = seed * 1664525U + 1013904223U;
        const int32_t v = (int32_t)(seed >> 8) - (1 << 23);
        if (dtype == HEDDLE_FLOAT32)
            memcpy(*data + at, &(float){(float)v / 1000}, part);
        else if (part == 8)
            memcpy(*data + at, &(double){(double)v / 1000}, part);
        else
            memcpy(*data + at, &v, part);
    }
    return *data;
}

/* Elements to where they lie, `stride` of them apart. Of constant sizes: copies are most of the test's time. */
CHECK_ORACLE static void scatter(char *to, int64_t stride, const char *from, int64_t n, size_t size)
{
#define SCATTER(SIZE)                                                                              \
    for (int64_t i = 0; i < n && size == (SIZE); i++)                                              \
    memcpy(to + i * stride * (SIZE), from + i * (SIZE), SIZE)
    SCATTER(1);
    SCATTER(2);
    SCATTER(4);
    SCATTER(8);
    SCATTER(16);
#undef SCATTER
}

/* Fills an operand whose axes lie in the order `order`, the last one closest, by `step`, and with `gap` elements between
 * its rows. */
static void across_make(struct across *a, enum heddle_dtype dtype, int ndim, const int64_t *extent,
                        const int *order, int64_t step, int64_t gap, uint32_t seed)
{
    int64_t next = step < 0 ? -step : step, n = 1;
    a->ndim = ndim;
    a->size = heddle_dtype_size(dtype);
    a->offset = 3;
    for (int k = ndim - 1; k >= 0; k--) {
        const int d = order[k];
        a->extent[d] = extent[d];
        a->stride[d] = k == ndim - 1 && step < 0 ? -next : next;
        if (a->stride[d] < 0) a->offset += next * (extent[d] - 1);
        next = next * extent[d] + (k == ndim - 1 ? gap : 0);
        n *= extent[d];
    }
    a->along = malloc((size_t)n * a->size);
    a->data = malloc((size_t)(next + 8) * a->size);
    memset(a->data, 0xcd, (size_t)(next + 8) * a->size);
    memcpy(a->along, numbers_of(dtype, seed), (size_t)n * a->size);
    const int last = ndim - 1;
    int64_t at[3] = {0};
    for (int64_t i = 0; i < n; i += extent[last]) {
        int64_t place = a->offset;
        for (int d = 0; d < last; d++) place += at[d] * a->stride[d];
        scatter(a->data + place * (int64_t)a->size, a->stride[last], a->along + (size_t)i * a->size,
                extent[last], a->size);
        for (int d = last - 1; d >= 0 && ++at[d] == extent[d]; d--) at[d] = 0;
    }
}

static void across_free(struct across *a)
{
    free(a->along);
    free(a->data);
}

/* Operand k of the build reads a copy that lies along instead. */
static void read_along(struct build *b, int k, struct across *a)
{
    int64_t next = 1;
    b->buffers[k] = a->along;
    b->access[k].offset = 0;
    for (int d = a->ndim - 1; d >= 0; d--) {
        b->access[k].stride[d] = next;
        next *= a->extent[d];
    }
}

static const int orders[2][4][3] = {{{1, 0}, {1, 0}, {0, 1}, {1, 0}},
                                    {{2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}}};

/* x + y and y as it is, of operands in two orders; over the last `n_reduced` axes their sum and where the greatest is (`places`), or the product of y. */
static void test(enum heddle_dtype dtype, int ndim, const int64_t *extent, int order, int64_t step,
                 int n_reduced, bool sequential, bool places)
{
    static double out[2][2][2 * MOST_ELEMENTS + 8];
    struct across x, y;
    struct build b;
    across_make(&x, dtype, ndim, extent, orders[ndim - 2][order], step, 0, 1);
    across_make(&y, dtype, ndim, extent, orders[ndim - 2][(order + 1) % 4], step, 5, 2);
    build_begin(&b, ndim - n_reduced, ndim, extent);
    const int u = build_load(&b, dtype, x.data, x.stride, x.offset),
              v = build_load(&b, dtype, y.data, y.stride, y.offset);
    const int sum = build_op(&b, HEDDLE_OP_ADD, dtype, u, v);
    int value[2] = {sum, v};
    enum heddle_dtype result[2] = {dtype, dtype};
    int64_t stride[3] = {0}, next = 1;
    for (int d = ndim - n_reduced - 1; d >= 0; d--) {
        stride[d] = next;
        next *= extent[d];
    }
    if (n_reduced > 0) {
        b.program.sequential = sequential;
        value[0] = build_reduce(&b, HEDDLE_REDUCE_SUM, dtype, sum);
        value[1] = places ? build_reduce(&b, HEDDLE_REDUCE_ARGMAX, dtype, sum)
                          : build_reduce(&b, HEDDLE_REDUCE_PROD, dtype, v);
        heddle__reduce_chunks(&b.launch.geometry, sequential);
        for (int k = 0; k < 2; k++) value[k] = build_reduced(&b, value[k]);
        if (places) result[1] = HEDDLE_INT64;
    }
    for (int k = 0; k < 2; k++) build_store(&b, value[k], result[k], out[0][k], stride, 0);
    struct build along = b;
    along.launch.program = &along.program;
    along.launch.access = along.access;
    along.launch.buffer = along.buffer;
    along.launch.constants = along.constant_index;
    read_along(&along, 0, &x);
    read_along(&along, 1, &y);
    for (int k = 0; k < 2; k++) along.buffers[2 + k] = out[1][k];
    const size_t used = 16 * (size_t)next + 64; /* of an output, and what must stay */
    for (int k = 0; k < 2; k++) memset(out[1][k], 0xab, used);
    CHECK_EQ(build_run(&along, 1), HEDDLE_OK);
    static int n_tests; /* where addresses are checked, each other one has two threads */
    n_tests++;
    for (int n_threads = 1 + CHECK_SOME(0, n_tests % 2);
         n_threads <= CHECK_SOME(2, 1 + n_tests % 2); n_threads++) {
        for (int k = 0; k < 2; k++) memset(out[0][k], 0xab, used);
        CHECK_EQ(build_run(&b, n_threads), HEDDLE_OK);
        CHECK(!memcmp(out[0][0], out[1][0], used) && !memcmp(out[0][1], out[1][1], used),
              "%s, %lld x %lld x %lld, order %d, step %lld, %d reduced, sequential %d, %d threads",
              heddle_dtype_name(dtype), (long long)extent[0], (long long)extent[1],
              ndim > 2 ? (long long)extent[2] : 1, order, (long long)step, n_reduced, sequential,
              n_threads);
    }
    across_free(&x);
    across_free(&y);
}

/* What is read across is written there, too. */
static void test_in_place(int64_t n, int64_t m)
{
    const int64_t extent[2] = {n, m};
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        struct across x;
        struct build b;
        across_make(&x, HEDDLE_FLOAT64, 2, extent, orders[0][0], 1, 5, 3);
        build_begin(&b, 2, 2, extent);
        const int u = build_load(&b, HEDDLE_FLOAT64, x.data, x.stride, x.offset);
        build_store(&b, build_op(&b, HEDDLE_OP_ADD, HEDDLE_FLOAT64, u, u), HEDDLE_FLOAT64, x.data,
                    x.stride, x.offset);
        CHECK_EQ(build_run(&b, n_threads), HEDDLE_OK);
        int64_t wrong = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++)
                wrong += ((double *)(void *)x.data)[x.offset + i * x.stride[0] + j * x.stride[1]] !=
                         2 * ((double *)(void *)x.along)[i * m + j];
        CHECK_EQ(wrong, 0);
        across_free(&x);
    }
}

/* All shapes, over all counts of last axes, in both orders; `number`: which axes lie how. Where addresses are checked, of each of
 * these with two of the four steps. */
static void test_reduced(enum heddle_dtype dtype, int of_dtype, int64_t step, int number)
{
    static const int64_t flat[][3] = {{1, 70},    {70, 1},     {7, 300},   {33, 257},
                                      {300, 301}, {129, 1030}, {1030, 41}, {41, 1030},
                                      {2000, 3},  {3, 2000},   {700, 130}, {16, 9000},
                                      {9000, 16}, {1100, 137}, {1250, 64}, {9001, 17}};
    static const int64_t deep[][3] = {{5, 60, 70},   {40, 3, 300}, {17, 33, 65},  {2, 3, 700},
                                      {64, 48, 4},   {9, 1, 900},  {40, 30, 100}, {2100, 5, 13},
                                      {3, 150, 300}, {12, 7, 700}};
    for (int kind = 0; kind <= 4 * 3; kind++) {
        const int n_reduced = (kind + 3) / 4;
        const bool sequential = kind % 2 == 0, places = kind % 4 < 2 && dtype != HEDDLE_COMPLEX128;
        for (int k = 0; k < (int)(sizeof flat / sizeof *flat) && n_reduced <= 2; k++) {
            if (CHECK_SOME(false, (number / 2 + kind + k) % 2)) continue;
            test(dtype, 2, flat[k], (k + number) % 2, step, n_reduced, sequential, places);
        }
        for (int k = 0; k < (int)(sizeof deep / sizeof *deep); k++) {
            if (CHECK_SOME(false, (number / 2 + kind + k) % 2)) continue;
            test(dtype, 3, deep[k], (k + of_dtype + number) % 4, step, n_reduced, sequential,
                 places);
        }
    }
}

int main(int argc, char **argv)
{
    const size_t share = argc > 2 ? strtoull(argv[1], NULL, 10) : 0,
                 n_shares = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static const int64_t steps[] = {1, -1, 2, -3};
    for (size_t t = share; t < sizeof dtypes / sizeof *dtypes; t += n_shares)
        for (int s = 0; s < 4; s++) test_reduced(dtypes[t], (int)t, steps[s], s);
    test_in_place(300, 200);
    test_in_place(70, 1100);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
