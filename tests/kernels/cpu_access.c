/* Maps: random programs over random boxes, strides and aliases against the one-element reference,
 * with one thread and two, bit for bit, inputs and gaps unharmed. Arguments: number of programs; share,
 * from 0, and number of shares. */
#include "check.h"
#include "cpu/runs.h"
#include "random_program.h"

#include <base/memory.h>
#include <stdlib.h>
#include <sys/mman.h>

static void test(uint64_t seed, int64_t max_elements, int n_instrs)
{
    struct random_program r;
    const struct random_options options = {
        .seed = seed, .max_elements = max_elements, .n_instrs = n_instrs, .alias = seed % 3 == 0};
    random_make(&r, &options);
    if (seed % 2) r.build.launch.geometry.whole[0] = INT64_C(1) << 40; /* too large for caches */
    void *input[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    random_save(&r, input);
    random_reference(&r);
    random_save(&r, want);
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        random_restore(&r, input);
        CHECK_EQ(build_run(&r.build, n_threads), HEDDLE_OK);
        const int o = random_differs(&r, want);
        CHECK(o < 0, "seed %llu, %d threads: operand %d", (unsigned long long)seed, n_threads, o);
    }
    /* what the first run remembers serves on other data */
    struct heddle_cpu_memo *memo = NULL;
    for (int run = 0; run < 3; run++) {
        random_restore(&r, input);
        CHECK_EQ(build_run_again(&r.build, 1 + run / 2, &memo), HEDDLE_OK);
        const int o = random_differs(&r, want);
        CHECK(o < 0, "seed %llu, run %d: operand %d", (unsigned long long)seed, run, o);
        if (run == 0) random_move(&r);
    }
    heddle__free(memo);
    random_drop(&r, input);
    random_drop(&r, want);
    random_free(&r);
}

/* Constants differ from run to run; what is remembered of a program holds none. */
static void test_constants(void)
{
    const int64_t n = 3;
    const double x[3] = {1, 3, -4};
    double out[3];
    struct build b;
    build_begin(&b, 1, 1, &n);
    const int base = build_load(&b, HEDDLE_FLOAT64, x, NULL, 0);
    const int power = build_op(&b, HEDDLE_OP_POW, HEDDLE_FLOAT64, base, build_f64(&b, 0));
    build_store(&b, build_op(&b, HEDDLE_OP_ADD, HEDDLE_FLOAT64, power, build_f64(&b, 0)),
                HEDDLE_FLOAT64, out, NULL, 0);
    struct heddle_cpu_memo *memo = NULL;
    for (int run = 0; run < 8; run++) {
        const int exponent = 1 + run / 2 % 3;
        b.constants[0].f64 = exponent;
        b.constants[1].f64 = run;
        heddle__alloc_fail_at(run % 4 == 2, 0); /* without memory it decodes each time */
        CHECK_EQ(build_run_again(&b, 1, &memo), HEDDLE_OK);
        heddle__alloc_fail_at(0, 0);
        for (int i = 0; i < n; i++)
            CHECK_NUM(out[i], (exponent > 1 ? x[i] : 1) * (exponent > 2 ? x[i] : 1) * x[i] + run);
    }
    heddle__free(memo);
}

/* Many values alive at once need more than the stack has: memory that is gone is an error. */
static void test_no_memory(void)
{
    const int64_t n = 1000;
    double x[1000] = {0}, out[2 * 1000] = {0};
    struct build b;
    build_begin(&b, 1, 1, &n);
    int v[40], sum = 0;
    const int load = build_load(&b, HEDDLE_FLOAT64, x, NULL, 0);
    for (int i = 0; i < 40; i++)
        v[i] = build_instr(&b, HEDDLE_CODE_CAST, HEDDLE_FLOAT64, HEDDLE_COMPLEX128, load, 0, 0);
    for (int i = 0; i < 40; i++)
        sum = i ? build_op(&b, HEDDLE_OP_ADD, HEDDLE_COMPLEX128, v[i], sum) : v[0];
    build_store(&b, sum, HEDDLE_COMPLEX128, out, NULL, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
    heddle__alloc_fail_at(1, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_ENOMEM);
    heddle__alloc_fail_at(0, 0);
}

/* Steps over elements read nothing past the last one: here the memory ends. */
static void test_steps(void)
{
    enum { MOST = 300, BYTES = 128 << 10 };
    static const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_FLOAT32,
                                               HEDDLE_INT64, HEDDLE_COMPLEX128};
    char *data = mmap(NULL, 2 * (size_t)BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(data != MAP_FAILED, "no memory");
    CHECK_EQ(mprotect(data, BYTES, PROT_READ | PROT_WRITE), 0);
    for (int i = 0; i < BYTES; i++) data[i] = (char)(i * 7 + i / 251);
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
        const size_t size = heddle_dtype_size(dtypes[t]);
        for (int64_t stride = 2; stride <= 20; stride += stride < 9 ? 1 : 4) {
            for (int64_t n = 1; n <= MOST; n++) {
                _Alignas(16) char out[16 * MOST];
                const char *from = data + BYTES - ((size_t)((n - 1) * stride) + 1) * size;
                struct build b;
                build_begin(&b, 1, 1, &n);
                build_store(&b, build_load(&b, dtypes[t], from, &stride, 0), dtypes[t], out, NULL,
                            0);
                CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
                bool same = true;
                for (int64_t i = 0; i < n; i++)
                    same &=
                        !memcmp(out + (size_t)i * size, from + (size_t)(i * stride) * size, size);
                CHECK(same, "%lld of %zu bytes by %lld", (long long)n, size, (long long)stride);
            }
        }
    }
    munmap(data, 2 * (size_t)BYTES);
}

/* Runs of few elements that lie close, at the very end of what may be read, and before it; nothing is written behind them. */
static void test_groups(void)
{
    enum { PAGE = 4096, MOST = 400 };
    char *const pages =
        mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static char out[MOST * 16 + 64];
    mprotect(pages, PAGE, PROT_NONE);
    mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
    for (int i = 0; i < PAGE; i++) pages[PAGE + i] = (char)(i * 7 + i / 256);
    for (int log2_size = 0; log2_size <= 4; log2_size++)
        for (int64_t n = 2; n <= 40; n += n < 9 ? 1 : 5)
            for (int64_t stride = -4; stride <= 4; stride++)
                for (int64_t step = -3; step <= 17; step++)
                    for (int64_t count = 1; count <= MOST; count += count < 40 ? 1 : 73) {
                        const int64_t size = INT64_C(1) << log2_size;
                        const int64_t across = (n - 1) * stride, along = (count - 1) * step;
                        const int64_t least = (across < 0 ? across : 0) + (along < 0 ? along : 0);
                        const int64_t most = (across > 0 ? across : 0) + (along > 0 ? along : 0);
                        if ((most - least + 1) * size > PAGE || count * n * size > MOST * 16)
                            continue;
                        const char *const x = count % 2 ? pages + 2 * PAGE - (most + 1) * size
                                                        : pages + PAGE - least * size;
                        const struct heddle__runs runs = {.n = n,
                                                          .stride = stride,
                                                          .n_runs = count,
                                                          .n_axes = 1,
                                                          .extent = {count},
                                                          .step = {step},
                                                          .pad = {n}};
                        const size_t bytes = (size_t)(count * n * size);
                        memset(out, 99, bytes + 64);
                        heddle__runs_gather(&runs, &heddle__cpu_blocks()->moves, log2_size, out, x);
                        bool same = true;
                        for (int64_t i = 0; i < count * n && same; i++)
                            same =
                                !memcmp(out + i * size, x + (i / n * step + i % n * stride) * size,
                                        (size_t)size);
                        for (int i = 0; i < 64; i++) same &= out[bytes + (size_t)i] == 99;
                        CHECK(same, "%lld runs of %lld by %lld, %lld apart, of %lld bytes",
                              (long long)count, (long long)n, (long long)stride, (long long)step,
                              (long long)size);
                    }
    munmap(pages, 3 * PAGE);
}

/* Columns of records, some or all, where reading before the first element or behind the last one is a fault; nothing is written behind a
 * column. */
static void test_columns(void)
{
    enum { PAGE = 4096, MOST = 150, GUARD = 64 };
    const struct heddle__block_moves *moves = &heddle__cpu_blocks()->moves;
    char *const pages =
        mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static char out[HEDDLE_COLUMNS][MOST * 16 + GUARD];
    mprotect(pages, PAGE, PROT_NONE);
    mprotect(pages + 9 * PAGE, PAGE, PROT_NONE);
    for (int i = 0; i < 8 * PAGE; i++) pages[PAGE + i] = (char)(i * 7 + i / 256);
    uint64_t seed = 1;
    for (int log2_size = 0; log2_size <= 4; log2_size++)
        for (int t = 0; t < 4000; t++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            const int64_t size = INT64_C(1) << log2_size, stride = 1 + (int64_t)(seed >> 33) % 24;
            const uint64_t chosen = t % 3 ? seed >> 8 : ~UINT64_C(0);
            const size_t m = (size_t)(seed >> 50) % MOST;
            const bool turns = t % 2 || !moves->columns[log2_size];
            void *to[HEDDLE_COLUMNS];
            int64_t at[HEDDLE_COLUMNS];
            int n = 0;
            for (int64_t c = 0; c < stride; c++) {
                if (!turns && !(chosen >> c & 1)) continue;
                at[n] = c;
                to[n] = out[n];
                n++;
            }
            if (n == 0 || m == 0) continue;
            const int64_t span = ((int64_t)(m - 1) * stride + at[n - 1] + 1) * size;
            if (span > 8 * PAGE) continue;
            const char *const x = t % 4 < 2 ? pages + 9 * PAGE - span : pages + PAGE - at[0] * size;
            memset(out, 99, sizeof out);
            if (turns)
                moves->turn[log2_size]((size_t)n, m, out, (int64_t)sizeof *out / size, x, stride);
            else
                moves->columns[log2_size](m, n, to, at, x, stride);
            bool same = true;
            for (int k = 0; k < n; k++) {
                for (size_t j = 0; j < m; j++)
                    same &= !memcmp(out[k] + j * (size_t)size,
                                    x + ((int64_t)j * stride + at[k]) * size, (size_t)size);
                for (size_t i = m * (size_t)size; i < sizeof out[k]; i++) same &= out[k][i] == 99;
            }
            CHECK(same, "%zu rows of %d of %lld columns of %lld bytes, %s", m, n, (long long)stride,
                  (long long)size, turns ? "turned" : "chosen");
        }
    munmap(pages, 10 * PAGE);
}

/* Programs that read columns of two arrays of records by turns, and one column twice. */
static void test_columns_of_records(void)
{
    enum { MOST = 1100, WIDE = 11, LOADS = 9 };
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_UINT16,
                                               HEDDLE_INT8};
    static double numbers[2][MOST * WIDE];
    static float floats[2][MOST * WIDE];
    static uint16_t pairs[2][MOST * WIDE];
    static int8_t bytes[2][MOST * WIDE];
    const char *const data[4][2] = {{(const char *)floats[0], (const char *)floats[1]},
                                    {(const char *)numbers[0], (const char *)numbers[1]},
                                    {(const char *)pairs[0], (const char *)pairs[1]},
                                    {(const char *)bytes[0], (const char *)bytes[1]}};
    static const int column[LOADS] = {7, 3, 0, 10, 3, 4, 1, 9, 6};
    for (int i = 0; i < 2 * MOST * WIDE; i++) {
        const int of = i / (MOST * WIDE), at = i % (MOST * WIDE), x = i * 37 % 1009 - 500;
        numbers[of][at] = x;
        floats[of][at] = (float)x;
        pairs[of][at] = (uint16_t)x;
        bytes[of][at] = (int8_t)x;
    }
    for (int64_t n = 1; n <= MOST; n += n < 40 ? 1 : 265)
        for (int64_t wide = 2; wide <= WIDE; wide++)
            for (int t = 0; t < 4; t++) {
                static _Alignas(16) char out[MOST * sizeof(double)];
                struct build b;
                build_begin(&b, 1, 1, &n);
                int load[LOADS];
                for (int l = 0; l < LOADS; l++) {
                    load[l] =
                        build_load(&b, dtypes[t], data[t][l % 2], &wide, column[l] % (int)wide);
                    b.buffer[l] = (uint32_t)l % 2;
                }
                int sum = load[0];
                for (int l = 1; l < LOADS; l++)
                    sum = build_op(&b, l % 3 ? HEDDLE_OP_SUBTRACT : HEDDLE_OP_ADD, dtypes[t],
                                   load[l], sum);
                build_store(&b, sum, dtypes[t], out, NULL, 0);
                b.program.hash = 0;
                CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
                int64_t wrong = 0;
                for (int64_t i = 0; i < n; i++) {
                    double want = 0;
                    for (int l = 0; l < LOADS; l++) {
                        const double v = numbers[l % 2][i * wide + column[l] % (int)wide];
                        want = l == 0 ? v : l % 3 ? v - want : v + want;
                    }
                    wrong += t == 0   ? ((float *)(void *)out)[i] != want
                             : t == 1 ? ((double *)(void *)out)[i] != want
                             : t == 2 ? ((uint16_t *)(void *)out)[i] != (uint16_t)(int)want
                                      : ((int8_t *)(void *)out)[i] != (int8_t)(int)want;
                }
                CHECK(wrong == 0, "%lld records of %lld, dtype %d: %lld are wrong", (long long)n,
                      (long long)wide, t, (long long)wrong);
            }
}

/* Programs that write fields of records, in any order: all of them, or all but one, or one of them a number; in one run of records, or in
 * rows with gaps between them. What no field is stays as it is. */
static void test_fields_of_records(void)
{
    enum { MOST = 1100, WIDE = 6, GAP = 3 };
    static const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64, HEDDLE_COMPLEX128};
    static char x[WIDE][MOST * 16], out[(MOST * WIDE + MOST * GAP) * 16];
    for (int k = 0; k < WIDE; k++)
        for (int i = 0; i < MOST * 16; i++) x[k][i] = (char)(i * 7 + i / 256 + k * 31);
    uint64_t turn = 0;
    for (int64_t n = 1; n <= MOST; n += n < 40 ? 3 : 265)
        for (int64_t wide = 2; wide <= WIDE; wide++)
            for (int t = 0; t < 5; t++, turn++) {
                const int64_t size = (int64_t)heddle_dtype_size(dtypes[t]),
                              rows = turn % 3 || n < 3 ? 1 : 3, columns = n / rows,
                              row = columns * wide + (turn % 2 ? GAP : 0);
                const int left = turn % 5 == 0 ? (int)(turn / 5 % (uint64_t)wide) : -1,
                          number = turn % 7 == 0 ? (int)(turn / 7 % (uint64_t)wide) : -1;
                const int64_t extent[2] = {rows, columns}, strides[2] = {row, wide},
                              dense[2] = {columns, 1};
                struct build b;
                int records = -1; /* the operand whose buffer all stores have */
                build_begin(&b, 2, 2, extent);
                memset(out, 99, sizeof out);
                for (int j = 0; j < wide; j++) {
                    const int k = (int)((uint64_t)j * 5 + turn) %
                                  (int)wide; /* 5 is prime to no width but 5 */
                    const int field = wide == 5 ? j : k;
                    if (field == left) continue;
                    const int v = field == number ? build_constant(&b, dtypes[t],
                                                                   (union heddle_scalar){.u64 = 77})
                                                  : build_load(&b, dtypes[t], x[field], dense, 0);
                    build_store(&b, v, dtypes[t], out, strides, field);
                    const int o = b.program.n_operands - 1;
                    b.buffer[o] = (uint32_t)(records = records < 0 ? o : records);
                }
                b.program.hash = 0;
                CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
                int64_t wrong = 0;
                for (int64_t i = 0; i < (int64_t)sizeof out / size; i++) {
                    const int64_t r = i / row, c = i % row / wide;
                    const int field = (int)(i % row % wide);
                    const char *want = NULL;
                    if (r < rows && i % row < columns * wide && field != left)
                        want = x[field] + (r * columns + c) * size;
                    for (int64_t byte = 0; byte < size && field != number; byte++)
                        wrong += out[i * size + byte] != (want ? want[byte] : 99);
                    wrong += field == number && want && out[i * size] == 99;
                    wrong += field == number && !want && out[i * size] != 99;
                }
                CHECK(wrong == 0, "%lld x %lld records of %lld %s: %lld are wrong", (long long)rows,
                      (long long)columns, (long long)wide, heddle_dtype_name(dtypes[t]),
                      (long long)wrong);
            }
}

/* Each element of x repeated, beside parts of larger arrays: blocks lie as these do, with gaps of two kinds. */
static void test_repeats_beside_gaps(void)
{
    enum { N = 40, M = 8, K = 7, ROWS = 9, COLUMNS = 8 };
    const int64_t extent[3] = {N, M, K}, large_strides[3] = {ROWS * COLUMNS, COLUMNS, 1},
                  strides[3] = {M, 1, 0};
    enum { LARGE = 4 };
    static float x[N * M], large[LARGE][N * ROWS * COLUMNS], out[N * M * K];
    for (int i = 0; i < N * M; i++) x[i] = (float)i;
    for (int l = 0; l < LARGE; l++)
        for (int i = 0; i < N * ROWS * COLUMNS; i++) large[l][i] = (float)(i + l) / 1024;
    struct build b;
    build_begin(&b, 3, 3, extent);
    int sum = build_load(&b, HEDDLE_FLOAT32, x, strides, 0);
    for (int l = 0; l < LARGE; l++)
        sum = build_op(&b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, sum,
                       build_load(&b, HEDDLE_FLOAT32, large[l], large_strides, 0));
    build_store(&b, sum, HEDDLE_FLOAT32, out, NULL, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++) {
                float want = x[i * M + j];
                for (int l = 0; l < LARGE; l++) want += large[l][(i * ROWS + j) * COLUMNS + k];
                wrong += out[(i * M + j) * K + k] != want;
            }
    CHECK_EQ(wrong, 0);
}

static void test_empty(void)
{
    const int64_t extent[2] = {0, 5};
    double out = 7;
    struct build b;
    build_begin(&b, 2, 2, extent);
    build_store(&b, build_f64(&b, 1), HEDDLE_FLOAT64, &out, NULL, 0);
    CHECK_EQ(build_run(&b, 2), HEDDLE_OK);
    CHECK_NUM(out, 7);
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1500;
    const uint64_t share = argc > 3 ? strtoull(argv[2], NULL, 10) : 0,
                   n_shares = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    test_empty();
    test_no_memory();
    test_constants();
    test_steps();
    test_groups();
    test_columns();
    test_columns_of_records();
    test_fields_of_records();
    test_repeats_beside_gaps();
    for (uint64_t seed = 1 + share; seed <= n; seed += n_shares) test(seed, 2000, 12);
    for (uint64_t seed = n + 1 + share; seed <= n + n / 20; seed += n_shares)
        test(seed, 30000, 100);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
