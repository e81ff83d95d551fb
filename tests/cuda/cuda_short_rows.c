/* Maps whose innermost axis is short: whole vectors of a row where extents, strides and places allow it, single elements elsewhere,
 * against plain loops. Entry point: test_short_rows. */
#include "check.h"
#include "cuda/layout.h"
#include "cuda/passes.h"
#include "cuda/walks.h"

#include <stdlib.h>

/* Element i of operand k: sums of a few are exact in each dtype. */
static int number(int k, int64_t i)
{
    return (int)((i * 37 + 11 * k) % 23);
}

static void put(enum heddle_dtype d, void *data, int64_t i, int x)
{
    const size_t size = heddle_dtype_size(d);
    const union heddle_scalar from = {.i64 = x}, to = heddle__convert(from, HEDDLE_INT64, d);
    memcpy((char *)data + (size_t)i * size, &to, size);
}

/* x + y + the index along the last axis, where x and y are walked so, to where `out` is. */
struct short_rows {
    int64_t extent[3];
    const char *x, *y, *out;
    int vector; /* of elements of 4 bytes; 0: not looked at */
};

static void test_case(const struct short_rows *c, enum heddle_dtype d)
{
    const struct walk of[3] = {walk_of(c->x, c->extent), walk_of(c->y, c->extent),
                               walk_of(c->out, c->extent)};
    const size_t size = heddle_dtype_size(d);
    void *host[3], *want = malloc((size_t)of[2].n * size);
    size_t bytes[3];
    struct build b;
    build_begin(&b, 3, 3, c->extent);
    int v[2];
    for (int k = 0; k < 2; k++) v[k] = build_load(&b, d, NULL, of[k].stride, of[k].offset);
    const int index = build_cast(&b, HEDDLE_INT64, d, build_index(&b, 2));
    const int sum = build_op(&b, HEDDLE_OP_ADD, d, v[0], v[1]);
    build_store(&b, build_op(&b, HEDDLE_OP_ADD, d, sum, index), d, NULL, of[2].stride,
                of[2].offset);
    build_seal(&b, 0);
    for (int k = 0; k < 3; k++) {
        bytes[k] = (size_t)of[k].n * size;
        host[k] = malloc(bytes[k]);
        if (!host[k] || !want) exit(1);
        for (int64_t i = 0; i < of[k].n; i++) put(d, host[k], i, k < 2 ? number(k, i) : 99);
    }
    memcpy(want, host[2], bytes[2]);
    for (int64_t i = 0; i < c->extent[0]; i++)
        for (int64_t j = 0; j < c->extent[1]; j++)
            for (int64_t l = 0; l < c->extent[2]; l++) {
                int64_t at[3];
                for (int k = 0; k < 3; k++)
                    at[k] = of[k].offset + i * of[k].stride[0] + j * of[k].stride[1] +
                            l * of[k].stride[2];
                put(d, want, at[2], number(0, at[0]) + number(1, at[1]) + (int)l);
            }
    struct heddle_cuda_layout layout;
    heddle__cuda_layout(&b.launch, NULL, &layout);
    if (c->vector > 0 && size == 4)
        CHECK(layout.class.form == HEDDLE_FORM_FLAT && layout.class.vector == c->vector,
              "%s and %s of %lld have form %d and vectors of %d", c->x, c->y,
              (long long)c->extent[2], layout.class.form, layout.class.vector);
    if (pass_run(&b, host, bytes, 3, "short rows"))
        CHECK(memcmp(host[2], want, bytes[2]) == 0, "%s, %s and %s to %s of %lld, %s",
              heddle_dtype_name(d), c->x, c->y, c->out, (long long)c->extent[2], pass_names[pass]);
    for (int k = 0; k < 3; k++) free(host[k]);
    free(want);
}

void test_short_rows(void)
{
    static const struct short_rows cases[] = {
        {{40, 25, 8}, "01", "2", "012", 4}, /* a number for each row, and one for each column */
        {{40, 25, 8}, "2", "0", "012", 4},
        {{30, 7, 16}, "02", "12", "012", 4},
        {{30, 7, 12}, "01", "+012", "012", 0}, /* gaps of 3 */
        {{30, 7, 12}, "01", "02", "0+12", 0},
        {{9, 50, 10}, "01", "2", "012", 2},
        {{9, 50, 6}, "12", "02", "102", 2},
        {{9, 50, 6}, "12", "02", "0:12", 2},   /* every other row */
        {{9, 50, 20}, "@12", "0", "012", 1},   /* begins at an odd place */
        {{33, 3, 24}, "01", "0-12", "012", 4}, /* rows backwards */
        {{33, 3, 24}, "01", "01-2", "012", 1}, /* elements backwards */
        {{33, 3, 4}, "01", "02:", "012", 1},   /* every other element */
        {{200, 5, 3}, "01", "2", "012", 1},
        {{200, 5, 31}, "0", "12", "012", 1},
        {{1, 4000, 8}, "1", "2", "021", 0},
        {{1, 1, 8}, "2", "", "012", 0},
    };
    static const enum heddle_dtype dtypes[] = {HEDDLE_UINT8,   HEDDLE_INT16,   HEDDLE_INT32,
                                               HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_COMPLEX128};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) test_case(&cases[i], dtypes[t]);
}
