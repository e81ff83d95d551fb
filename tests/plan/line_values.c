/* Reductions of rows of any length whose order changes no bit, which GPUs give some threads of a warp each (cuda/reductions/source_lines.c):
 * sums, counts, products and extremes of whole numbers, any and all; rows that begin at any place of a vector, several operands that begin
 * alike and otherwise, one that is the same for a row or for all, work with the element's index. All rows, against loops in 64 bits. Skipped (77)
 * where the devices that HEDDLE_DEVICES names are not there. */
#include "each_way.h"
#include "exact_values.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4099, MOST_BYTES = 2200, MOST = 2051 }; /* of a row: bytes, elements */

static unsigned char data[2][(size_t)ROWS * MOST_BYTES];
static int64_t number[2][(size_t)ROWS * MOST];
static int64_t scale[ROWS];
static double wanted[ROWS];

/* Element i of operand k, of few different values at the ends of the dtype's and near 0; 3, or true, is as rare as one of `rare`. */
static void put(enum heddle_dtype dtype, int k, size_t i, int64_t rare)
{
    const size_t size = heddle_dtype_size(dtype);
    const bool is_signed = heddle_dtype_kind(dtype) == 'I';
    const int64_t most = dtype == HEDDLE_BOOL ? 1
                         : size == 8          ? INT32_MAX /* sums are compared as float64 */
                                              : (INT64_C(1) << (8 * size - is_signed)) - 1;
    const int64_t least = is_signed ? -most - 1 : 0, word = word_below(12);
    const int64_t x = word_below(rare) == 0  ? (dtype == HEDDLE_BOOL ? 1 : 3)
                      : dtype == HEDDLE_BOOL ? 0
                      : word < 3             ? most - word
                      : word < 6             ? least + word - 3
                      : word < 9             ? word - 6
                                             : word - 5;
    number[k][i] = x;
    memcpy(data[k] + i * size, &x, size); /* little endian */
}

enum what {
    SUM,
    COUNT,
    MOST_OF,
    LEAST_OF,
    ANY,
    ALL,
    DIFFER,
    PRODUCTS,
    PLACES,
    SCALED,
    ODD,
    TRUE_ANY,
    TRUE_ALL
};
static const char *const texts[] = {
    /* of x, y: rows; s: one of each row, 0 to 2 */
    [SUM] = "sum(x, axis=1)",
    [COUNT] = "sum(x > 2, axis=1) / 4",
    [MOST_OF] = "max(x, axis=1)",
    [LEAST_OF] = "min(x, axis=1)",
    [ANY] = "any(x == 3, axis=1)",
    [ALL] = "all(x != 3, axis=1)",
    [DIFFER] = "sum(x != y, axis=1)",
    [PRODUCTS] = "sum(astype(x, int64) * y, axis=1)",
    [PLACES] = "sum(where(x > 2, arange(x.shape[1]), 0), axis=1)",
    [SCALED] = "sum(astype(x, int64) * s[:, None], axis=1)",
    [ODD] = "prod(astype(x, uint32) * 2 + 1, axis=1)",
    [TRUE_ANY] = "any(x, axis=1)",
    [TRUE_ALL] = "all(~x, axis=1)",
};

CHECK_ORACLE static double row(enum what what, const int64_t *x, const int64_t *y, int64_t s,
                               int64_t n)
{
    uint64_t sum = 0; /* wraps as int64 */
    int64_t most = x[0], least = x[0];
    uint64_t odd = 1;
    for (int64_t i = 0; i < n; i++) {
        switch (what) {
        case SUM: sum += (uint64_t)x[i]; break;
        case COUNT: sum += x[i] > 2; break;
        case ANY:
        case ALL: sum += x[i] == 3; break;
        case DIFFER: sum += x[i] != y[i]; break;
        case TRUE_ANY:
        case TRUE_ALL: sum += x[i] != 0; break;
        case PRODUCTS: sum += (uint64_t)x[i] * (uint64_t)y[i]; break;
        case PLACES: sum += x[i] > 2 ? (uint64_t)i : 0; break;
        case SCALED: sum += (uint64_t)(x[i] * s); break;
        case MOST_OF: most = x[i] > most ? x[i] : most; break;
        case LEAST_OF: least = x[i] < least ? x[i] : least; break;
        case ODD: odd *= (uint32_t)((uint32_t)x[i] * 2 + 1); break;
        }
    }
    switch (what) {
    case COUNT: return (double)sum / 4;
    case MOST_OF: return (double)most;
    case LEAST_OF: return (double)least;
    case ANY:
    case TRUE_ANY: return sum > 0;
    case ALL:
    case TRUE_ALL: return sum == 0;
    case ODD: return (double)odd;
    default: return (double)(int64_t)sum;
    }
}

/* Rows of n from column `from` on, of rows of `width`; those of y from `from_y` on. */
static void check_lines(enum heddle_dtype dtype, int64_t width, int64_t n, int64_t from,
                        int64_t from_y, const enum what *what, int n_what)
{
    const int64_t length = ROWS * width;
    const long long failed = atomic_load(&check_n_failed);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < length; i++) put(dtype, k, (size_t)i, width);
    heddle_scope scope = heddle_scope_open();
    heddle_array *s = heddle_asarray(scale, HEDDLE_INT64, HEDDLE_SHAPE(ROWS));
    heddle_array *xy[2];
    for (int k = 0; k < 2; k++) {
        const int64_t at = k ? from_y : from;
        xy[k] = heddle_asarray(data[k], dtype, HEDDLE_SHAPE(ROWS, width));
        xy[k] = heddle_getitem(xy[k], HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(at, at + n)));
    }
    for (int e = 0; e < n_what; e++) {
        const struct heddle_binding bindings[] = {{"x", xy[0]}, {"y", xy[1]}, {"s", s}};
        for (int64_t i = 0; i < ROWS; i++)
            wanted[i] = row(what[e], number[0] + i * width + from, number[1] + i * width + from_y,
                            scale[i], n);
        check_compiled(texts[what[e]], 3, bindings, wanted, ROWS);
    }
    CHECK_ROW(atomic_load(&check_n_failed) - failed, "%s, %lld of %lld from %lld, %lld",
              heddle_dtype_name(dtype), (long long)n, (long long)width, (long long)from,
              (long long)from_y);
    heddle_scope_close(scope);
}

static void test(void)
{
    static const enum what whole[] = {SUM,    COUNT,    MOST_OF, LEAST_OF, ANY, ALL,
                                      DIFFER, PRODUCTS, PLACES,  SCALED,   ODD},
                           truths[] = {SUM, TRUE_ANY, TRUE_ALL, DIFFER};
    for (int64_t i = 0; i < ROWS; i++) scale[i] = word_below(3);
#define CHECK_LINES(dtype, width, n, from, from_y)                                                 \
    check_lines(dtype, width, n, from, from_y, whole, (int)(sizeof whole / sizeof *whole))
    CHECK_LINES(HEDDLE_UINT8, 128, 128, 0, 0);
    CHECK_LINES(HEDDLE_UINT8, 1001, 1001, 0, 0); /* rows begin anywhere, both alike */
    CHECK_LINES(HEDDLE_INT8, 300, 290, 3, 7);    /* not alike */
    CHECK_LINES(HEDDLE_INT16, 203, 200, 3, 3);
    CHECK_LINES(HEDDLE_UINT16, 104, 97, 5, 5);
    CHECK_LINES(HEDDLE_INT32, 100, 99, 1, 1);
    CHECK_LINES(HEDDLE_UINT32, 66, 65, 0, 1);
    CHECK_LINES(HEDDLE_INT64, 67, 66, 1, 1);
    check_lines(HEDDLE_BOOL, 150, 131, 9, 9, truths, 4);
    check_lines(HEDDLE_UINT8, 2051, 2048, 2, 2, whole, 3); /* a block's, where chunks are few */
    check_lines(HEDDLE_INT16, 1100, 1100, 0, 0, whole + 6, 2);
}

int main(void)
{
    return check_each_way(test);
}
