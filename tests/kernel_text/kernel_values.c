/* Kernels beside what the C compiler makes of the same text: each body stands here once, and is compiled, and is given
 * to Heddle as a string. For each type, over fresh random numbers, in shapes that broadcast, in views of every
 * orientation, over parts. */
#include "check_heddle.h"
#include "random_words.h"

#include <complex.h>
#include <heddle.h>
#include <stdlib.h>
#include <tgmath.h>

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"

/* Of any type. Not here: what C leaves undefined. */
#define ANY(B, T, D)                                                                               \
    B(squared, T, D, z = (x - y) * (x - y); w = 1.5 * x)                                           \
    B(constants, T, D, z = x + 1; w = x / 3 + y * 0.5f - 2u)                                       \
    B(choices, T, D, z = x > y ? x : y; w = x == y ? 1 : x != 3 ? 2.5 : -3)                        \
    B(                                                                                             \
        branches, T, D, T a = x; if (x > y) {                                                      \
            a = y;                                                                                 \
            w = 1;                                                                                 \
        } else if (x > 2) w = a + 2;                                                               \
        else {                                                                                     \
            T b = a;                                                                               \
            b += y;                                                                                \
            a = b;                                                                                 \
        } z = a)                                                                                   \
    B(                                                                                             \
        unrolled, T, D, T s = 0; for (int k = 0; k < 5; k++) {                                     \
            if (x > k)                                                                             \
                s += x - k;                                                                        \
            else                                                                                   \
                s -= k % 3;                                                                        \
            if (k == 3) continue;                                                                  \
            w += k;                                                                                \
        } z = s)                                                                                   \
    B(                                                                                             \
        nested, T, D,                                                                              \
        for (int k = 0;; ++k) {                                                                    \
            if (k == 4) break;                                                                     \
            int m = k;                                                                             \
            while (m > 0) {                                                                        \
                w += m * y;                                                                        \
                m--;                                                                               \
            }                                                                                      \
        } do { z += x; } while (0))                                                                \
    B(logic, T, D, z = !x || (y && x > 1); w = (x > 0) + (y >= 2) * 2 - (x <= y))                  \
    B(casts, T, D, z = (T)(double)x; w = (int)(x * 0.75) + (float)y + (unsigned char)(3 + (x > y)))

/* Loops that data end. */
#define CROOKED(B, T, D)                                                                           \
    B(                                                                                             \
        collatz, T, D, int s = (int)(x > 0 ? x : -x), k = 0; while (s > 1 && k < 50) {             \
            s = s % 2 ? 3 * s + 1 : s / 2;                                                         \
            k++;                                                                                   \
            if (s == 4) continue;                                                                  \
            w += s;                                                                                \
            if (w > 60) break;                                                                     \
        } z = k)                                                                                   \
    B(                                                                                             \
        doing, T, D, int k = 0; do {                                                               \
            k++;                                                                                   \
            if (k == 3) continue;                                                                  \
            w += k * y;                                                                            \
        } while (k < x);                                                                           \
        z = k)                                                                                     \
    B(                                                                                             \
        two_loops, T, D, for (int j = 0; j < x; j++) for (int m = j; m < y; m++) {                 \
            if (m == 5) break;                                                                     \
            w += m * j;                                                                            \
        } z = x)                                                                                   \
    B(                                                                                             \
        leaving, T, D, for (int j = 0;; j++) {                                                     \
            if (j > x) {                                                                           \
                if (j > y)                                                                         \
                    break;                                                                         \
                else                                                                               \
                    z += 1;                                                                        \
            } else if (j > 20) {                                                                   \
                w = j;                                                                             \
                break;                                                                             \
            }                                                                                      \
            if (j > 30) break;                                                                     \
            const T u = j;                                                                         \
            w += u;                                                                                \
        })

#define INTEGERS(B, T, D)                                                                          \
    B(divisions, T, D, z = x / 3 + y % 5; w = x / (y == 0 ? 1 : y) - x % (y == 0 ? 7 : y))         \
    B(bits, T, D, z = (x & y) | (x ^ 5); w = ~x; z ^= (y & 7) << 1; w += x >> 2)                   \
    B(compound, T, D, z = x; z += y; z *= 2; z -= 3; z /= 2; z %= 7; z |= 1; z ^= y; w = 1;        \
      w *= z; w /= 4)

#define FLOATING(B, T, D)                                                                          \
    B(functions, T, D, z = sin(x) + cos(y) * exp(-x * x);                                          \
      w = sqrt(fabs(x)) + log(1 + y * y) + pow(fabs(x), y) + atan2(x, y))                          \
    B(rounded, T, D, z = floor(x) + ceil(y) + trunc(x * 3) + rint(y);                              \
      w = round(x * 2.5) + fmod(x, y + 100))                                                       \
    B(extremes, T, D, z = fmin(x, y) + fmax(x, y);                                                 \
      w = hypot(x, y) + copysign(y, x) + tanh(y) + log1p(fabs(y)) + cbrt(x) + erf(x))              \
    B(special, T, D, z = isnan(x - x) ? NAN : x; w = INFINITY > x)

#define TYPES(KIND, B)                                                                             \
    KIND(B, int8_t, INT8)                                                                          \
    KIND(B, uint8_t, UINT8)                                                                        \
    KIND(B, int32_t, INT32)                                                                        \
    KIND(B, uint32_t, UINT32) KIND(B, int64_t, INT64) KIND(B, uint64_t, UINT64)

#define ORACLE(name, type, D, ...)                                                                 \
    static void name##_##D(const void *px, const void *py, void *pz, double *pw)                   \
    {                                                                                              \
        typedef type T;                                                                            \
        const T x = *(const T *)px, y = *(const T *)py;                                            \
        T z = 0;                                                                                   \
        double w = 0;                                                                              \
        __VA_ARGS__;                                                                               \
        *(T *)pz = z;                                                                              \
        *pw = w;                                                                                   \
    }
// NOLINTBEGIN(bugprone-integer-division): of integers C's is what is compared
TYPES(ANY, ORACLE)
TYPES(INTEGERS, ORACLE)
TYPES(CROOKED, ORACLE)
// NOLINTEND(bugprone-integer-division)
CROOKED(ORACLE, float, FLOAT32)
CROOKED(ORACLE, double, FLOAT64)
ANY(ORACLE, float, FLOAT32)
ANY(ORACLE, double, FLOAT64)
FLOATING(ORACLE, float, FLOAT32)
FLOATING(ORACLE, double, FLOAT64)

struct body {
    const char *name, *text;
    enum heddle_dtype dtype;
    void (*oracle)(const void *x, const void *y, void *z, double *w);
};
#define ROW(name, T, D, ...) {#name, #__VA_ARGS__, HEDDLE_##D, name##_##D},
static const struct body bodies[] = {
    TYPES(ANY, ROW) TYPES(INTEGERS, ROW) TYPES(CROOKED, ROW) CROOKED(ROW, float, FLOAT32)
        CROOKED(ROW, double, FLOAT64) ANY(ROW, float, FLOAT32) ANY(ROW, double, FLOAT64)
            FLOATING(ROW, float, FLOAT32) FLOATING(ROW, double, FLOAT64)};

/* ---- Arguments -------------------------------------------------------------------------------------- */

enum { ROWS = 7, COLUMNS = 9, MOST = ROWS * COLUMNS };

static double number(void *data, enum heddle_dtype dtype, int i)
{
    switch (dtype) {
#define CASE(D, T)                                                                                 \
    case HEDDLE_##D: return (double)((T *)data)[i];
        CASE(INT8, int8_t)
        CASE(UINT8, uint8_t)
        CASE(INT32, int32_t)
        CASE(UINT32, uint32_t)
        CASE(INT64, int64_t)
        CASE(UINT64, uint64_t)
        CASE(FLOAT32, float)
#undef CASE
    default: return ((double *)data)[i];
    }
}

/* Small numbers, some of them equal; of floating types with fractions. */
static heddle_array *drawn(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    double values[MOST];
    const char kind = heddle_dtype_kind(dtype);
    for (int i = 0; i < MOST; i++) {
        const double x = (double)(random_word() % 23) - (kind == 'U' ? 0 : 11);
        values[i] = kind == 'F' ? x / 4 : x;
    }
    return heddle_astype(heddle_asarray(values, HEDDLE_FLOAT64, ndim, shape), dtype);
}

enum { PLAIN, ROW_BELOW, COLUMN_BESIDE, TRANSPOSED, REVERSED, NUMBER, NONE, N_FORMS };

static void arguments(int form, enum heddle_dtype dtype, heddle_array **x, heddle_array **y)
{
    *x = drawn(dtype, HEDDLE_SHAPE(ROWS, COLUMNS));
    *y = drawn(dtype, HEDDLE_SHAPE(ROWS, COLUMNS));
    switch (form) {
    case ROW_BELOW: *y = drawn(dtype, HEDDLE_SHAPE(COLUMNS)); break;
    case COLUMN_BESIDE: *x = drawn(dtype, HEDDLE_SHAPE(ROWS, 1)); break;
    case TRANSPOSED: *x = heddle_matrix_transpose(drawn(dtype, HEDDLE_SHAPE(COLUMNS, ROWS))); break;
    case REVERSED: *y = heddle_getitem(*y, HEDDLE_INDEX(HEDDLE_STEP(-1), HEDDLE_STEP(-1))); break;
    case NUMBER: *y = heddle_scalar(3); break;
    case NONE:
        *x = heddle_zeros(HEDDLE_SHAPE(0, COLUMNS), .dtype = dtype);
        *y = drawn(dtype, HEDDLE_SHAPE(1, COLUMNS));
        break;
    default: break;
    }
}

/* All elements in the result's shape. */
static void elements(heddle_array *a, heddle_array *like, enum heddle_dtype dtype, void *out)
{
    heddle_array *const whole =
        heddle_broadcast_to(heddle_astype(a, dtype), heddle_ndim(like), heddle_shape(like));
    CHECK_EQ(heddle_read(whole, out, (size_t)heddle_nbytes(whole)), HEDDLE_OK);
}

static bool near(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

/* crooked: inside a loop whose end is not known before, so that it is no straight line. */
static void check_body(const struct body *body, int form, bool crooked)
{
    static uint64_t x[MOST], y[MOST], z[MOST];
    double w[MOST];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a, *b, *out[2] = {NULL, NULL};
    arguments(form, body->dtype, &a, &b);
    char text[2000];
    snprintf(text, sizeof text,
             crooked ? "int once = 0; while (once < 1 + (x != x && once < 0)) { %s; once++; }"
                     : "%s",
             body->text);
    heddle_kernel *const k =
        heddle_kernel_elementwise("T x, T y", "T z, float64 w", text, body->name);
    CHECK_EQ(heddle_kernel_call(k, HEDDLE_ARRAYS(a, b), 2, out), HEDDLE_OK);
    if (!out[0]) {
        CHECK(false, "%s: %s", body->name, heddle_last_error());
        return;
    }
    heddle_kernel_release(k); /* what was recorded stays */
    CHECK_EQ(heddle_dtype_of(out[0]), body->dtype);
    CHECK_EQ(heddle_dtype_of(out[1]), HEDDLE_FLOAT64);
    elements(a, out[0], body->dtype, x);
    elements(b, out[0], body->dtype, y);
    CHECK_EQ(heddle_read(out[0], z, (size_t)heddle_nbytes(out[0])), HEDDLE_OK);
    CHECK_EQ(heddle_read(out[1], w, (size_t)heddle_nbytes(out[1])), HEDDLE_OK);
    const size_t bytes = heddle_dtype_size(body->dtype);
    const bool floating = heddle_dtype_kind(body->dtype) == 'F';
    const double tolerance = !floating ? 0 : body->dtype == HEDDLE_FLOAT32 ? 2e-6 : 2e-14;
    for (int i = 0; i < heddle_size(out[0]); i++) {
        uint64_t right;
        double right_w;
        body->oracle((char *)x + (size_t)i * bytes, (char *)y + (size_t)i * bytes, &right,
                     &right_w);
        CHECK(near(number(z, body->dtype, i), number(&right, body->dtype, 0), tolerance),
              "%s, form %d, %s: z[%d] is %g, not %g of %g, %g", body->name, form,
              heddle_dtype_name(body->dtype), i, number(z, body->dtype, i),
              number(&right, body->dtype, 0), number(x, body->dtype, i), number(y, body->dtype, i));
        CHECK(near(w[i], right_w, tolerance), "%s, form %d, %s: w[%d] is %.17g, not %.17g",
              body->name, form, heddle_dtype_name(body->dtype), i, w[i], right_w);
    }
    heddle_scope_close(scope);
}

/* ---- What C has not ------------------------------------------------------------------------------------ */

static double first(heddle_array *a)
{
    double x = NAN;
    CHECK_EQ(heddle_read(heddle_astype(a, HEDDLE_FLOAT64), &x, sizeof x), HEDDLE_OK);
    return x;
}

/* The operation of one number x, as dtype. */
static double of_number(const char *type, const char *operation, heddle_array *x)
{
    char out[40];
    snprintf(out, sizeof out, "%s z", type);
    heddle_kernel *const k = heddle_kernel_elementwise("T x", out, operation, NULL);
    heddle_array *const r = heddle_kernel_apply(k, HEDDLE_ARRAYS(x));
    CHECK(heddle_status_of(r) == HEDDLE_OK, "%s", heddle_error(r));
    heddle_kernel_release(k);
    return first(r);
}

/* C++'s names, and what C leaves open and Heddle does not. */
static void check_beyond(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *const minus = heddle_astype(heddle_scalar(-7), HEDDLE_INT32);
    heddle_array *const least = heddle_astype(heddle_scalar((double)INT32_MIN), HEDDLE_INT32);
    heddle_array *const third = heddle_astype(heddle_scalar(-2.5), HEDDLE_FLOAT32);
    CHECK_NUM(of_number("int32", "z = min(x, 3) + max(x, 3) * 100", minus), 293);
    CHECK_NUM(of_number("T", "z = abs(x)", third), 2.5);
    CHECK_NUM(of_number("T", "z = float(x) + static_cast<int>(x) + T(1)", third), -3.5);
    CHECK_NUM(of_number("float64", "z = rsqrt(x * x)", third), 0.4f);
    CHECK_NUM(of_number("T", "z = round(x) * 10 + rint(x)", third), -32);
    CHECK_NUM(of_number("int32", "auto a = x; a /= 0; z = a + x % 0 + 5", minus), 5);
    CHECK_NUM(of_number("int32", "z = x / -1", least), INT32_MIN);
    CHECK_NUM(of_number("int32", "z = x - 1", least), INT32_MAX);
    CHECK_NUM(of_number("int32", "z = 1 << 40", minus), 0);
    CHECK_NUM(of_number("int64", "z = (long)x - 8u", minus), -15); /* int64 holds uint32 */
    CHECK_NUM(of_number("int32", "z = x - 8u < 0", minus), 0);     /* int32 becomes uint32 */
    CHECK_NUM(of_number("int32", "z = x >> 40", minus), -1);
    CHECK_NUM(of_number("int32", "z = (x == 0 ? 1 / x : 2)", minus), 2);
    CHECK_NUM(of_number("int32", "if (x > 0) z = 4", minus), 0); /* outputs begin as 0 */
    CHECK_NUM(of_number("int32", "int a; z = a + 1", minus), 1); /* names too */
    CHECK_NUM(of_number("int64", "z = n * 10 + _ind.size() + i", minus), 11);
    CHECK_NUM(of_number("float64", "z = real(complex<double>(x))", minus), -7);
    heddle_scope_close(scope);
}

static void check_complex(void)
{
    const double _Complex x = 1.5 - 2 * I;
    heddle_scope scope = heddle_scope_open();
    heddle_array *const a = heddle_asarray(&x, HEDDLE_COMPLEX128, HEDDLE_NO_SHAPE);
    CHECK_NUM(of_number("float64", "z = real(x * x + 1)", a), creal(x * x + 1));
    CHECK_NUM(of_number("float64", "z = (conj(x) / 2).imag()", a), 1);
    CHECK_NUM(of_number("float64", "z = norm(x) + x.real()", a), 6.25 + 1.5);
    CHECK_NUM(of_number("float64", "T y = x; y += 0.5f; z = abs(y) * (x != y)", a), cabs(x + 0.5));
    CHECK_NUM(of_number("float32", "complex<float> y = x; z = y.imag()", a), -2);
    double _Complex z = 0; /* no straight line */
    int rounds = 0;
    do {
        z = z * z / 2 + x / 3;
        rounds++;
    } while (cabs(z) < 1.2 && rounds < 40);
    CHECK_NUM(
        of_number("float16",
                  "T y = 0; do { y = y * y / 2 + x / 3; z += 1; } while (abs(y) < 1.2 && z < 40)",
                  a),
        rounds);
    CHECK_NUM(of_number("float64",
                        "T y = 0; int j = 0; do { y = y * y / 2 + x / 3; j++; } while (abs(y) < "
                        "1.2 && j < 40); z = y.real() + real(conj(exp(y)))",
                        a),
              creal(z) + creal(conj(cexp(z))));
    heddle_scope_close(scope);
}

/* Halves are computed in float32. */
static void check_halves(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *const x = heddle_astype(heddle_scalar(60000.0), HEDDLE_FLOAT16);
    heddle_kernel *const k = heddle_kernel_elementwise("T x", "T z", "z = x + x - x", "halves");
    heddle_array *const z = heddle_kernel_apply(k, HEDDLE_ARRAYS(x));
    CHECK_EQ(heddle_dtype_of(z), HEDDLE_FLOAT16);
    CHECK_NUM(first(z), 60000 - 60000 % 32);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

static void check_index(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_kernel *const k = heddle_kernel_elementwise("", "int32 z", "z = i * i + n", "places");
    int32_t z[6];
    heddle_array *const r = heddle_kernel_apply(k, 0, NULL, .shape = HEDDLE_LENGTHS(2, 3));
    CHECK_EQ(heddle_read(r, z, sizeof z), HEDDLE_OK);
    for (int i = 0; i < 6; i++) CHECK_EQ(z[i], i * i + 6);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* Raw arguments: whole, by index, 0 where there is none; raw results. */
static void check_raw(void)
{
    const double row[4] = {1, 2, 4, 8};
    double z[12];
    heddle_scope scope = heddle_scope_open();
    heddle_array *const x = heddle_asarray(row, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 2));
    heddle_kernel *const empty =
        heddle_kernel_elementwise("raw T x", "T z", "z = x[i] + x.size() + 7", "empty");
    heddle_array *const none = heddle_zeros(HEDDLE_SHAPE(0));
    CHECK_NUM(first(heddle_kernel_apply(empty, HEDDLE_ARRAYS(none), .shape = HEDDLE_LENGTHS(1))),
              7);
    heddle_kernel_release(empty);
    heddle_kernel *k = heddle_kernel_elementwise(
        "raw T x", "T z", "z = x[i - 1] + 10 * x[i] + x.shape()[1] * n", "stencil");
    heddle_array *r = heddle_kernel_apply(k, HEDDLE_ARRAYS(x), .shape = HEDDLE_LENGTHS(2, 3));
    CHECK_EQ(heddle_read(r, z, (size_t)heddle_nbytes(r)), HEDDLE_OK);
    for (int i = 0; i < 6; i++)
        CHECK_NUM(z[i], (i > 0 && i < 5 ? row[i - 1] : 0) + (i < 4 ? 10 * row[i] : 0) + 12);
    heddle_kernel_release(k);

    k = heddle_kernel_elementwise("T x, int32 to", "raw T z", "z[to] = x; z[to + 1000] = 7",
                                  "scatter");
    const int32_t to[4] = {3, -1, 0, 1};
    r = heddle_kernel_apply(k, HEDDLE_ARRAYS(heddle_asarray(row, HEDDLE_FLOAT64, HEDDLE_SHAPE(4)),
                                             heddle_asarray(to, HEDDLE_INT32, HEDDLE_SHAPE(4))));
    CHECK_EQ(heddle_read(r, z, (size_t)heddle_nbytes(r)), HEDDLE_OK);
    for (int i = 0; i < 4; i++) CHECK_NUM(z[i], i == 3 ? 1 : i == 0 ? 4 : i == 1 ? 8 : 0);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* The plan of a kernel is that of its operations, so that it fuses as they do. */
static void check_fusion(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *const x =
        heddle_astype(drawn(HEDDLE_FLOAT32, HEDDLE_SHAPE(ROWS, COLUMNS)), HEDDLE_FLOAT32);
    heddle_array *const y = heddle_eval(x) == HEDDLE_OK ? heddle_exp(x) : NULL;
    heddle_kernel *const k =
        heddle_kernel_elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", NULL);
    heddle_array *const d = heddle_subtract(x, y);
    char *text = NULL, *right = NULL;
    CHECK_EQ(heddle_explain(heddle_sqrt(heddle_kernel_apply(k, HEDDLE_ARRAYS(x, y))),
                            HEDDLE_EXPLAIN_PLAN, &text),
             HEDDLE_OK);
    CHECK_EQ(heddle_explain(heddle_sqrt(heddle_multiply(d, d)), HEDDLE_EXPLAIN_PLAN, &right),
             HEDDLE_OK);
    if (text && right) CHECK_STR(text, right);
    heddle_free(text);
    heddle_free(right);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* `compiled`: only some, as each takes a compiler's time. */
int main(int argc, char **argv)
{
    const int no = check_started();
    if (no) return no;
    const bool some = argc > 1 && !strcmp(argv[1], "compiled");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const enum heddle_dtype dtype = bodies[i].dtype;
        if (some && dtype != HEDDLE_FLOAT32 && dtype != HEDDLE_INT64) continue;
        if (some && i % 3) continue;
        for (int form = some ? N_FORMS : 0; form < (some ? N_FORMS + 2 : 2 * N_FORMS); form++)
            check_body(&bodies[i], form % N_FORMS, form >= N_FORMS);
    }
    check_beyond();
    check_complex();
    check_halves();
    check_index();
    check_raw();
    check_fusion();
    check_nothing_left();
    return check_done();
}
