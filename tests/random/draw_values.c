/* Each value of a random array is that of its index, beside an oracle: Philox's published answers, every shape, views,
 * parts, indices beyond 2^32. The same program runs on the caller's thread, through StarPU in parts, for each instruction
 * set and, as random_cuda, on a GPU: one oracle, so the same bits. */
#include "oracle_draws.h"

#include "check_heddle.h"

#include <stdlib.h>

/* Of check_digests. */
#define DIGEST_NORMAL 0x6ea0cf961fe82c77
#define DIGEST_EXPONENTIAL 0x23b761c90dce0570
#define DIGEST_GAMMA 0x12ed50062bf146fd
#define DIGEST_POISSON 0x27d001da
#define DIGEST_BINOMIAL 0xfb467ae
#define DIGEST_SUMS 0xdf0eb04c3a9d617c
#define DIGEST_INTEGERS 0x570090854e4beede

enum { SEED = 20110, MOST = 70000 };
static uint64_t bits[MOST];
static double numbers[MOST];
static float floats[MOST];

/* NULL, or the first GPU. */
static const struct heddle_distribution *place;
static const struct heddle_distribution *where(void)
{
    return place;
}

static void read_all(heddle_array *a, void *to, size_t bytes)
{
    CHECK_EQ(heddle_read(a, to, (int64_t)bytes), HEDDLE_OK);
    if (heddle_status_of(a) != HEDDLE_OK) fprintf(stderr, "%s\n", heddle_error(a));
}

/* The vectors that come with the paper's library: counters and keys of zeros, ones, and digits of pi. */
static void known_answers(void)
{
    static const uint32_t in[3][6] = {
        {0, 0, 0, 0, 0, 0},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}};
    static const uint32_t out[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int k = 0; k < 3; k++) {
        uint32_t counter[4] = {in[k][0], in[k][1], in[k][2], in[k][3]};
        oracle_philox(counter, in[k][4], in[k][5]);
        for (int i = 0; i < 4; i++) CHECK_EQ(counter[i], out[k][i]);
    }
}

/* ---- Every element, in every shape --------------------------------------------------------------------- */

static void check_bits(int ndim, const int64_t *shape)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(SEED);
    int64_t n = 1, wrong = 0;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    for (uint64_t stream = 0; stream < 2; stream++) {
        heddle_array *a = heddle_random_bits(&rng, ndim, shape, .distribution = where());
        CHECK_EQ(rng.stream, stream + 1);
        read_all(a, bits, (size_t)n * 8);
        for (int64_t i = 0; i < n; i++) wrong += bits[i] != oracle_bits(SEED, stream, (uint64_t)i);
    }
    CHECK(wrong == 0, "%lld of %lld elements, %d axes", (long long)wrong, (long long)n, ndim);
    heddle_scope_close(scope);
}

static void check_shapes(void)
{
    static const int64_t lengths[] = {0,   1,   2,    3,    7,     8,     15,    16,   17,
                                      255, 256, 1023, 1024, 65535, 65536, 65537, 70000};
    check_bits(0, NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) check_bits(1, &lengths[i]);
    check_bits(2, (const int64_t[]){3, 5});
    check_bits(2, (const int64_t[]){257, 129});
    check_bits(3, (const int64_t[]){1, 61, 1});
    check_bits(4, (const int64_t[]){7, 1, 9, 11});
}

/* ---- Transformations ----------------------------------------------------------------------------------- */

static void check_transformations(void)
{
    enum { N = 20011 };
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(SEED);
    int64_t wrong[4] = {0};
    read_all(heddle_random_uniform(&rng, HEDDLE_SHAPE(N), .distribution = where()), numbers, N * 8);
    for (uint64_t i = 0; i < N; i++)
        wrong[0] += numbers[i] != oracle_uniform(oracle_bits(SEED, 0, i));
    heddle_array *u = heddle_random_uniform(&rng, HEDDLE_SHAPE(N), .dtype = HEDDLE_FLOAT32,
                                            .distribution = where());
    read_all(u, floats, N * 4);
    for (uint64_t i = 0; i < N; i++)
        wrong[1] += floats[i] != (float)(oracle_word(SEED, 1, i / 4, (int)(i % 4)) >> 8) / 16777216;
    read_all(heddle_random_normal(&rng, HEDDLE_SHAPE(N), .distribution = where()), numbers, N * 8);
    for (uint64_t i = 0; i < N; i++) {
        const long double x = oracle_normal(SEED, 2, i);
        wrong[2] += !(fabsl(numbers[i] - x) <= 4e-15L * fabsl(x) + 1e-16L);
    }
    read_all(heddle_random_exponential(&rng, HEDDLE_SHAPE(N), .distribution = where()), numbers,
             N * 8);
    for (uint64_t i = 0; i < N; i++) {
        const long double x = oracle_exponential(oracle_bits(SEED, 3, i));
        wrong[3] += !(fabsl(numbers[i] - x) <= 5e-16L * fabsl(x));
    }
    for (int k = 0; k < 4; k++) CHECK(wrong[k] == 0, "%lld of stream %d", (long long)wrong[k], k);
    heddle_scope_close(scope);
}

/* The library's bits of everything, which must be what this machine's kernels of all kinds give: a sum over their bits,
 * recorded. So no instruction set, no device and no partition may change one. */
static uint64_t digest(heddle_array *a)
{
    uint64_t sum = 0, position = 1;
    const size_t n = (size_t)heddle_nbytes(a) / 8;
    read_all(a, bits, n * 8);
    for (size_t i = 0; i < n; i++) sum += bits[i] * (position += 2);
    return sum;
}

static void check_digests(void)
{
    enum { N = 4001 };
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(5);
    heddle_array *const shape = heddle_multiply(heddle_arange(heddle_scalar_int(N), NULL, NULL),
                                                heddle_scalar_float(1 / 64.0));
    const struct {
        const char *name;
        heddle_array *a;
        uint64_t sum;
    } all[] = {
        {"normal", heddle_random_normal(&rng, HEDDLE_SHAPE(N), .distribution = where()),
         DIGEST_NORMAL},
        {"exponential", heddle_random_exponential(&rng, HEDDLE_SHAPE(N), .distribution = where()),
         DIGEST_EXPONENTIAL},
        {"gamma", heddle_random_gamma(&rng, HEDDLE_SHAPE(N), shape, .distribution = where()),
         DIGEST_GAMMA},
        {"poisson", heddle_random_poisson(&rng, HEDDLE_SHAPE(N), shape, .distribution = where()),
         DIGEST_POISSON},
        {"binomial",
         heddle_random_binomial(&rng, HEDDLE_SHAPE(N), shape, heddle_scalar_float(0.4),
                                .distribution = where()),
         DIGEST_BINOMIAL},
        {"integers",
         heddle_random_integers(&rng, HEDDLE_SHAPE(N), heddle_scalar_int(-5),
                                heddle_scalar_int(INT64_C(3) << 61), .distribution = where()),
         DIGEST_INTEGERS},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const uint64_t sum = digest(all[i].a);
        CHECK(sum == all[i].sum, "%s: 0x%llx", all[i].name, (unsigned long long)sum);
    }
    heddle_scope_close(scope);
}

/* Sums of products of two streams, which are fused: of lengths that end within blocks, trees and chunks, and from an odd
 * index on. */
static void check_sums(void)
{
    static const int64_t lengths[] = {1,    16,   17,   511,   512,   513,   1024,
                                      1025, 2047, 5001, 65535, 65536, 65537, 200003};
    uint64_t sum = 0, position = 1;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int64_t from = 0; from <= 3; from += 3) {
            heddle_scope scope = heddle_scope_open();
            struct heddle_generator rng = heddle_rng(SEED);
            const int64_t n = lengths[i] + from;
            const struct heddle_index rest = HEDDLE_SLICE(from, n);
            heddle_array *x = heddle_random_uniform(&rng, 1, &n),
                         *y = heddle_random_normal(&rng, 1, &n);
            x = heddle_multiply(heddle_getitem(x, 1, &rest), heddle_getitem(y, 1, &rest));
            uint64_t value = 0;
            read_all(heddle_sum(x), &value, sizeof value);
            sum += value * (position += 2);
            heddle_scope_close(scope);
        }
    CHECK(sum == DIGEST_SUMS, "0x%llx", (unsigned long long)sum);
}

/* ---- Views, programs, far indices ------------------------------------------------------------------------ */

static void check_views(void)
{
    enum { N = 5003 };
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(SEED);
    const struct heddle_index back = HEDDLE_SLICE_STEP(N - 1, 2, -3), odd = HEDDLE_SLICE(7, N);
    heddle_array *a = heddle_random_bits(&rng, HEDDLE_SHAPE(N));
    int64_t wrong = 0;
    heddle_array *view = heddle_getitem(a, 1, &back);
    read_all(view, bits, (size_t)heddle_nbytes(view));
    for (int64_t i = 0; i < heddle_size(view); i++)
        wrong += bits[i] != oracle_bits(SEED, 0, (uint64_t)(N - 1 - 3 * i));
    view = heddle_getitem(a, 1, &odd);
    read_all(view, bits, (size_t)heddle_nbytes(view));
    for (int64_t i = 0; i < heddle_size(view); i++)
        wrong += bits[i] != oracle_bits(SEED, 0, (uint64_t)(7 + i));
    heddle_array *table = heddle_matrix_transpose(heddle_random_bits(&rng, HEDDLE_SHAPE(41, 67)));
    read_all(table, bits, 41 * 67 * 8);
    for (uint64_t i = 0; i < 67; i++)
        for (uint64_t j = 0; j < 41; j++)
            wrong += bits[i * 41 + j] != oracle_bits(SEED, 1, j * 67 + i);
    CHECK(wrong == 0, "%lld elements of views", (long long)wrong);

    /* a slice of so many that no memory has them */
    const int64_t far[] = {(INT64_C(1) << 32) - 9, (INT64_C(1) << 33) - 9, INT64_C(1) << 40};
    for (int k = 0; k < 3; k++) {
        const struct heddle_index there = HEDDLE_SLICE(far[k], far[k] + 40);
        rng = heddle_rng(SEED);
        heddle_array *some = heddle_random_bits(&rng, HEDDLE_SHAPE(INT64_C(1) << 41));
        heddle_array *part = heddle_getitem(some, 1, &there);
        read_all(part, bits, 40 * 8);
        for (int64_t i = 0; i < 40; i++)
            CHECK(bits[i] == oracle_bits(SEED, 0, (uint64_t)(far[k] + i)), "index %lld",
                  (long long)(far[k] + i));
    }
    heddle_scope_close(scope);
}

/* A Monte Carlo mean stores no numbers: more samples than host memory would hold. */
static void check_fused(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_generator rng = heddle_rng(1);
    const int64_t n = 3000000;
    heddle_array *x = heddle_random_uniform(&rng, 1, &n), *y = heddle_random_uniform(&rng, 1, &n);
    heddle_array *r = heddle_add(heddle_square(x), heddle_square(y));
    heddle_array *pi = heddle_multiply(heddle_mean(heddle_less(r, heddle_scalar_float(1))),
                                       heddle_scalar_float(4));
    double value = 0;
    read_all(pi, &value, sizeof value);
    CHECK(fabs(value - 3.14159265358979) < 0.003, "%g", value);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    heddle_place first;
    struct heddle_distribution gpu = {.n_places = 1, .places = &first};
    if (argc > 1 && !strcmp(argv[1], "gpu")) {
        int n_cpus, n_gpus;
        if (heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK || n_gpus == 0) return 77;
        first = heddle_gpu(0);
        place = &gpu;
    }
    known_answers();
    for (int round = place ? 0 : 2; round < 3; round++) { /* interpreted at first, then compiled */
        check_shapes();
        check_transformations();
        check_digests();
        check_sums();
        check_views();
        check_fused();
    }
    return check_done();
}
