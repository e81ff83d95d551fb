/* Products with a small result and long sums on the GPU: around the borders of what decides how the sums are cut, against sums of whole
 * numbers, which are exact in any order, and of fractions in long double. Where the kernels are emulated, without those by cuBLAS. */
#include "check.h"
#include "cuda/gpu.h"
#include "families/matmul/cuda_thin.h"
#include "families/matmul/kernel_thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256 };

/* ---- Numbers ---------------------------------------------------------------------------------------- */

struct complex_number {
    long double re, im;
};

static bool is_half(int dtype)
{
    return dtype == HEDDLE_FLOAT16 || dtype == HEDDLE_BFLOAT16;
}

/* Whole numbers of a few digits alone, which halves have exactly. */
static uint16_t to_half(int dtype, double x)
{
    if (dtype == HEDDLE_BFLOAT16) {
        const float f = (float)x;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        return (uint16_t)(bits >> 16);
    }
    int e;
    const double fraction = frexp(fabs(x), &e); /* from 0.5 on */
    const int bits = x == 0 ? 0 : (e + 14) << 10 | ((int)(fraction * 2048) & 1023);
    return (uint16_t)(bits | (x < 0) << 15);
}

static double from_half(int dtype, uint16_t x)
{
    if (dtype == HEDDLE_BFLOAT16) {
        const uint32_t bits = (uint32_t)x << 16;
        float f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    const int e = x >> 10 & 31, m = x & 1023;
    return (x >> 15 ? -1 : 1) * (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
}

static void set(int dtype, void *data, int64_t i, struct complex_number v)
{
    if (is_half(dtype)) ((uint16_t *)data)[i] = to_half(dtype, (double)v.re);
    if (dtype == HEDDLE_FLOAT32) ((float *)data)[i] = (float)v.re;
    if (dtype == HEDDLE_FLOAT64) ((double *)data)[i] = (double)v.re;
    if (dtype == HEDDLE_COMPLEX64) {
        ((float *)data)[2 * i] = (float)v.re;
        ((float *)data)[2 * i + 1] = (float)v.im;
    }
    if (dtype == HEDDLE_COMPLEX128) {
        ((double *)data)[2 * i] = (double)v.re;
        ((double *)data)[2 * i + 1] = (double)v.im;
    }
}

static struct complex_number get(int dtype, const void *data, int64_t i)
{
    switch (dtype) {
    case HEDDLE_FLOAT32: return (struct complex_number){((const float *)data)[i], 0};
    case HEDDLE_FLOAT64: return (struct complex_number){((const double *)data)[i], 0};
    case HEDDLE_COMPLEX64:
        return (struct complex_number){((const float *)data)[2 * i],
                                       ((const float *)data)[2 * i + 1]};
    case HEDDLE_COMPLEX128:
        return (struct complex_number){((const double *)data)[2 * i],
                                       ((const double *)data)[2 * i + 1]};
    default: return (struct complex_number){from_half(dtype, ((const uint16_t *)data)[i]), 0};
    }
}

/* To the digits of a half: ties to even, as nearbyintl has them. */
static long double rounded(int dtype, long double x)
{
    if (!is_half(dtype) || x == 0) return x;
    int e;
    frexpl(x, &e);
    const long double unit = ldexpl(1, e - (dtype == HEDDLE_FLOAT16 ? 11 : 8));
    return nearbyintl(x / unit) * unit;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* From -3 to 3, whole or not. */
static struct complex_number value(int dtype, uint64_t seed, bool whole)
{
    const uint64_t h = mixed(seed + 1);
    struct complex_number v = {(long double)(h % 7) - 3, (long double)(h / 7 % 7) - 3};
    if (!whole) v = (struct complex_number){(h % 60001) / 1e4L - 3, (h / 60001 % 60001) / 1e4L - 3};
    if (heddle_dtype_kind((enum heddle_dtype)dtype) != 'C') v.im = 0;
    return v;
}

/* An array of n such, as the dtype has them. */
static void *values(int dtype, int64_t n, uint64_t seed, bool whole)
{
    void *const data = malloc((size_t)n * heddle_dtype_size((enum heddle_dtype)dtype));
    if (!data) exit(1);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        set(dtype, data, i, value(dtype, seed * 1000003 + (uint64_t)i, whole));
    return data;
}

/* ---- Whole products ----------------------------------------------------------------------------------- */

struct kind {
    int of, result;
    bool tf32;
};
static const struct kind kinds[] = {
    {HEDDLE_FLOAT32, HEDDLE_FLOAT32, false},       {HEDDLE_FLOAT32, HEDDLE_FLOAT32, true},
    {HEDDLE_FLOAT64, HEDDLE_FLOAT64, false},       {HEDDLE_COMPLEX64, HEDDLE_COMPLEX64, false},
    {HEDDLE_COMPLEX128, HEDDLE_COMPLEX128, false}, {HEDDLE_FLOAT16, HEDDLE_FLOAT32, false},
    {HEDDLE_FLOAT16, HEDDLE_FLOAT16, false},       {HEDDLE_BFLOAT16, HEDDLE_FLOAT32, false},
    {HEDDLE_BFLOAT16, HEDDLE_BFLOAT16, false}};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* layout: bit 0 A transposed, bit 1 B transposed, bit 2 views with gaps between rows */
static struct heddle_matmul product_of(const struct kind *kind, int64_t m, int64_t n, int64_t k,
                                       int layout, bool accumulate)
{
    const int64_t gap = layout & 4 ? 5 : 0;
    struct heddle_matmul p = {.dtype = (uint8_t)(is_half(kind->of) ? HEDDLE_FLOAT32 : kind->of),
                              .halves = (uint8_t)(is_half(kind->of) ? kind->of : 0),
                              .rounded = is_half(kind->result),
                              .tf32 = kind->tf32,
                              .accumulate = accumulate && !is_half(kind->result),
                              .m = m,
                              .n = n,
                              .k = k,
                              .batch = 1,
                              .outer = 1,
                              .a_offset = layout & 4 ? 3 : 0,
                              .a_row = layout & 1 ? 1 : k + gap,
                              .a_column = layout & 1 ? m + gap : 1,
                              .b_offset = layout & 4 ? 7 : 0,
                              .b_row = layout & 2 ? 1 : n + gap,
                              .b_column = layout & 2 ? k + gap : 1,
                              .c_offset = 1,
                              .c_row = n + 3,
                              .buffer = {0, 1, 2}};
    return p;
}

static int64_t length_of(int64_t offset, int64_t rows, int64_t row, int64_t columns, int64_t column)
{
    return offset + (rows - 1) * row + (columns - 1) * column + 1;
}

/* An operand's terms as doubles, which have them exactly: [of rows or columns][k], and the imaginary parts behind. */
static double *terms(const struct kind *kind, const void *data, int64_t offset, int64_t n,
                     int64_t stride, int64_t k, int64_t k_stride)
{
    double *const to = malloc((size_t)(2 * n * k) * sizeof *to);
    if (!to) exit(1);
#pragma omp parallel for collapse(2)
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < k; t++) {
            const struct complex_number v = get(kind->of, data, offset + i * stride + t * k_stride);
            to[i * k + t] = (double)v.re;
            to[(n + i) * k + t] = (double)v.im;
        }
    return to;
}

/* The sum of a row of A and a column of B, and in *size that of magnitudes, for the error that rounding may make. */
static struct complex_number expected(const struct heddle_matmul *p, const struct kind *kind,
                                      const double *a, const double *b, int64_t i, int64_t j,
                                      long double *size)
{
    const int64_t k = p->k;
    const double *const re = a + i * k, *const im = re + p->m * k;
    const double *const b_re = b + j * k, *const b_im = b_re + p->n * k;
    struct complex_number sum = {0, 0};
    *size = 0;
    for (int64_t t = 0; t < k; t++) {
        sum.re += (long double)re[t] * b_re[t];
        *size += fabsl((long double)re[t] * b_re[t]);
    }
    if (heddle_dtype_kind((enum heddle_dtype)kind->of) == 'C')
        for (int64_t t = 0; t < k; t++) {
            sum.re -= (long double)im[t] * b_im[t];
            sum.im += (long double)re[t] * b_im[t] + (long double)im[t] * b_re[t];
            *size += fabsl((long double)im[t] * b_im[t]) + fabsl((long double)re[t] * b_im[t]) +
                     fabsl((long double)im[t] * b_re[t]);
        }
    return sum;
}

struct device_run {
    void *a, *b, *c, *scratch;
    size_t a_bytes, b_bytes, c_bytes, scratch_bytes;
};

static void *to_device(const void *from, size_t bytes)
{
    void *const to = gpu_alloc(bytes);
    gpu_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, gpu_stream()), "copy");
    return to;
}

/* The result is in `c` after it. Scratch begins as NaN, and what follows it must stay. */
static enum heddle_status run(const struct heddle_matmul *p, struct device_run *r)
{
    unsigned char guard[GUARD], untouched[GUARD];
    void *const device[3] = {to_device(r->a, r->a_bytes), to_device(r->b, r->b_bytes),
                             to_device(r->c, r->c_bytes)};
    char *const scratch = gpu_alloc(r->scratch_bytes + GUARD);
    gpu_check(cudaMemsetAsync(scratch, 0xff, r->scratch_bytes + GUARD, gpu_stream()), "fill");
    const enum heddle_status status = heddle__cuda_matmul(p, device, scratch, gpu_stream());
    gpu_check(cudaMemcpyAsync(r->c, device[2], r->c_bytes, cudaMemcpyDeviceToHost, gpu_stream()),
              "copy");
    gpu_check(cudaMemcpyAsync(guard, scratch + r->scratch_bytes, GUARD, cudaMemcpyDeviceToHost,
                              gpu_stream()),
              "copy");
    gpu_free_all();
    memset(untouched, 0xff, GUARD);
    CHECK(memcmp(guard, untouched, GUARD) == 0, "written behind the scratch");
    return status;
}

static int ways[5]; /* how often each was taken */

static void test_one(const struct kind *kind, int64_t m, int64_t n, int64_t k, int layout,
                     bool accumulate, bool whole)
{
    const struct heddle_matmul p = product_of(kind, m, n, k, layout, accumulate);
    const struct heddle_thin_cut cut = heddle__thin_cut(&p);
    if (HEDDLE_EMULATED && (cut.way == HEDDLE_THIN_NOT || cut.way == HEDDLE_THIN_GEMM)) return;
    ways[cut.way]++;
    const int64_t a_length = length_of(p.a_offset, m, p.a_row, k, p.a_column),
                  b_length = length_of(p.b_offset, k, p.b_row, n, p.b_column),
                  c_length = p.c_offset + m * p.c_row + 9;
    const size_t size = heddle_dtype_size((enum heddle_dtype)kind->of),
                 c_size = heddle_dtype_size((enum heddle_dtype)kind->result);
    struct device_run r = {.a = values(kind->of, a_length, 1, whole),
                           .b = values(kind->of, b_length, 2, whole),
                           .c = values(kind->result, c_length, 3, true),
                           .a_bytes = (size_t)a_length * size,
                           .b_bytes = (size_t)b_length * size,
                           .c_bytes = (size_t)c_length * c_size,
                           .scratch_bytes = heddle__matmul_scratch(&p, 0)};
    void *const before = values(kind->result, c_length, 3, true), *const first = r.c;
    enum heddle_status status = run(&p, &r);
    r.c = values(kind->result, c_length, 3, true);
    if (status == HEDDLE_OK) status = run(&p, &r);

    const bool single =
        kind->result == HEDDLE_FLOAT32 || kind->result == HEDDLE_COMPLEX64 || is_half(kind->of);
    const long double tolerance = whole ? 0 : single ? 0x1p-20L : 0x1p-49L;
    double *const a = terms(kind, r.a, p.a_offset, m, p.a_row, k, p.a_column);
    double *const b = terms(kind, r.b, p.b_offset, n, p.b_column, k, p.b_row);
    int64_t wrong = 0, at = -1;
#pragma omp parallel for reduction(+ : wrong) schedule(dynamic)
    for (int64_t e = 0; e < c_length; e++) {
        const int64_t i = (e - p.c_offset) / p.c_row, j = (e - p.c_offset) % p.c_row;
        long double magnitude = 0;
        const struct complex_number got = get(kind->result, first, e);
        struct complex_number want = get(kind->result, before, e);
        if (e >= p.c_offset && i < m && j < n) {
            const struct complex_number sum = expected(&p, kind, a, b, i, j, &magnitude);
            want.re = rounded(kind->result, sum.re + (p.accumulate ? want.re : 0));
            want.im = sum.im + (p.accumulate ? want.im : 0);
        }
        const long double off = fabsl(got.re - want.re) + fabsl(got.im - want.im);
        if (!(off <= tolerance * magnitude)) {
            wrong++;
#pragma omp atomic write
            at = e;
        }
    }
    CHECK(status == HEDDLE_OK && wrong == 0,
          "%s to %s%s, %lld x %lld x %lld, layout %d, accumulate %d, way %d of %lld slices: %s, "
          "%lld wrong, one at %lld",
          heddle_dtype_name((enum heddle_dtype)kind->of),
          heddle_dtype_name((enum heddle_dtype)kind->result), kind->tf32 ? " by TF32" : "",
          (long long)m, (long long)n, (long long)k, layout, accumulate, cut.way,
          (long long)cut.slices, heddle_last_error(), (long long)wrong, (long long)at);
    CHECK(memcmp(first, r.c, r.c_bytes) == 0, "the bits of two runs differ");
    free(a);
    free(b);
    free(r.a);
    free(r.b);
    free(r.c);
    free(first);
    free(before);
}

/* Around the least k, the least number of slices, a rest of one term or all but one, and the largest results. */
static void test_gemms(void)
{
    static const int64_t shapes[][3] = {
        {32, 32, 16383}, {32, 32, 16384}, {32, 32, 16385}, {31, 33, 16384 + 511},  {2, 2, 16384},
        {2, 3, 17011},   {3, 64, 16384},  {64, 64, 16384}, {64, 64, 16383 + 1024}, {65, 65, 16384},
        {33, 5, 40009},  {5, 33, 65521},  {128, 2, 16384}, {4, 100, 32768 - 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < N_KINDS; kind++)
            for (int layout = 0; layout < 8; layout++)
                if (shapes[s][0] * shapes[s][1] < 200 || layout % 3 == kind % 3)
                    test_one(&kinds[kind], shapes[s][0], shapes[s][1], shapes[s][2], layout,
                             layout & 1, true);
    for (int layout = 0; layout < 4; layout++) {
        test_one(&kinds[0], 128, 128, 32768, layout, true, true);
        test_one(&kinds[2], 128, 128, 32767, layout, false, true);
        test_one(&kinds[2], 129, 128, 32768, layout, false, true);
        test_one(&kinds[0], 8, 8, 1000003, layout, false, true);
    }
    for (int kind = 0; kind < 5; kind++)
        for (int layout = 0; layout < 8; layout++)
            if (!kinds[kind].tf32) test_one(&kinds[kind], 7, 12, 33333, layout, layout & 1, false);
}

static void test_vectors(void)
{
    static const int64_t rows[] = {1, 2, 3, 31, 32, 33, 64, 127, 128, 129, 255, 256, 257, 600};
    static const int64_t ks[] = {16383, 16384, 16385, 20011, 100003};
    uint64_t n = 0;
    for (int r = 0; r < 14; r++)
        for (int k = 0; k < 5; k++)
            for (int kind = 0; kind < N_KINDS; kind++)
                for (int layout = (r + k + kind) % 3; layout < 8; layout += 3) {
                    if ((rows[r] > 256 && k != 2) || (k == 4 && rows[r] > 33)) continue;
                    if (HEDDLE_EMULATED && mixed(n++) % 16) continue; /* minutes */
                    test_one(&kinds[kind], rows[r], 1, ks[k], layout, layout & 2, true);
                    test_one(&kinds[kind], 1, rows[r], ks[k], layout, layout & 1, true);
                }
    for (int kind = 0; kind < 5; kind++)
        for (int layout = 0; layout < 8; layout += HEDDLE_EMULATED ? 3 : 1)
            test_one(&kinds[kind], 5, 1, 17001, layout, layout & 1, false);
}

/* Around the least number of rows, and lengths at which more threads have a row, or a piece is not full; rows that begin askew. */
static void test_rows_by_vector(void)
{
    static const int64_t rows[] = {4095, 4096, 4097, 5003},
                         ks[] = {1,   3,   17,  31,  32,   33,   63,  64,
                                 100, 128, 257, 511, 1000, 1024, 1025};
    uint64_t n = 0;
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 15; k++)
            for (int kind = 0; kind < N_KINDS; kind++)
                for (int layout = (r + k + kind) % 3; layout < 8; layout += 3) {
                    if ((r == 0 || k == 14) && kind > 3) continue;
                    if (mixed(n++) % (HEDDLE_EMULATED ? 16 : 4)) continue; /* minutes */
                    test_one(&kinds[kind], rows[r], 1, ks[k], layout, layout & 2, true);
                    test_one(&kinds[kind], 1, rows[r], ks[k], layout, layout & 1, true);
                }
    for (int kind = 0; kind < 5; kind++)
        for (int layout = 0; layout < 8; layout += HEDDLE_EMULATED ? 3 : 1)
            if (!kinds[kind].tf32) test_one(&kinds[kind], 4100, 1, 333, layout, layout & 1, false);
}

/* ---- Sums by themselves --------------------------------------------------------------------------------- */

static void test_sums_of(const struct kind *kind, int64_t m, int64_t n, int64_t slices,
                         int64_t rest, bool accumulate)
{
    const int partial_dtype = is_half(kind->of) ? HEDDLE_FLOAT32 : kind->of;
    const size_t size = heddle_dtype_size((enum heddle_dtype)kind->of),
                 partial_size = heddle_dtype_size((enum heddle_dtype)partial_dtype),
                 c_size = heddle_dtype_size((enum heddle_dtype)kind->result);
    const int64_t k = rest + 17;
    const struct heddle_matmul p = product_of(kind, m, n, k, 4, accumulate);
    void *const a = values(kind->of, m * (k + 5) + 9, 4, true),
                *const b = values(kind->of, k * (n + 5) + 9, 5, true),
                *const c = values(kind->result, m * (n + 3) + 9, 6, true),
                *const got = values(kind->result, m * (n + 3) + 9, 6, true),
                *const partial = values(partial_dtype, slices * m * n + 1, 7, true);
    const size_t c_bytes = (size_t)(m * (n + 3) + 9) * c_size;
    struct heddle_thin_kernel args = {
        .of = kind->of,
        .result = kind->result,
        .accumulate = p.accumulate,
        .m = m,
        .n = n,
        .k = k,
        .slices = slices,
        .rest = rest,
        .a_row = p.a_row,
        .a_column = p.a_column,
        .b_row = p.b_row,
        .b_column = p.b_column,
        .c_row = p.c_row,
        .a = (char *)to_device(a, (size_t)(m * (k + 5) + 9) * size) + 3 * size,
        .b = (char *)to_device(b, (size_t)(k * (n + 5) + 9) * size) + 7 * size,
        .partial = to_device(partial, (size_t)(slices * m * n + 1) * partial_size)};
    char *const to = to_device(c, c_bytes);
    args.c = to + c_size;
    gpu_check((cudaError_t)heddle__thin_sums(&args, gpu_stream()), "sums");
    gpu_check(cudaMemcpyAsync(got, to, c_bytes, cudaMemcpyDeviceToHost, gpu_stream()), "copy");
    gpu_free_all();
    int64_t wrong = 0;
    for (int64_t e = 0; e < m * (n + 3) + 9; e++) {
        const int64_t i = (e - 1) / (n + 3), j = (e - 1) % (n + 3);
        struct complex_number want = get(kind->result, c, e);
        if (e >= 1 && i < m && j < n) {
            if (!p.accumulate) want = (struct complex_number){0, 0};
            for (int64_t s = 0; s < slices; s++) {
                const struct complex_number x = get(partial_dtype, partial, (s * m + i) * n + j);
                want.re += x.re;
                want.im += x.im;
            }
            for (int64_t t = k - rest; t < k; t++) {
                const struct complex_number x = get(kind->of, a, 3 + i * p.a_row + t),
                                            y = get(kind->of, b, 7 + t * p.b_row + j);
                want.re += x.re * y.re - x.im * y.im;
                want.im += x.re * y.im + x.im * y.re;
            }
            want.re = rounded(kind->result, want.re);
        }
        const struct complex_number x = get(kind->result, got, e);
        wrong += x.re != want.re || x.im != want.im;
    }
    CHECK(wrong == 0, "sums of %s to %s, %lld x %lld, %lld slices, rest %lld: %lld wrong",
          heddle_dtype_name((enum heddle_dtype)kind->of),
          heddle_dtype_name((enum heddle_dtype)kind->result), (long long)m, (long long)n,
          (long long)slices, (long long)rest, (long long)wrong);
    free(a);
    free(b);
    free(c);
    free(got);
    free(partial);
}

static void test_sums(void)
{
    static const int64_t results[][2] = {{1, 1}, {1, 2}, {3, 1}, {2, 2}, {3, 3}, {31, 5}, {7, 32}};
    static const int64_t rests[] = {0, 1, 31, 32, 33, 255, 257, 700};
    for (int kind = 0; kind < N_KINDS; kind++)
        for (size_t r = 0; r < sizeof results / sizeof *results; r++)
            for (size_t s = 0; s < sizeof rests / sizeof *rests; s++)
                test_sums_of(&kinds[kind], results[r][0], results[r][1], 1 + rests[(s + r) % 8],
                             rests[s], s & 1);
}

/* ---- The cut ---------------------------------------------------------------------------------------------- */

/* The terms are all there, slices have some, and the scratch holds what they give. */
static void test_cuts(void)
{
    static const int64_t extents[] = {1, 2, 31, 32, 33, 64, 65, 128, 129, 257, 4096, 4097};
    for (int m = 0; m < 12; m++)
        for (int n = 0; n < 12; n++)
            for (uint64_t s = 0; s < 200; s++) {
                const int64_t k = 1 + (int64_t)(mixed(s) >> (40 + s % 22));
                const struct heddle_matmul p =
                    product_of(&kinds[0], extents[m], extents[n], k, (int)(s % 4), false);
                const struct heddle_thin_cut cut = heddle__thin_cut(&p);
                CHECK_EQ(heddle__matmul_scratch(&p, 0),
                         (size_t)(4 * cut.slices * extents[m] * extents[n]));
                if (cut.way == HEDDLE_THIN_NOT) {
                    CHECK_EQ(cut.slices, 0);
                } else if (cut.way == HEDDLE_THIN_GEMM) {
                    CHECK_EQ(cut.slices * cut.length + cut.rest, k);
                    CHECK(cut.length % 32 == 0 && cut.rest < cut.length, "%lld",
                          (long long)cut.length);
                } else if (cut.way == HEDDLE_THIN_ROWS) {
                    CHECK_EQ(cut.slices, 0);
                    CHECK(cut.length > 0 && cut.length <= 32 && 32 % cut.length == 0, "%lld",
                          (long long)cut.length);
                } else {
                    CHECK_EQ(cut.rest, 0);
                    CHECK((cut.slices - 1) * cut.length < k && k <= cut.slices * cut.length,
                          "%lld slices of %lld for %lld", (long long)cut.slices,
                          (long long)cut.length, (long long)k);
                }
            }
}

int main(void)
{
    test_cuts();
    if (!gpu_open()) {
        printf("no GPU here: the kernels are skipped\n");
        return check_done() ? 1 : 77;
    }
    test_sums();
    test_vectors();
    test_rows_by_vector();
    if (!HEDDLE_EMULATED) test_gemms();
    for (int way = HEDDLE_EMULATED ? HEDDLE_THIN_ACROSS : 0; way <= HEDDLE_THIN_ROWS; way++)
        CHECK(ways[way] > 0, "way %d was never taken", way);
    return check_done();
}
