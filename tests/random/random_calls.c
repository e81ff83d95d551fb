/* What the functions of random.h make of their arguments: shapes, dtypes, streams, errors; and the same from the
 * language. */
#include "check_heddle.h"

#define SCALAR(x) heddle_scalar_float(x)

static void check_same(const char *text, heddle_array *want)
{
    double a[64] = {0}, b[64] = {1};
    heddle_array *got = heddle_expr(text, HEDDLE_NO_BINDINGS);
    CHECK_EQ(heddle_status_of(got), HEDDLE_OK);
    if (heddle_status_of(got) != HEDDLE_OK) {
        fprintf(stderr, "%s: %s\n", text, heddle_error(got));
        return;
    }
    CHECK(heddle_dtype_of(got) == heddle_dtype_of(want), "%s", text);
    CHECK(heddle_ndim(got) == heddle_ndim(want), "%s", text);
    CHECK(heddle_size(got) == heddle_size(want), "%s", text);
    const int64_t bytes = heddle_size(want) * 8;
    CHECK_EQ(heddle_read(heddle_astype(got, HEDDLE_FLOAT64), a, bytes), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_astype(want, HEDDLE_FLOAT64), b, bytes), HEDDLE_OK);
    CHECK(memcmp(a, b, (size_t)bytes) == 0, "%s", text);
}

static void language(void)
{
    struct heddle_generator r = heddle_rng(7);
    heddle_array *const table = heddle_random_normal(&r, HEDDLE_SHAPE(3, 4));
    check_same("rng = np.random.default_rng(7)\nrng.normal(size=(3, 4))", table);
    check_same("np.random.seed(7)\nnp.random.randn(3, 4)", table);
    check_same(
        "from numpy.random import default_rng\nrng = default_rng(7)\nrng.standard_normal((3, 4))",
        table);
    check_same("rng = np.random.RandomState(7)\nrng.randn(3, 4)", table);
    r = heddle_rng(0);
    heddle_random_uniform(&r, HEDDLE_SHAPE(2));
    heddle_array *const second = heddle_random_integers(&r, HEDDLE_SHAPE(5), heddle_scalar_int(2),
                                                        heddle_scalar_int(10), .endpoint = true);
    check_same(
        "rng = np.random.default_rng()\nrng.random(2)\nrng.integers(2, 10, size=5, endpoint=True)",
        second);
    check_same("np.random.rand(2)\nnp.random.randint(2, 11, 5)", second);
    r = heddle_rng(1);
    heddle_array *const range = heddle_arange(heddle_scalar_int(6), NULL, NULL);
    heddle_array *const order = heddle_random_permutation(&r, range);
    check_same("np.random.default_rng(1).permutation(6)", order);
    check_same("a = np.arange(6)\nrng = np.random.default_rng(1)\nrng.shuffle(a)\na", order);
    check_same("np.random.seed(1)\na = np.arange(6)\nnp.random.shuffle(a)\na", order);
    r = heddle_rng(1);
    check_same(
        "rng = np.random.default_rng(1)\nrng.choice([10, 20, 30], size=(2, 2))",
        heddle_random_choice(&r, HEDDLE_SHAPE(2, 2),
                             heddle_expr("[10, 20, 30] + 0 * np.arange(3)", HEDDLE_NO_BINDINGS)));
    r = heddle_rng(1);
    check_same("np.random.default_rng(1).gamma(2.0, 3.0, 4)",
               heddle_random_gamma(&r, HEDDLE_SHAPE(4), SCALAR(2), .scale = SCALAR(3)));
    r = heddle_rng(1);
    check_same(
        "np.random.default_rng(1).uniform(-1, [1.0, 2.0])",
        heddle_random_uniform(&r, HEDDLE_SHAPE(2), .low = SCALAR(-1),
                              .high = heddle_expr("np.array([1.0, 2.0])", HEDDLE_NO_BINDINGS)));
}

static void shapes(void)
{
    struct heddle_generator r = heddle_rng(1);
    heddle_array *row = heddle_ones(HEDDLE_SHAPE(5)), *column = heddle_ones(HEDDLE_SHAPE(3, 1));
    heddle_array *a = heddle_random_normal(&r, HEDDLE_NO_SHAPE, .loc = row, .scale = column);
    CHECK_EQ(heddle_ndim(a), 2);
    CHECK_EQ(heddle_size(a), 15);
    CHECK_EQ(heddle_ndim(heddle_random_uniform(&r, HEDDLE_NO_SHAPE)), 0);
    CHECK_EQ(heddle_size(heddle_random_gamma(&r, HEDDLE_SHAPE(0, 3), SCALAR(1))), 0);
    CHECK_EQ(r.stream, 3);
    CHECK_EQ(heddle_dtype_of(heddle_random_uniform(&r, HEDDLE_SHAPE(3), .dtype = HEDDLE_FLOAT16)),
             HEDDLE_FLOAT16);
    CHECK_EQ(heddle_dtype_of(heddle_random_poisson(&r, HEDDLE_SHAPE(3), NULL)), HEDDLE_INT64);
    const struct heddle_generator copy = r; /* a copy draws the same */
    double x, y;
    struct heddle_generator again = copy;
    CHECK_EQ(heddle_read(heddle_random_uniform(&r, HEDDLE_NO_SHAPE), &x, 8), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_random_uniform(&again, HEDDLE_NO_SHAPE), &y, 8), HEDDLE_OK);
    CHECK_NUM(x, y);
}

/* All of uint64, and ends that wrap. */
static void wide_integers(void)
{
    struct heddle_generator r = heddle_rng(3);
    uint64_t u[8], bits[8];
    const uint64_t top = UINT64_MAX;
    heddle_array *most = heddle_asarray(&top, HEDDLE_UINT64, HEDDLE_NO_SHAPE);
    struct heddle_generator again = r;
    heddle_array *a = heddle_random_integers(&r, HEDDLE_SHAPE(8), NULL, most, .endpoint = true,
                                             .dtype = HEDDLE_UINT64);
    CHECK_EQ(heddle_read(a, u, sizeof u), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_random_bits(&again, HEDDLE_SHAPE(8)), bits, sizeof bits),
             HEDDLE_OK);
    CHECK(memcmp(u, bits, sizeof u) == 0, "all of uint64 are its bits");
    int8_t small[1000];
    int seen[256] = {0}, n = 0;
    a = heddle_random_integers(&r, HEDDLE_SHAPE(1000), heddle_scalar_int(-128),
                               heddle_scalar_int(127), .endpoint = true, .dtype = HEDDLE_INT8);
    CHECK_EQ(heddle_read(a, small, sizeof small), HEDDLE_OK);
    for (int i = 0; i < 1000; i++) n += !seen[small[i] + 128]++;
    CHECK(n > 230, "%d of int8's values in 1000", n);
    heddle_array *ends = heddle_arange(heddle_scalar_int(1), heddle_scalar_int(9), NULL);
    int64_t below[8];
    a = heddle_random_integers(&r, HEDDLE_SHAPE(8), NULL, ends);
    CHECK_EQ(heddle_read(a, below, sizeof below), HEDDLE_OK);
    for (int i = 0; i < 8; i++) CHECK(below[i] >= 0 && below[i] <= i, "%lld", (long long)below[i]);
}

static void errors(void)
{
    struct heddle_generator r = heddle_rng(1);
    heddle_array *row = heddle_ones(HEDDLE_SHAPE(5)), *i = heddle_scalar_complex(0, 1);
    check_error(heddle_random_normal(NULL, HEDDLE_SHAPE(3)), HEDDLE_EARG, "the generator is NULL");
    check_error(heddle_random_normal(&r, HEDDLE_SHAPE(3), .loc = row), HEDDLE_ESHAPE,
                "heddle_random_normal: loc of shape (5,) does not broadcast to (3,)");
    check_error(heddle_random_normal(&r, HEDDLE_SHAPE(3), .scale = SCALAR(-1)), HEDDLE_EARG,
                "heddle_random_normal: scale is -1, less than 0");
    check_error(heddle_random_normal(&r, HEDDLE_SHAPE(3), .loc = i), HEDDLE_EDTYPE, "loc");
    check_error(heddle_random_uniform(&r, HEDDLE_SHAPE(3), .dtype = HEDDLE_INT32), HEDDLE_EDTYPE,
                "int32");
    check_error(heddle_random_uniform(&r, HEDDLE_SHAPE(-3)), HEDDLE_ESHAPE, "negative");
    check_error(heddle_random_gamma(&r, HEDDLE_SHAPE(3), NULL), HEDDLE_EARG, "k is NULL");
    check_error(heddle_random_poisson(&r, HEDDLE_SHAPE(3), SCALAR(1e19)), HEDDLE_EARG, "more than");
    check_error(heddle_random_binomial(&r, HEDDLE_SHAPE(3), SCALAR(3), SCALAR(1.5)), HEDDLE_EARG,
                "p is 1.5, more than 1");
    check_error(heddle_random_integers(&r, HEDDLE_SHAPE(3), NULL, heddle_scalar_int(0)),
                HEDDLE_EARG, "there is no integer");
    check_error(heddle_random_integers(&r, HEDDLE_SHAPE(3), NULL, SCALAR(2.5)), HEDDLE_EDTYPE,
                "float64");
    check_error(heddle_random_integers(&r, HEDDLE_SHAPE(3), NULL, heddle_scalar_int(300),
                                       .dtype = HEDDLE_UINT8),
                HEDDLE_ERANGE, "uint8");
    check_error(heddle_random_choice(&r, HEDDLE_SHAPE(6), row, .without_replacement = true),
                HEDDLE_ESHAPE, "6 choices of 5");
    check_error(heddle_random_choice(&r, HEDDLE_SHAPE(6), row, .p = heddle_ones(HEDDLE_SHAPE(4))),
                HEDDLE_ESHAPE, ".p has shape (4,)");
    check_error(heddle_random_permutation(&r, SCALAR(3)), HEDDLE_ESHAPE, "without axes");
    check_error(heddle_random_permutation(&r, row, .axis = 1), HEDDLE_EAXIS, "axis 1");
    check_error(heddle_random_multinomial(&r, HEDDLE_SHAPE(2), heddle_scalar_int(3), NULL),
                HEDDLE_EARG, "p is NULL");
    CHECK_EQ(r.stream, 0); /* what fails draws nothing */
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    language();
    shapes();
    wide_integers();
    errors();
    heddle_scope_close(scope);
    return check_done();
}
