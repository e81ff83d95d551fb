/* Dtypes: the whole promotion table against NumPy's, names, kinds, scalar conversion. */
#include "base/dtype.h"

#include "check.h"

enum { N = 14 };

/* b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16 f2, as np.result_type gives them. */
static const char *const numpy[N][N] = {
    {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "f2"},
    {"i1", "i1", "i2", "i4", "i8", "i2", "i4", "i8", "f8", "f4", "f8", "c8", "c16", "f2"},
    {"i2", "i2", "i2", "i4", "i8", "i2", "i4", "i8", "f8", "f4", "f8", "c8", "c16", "f4"},
    {"i4", "i4", "i4", "i4", "i8", "i4", "i4", "i8", "f8", "f8", "f8", "c16", "c16", "f8"},
    {"i8", "i8", "i8", "i8", "i8", "i8", "i8", "i8", "f8", "f8", "f8", "c16", "c16", "f8"},
    {"u1", "i2", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "f2"},
    {"u2", "i4", "i4", "i4", "i8", "u2", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "f4"},
    {"u4", "i8", "i8", "i8", "i8", "u4", "u4", "u4", "u8", "f8", "f8", "c16", "c16", "f8"},
    {"u8", "f8", "f8", "f8", "f8", "u8", "u8", "u8", "u8", "f8", "f8", "c16", "c16", "f8"},
    {"f4", "f4", "f4", "f8", "f8", "f4", "f4", "f8", "f8", "f4", "f8", "c8", "c16", "f4"},
    {"f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "c16", "c16", "f8"},
    {"c8", "c8", "c8", "c16", "c16", "c8", "c8", "c16", "c16", "c8", "c16", "c8", "c16", "c8"},
    {"c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "c16",
     "c16"},
    {"f2", "f2", "f4", "f8", "f8", "f2", "f4", "f8", "f8", "f4", "f8", "c8", "c16", "f2"},
};

static void promotion(void)
{
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            const enum heddle_dtype from = (enum heddle_dtype)(a + 1),
                                    to = (enum heddle_dtype)(b + 1);
            const enum heddle_dtype common = heddle_result_type(from, to);
            CHECK(!strcmp(heddle__dtype_npy(common), numpy[a][b]), "%s with %s: %s, not %s",
                  heddle_dtype_name(from), heddle_dtype_name(to), heddle__dtype_npy(common),
                  numpy[a][b]);
            CHECK_EQ(heddle_can_cast(from, to), common == to);
        }
    CHECK_EQ(heddle_result_type(HEDDLE_FLOAT16, HEDDLE_BFLOAT16), HEDDLE_FLOAT32);
    CHECK_EQ(heddle_result_type(HEDDLE_UINT8, HEDDLE_BFLOAT16), HEDDLE_BFLOAT16);
    CHECK_EQ(heddle_result_type(HEDDLE_BFLOAT16, HEDDLE_UINT16), HEDDLE_FLOAT32);
    CHECK_EQ(heddle_result_type(HEDDLE_BFLOAT16, HEDDLE_COMPLEX64), HEDDLE_COMPLEX64);
    CHECK_EQ(heddle_result_type(HEDDLE_DTYPE_NONE, HEDDLE_INT8), HEDDLE_DTYPE_NONE);
    CHECK_EQ(heddle_result_type(HEDDLE_INT8, (enum heddle_dtype)99), HEDDLE_DTYPE_NONE);
}

static void names(void)
{
    for (int d = 1; d < HEDDLE_N_DTYPES; d++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)d;
        CHECK_EQ(heddle_dtype_from_name(heddle_dtype_name(dtype)), dtype);
        const bool in_files = dtype != HEDDLE_BFLOAT16;
        CHECK_EQ(heddle__dtype_from_npy(heddle__dtype_npy(dtype)),
                 in_files ? dtype : HEDDLE_DTYPE_NONE);
    }
    CHECK_STR(heddle_dtype_name(HEDDLE_DTYPE_NONE), "none");
    CHECK_STR(heddle_dtype_name((enum heddle_dtype)99), "?");
    CHECK_EQ(heddle_dtype_from_name("float128"), HEDDLE_DTYPE_NONE);
    CHECK_EQ(heddle_dtype_from_name(NULL), HEDDLE_DTYPE_NONE);
    CHECK_EQ(heddle_dtype_size((enum heddle_dtype)(-1)), 0);
    CHECK_EQ(heddle_dtype_size(HEDDLE_COMPLEX128), 16);
    CHECK_EQ(heddle_dtype_kind(HEDDLE_UINT8), 'U');
    CHECK_EQ(heddle_dtype_kind(HEDDLE_DTYPE_NONE), 0);
}

static void conversion(void)
{
    const union heddle_scalar minus = {.i64 = -1}, big = {.f64 = 1e300}, nan = {.f64 = NAN},
                              half = {.f64 = -0.5}, c = {.c128 = {1.5, 2}};
    CHECK_EQ(heddle__convert(minus, HEDDLE_INT64, HEDDLE_UINT64).u64 == UINT64_MAX, 1);
    CHECK_EQ(heddle__convert(minus, HEDDLE_INT64, HEDDLE_UINT8).u8, 255);
    CHECK_EQ(heddle__convert(big, HEDDLE_FLOAT64, HEDDLE_INT64).i64, INT64_MAX);
    CHECK_EQ(heddle__convert(half, HEDDLE_FLOAT64, HEDDLE_INT32).i32, 0);
    CHECK_EQ(heddle__convert(half, HEDDLE_FLOAT64, HEDDLE_BOOL).b, 1);
    CHECK_EQ(heddle__convert(nan, HEDDLE_FLOAT64, HEDDLE_BOOL).b, 1);
    CHECK_NUM(heddle__convert(c, HEDDLE_COMPLEX128, HEDDLE_FLOAT32).f32, 1.5);
    CHECK_NUM(heddle__convert(c, HEDDLE_COMPLEX128, HEDDLE_COMPLEX64).c64[1], 2);
    CHECK_NUM(heddle__convert(minus, HEDDLE_INT64, HEDDLE_COMPLEX128).c128[0], -1);
}

int main(void)
{
    promotion();
    names();
    conversion();
    return check_done();
}
