/* Reductions of many short rows whose order changes no bit, which GPUs give a thread each (codelets/rows_form.c): extremes, their places, sums, any and all
 * of small whole numbers, places of float32 with NaN among them, and work on rows that reads such a reduction; rows of odd lengths, the last ones of a
 * warp, rows that begin at any byte. All elements, against loops. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "each_way.h"
#include "random_words.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = (1 << 17) + 77, MOST = 65 };

static unsigned char data[(size_t)ROWS * MOST * 4 + 16];
static double number[(size_t)ROWS * MOST];
static double got[ROWS], all[(size_t)ROWS * MOST];

/* Writes element i as the dtype has it; a few different ones, so that extremes are met more than once. */
static void put(enum heddle_dtype dtype, size_t i)
{
    const int64_t word = word_below(dtype == HEDDLE_BOOL ? 2 : 11);
    const bool is_nan = dtype == HEDDLE_FLOAT32 && word_below(40) == 0;
    const double x =
        is_nan ? NAN : (double)(word - (dtype == HEDDLE_UINT8 || dtype == HEDDLE_BOOL ? 0 : 5));
    number[i] = x;
    switch (dtype) {
    case HEDDLE_INT16: {
        const int16_t y = (int16_t)x;
        memcpy(data + 2 * i, &y, sizeof y);
        break;
    }
    case HEDDLE_INT32: {
        const int32_t y = (int32_t)x;
        memcpy(data + 4 * i, &y, sizeof y);
        break;
    }
    case HEDDLE_FLOAT32: {
        const float y = (float)x;
        memcpy(data + 4 * i, &y, sizeof y);
        break;
    }
    default: data[i] = (unsigned char)(int)x; break;
    }
}

enum what { MOST_OF, LEAST_OF, PLACE_OF_MOST, PLACE_OF_LEAST, SUM, ANY, ALL, NONE };
static const char *const names[] = {"max", "min", "argmax", "argmin", "sum", "any", "all"};

CHECK_ORACLE static double wanted(enum what what, const double *x, int64_t n)
{
    if (what >= SUM) {
        double sum = 0;
        int64_t n_true = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += x[i];
            n_true += x[i] != 0;
        }
        return what == SUM ? sum : what == ANY ? n_true > 0 : n_true == n;
    }
    const bool least = what == LEAST_OF || what == PLACE_OF_LEAST;
    double best = x[0];
    int64_t at = 0;
    for (int64_t i = 1; i < n && !isnan(best); i++) {
        if (!(isnan(x[i]) || (least ? x[i] < best : x[i] > best))) continue;
        best = x[i];
        at = i;
    }
    return what >= PLACE_OF_MOST ? (double)at : best;
}

static void check_row_values(enum heddle_dtype dtype, int64_t n, int64_t skipped)
{
    static const enum what whole[] = {MOST_OF, LEAST_OF, PLACE_OF_MOST, PLACE_OF_LEAST, SUM, NONE};
    static const enum what places[] = {PLACE_OF_MOST, PLACE_OF_LEAST, NONE};
    static const enum what truths[] = {ANY, ALL, MOST_OF, NONE};
    const enum what *what = dtype == HEDDLE_FLOAT32 ? places
                            : dtype == HEDDLE_BOOL  ? truths
                                                    : whole;
    const int64_t length = ROWS * n;
    for (int64_t i = 0; i < length + skipped; i++) put(dtype, (size_t)i);
    const double *const x = number + skipped;
    heddle_scope scope = heddle_scope_open();
    heddle_array *flat = heddle_asarray(data, dtype, HEDDLE_SHAPE(length + skipped));
    flat = heddle_getitem(flat, HEDDLE_INDEX(HEDDLE_FROM(skipped)));
    const int64_t shape[] = {ROWS, n};
    heddle_array *rows = heddle_reshape(flat, 2, shape);
    for (; *what != NONE; what++) {
        char text[80];
        snprintf(text, sizeof text, "astype(%s(x, axis=1), float64)", names[*what]);
        memset(got, 0, sizeof got);
        heddle_array *r = heddle_expr(text, HEDDLE_BIND_ALL({"x", rows}));
        CHECK(heddle_read(r, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(r));
        int64_t wrong = 0;
        for (int64_t i = 0; i < ROWS; i++) wrong += !(got[i] == wanted(*what, x + i * n, n));
        CHECK(wrong == 0, "%s of rows of %lld %s, %lld skipped: %lld wrong", names[*what],
              (long long)n, heddle_dtype_name(dtype), (long long)skipped, (long long)wrong);
    }
    if (dtype == HEDDLE_INT16) { /* reads its row again */
        heddle_array *r = heddle_expr("astype(max(x, axis=1)[:, None] - x, float64)",
                                      HEDDLE_BIND_ALL({"x", rows}));
        CHECK(heddle_read(r, all, length * (int64_t)sizeof *all) == HEDDLE_OK, "%s",
              heddle_error(r));
        int64_t wrong = 0;
        for (int64_t row = 0; row < ROWS; row++) {
            const double most = wanted(MOST_OF, x + row * n, n);
            for (int64_t i = row * n; i < (row + 1) * n; i++) wrong += !(all[i] == most - x[i]);
        }
        CHECK(wrong == 0, "work on rows of %lld: %lld wrong", (long long)n, (long long)wrong);
    }
    heddle_scope_close(scope);
}

static void test(void)
{
    static const int64_t lengths[] = {17, 20, 24, 37, 40, 41, 63, 64, 65};
    static const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_INT32,
                                               HEDDLE_FLOAT32, HEDDLE_BOOL};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_row_values(dtypes[i % 5], lengths[i], (int64_t)(i / 2 % 2));
    check_row_values(HEDDLE_UINT8, 37, 0);
    check_row_values(HEDDLE_INT16, 32, 3);
    check_row_values(HEDDLE_FLOAT32, 20, 0);
    check_row_values(HEDDLE_BOOL, 24, 5);
}

int main(void)
{
    return check_each_way(test);
}
