/* Typed reads: values at the borders of each dtype arrive exactly or not at all, against long double, which holds
 * all of them; heddle_read_as gives what astype gives. */
#include "graph/node.h"

#include "check.h"

#include <heddle.h>
#include <float.h>
#include <stdlib.h>

/* ---- Borders ---------------------------------------------------------------------------------------- */

static void check_item(enum heddle_dtype dtype, const void *value, long double x)
{
    const char *const name = heddle_dtype_name(dtype);
    static const int64_t ones[3] = {1, 1, 1};
    static int n_axes;
    heddle_array *a = heddle_asarray(value, dtype, n_axes++ % 4, ones);
    const bool is_integer = x == truncl(x) && !isinf(x);

    double d = -7;
    const bool fits_double = isnan(x) || (long double)(double)x == x;
    const enum heddle_status as_double = heddle_item_double(a, &d);
    CHECK_EQ(as_double, fits_double ? HEDDLE_OK : HEDDLE_ERANGE);
    CHECK_NUM(d, fits_double ? (double)x : -7);

    int64_t i = -7;
    const bool fits_int = is_integer && x >= -0x1p63L && x < 0x1p63L;
    CHECK_EQ(heddle_item_int(a, &i), fits_int ? HEDDLE_OK : HEDDLE_ERANGE);
    CHECK(i == (fits_int ? (int64_t)x : -7), "%s %Lg is %lld", name, x, (long long)i);

    bool b = x != 1;
    const bool fits_bool = x == 0 || x == 1;
    CHECK_EQ(heddle_item_bool(a, &b), fits_bool ? HEDDLE_OK : HEDDLE_ERANGE);
    CHECK(b == (fits_bool ? x == 1 : x != 1), "%s %Lg is %d", name, x, b);

    double real = -7, imag = -7;
    CHECK_EQ(heddle_item_complex(a, &real, &imag), as_double);
    CHECK_NUM(real, d);
    CHECK_NUM(imag, fits_double ? 0 : -7);
    heddle_release(a);
}

#define CHECK_ITEMS(ID, ctype, ...)                                                                \
    do {                                                                                           \
        const ctype values[] = {__VA_ARGS__};                                                      \
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)                                \
            check_item(HEDDLE_##ID, &values[k], (long double)values[k]);                           \
    } while (0)

static void borders(void)
{
    const int64_t wide = (int64_t)1 << 53;
    CHECK_ITEMS(BOOL, bool, false, true);
    CHECK_ITEMS(INT8, int8_t, 0, 1, 2, -1, INT8_MIN, INT8_MAX);
    CHECK_ITEMS(INT16, int16_t, 0, 1, 2, -1, INT16_MIN, INT16_MAX);
    CHECK_ITEMS(INT32, int32_t, 0, 1, 2, -1, INT32_MIN, INT32_MAX);
    CHECK_ITEMS(INT64, int64_t, 0, 1, 2, -1, wide, wide + 1, -wide - 1, wide + 2, INT64_MIN,
                INT64_MIN + 1, INT64_MAX, INT64_MAX - 511, INT64_MAX - 1023);
    CHECK_ITEMS(UINT8, uint8_t, 0, 1, 2, UINT8_MAX);
    CHECK_ITEMS(UINT16, uint16_t, 0, 1, 2, UINT16_MAX);
    CHECK_ITEMS(UINT32, uint32_t, 0, 1, 2, UINT32_MAX);
    CHECK_ITEMS(UINT64, uint64_t, 0, 1, 2, (uint64_t)wide + 1, INT64_MAX, (uint64_t)INT64_MAX + 1,
                UINT64_MAX, UINT64_MAX - 2047);
    CHECK_ITEMS(FLOAT32, float, 0, -0.0f, 1, 2, -1, 0.5f, FLT_MAX, -FLT_MAX, FLT_MIN, 0x1p-149f,
                0x1p63f, -0x1p63f, 0x1.fffffep62f, 0x1p64f, INFINITY, -INFINITY, NAN);
    CHECK_ITEMS(FLOAT64, double, 0, -0.0, 1, 2, -1, 1.5, DBL_MAX, -DBL_MAX, DBL_MIN, 0x1p-1074,
                0x1p63, -0x1p63, 0x1.fffffffffffffp62, -0x1.0000000000001p63, 0x1p64, INFINITY,
                -INFINITY, NAN);
}

static void complex_numbers(void)
{
    const float single[2] = {1.5f, -2};
    const double pair[2] = {3, 0};
    double real = 0, imag = 0;
    int64_t i;
    bool b;
    heddle_array *a = heddle_asarray(single, HEDDLE_COMPLEX64, HEDDLE_SHAPE(1));
    heddle_array *c = heddle_asarray(pair, HEDDLE_COMPLEX128, HEDDLE_NO_SHAPE);
    CHECK_EQ(heddle_item_complex(a, &real, &imag), HEDDLE_OK);
    CHECK(real == 1.5 && imag == -2);
    CHECK_EQ(heddle_item_complex(c, &real, &imag), HEDDLE_OK);
    CHECK(real == 3 && imag == 0);
    CHECK_EQ(heddle_item_double(c, &real), HEDDLE_EDTYPE); /* by dtype, not by value */
    CHECK_STR(heddle_last_error(), "heddle_item_double: the array is complex128");
    CHECK_EQ(heddle_item_int(a, &i), HEDDLE_EDTYPE);
    CHECK_EQ(heddle_item_bool(a, &b), HEDDLE_EDTYPE);
    heddle_release(a);
    heddle_release(c);
}

/* ---- Messages ---------------------------------------------------------------------------------------- */

static void messages(void)
{
    const uint64_t large = UINT64_MAX;
    int64_t i;
    double d = 5;
    bool b;
    heddle_scope scope = heddle_scope_open();
    heddle_array *two = heddle_zeros(HEDDLE_SHAPE(2, 1)), *none = heddle_zeros(HEDDLE_SHAPE(0));
    heddle_array *a = heddle_asarray(&large, HEDDLE_UINT64, HEDDLE_SHAPE(1));
    heddle_array *bad = heddle_add(heddle_zeros(HEDDLE_SHAPE(2)), heddle_ones(HEDDLE_SHAPE(3)));
    CHECK_EQ(heddle_item_int(two, &i), HEDDLE_ESHAPE);
    CHECK_STR(heddle_last_error(), "heddle_item_int: shape (2, 1) has 2 elements, not one");
    CHECK_EQ(heddle_item_bool(none, &b), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_item_int(a, &i), HEDDLE_ERANGE);
    CHECK_STR(heddle_last_error(), "heddle_item_int: uint64 18446744073709551615 is no int64");
    CHECK_EQ(heddle_item_bool(heddle_scalar(0.1), &b), HEDDLE_ERANGE);
    CHECK_STR(heddle_last_error(), "heddle_item_bool: float64 0.10000000000000001 is no bool");
    CHECK_EQ(heddle_item_double(heddle_scalar(((int64_t)1 << 53) + 1), &d), HEDDLE_ERANGE);
    CHECK_STR(heddle_last_error(), "heddle_item_double: int64 9007199254740993 is no double");
    CHECK_EQ(heddle_item_double(NULL, &d), HEDDLE_EARG);
    CHECK_EQ(heddle_item_double(a, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_item_complex(a, &d, NULL), HEDDLE_EARG);
    CHECK_STR(heddle_last_error(), "heddle_item_complex: out is NULL");
    CHECK_EQ(heddle_item_double(bad, &d), HEDDLE_ESHAPE);
    CHECK_STR(heddle_last_error(), heddle_error(bad));
    CHECK_EQ(heddle_read_as(bad, HEDDLE_INT8, &d, 1), HEDDLE_ESHAPE);
    CHECK_STR(heddle_last_error(), heddle_error(bad));
    CHECK_EQ(heddle_read(two, &d, 8), HEDDLE_EARG);
    CHECK_STR(heddle_last_error(),
              "heddle_read: size_bytes is 8, but float64 of shape (2, 1) has 16 bytes");
    CHECK_EQ(heddle_read_as(two, HEDDLE_INT8, &d, 8), HEDDLE_EARG);
    CHECK_STR(heddle_last_error(),
              "heddle_read_as: size_bytes is 8, but int8 of shape (2, 1) has 2 bytes");
    CHECK_EQ(heddle_read_as(two, HEDDLE_INT8, NULL, 2), HEDDLE_EARG);
    CHECK_EQ(heddle_read_as(two, HEDDLE_DTYPE_NONE, &d, 0), HEDDLE_EDTYPE);
    CHECK_EQ(heddle_read_as(NULL, HEDDLE_INT8, &d, 1), HEDDLE_EARG);
    CHECK_EQ(heddle_read_as(none, HEDDLE_INT8, NULL, 0), HEDDLE_OK);
    CHECK(d == 5);
    heddle_scope_close(scope);
}

/* ---- Conversion -------------------------------------------------------------------------------------- */

/* From each dtype to each: the bytes of astype; the array itself stays an expression. */
static void conversions(void)
{
    static const double values[6] = {0, 1, -3, 100.75, 2, 7};
    heddle_array *numbers = heddle_asarray(values, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    for (int from = 1; from < HEDDLE_N_DTYPES; from++)
        for (int to = 1; to < HEDDLE_N_DTYPES; to++) {
            heddle_scope scope = heddle_scope_open();
            heddle_array *a = heddle_astype(heddle_abs(numbers), (enum heddle_dtype)from);
            char got[96] = {0}, want[96] = {0};
            const int64_t n = 6 * (int64_t)heddle_dtype_size((enum heddle_dtype)to);
            const bool drops =
                from >= HEDDLE_COMPLEX64 && to < HEDDLE_COMPLEX64 && to != HEDDLE_BOOL;
            const enum heddle_status expected = drops ? HEDDLE_EDTYPE : HEDDLE_OK;
            CHECK_EQ(heddle_read_as(a, (enum heddle_dtype)to, got, n), expected);
            CHECK_EQ(heddle_is_evaluated(a), from == to);
            CHECK_EQ(heddle_read(heddle_astype(a, (enum heddle_dtype)to), want, n), expected);
            CHECK(!memcmp(got, want, sizeof got), "%s to %s",
                  heddle_dtype_name((enum heddle_dtype)from),
                  heddle_dtype_name((enum heddle_dtype)to));
            heddle_scope_close(scope);
        }
    heddle_release(numbers);
}

int main(void)
{
    borders();
    complex_numbers();
    messages();
    conversions();
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
