/* Elements by masks: all dtypes, all counts, ends of chunks, bytes that are neither 0 nor 1, masks that need evaluating
 * and those in error, on every way to run a plan. */
#include "check_heddle.h"
#include "families/ways.h"

#include <stdlib.h>

enum { N = 50021 }; /* some chunks, and a bit */

static unsigned char data[N * 16], got[N * 16];
static uint8_t mask[N];

/* Elements are moved as they are. */
static void test_dtype(enum heddle_dtype dtype, int every)
{
    const int64_t size = (int64_t)heddle_dtype_size(dtype);
    int64_t n = 0, wrong = 0;
    for (int i = 0; i < N; i++) n += mask[i] = every ? i * 7919 % every == 0 : 0;
    heddle_scope scope = heddle_scope_open();
    heddle_array *m = heddle_asarray(mask, HEDDLE_BOOL, HEDDLE_SHAPE(N)),
                 *r = heddle_getitem(heddle_asarray(data, dtype, HEDDLE_SHAPE(N)),
                                     HEDDLE_INDEX(HEDDLE_BY(m)));
    CHECK_EQ(heddle_dtype_of(r), dtype);
    CHECK_EQ(heddle_size(r), n);
    CHECK_EQ(heddle_read(r, got, n * size), HEDDLE_OK);
    for (int64_t i = 0, at = 0; i < N; i++)
        if (mask[i]) wrong += memcmp(got + at++ * size, data + i * size, (size_t)size) != 0;
    CHECK(wrong == 0, "%lld elements of %s", (long long)wrong, heddle_dtype_name(dtype));
    heddle_scope_close(scope);
}

/* A mask of zeros and others as bytes, borrowed: all that are not zero are true. */
static void test_bytes(void)
{
    static int64_t at[N];
    int64_t n = 0;
    for (int i = 0; i < N; i++) n += (mask[i] = (uint8_t)(i % 5 ? i % 251 : 0)) != 0;
    heddle_scope scope = heddle_scope_open();
    heddle_array *m = heddle_asarray(mask, HEDDLE_UINT8, HEDDLE_SHAPE(N)),
                 *r = heddle_flatnonzero(m);
    CHECK_EQ(heddle_size(r), n);
    CHECK_EQ(heddle_read(r, at, n * 8), HEDDLE_OK);
    for (int64_t i = 0, k = 0; i < N; i++)
        if (mask[i]) CHECK_EQ(at[k++], i);
    heddle_scope_close(scope);
}

/* Positions along each of several axes, of a mask that is an expression. */
static void test_axes(void)
{
    int64_t at[3];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_reshape(heddle_arange(heddle_scalar(3 * 70 * 5), NULL, NULL),
                                     HEDDLE_SHAPE(3, 70, 5));
    heddle_array *out[3],
        *m = heddle_equal(heddle_remainder(a, heddle_scalar(500)), heddle_scalar(7));
    CHECK_EQ(heddle_nonzero(m, 3, out), HEDDLE_OK);
    const int64_t want[3][3] = {{0, 1, 2}, {1, 31, 61}, {2, 2, 2}};
    for (int d = 0; d < 3; d++) {
        CHECK_EQ(heddle_size(out[d]), 3);
        CHECK_EQ(heddle_read(out[d], at, sizeof at), HEDDLE_OK);
        for (int i = 0; i < 3; i++) CHECK_EQ(at[i], want[d][i]);
    }
    heddle_scope_close(scope);
}

/* The error of a mask shows at the call; other arrays stay as they are. */
static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_arange(heddle_scalar(5), NULL, NULL), *out[2] = {a, a};
    heddle_array *bad = heddle_take(a, heddle_full(HEDDLE_SHAPE(5), heddle_scalar(9)));
    heddle_array *r = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(heddle_greater(bad, a))));
    CHECK_EQ(heddle_status_of(r), HEDDLE_EINDEX);
    CHECK_HAS(heddle_error(r), "heddle_getitem: the mask: ");
    CHECK_HAS(heddle_error(r), "index 9 is out of range for an axis of 5");
    CHECK_EQ(heddle_nonzero(heddle_take(a, heddle_full(HEDDLE_SHAPE(5), heddle_scalar(9))), 1, out),
             HEDDLE_EINDEX);
    CHECK_EQ(heddle_nonzero(a, 2, out), HEDDLE_EARG);
    CHECK_EQ(heddle_nonzero(a, 1, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_nonzero(heddle_scalar(1), 0, out), HEDDLE_ESHAPE);
    CHECK(out[0] == a && out[1] == a, "untouched");
    CHECK_EQ(heddle_status_of(heddle_argwhere(heddle_scalar(1))), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_status_of(heddle_flatnonzero(NULL)), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(NULL)))), HEDDLE_EARG);
    /* a condition that is too long, with something beyond the array, and without */
    const bool longer[7] = {false, true, false, false, false, false, true};
    heddle_array *c = heddle_asarray(longer, HEDDLE_BOOL, HEDDLE_SHAPE(7));
    CHECK_EQ(heddle_wait(heddle_compress(c, a)), HEDDLE_EINDEX);
    int64_t one = 0;
    c = heddle_getitem(c, HEDDLE_INDEX(HEDDLE_TO(6)));
    CHECK_EQ(heddle_read(heddle_extract(c, a), &one, sizeof one), HEDDLE_OK);
    CHECK_EQ(one, 1);
    heddle_scope_close(scope);
}

int main(void)
{
    for (int i = 0; i < N * 16; i++) data[i] = (unsigned char)(i * 7 + i / 256);
    for (int w = 0; w < N_WAYS; w++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(heddle_configure(&ways[w]), HEDDLE_OK);
        for (int dtype = HEDDLE_INT8; dtype <= HEDDLE_COMPLEX128; dtype++)
            for (int every = 0; every < 101; every += every < 3 ? 1 : 97)
                test_dtype((enum heddle_dtype)dtype, every);
        test_bytes();
        test_axes();
        test_errors();
    }
    check_nothing_left();
    return check_done();
}
