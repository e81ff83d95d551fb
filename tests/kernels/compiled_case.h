/* A program whose results, once a C compiler has made loops of it, are compared with those of the interpreter. */
#ifndef HEDDLE_TESTS_COMPILED_CASE_H
#define HEDDLE_TESTS_COMPILED_CASE_H

#include "check.h"
#include "oracle.h"
#include "random_program.h"

#include <stdlib.h>

enum { MOST = 1100, CHUNK = 14 };

static _Alignas(64) char x_data[MOST * 16], y_data[MOST * 16];

/* Its results, and where what they should be is kept. */
struct case_ {
    struct build b;
    char *out[CHUNK], *want[CHUNK];
    enum heddle_dtype dtype[CHUNK];
    int n;
};

static void add_result(struct case_ *c, int value, enum heddle_dtype dtype)
{
    c->dtype[c->n] = dtype;
    c->out[c->n] = calloc(MOST, 16);
    c->want[c->n] = calloc(MOST, 16);
    if (!c->out[c->n] || !c->want[c->n]) exit(1);
    build_store(&c->b, value, dtype, c->out[c->n++], NULL, 0);
}

static void drop_case(struct case_ *c)
{
    for (int k = 0; k < c->n; k++) {
        free(c->out[k]);
        free(c->want[k]);
    }
}

static void swap(char *a, char *b)
{
    char other[MOST * 16];
    memcpy(other, a, sizeof other);
    memcpy(a, b, sizeof other);
    memcpy(b, other, sizeof other);
}

static void test_case(struct case_ *c, uint64_t hash, const char *name)
{
    for (int k = 0; k < c->n; k++) memcpy(c->want[k], c->out[k], (size_t)MOST * 16);
    CHECK_EQ(build_run(&c->b, 1), HEDDLE_OK); /* has no hash: it is interpreted */
    for (int k = 0; k < c->n; k++) swap(c->want[k], c->out[k]);
    c->b.program.hash = hash;
    CHECK_EQ(build_run(&c->b, 1), HEDDLE_OK);
    for (int k = 0; k < c->n; k++) {
        const size_t bytes = MOST * heddle_dtype_size(c->dtype[k]);
        int64_t i = memcmp(c->out[k], c->want[k], bytes) ? 0 : MOST;
        while (i < MOST && oracle_same(c->dtype[k], c->out[k], i, c->want[k], i)) i++;
        CHECK(i == MOST, "%s, result %d of %d (%s): element %lld of %lld", name, k, c->n,
              heddle_dtype_name(c->dtype[k]), (long long)i,
              (long long)c->b.launch.geometry.extent[0]);
    }
    drop_case(c);
}

#endif
