/* Proves transforms: lengths of every kind (powers, products, primes, around 65536), batches on both sides of the axis,
 * every dtype, lines that threads share, what is cut along the axis, inverses, and errors. The oracle adds up all of a
 * line in long double; of long lines it has some elements.
 *
 *   fft_values    on the devices that HEDDLE_DEVICES names; skipped (77) where these are not there */
#include "check_heddle.h"
#include "random_words.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { DIRECT = 300, SOME = 5 }; /* longer lines: so many elements */

static const long double two_pi = 6.283185307179586476925286766559005768L;

static long double (*turns)[2];
static int64_t n_turns;

static double noise(void)
{
    return (double)(int64_t)random_word() * 0x1p-63;
}

/* The cosines and sines of multiples of a turn's n-th part. */
static void make_turns(int64_t n)
{
    n_turns = n;
    turns = realloc(turns, (size_t)n * sizeof *turns);
    for (int64_t i = 0; i < n; i++) {
        turns[i][0] = cosl(two_pi * (long double)i / (long double)n);
        turns[i][1] = sinl(two_pi * (long double)i / (long double)n);
    }
}

/* Element k, of n at most, of the transform of line x, of n complex numbers `step` apart. */
CHECK_ORACLE static void element(const double *x, int64_t n, int64_t step, int64_t k, int sign,
                                 long double out[2])
{
    if (n != n_turns) make_turns(n);
    out[0] = out[1] = 0;
    for (int64_t j = 0, at = 0; j < n; j++, at = at + k < n ? at + k : at + k - n) {
        const long double c = turns[at][0], s = (long double)sign * turns[at][1];
        const long double re = x[2 * j * step], im = x[2 * j * step + 1];
        out[0] += re * c - im * s;
        out[1] += re * s + im * c;
    }
}

static double *complex_noise(int64_t n, bool single, bool real)
{
    double *x = malloc((size_t)n * 2 * sizeof *x);
    for (int64_t i = 0; i < 2 * n; i++) {
        x[i] = real && i % 2 ? 0 : noise();
        if (single) x[i] = (double)(float)x[i];
    }
    return x;
}

CHECK_ORACLE static double norm(const double *x, int64_t n, int64_t step)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[2 * i * step] * x[2 * i * step] + x[2 * i * step + 1] * x[2 * i * step + 1];
    return sqrt(sum);
}

/* `got` of shape (outer, m, inner), the first m elements of transforms of lines of n. */
static void compare(const double *x, const double *got, int64_t outer, int64_t n, int64_t inner,
                    int64_t m, int sign, double epsilon, const char *what)
{
    double worst = 0;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const double *line = x + 2 * (o * n * inner + i);
            const double scale = norm(line, n, inner) + DBL_MIN;
            for (int64_t k = 0, at = 0; k < (n <= DIRECT ? m : SOME);
                 k++, at = (int64_t)(random_word() % (uint64_t)m)) {
                const int64_t which = n <= DIRECT ? k : at;
                const double *g = got + 2 * (o * m * inner + which * inner + i);
                long double e[2];
                element(line, n, inner, which, sign, e);
                worst = fmax(worst, hypot((double)(g[0] - e[0]), (double)(g[1] - e[1])) / scale);
                if (!(g[0] == g[0] && g[1] == g[1])) worst = INFINITY;
            }
        }
    CHECK(worst <= 4 * epsilon * (log2((double)n) + 1), "%s: (%lld, %lld, %lld): off by %g epsilon",
          what, (long long)outer, (long long)n, (long long)inner, worst / epsilon);
}

static double *read_doubles(heddle_array *a)
{
    heddle_array *wide = heddle_astype(a, HEDDLE_COMPLEX128);
    double *x = malloc((size_t)heddle_nbytes(wide) + 1);
    CHECK(heddle_read(wide, x, heddle_nbytes(wide)) == HEDDLE_OK, "%s", heddle_error(wide));
    return x;
}

/* fft, ifft, rfft and irfft along the middle axis. */
static void test_shape(int64_t outer, int64_t n, int64_t inner, bool single)
{
    const double epsilon = single ? FLT_EPSILON : DBL_EPSILON;
    const enum heddle_dtype dtype = single ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128;
    const int64_t size = outer * n * inner, half = n / 2 + 1;
    heddle_scope scope = heddle_scope_open();
    double *x = complex_noise(size, single, false), *real = complex_noise(size, single, true);
    heddle_array *a =
        heddle_astype(heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(outer, n, inner)), dtype);
    heddle_array *r = heddle_real(heddle_astype(
        heddle_asarray(real, HEDDLE_COMPLEX128, HEDDLE_SHAPE(outer, n, inner)), dtype));

    heddle_array *forward = heddle_fft_fft(a, .axis = 1);
    CHECK_EQ(heddle_dtype_of(forward), dtype);
    double *got = read_doubles(forward);
    compare(x, got, outer, n, inner, n, -1, epsilon, "fft");
    free(got);
    got = read_doubles(heddle_fft_ifft(a, .axis = 1, .norm = HEDDLE_FFT_FORWARD));
    compare(x, got, outer, n, inner, n, 1, epsilon, "ifft");
    free(got);
    heddle_array *of_real = heddle_fft_rfft(r, .axis = 1);
    CHECK_EQ(heddle_dtype_of(of_real), dtype);
    got = read_doubles(of_real);
    compare(real, got, outer, n, inner, half, -1, epsilon, "rfft");
    free(got);

    /* all of a transform of real numbers */
    got = read_doubles(heddle_fft_fft(r, .axis = 1));
    compare(real, got, outer, n, inner, n, -1, epsilon, "fft of real numbers");
    free(got);
    got = read_doubles(heddle_fft_ifft(r, .axis = 1, .norm = HEDDLE_FFT_FORWARD));
    compare(real, got, outer, n, inner, n, 1, epsilon, "ifft of real numbers");
    free(got);

    /* back */
    heddle_array *back = heddle_fft_ifft(forward, .axis = 1);
    heddle_array *real_back = heddle_fft_irfft(of_real, .n = n, .axis = 1);
    double off = 0, real_off = 0;
    CHECK_EQ(
        heddle_read(heddle_astype(heddle_max(heddle_abs(heddle_subtract(back, a))), HEDDLE_FLOAT64),
                    &off, sizeof off),
        HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_astype(heddle_max(heddle_abs(heddle_subtract(real_back, r))),
                                       HEDDLE_FLOAT64),
                         &real_off, sizeof real_off),
             HEDDLE_OK);
    const double bound = 8 * epsilon * (log2((double)n) + 1);
    CHECK(off <= bound && real_off <= bound, "(%lld, %lld, %lld) and back: off by %g and %g",
          (long long)outer, (long long)n, (long long)inner, off, real_off);
    free(x);
    free(real);
    heddle_scope_close(scope);
}

static bool gpus_took_part(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.gpu_kernels > 0;
}

/* The same bits of an array that is cut along the axes; the same values on GPUs, as cuFFT's kernels depend on how many
 * transforms there are. */
static void test_cuts(void)
{
    heddle_scope scope = heddle_scope_open();
    double *x = complex_noise(60 * 42 * 8, false, false);
    heddle_array *a = heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(60, 42, 8));
    double *whole = read_doubles(heddle_fft_fftn(a));
    for (int axis = 0; axis < 3; axis++)
        for (int other = 0; other < 3; other++) {
            struct heddle_distribution d = {.n_places = 0};
            d.cut[axis] = (struct heddle_cut){.kind = HEDDLE_CUT_BLOCKS, .n = 7};
            d.cut[other] = (struct heddle_cut){.kind = HEDDLE_CUT_BLOCKS, .n = 5};
            double *cut = read_doubles(heddle_fft_fftn(heddle_distribute(a, &d)));
            double off = 0, size = 0;
            for (int i = 0; i < 60 * 42 * 8 * 2; i++) {
                off = fmax(off, fabs(whole[i] - cut[i]));
                size = fmax(size, fabs(whole[i]));
            }
            CHECK(off <= (gpus_took_part() ? 64 * DBL_EPSILON * size : 0),
                  "cut along axes %d and %d: off by %g", axis, other, off);
            free(cut);
        }
    free(whole);
    free(x);
    heddle_scope_close(scope);
}

/* Over several axes and back is what it was, times the product of their lengths if neither way divides by it. */
/* Two axes at a time, and one after the other. */
static void test_two(int64_t m)
{
    heddle_scope scope = heddle_scope_open();
    double *x = complex_noise(6 * m * 5, false, false), off = 0;
    heddle_array *a = heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(6, m, 5)),
                 *both = heddle_fft_fftn(a, .axes = HEDDLE_AXES(0, 1)),
                 *each = heddle_fft_fft(heddle_fft_fft(a, .axis = 0), .axis = 1);
    CHECK_EQ(heddle_read(heddle_max(heddle_abs(heddle_subtract(both, each))), &off, sizeof off),
             HEDDLE_OK);
    CHECK(off <= 1e-12 * sqrt(6.0 * (double)m), "two axes of 6 x %lld: off by %g", (long long)m,
          off);
    free(x);
    heddle_scope_close(scope);
}

/* Of real numbers over several axes, whole and cut, with what comes before and behind, and lengths of their own: one axis after the other,
 * of complex ones. */
static void test_real_axes(int64_t k, int64_t m, int64_t n)
{
    static const struct heddle_axes all[] = {HEDDLE_AXES(0, 1, 2), HEDDLE_AXES(1, 2),
                                             HEDDLE_AXES(2, 0), HEDDLE_AXES(1, 0), HEDDLE_AXES(1)};
    heddle_scope scope = heddle_scope_open();
    double *x = complex_noise(k * m * n, false, true);
    heddle_array *z = heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(k, m, n)),
                 *r = heddle_real(z);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int way = 0; way < 4; way++) {
            const bool inverse = way & 1, other = way & 2;
            struct heddle_lengths lengths = {.count = other ? all[i].count : 0};
            heddle_array *want = z;
            for (int d = 0; d < all[i].count; d++) {
                const int axis = all[i].at[d];
                lengths.at[d] = other ? heddle_shape(z)[axis] + 1 - d : heddle_shape(z)[axis];
                want = inverse ? heddle_fft_ifft(want, .axis = axis, .n = lengths.at[d])
                               : heddle_fft_fft(want, .axis = axis, .n = lengths.at[d]);
            }
            struct heddle_distribution parts = {.n_places = 0};
            parts.cut[i % 3] = (struct heddle_cut){.kind = HEDDLE_CUT_BLOCKS, .n = 3};
            heddle_array *from[] = {r, heddle_distribute(r, &parts),
                                    heddle_subtract(heddle_multiply(r, heddle_scalar(2.0)), r)};
            for (size_t f = 0; f < sizeof from / sizeof *from; f++) {
                heddle_array *got = inverse
                                        ? heddle_fft_ifftn(from[f], .axes = all[i], .s = lengths)
                                        : heddle_fft_fftn(from[f], .axes = all[i], .s = lengths);
                double off = 0, size = 0, doubled = 0;
                CHECK_EQ(heddle_read(heddle_max(heddle_abs(heddle_subtract(got, want))), &off,
                                     sizeof off),
                         HEDDLE_OK);
                CHECK_EQ(heddle_read(heddle_max(heddle_abs(want)), &size, sizeof size), HEDDLE_OK);
                CHECK_EQ(
                    heddle_read(heddle_max(heddle_abs(heddle_multiply(got, heddle_scalar(2.0)))),
                                &doubled, sizeof doubled),
                    HEDDLE_OK);
                CHECK(off <= 1e-13 * size && fabs(doubled - 2 * size) <= 1e-12 * size,
                      "(%lld, %lld, %lld), axes %d, way %d, %d: off by %g of %g", (long long)k,
                      (long long)m, (long long)n, (int)i, way, (int)f, off, size);
            }
        }
    free(x);
    heddle_scope_close(scope);
}

static void test_several(const struct heddle_axes axes, int64_t divided, int64_t size)
{
    static const enum heddle_fft_norm norms[] = {HEDDLE_FFT_BACKWARD, HEDDLE_FFT_ORTHO,
                                                 HEDDLE_FFT_FORWARD};
    heddle_scope scope = heddle_scope_open();
    double *x = complex_noise(size, false, false);
    heddle_array *a = heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(6, size / 30, 5));
    for (int there = 0; there < 3; there++)
        for (int back = 0; back < 3; back++) {
            double *got = read_doubles(
                heddle_fft_ifftn(heddle_fft_fftn(a, .axes = axes, .norm = norms[there]),
                                 .axes = axes, .norm = norms[back]));
            /* powers of the square root of the product: 0, 1, 2 times divided there, 2, 1, 0 back */
            const double expected = pow((double)divided, 1 - 0.5 * (there + (2 - back)));
            double off = 0;
            for (int64_t i = 0; i < 2 * size; i++) off = fmax(off, fabs(got[i] - expected * x[i]));
            CHECK(off <= 1e-13 * expected, "norms %d and %d: off by %g of %g", there, back, off,
                  expected);
            free(got);
        }
    free(x);
    heddle_scope_close(scope);
}

/* Sums of squares are the same, and what a line of a constant has is in one element. */
static void test_parseval(int64_t n)
{
    heddle_scope scope = heddle_scope_open();
    double *x = complex_noise(n, false, false), sums[2], one[2];
    heddle_array *a = heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(n));
    heddle_array *both[2] = {a, heddle_fft_fft(a, .norm = HEDDLE_FFT_ORTHO)};
    for (int i = 0; i < 2; i++)
        CHECK_EQ(
            heddle_read(heddle_sum(heddle_square(heddle_abs(both[i]))), &sums[i], sizeof *sums),
            HEDDLE_OK);
    CHECK(fabs(sums[0] - sums[1]) <= 1e-13 * sums[0], "%lld: %.17g and %.17g", (long long)n,
          sums[0], sums[1]);
    heddle_array *flat = heddle_fft_fft(heddle_ones(HEDDLE_SHAPE(n), .dtype = HEDDLE_COMPLEX128));
    CHECK_EQ(heddle_read(heddle_getitem(flat, HEDDLE_INDEX(HEDDLE_AT(0))), one, sizeof one),
             HEDDLE_OK);
    CHECK(fabs(one[0] - (double)n) <= 1e-13 * (double)n && fabs(one[1]) <= 1e-13 * (double)n,
          "%g %g", one[0], one[1]);
    free(x);
    heddle_scope_close(scope);
}

#define CHECK_TEXT(array, code, text)                                                              \
    do {                                                                                           \
        heddle_array *checked = (array);                                                           \
        CHECK_EQ(heddle_status_of(checked), code);                                                 \
        CHECK_STR(heddle_error(checked), text);                                                    \
    } while (0)

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_zeros(HEDDLE_SHAPE(2, 3)), *z = heddle_astype(a, HEDDLE_COMPLEX64);
    heddle_array *none = heddle_zeros(HEDDLE_SHAPE(0, 3));
    CHECK_TEXT(heddle_fft_rfft(z), HEDDLE_EDTYPE,
               "heddle_fft_rfft: dtype complex64; accepts real numbers");
    CHECK_TEXT(heddle_fft_fft(a, .n = -1), HEDDLE_ESHAPE,
               "heddle_fft_fft: a transform of -1 elements along axis 1 of shape (2, 3)");
    CHECK_TEXT(heddle_fft_fft(none, .axis = 0), HEDDLE_ESHAPE,
               "heddle_fft_fft: a transform of 0 elements along axis 0 of shape (0, 3)");
    CHECK_TEXT(heddle_fft_irfft(heddle_zeros(HEDDLE_SHAPE(1))), HEDDLE_ESHAPE,
               "heddle_fft_irfft: a transform of 0 elements along axis 0 of shape (1,)");
    CHECK_TEXT(heddle_fft_fft(a, .axis = 2), HEDDLE_EAXIS,
               "heddle_fft_fft: axis 2 is out of range of shape (2, 3)");
    CHECK_TEXT(heddle_fft_fftn(a, .axes = HEDDLE_AXES(0, -2)), HEDDLE_EARG,
               "heddle_fft_fftn: axis 0 is named twice");
    CHECK_TEXT(heddle_fft_fftn(a, .axes = HEDDLE_AXES(0), .s = HEDDLE_LENGTHS(1, 2)), HEDDLE_EARG,
               "heddle_fft_fftn: 2 lengths for 1 axes");
    CHECK_TEXT(heddle_fft_fft2(heddle_zeros(HEDDLE_SHAPE(3))), HEDDLE_EAXIS,
               "heddle_fft_fft2: shape (3,) has no 2 axes");
    CHECK_TEXT(heddle_fft_rfftn(a, .axes = HEDDLE_NO_AXES), HEDDLE_EAXIS,
               "heddle_fft_rfftn: shape (2, 3), and no axis");
    CHECK_TEXT(heddle_fft_fft(a, .norm = (enum heddle_fft_norm)7), HEDDLE_EARG,
               "heddle_fft_fft: .norm 7 is none");
    CHECK_TEXT(heddle_fft_fft(a, .n = INT64_MAX), HEDDLE_ESHAPE,
               "heddle_fft_fft: too many elements");
    CHECK_TEXT(heddle_fft_fftfreq(0), HEDDLE_ESHAPE, "heddle_fft_fftfreq: 0 elements");
    CHECK_TEXT(heddle_fft_rfftfreq(3, .dtype = HEDDLE_INT32), HEDDLE_EDTYPE,
               "heddle_fft_rfftfreq: .dtype int32 is not real floating");
    heddle_array *empty = heddle_fft_rfft(none);
    CHECK(heddle_size(empty) == 0 && heddle_shape(empty)[1] == 2 &&
              heddle_dtype_of(empty) == HEDDLE_COMPLEX128,
          "of nothing");
    heddle_scope_close(scope);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    static const int64_t lengths[] = {
        1,    2,    3,    4,    5,    6,    7,     8,     9,     11,    13,   16,  17,
        30,   31,   64,   97,   101,  121,  128,   210,   256,   300,   301,  512, 1000,
        1009, 1024, 4096, 4099, 8192, 8193, 10000, 16384, 65535, 65536, 65537};
    for (int single = 0; single < 2; single++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            test_shape(1, lengths[i], 1, single);
            if (lengths[i] > 20000) continue;
            test_shape(lengths[i] > DIRECT ? 2 : 19, lengths[i], 1, single);
            test_shape(lengths[i] > DIRECT ? 1 : 2, lengths[i], lengths[i] > DIRECT ? 3 : 21,
                       single);
        }
    for (int single = 0; single < 2; single++) { /* many long lines, which GPUs bring together */
        static const int64_t few[] = {1, 2, 3, 16, 17, 30, 100, 301, 1009};
        for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
            test_shape(7, few[i], 5, single);
            test_shape(6, few[i], 18, single);
        }
        test_shape(33, 16387, 1, single); /* odd lengths, not all at a time */
        test_shape(2, 4096, 65, single);
        test_shape(1, 16387, 33, single);
        test_shape(3, 1024, 350, single);
        test_shape(1, 1024, 1023, single);
    }
    test_parseval(1 << 18);
    test_parseval(300007);
    test_cuts();
    test_several(HEDDLE_AXES(0, 1, 2), 6 * 8 * 5, 6 * 8 * 5);
    test_several(HEDDLE_AXES(2, 0), 5 * 6, 6 * 77 * 5);
    test_real_axes(40, 33, 50);
    test_real_axes(3, 64, 5);
    test_real_axes(70, 4, 3);
    test_two(77);
    test_two(20000);
    test_errors();
    free(turns);
    return check_done();
}
