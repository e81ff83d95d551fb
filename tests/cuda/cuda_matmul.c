/* Matrix products of all dtypes, layouts and batches against the CPU kernels: integers bit for bit.
 * Maps of products, as parts of their calls, against sums that are found here. Entry points: test_matmul,
 * test_epilogues. */
#include "families/matmul/kernel.h"
#include "check.h"
#include "cuda/passes.h"
#include "kernels/oracle.h"
#include "kernels/test_team.h"

#include <stdlib.h>

extern const struct heddle_cuda_kernel heddle__matmul_cuda;

enum { MOST = 3 * 150 * 170 };

static double difference(enum heddle_dtype d, const void *got, const void *want, int64_t i)
{
    const struct number a = oracle_get(d, got, i), b = oracle_get(d, want, i);
    if (a.i != b.i) return 1e30;
    const long double scale = 1 + fabsl(b.re) + fabsl(b.im);
    return (double)((fabsl(a.re - b.re) + fabsl(a.im - b.im)) / scale);
}

/* layout: bit 0 A transposed, bit 1 B transposed, bit 2 no gaps, so that rows of even extents are aligned. Four results have one B, and if
 * they can, rows as those of one. */
static void test_one(enum heddle_dtype d, int64_t m, int64_t n, int64_t k, int64_t batch,
                     int layout, int accumulate)
{
    static double a[2 * MOST], b[2 * MOST], c[2 * MOST], want[2 * MOST];
    const int64_t gap = layout & 4 ? 0 : 1;
    struct heddle_matmul p = {.dtype = (uint8_t)d,
                              .accumulate = (uint8_t)accumulate,
                              .m = m,
                              .n = n,
                              .k = k,
                              .batch = batch,
                              .outer = 1,
                              .a_offset = 3 * gap,
                              .a_row = layout & 1 ? 1 : k + 2 * gap,
                              .a_column = layout & 1 ? m + gap : 1,
                              .a_batch = layout & 2   ? 0
                                         : batch == 4 ? m * (k + 2 * gap)
                                                      : (m + 2) * k + 2,
                              .b_row = layout & 2 ? 1 : n,
                              .b_column = layout & 2 ? k : 1,
                              .b_batch = batch == 4 ? 0 : n * k,
                              .c_offset = gap,
                              .c_row = n + 3 * gap,
                              .c_batch = m * (n + 3 * gap),
                              .buffer = {0, 1, 2}};
    for (int64_t i = 0; i < MOST; i++) {
        const struct number v = {(__int128)(i * 7919 % 201) - 100,
                                 (long double)(i * 7919 % 2001) / 1000 - 1,
                                 (long double)(i * 104729 % 2001) / 1000 - 1};
        oracle_set(d, a, i, v);
        oracle_set(d, b, MOST - 1 - i, v);
        oracle_set(d, c, i, v);
    }
    memcpy(want, c, sizeof c);
    void *host[3] = {a, b, want}, *device[3];
    void *const scratch_of_host = malloc(heddle__matmul_scratch(&p, 2));
    CHECK_EQ(heddle__cpu_matmul(&p, host, scratch_of_host, test_team(2)), HEDDLE_OK);
    free(scratch_of_host);
    const void *const from[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        device[i] = gpu_alloc(sizeof c);
        gpu_check(
            cudaMemcpyAsync(device[i], from[i], sizeof c, cudaMemcpyHostToDevice, gpu_stream()),
            "copy");
    }
    void *const scratch = gpu_alloc(heddle__matmul_scratch(&p, 0));
    const enum heddle_status status = heddle__cuda_matmul(&p, device, scratch, gpu_stream());
    gpu_check(cudaMemcpyAsync(c, device[2], sizeof c, cudaMemcpyDeviceToHost, gpu_stream()),
              "copy");
    gpu_free_all();
    double worst = 0;
    for (int64_t i = 0; i < MOST; i++) {
        const double e = difference(d, c, want, i);
        if (!(e <= worst)) worst = e;
    }
    const int is_single = d == HEDDLE_FLOAT32 || d == HEDDLE_COMPLEX64;
    CHECK(status == HEDDLE_OK && worst <= (is_single ? 1e-4 : 1e-12),
          "matmul of %s, %lld x %lld x %lld, batch %lld, layout %d, accumulate %d: %s, off by %g",
          heddle_dtype_name(d), (long long)m, (long long)n, (long long)k, (long long)batch, layout,
          accumulate, heddle_last_error(), worst);
}

static int64_t whole(enum heddle_dtype d, const void *x, int64_t i)
{
    const struct number v = oracle_get(d, x, i);
    return heddle_dtype_kind(d) == 'F' ? (int64_t)v.re : (int64_t)v.i;
}

/* C = max(A B, 0) * 2 - D, where D is one row for all. The pass says how the map is executed. */
static void test_epilogue(enum heddle_dtype d, int64_t m, int64_t n, int64_t k, int64_t batch)
{
    static double c[MOST], want[MOST], a[MOST], b[MOST], bias[MOST];
    static struct build map;
    struct heddle_matmul p = {.dtype = (uint8_t)d,
                              .m = m,
                              .n = n,
                              .k = k,
                              .batch = batch,
                              .outer = 1,
                              .a_row = k,
                              .a_column = 1,
                              .a_batch = m * k,
                              .b_row = n,
                              .b_column = 1,
                              .b_batch = n * k,
                              .c_offset = 2,
                              .c_row = n + 1,
                              .c_batch = m * (n + 1),
                              .buffer = {0, 1, 2}};
    const int64_t box[3] = {batch, m, n}, in_c[3] = {p.c_batch, p.c_row, 1}, in_row[3] = {0, 0, 1};
    build_begin(&map, 3, 3, box);
    const int product = build_load(&map, d, c, in_c, p.c_offset);
    const int row = build_load(&map, d, bias, in_row, 0);
    const int zero = build_op(&map, HEDDLE_OP_SUBTRACT, d, row, row);
    const int most = build_op(&map, HEDDLE_OP_MAXIMUM, d, product, zero);
    const int twice = build_op(&map, HEDDLE_OP_ADD, d, most, most);
    build_store(&map, build_op(&map, HEDDLE_OP_SUBTRACT, d, twice, row), d, c, in_c, p.c_offset);
    build_seal(&map, 0);
    map.buffer[0] = map.buffer[2] = 2; /* of the task */
    map.buffer[1] = 3;
    CHECK(heddle__matmul_takes(&p, &map.launch), "a map of a product in place");
    p.epilogue = &map.launch;
    if (pass == PREPARED) {
        heddle__matmul_cuda.prepare(&p);
        return;
    }
    for (int64_t i = 0; i < MOST; i++) {
        const struct number v = {i * 7919 % 19 - 9, (long double)(i * 7919 % 19 - 9), 0};
        oracle_set(d, a, i, v);
        oracle_set(d, b, MOST - 1 - i, v);
        oracle_set(d, bias, i, v);
        oracle_set(d, want, i, v);
    }
    memcpy(c, want, sizeof c);
    for (int64_t t = 0; t < batch; t++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                int64_t sum = 0;
                for (int64_t l = 0; l < k; l++)
                    sum += whole(d, a, (t * m + i) * k + l) * whole(d, b, (t * k + l) * n + j);
                sum = 2 * (sum > 0 ? sum : 0) - whole(d, bias, j);
                oracle_set(d, want, p.c_offset + t * p.c_batch + i * p.c_row + j,
                           (struct number){sum, (long double)sum, 0});
            }
    void *device[4];
    const void *const from[4] = {a, b, c, bias};
    for (int i = 0; i < 4; i++) {
        device[i] = gpu_alloc(sizeof c);
        gpu_check(
            cudaMemcpyAsync(device[i], from[i], sizeof c, cudaMemcpyHostToDevice, gpu_stream()),
            "copy");
    }
    struct heddle_kernel_context context = {.buffers = device,
                                            .constants = map.constants,
                                            .scratch = gpu_alloc(heddle__matmul_scratch(&p, 0)),
                                            .stream = gpu_stream()};
    CHECK_EQ(heddle__matmul_cuda.run(&p, &context), HEDDLE_OK);
    gpu_check(cudaMemcpyAsync(c, device[2], sizeof c, cudaMemcpyDeviceToHost, gpu_stream()),
              "copy");
    gpu_free_all();
    int64_t n_wrong = 0;
    for (int64_t i = 0; i < MOST; i++) n_wrong += difference(d, c, want, i) != 0;
    CHECK(n_wrong == 0 && context.interpreted == (pass == INTERPRETED),
          "map of %s, %lld x %lld x %lld, batch %lld, %s: %lld wrong", heddle_dtype_name(d),
          (long long)m, (long long)n, (long long)k, (long long)batch, pass_names[pass],
          (long long)n_wrong);
}

void test_epilogues(void)
{
    const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_INT32, HEDDLE_INT64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        test_epilogue(dtypes[i], 300, 5, 7, 1); /* narrow, if of reals */
        test_epilogue(dtypes[i], 41, 3, 4, 9);
        if (HEDDLE_EMULATED && heddle_dtype_kind(dtypes[i]) == 'F')
            continue; /* cuBLAS needs a GPU */
        test_epilogue(dtypes[i], 100, 70, 33, 1);
        test_epilogue(dtypes[i], 37, 40, 21, 3);
    }
}

/* Around the widest that is narrow, and that is short; those that are neither need cuBLAS. */
static void test_narrow(void)
{
    const int last = HEDDLE_EMULATED ? 16 : 17;
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_FLOAT64; d++)
        for (int layout = 0; layout < 8; layout++)
            for (int64_t n = 1; n <= last; n += n % 3 + 1)
                for (int64_t k = 1; k <= last; k += k % 4 + 1) {
                    test_one((enum heddle_dtype)d, 1 + (n * k) % 700, n, k, 1, layout, n & 1);
                    test_one((enum heddle_dtype)d, 1 + n * k % 90, n, k, 4, layout, 0);
                    if (HEDDLE_EMULATED && n * k > 64) continue;
                    test_one((enum heddle_dtype)d, 1 + (n + k) % 40, n, k, 5, layout, k & 1);
                }
}

/* The same of few rows and many columns, whose B has columns of stride 1. */
static void test_columns(void)
{
    static const int64_t columns[] = {17, 256, 511, 513, 700}, rows[] = {1, 5, 16};
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_FLOAT64; d++)
        for (int layout = 0; layout < 8; layout += layout & 1 ? 3 : 1)
            for (int i = 0; i < 15; i++)
                for (int64_t k = 1 + (HEDDLE_EMULATED ? i : 0); k <= 16;
                     k += HEDDLE_EMULATED ? 7 : k % 4 + 1) {
                    const enum heddle_dtype dtype = (enum heddle_dtype)d;
                    const int64_t m = rows[i % 3], n = columns[i / 3];
                    test_one(dtype, m, n, k, 1, layout, k & 1);
                    test_one(dtype, m, n, k, 3, layout, 0);
                    test_one(dtype, m, n, k, 4, layout, n & 1);
                }
}

/* Enough large tiles for the kernel that has these (cuda_integer.cu), whose results A and B reach by steps of a few elements; with
 * layout 4 rows and columns of both lie apart, which cuBLAS takes no floating numbers of. Values have all bits, those of floating
 * numbers are small and whole. */
static void test_large(enum heddle_dtype d, int64_t m, int64_t n, int64_t k, int64_t batch,
                       int layout, int accumulate)
{
    const bool is_whole = heddle_dtype_kind(d) != 'F';
    const int64_t apart = layout & 4 ? 2 : 1;
    const struct heddle_matmul p = {.dtype = (uint8_t)d,
                                    .accumulate = (uint8_t)accumulate,
                                    .m = m,
                                    .n = n,
                                    .k = k,
                                    .batch = batch,
                                    .outer = 1,
                                    .a_row = layout & 1 ? apart : apart * k + 1,
                                    .a_column = layout & 1 ? apart * m + 2 : apart,
                                    .a_batch = 3,
                                    .b_row = layout & 2 ? apart : apart * n + 1,
                                    .b_column = layout & 2 ? apart * k : apart,
                                    .b_batch = 5,
                                    .c_offset = 2,
                                    .c_row = n + 1,
                                    .c_batch = m * (n + 1),
                                    .buffer = {0, 1, 2}};
    const int64_t n_inputs = 2 * ((m > n ? m : n) + 2) * (k + 2) + 5 * batch;
    const int64_t n_results = batch * m * (n + 1) + 4, size = (int64_t)heddle_dtype_size(d);
    const int64_t n_most = n_inputs > n_results ? n_inputs : n_results;
    const int64_t extent[3] = {n_inputs, n_inputs, n_results};
    char *of[3];
    uint64_t *bits[3];
    void *device[3];
    for (int t = 0; t < 3; t++) {
        of[t] = malloc((size_t)(n_most * size));
        bits[t] = malloc((size_t)n_most * sizeof(uint64_t));
        for (int64_t i = 0; i < extent[t]; i++) {
            const uint64_t random = (uint64_t)(i + 1000 * t + 1) * 0x9e3779b97f4a7c15u >> 3;
            bits[t][i] = is_whole ? (i % 17 == 0 ? ~(uint64_t)0 : random) : (random >> 20) % 16;
            oracle_set(d, of[t], i,
                       (struct number){(int64_t)bits[t][i], (long double)bits[t][i], 0});
        }
        device[t] = gpu_alloc((size_t)(extent[t] * size));
        gpu_check(cudaMemcpyAsync(device[t], of[t], (size_t)(extent[t] * size),
                                  cudaMemcpyHostToDevice, gpu_stream()),
                  "copy");
    }
    const enum heddle_status status = heddle__cuda_matmul(&p, device, NULL, gpu_stream());
    gpu_check(cudaMemcpyAsync(of[0], device[2], (size_t)(n_results * size), cudaMemcpyDeviceToHost,
                              gpu_stream()),
              "copy");
    gpu_free_all();
    for (int64_t t = 0; t < batch; t++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                uint64_t *c = bits[2] + p.c_offset + t * p.c_batch + i * p.c_row + j;
                uint64_t sum = accumulate ? *c : 0;
                for (int64_t l = 0; l < k; l++)
                    sum += bits[0][t * p.a_batch + i * p.a_row + l * p.a_column] *
                           bits[1][t * p.b_batch + l * p.b_row + j * p.b_column];
                *c = sum;
            }
    int64_t n_wrong = 0;
    for (int64_t i = 0; i < n_results; i++) {
        oracle_set(d, of[1], 0, (struct number){(int64_t)bits[2][i], (long double)bits[2][i], 0});
        n_wrong += memcmp(of[1], of[0] + i * size, (size_t)size) != 0;
    }
    CHECK(status == HEDDLE_OK && n_wrong == 0,
          "matmul of %s, %lld x %lld x %lld, batch %lld, layout %d, accumulate %d: %s, %lld wrong",
          heddle_dtype_name(d), (long long)m, (long long)n, (long long)k, (long long)batch, layout,
          accumulate, heddle_last_error(), (long long)n_wrong);
    for (int t = 0; t < 3; t++) {
        free(of[t]);
        free(bits[t]);
    }
}

static void test_large_tiles(void)
{
    for (int d = HEDDLE_INT8; d <= HEDDLE_FLOAT32; d++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)d;
        if (heddle_dtype_size(dtype) > 4) continue;
        const int apart = dtype == HEDDLE_FLOAT32 ? 4 : 0;
        for (int layout = apart; layout < apart + 4; layout++) {
            if (HEDDLE_EMULATED && (layout ^ d) & 1) continue;
            test_large(dtype, 241, 255, 17 + 16 * (layout & 1), 25, layout, layout & 1);
        }
        test_large(dtype, 1271, 1160, 19, 1, apart | 1, 0);
        test_large(dtype, 128, 256, d == HEDDLE_FLOAT32 ? 18 : 1 + d, 50, apart | 2, d & 1);
    }
    test_large(HEDDLE_INT32, 241, 255, 33, 24, 0, 0); /* too few of them */
    test_large(HEDDLE_INT64, 241, 255, 33, 25, 0, 1);
}

void test_matmul(void)
{
    test_narrow();
    test_columns();
    test_large_tiles();
    const int last = HEDDLE_EMULATED ? HEDDLE_UINT64 : HEDDLE_COMPLEX128; /* cuBLAS needs a GPU */
    for (int d = HEDDLE_INT8; d <= last; d++)
        for (int layout = 0; layout < 4; layout++) {
            const enum heddle_dtype dtype = (enum heddle_dtype)d;
            test_one(dtype, 65, 37, 50, 1, layout, 0);
            test_one(dtype, 16, 100, 33, 3, layout, 1);
            test_one(dtype, 1, 77, 40, 1, layout, 0);
            test_one(dtype, 77, 1, 40, 2, layout, 0);
            test_one(dtype, 20, 30, 1, 1, layout, 1);
            test_one(dtype, 20, 30, 0, 2, layout, 0);
        }
}
