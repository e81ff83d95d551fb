/* Numbers at the ends of narrow integers: 65,535 to 65,537 constants, inputs, results and parts; elements beyond
 * 2^31 and 2^32; small arrays whose parts would meet in plans larger than memory. docs/decisions/0032. */
#include "check_heddle.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define BEYOND ((int64_t)4096) /* elements of the file behind number 2^32 */
static const char *const path = "runtime_widths.npy";

/* The number that an array of one element has; NaN, and a failed check, when it is an error. */
static double number(heddle_array *a)
{
    double value = NAN;
    const enum heddle_status status = heddle_read_as(a, HEDDLE_FLOAT64, &value, sizeof value);
    CHECK(status == HEDDLE_OK, "%s", heddle_error(a));
    return value;
}

static double sum_of(heddle_array *a)
{
    return number(heddle_sum(a, .dtype = HEDDLE_FLOAT64));
}

static heddle_array *range(int64_t n)
{
    return heddle_arange(heddle_scalar_int(0), heddle_scalar_int(n), NULL);
}

/* n arrays of one element, each with a constant of its own, joined and alone. */
static void test_constants(int n)
{
    heddle_scope scope = heddle_scope_open();
    const double one = 1;
    double total = 0;
    heddle_array *x = heddle_asarray(&one, HEDDLE_FLOAT64, HEDDLE_SHAPE(1));
    heddle_array **in = malloc((size_t)n * sizeof(heddle_array *));
    for (int i = 0; i < n; i++) {
        in[i] = heddle_multiply(x, heddle_scalar((double)i));
        total += i;
    }
    heddle_array *joined = heddle_concat(n, in, 0);
    CHECK_NUM(sum_of(joined), total);
    if (n > 65536) {
        CHECK_NUM(sum_of(heddle_stack(n, in, 0)), total);
        char *text = NULL;
        CHECK_EQ(heddle_explain(heddle_stack(n, in, 1), HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
        CHECK(text && strlen(text) > 0);
        heddle_free(text);
        CHECK_EQ(heddle_eval_all(n, in), HEDDLE_OK);
        CHECK_NUM(number(in[0]), 0);
        CHECK_NUM(number(in[65535]), 65535);
        CHECK_NUM(number(in[n - 1]), n - 1);
    }
    free(in);
    heddle_scope_close(scope);
}

/* Operations with constants of their own in one expression, around what one program can have. */
static void test_programs(void)
{
    static const int sizes[] = {23, 24, 25, 84, 85, 86, 127, 128, 129, 255, 256, 257, 1000};
    const double one = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = heddle_asarray(&one, HEDDLE_FLOAT64, HEDDLE_SHAPE(1)), *y = x, *z = x;
        double total = 1;
        for (int i = 0; i < sizes[k]; i++) {
            const double value = i;
            y = heddle_add(y, heddle_multiply(x, heddle_scalar(value)));
            z = heddle_add(z, heddle_asarray(&value, HEDDLE_FLOAT64, HEDDLE_SHAPE(1)));
            total += i;
        }
        CHECK_NUM(number(y), total);
        CHECK_NUM(number(z), total);
        heddle_scope_close(scope);
    }
}

static heddle_array *cut(heddle_array *a, int axis, int64_t n)
{
    struct heddle_distribution d = {0};
    d.cut[axis].kind = HEDDLE_CUT_PARTS;
    d.cut[axis].n = n;
    return heddle_distribute(a, &d);
}

static void test_parts(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = range(70000);
    CHECK_NUM(sum_of(cut(a, 0, 65535)), 70000.0 * 69999 / 2);
    CHECK_NUM(sum_of(cut(a, 0, 65536)), 70000.0 * 69999 / 2);
    CHECK_EQ(heddle_eval(cut(a, 0, 65537)), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "at most 65536 parts");
    heddle_scope_close(scope);
}

/* Both operands are cut in many parts: all pairs of them would be 2^22 or more. */
static void test_parts_that_meet(void)
{
    enum { N = 2048, MANY = 16384 };
    heddle_scope scope = heddle_scope_open();
    heddle_array *all = range(N);
    heddle_array *indices = cut(all, 0, N);
    heddle_array *columns =
        cut(heddle_reshape(heddle_astype(all, HEDDLE_FLOAT64), HEDDLE_SHAPE(1, N)), 1, N);
    heddle_array *taken =
        heddle_take(columns, heddle_multiply(indices, heddle_scalar(0)), .axis = 0);
    CHECK_NUM(sum_of(taken), (double)N * N * (N - 1) / 2);

    heddle_array *ones = heddle_ones(HEDDLE_SHAPE(MANY));
    heddle_array *left = cut(heddle_reshape(ones, HEDDLE_SHAPE(MANY, 1)), 0, MANY);
    heddle_array *right = cut(heddle_reshape(ones, HEDDLE_SHAPE(1, MANY)), 1, MANY);
    heddle_array *product = heddle_sum(heddle_matmul(left, right));
    CHECK_EQ(heddle_eval(product), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(product), "cut arrays into fewer parts");

    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss < 700 << 10, "%ld kB",
          usage.ru_maxrss);
    heddle_scope_close(scope);
}

/* A file of 2^32 + BEYOND bytes that is a hole but for a few; `at` and `value` say which. */
static const struct {
    int64_t at;
    signed char value;
} bytes[] = {{0, 1},
             {INT64_C(0x7fffffff), 2},
             {INT64_C(0x80000000), 3},
             {INT64_C(0x80000001), 4},
             {INT64_C(0xffffffff), 5},
             {INT64_C(0x100000000), 6},
             {INT64_C(0x100000000) + BEYOND - 1, 7}};
enum { N_BYTES = sizeof bytes / sizeof *bytes };

static bool make_file(void)
{
    char header[128];
    const int64_t n = INT64_C(0x100000000) + BEYOND;
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\0\x76\0", 10);
    const int length =
        snprintf(header + 10, sizeof header - 10,
                 "{'descr': '|i1', 'fortran_order': False, 'shape': (%lld,), }", (long long)n);
    header[10 + length] = ' ';
    header[sizeof header - 1] = '\n';
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(header, sizeof header, 1, file) == 1 &&
              ftruncate(fileno(file), (off_t)(n + (int64_t)sizeof header)) == 0;
    for (int i = 0; i < N_BYTES && ok; i++)
        ok = fseeko(file, (off_t)(bytes[i].at + (int64_t)sizeof header), SEEK_SET) == 0 &&
             fputc(bytes[i].value, file) != EOF;
    return file && fclose(file) == 0 && ok;
}

/* Views, gathers and reductions whose elements are far into the file: each reads little of it. */
static void test_offsets(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_load(path);
    const int64_t n = heddle_size(a);
    CHECK_EQ(n, INT64_C(0x100000000) + BEYOND);
    int64_t places[2 * N_BYTES];
    double by_take = 0;
    for (int i = 0; i < N_BYTES; i++) {
        const int64_t at = bytes[i].at;
        CHECK_NUM(number(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(at)))), bytes[i].value);
        CHECK_NUM(number(heddle_getitem(heddle_flip(a), HEDDLE_INDEX(HEDDLE_AT(n - 1 - at)))),
                  bytes[i].value);
        places[i] = at;
        places[N_BYTES + i] = at - n; /* from the end */
        by_take += 2 * bytes[i].value;
    }
    heddle_array *indices = heddle_asarray(places, HEDDLE_INT64, HEDDLE_SHAPE(2 * N_BYTES));
    CHECK_NUM(sum_of(heddle_take(a, indices)), by_take);
    places[0] = n;
    heddle_array *bad = heddle_take(a, heddle_asarray(places, HEDDLE_INT64, HEDDLE_SHAPE(1)));
    CHECK_EQ(heddle_wait(bad), HEDDLE_EINDEX);

    /* a step that does not fit 31 bits, and one that has to be multiplied by an index */
    CHECK_NUM(sum_of(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(INT64_C(0x80000000))))), 1 + 3 + 6);
    CHECK_NUM(sum_of(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_STEP(1 << 20)))), 1 + 3 + 6);
    CHECK_NUM(sum_of(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE_STEP(-1, 0, -(1 << 20))))), 7);

    /* windows */
    heddle_array *tail = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(INT64_C(0xffffffff))));
    CHECK_NUM(sum_of(tail), 5 + 6 + 7);
    CHECK_NUM(number(heddle_argmax(tail)), (double)BEYOND);
    CHECK_NUM(number(heddle_getitem(heddle_cumulative_sum(tail), HEDDLE_INDEX(HEDDLE_AT(-1)))), 18);
    heddle_array *middle =
        heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(INT64_C(0x7ffffff0), INT64_C(0x80000010))));
    CHECK_NUM(sum_of(middle), 2 + 3 + 4);
    CHECK_NUM(sum_of(heddle_matmul(middle, middle)), 4 + 9 + 16);

    /* rows of 2^31 + 2048 elements, and their transpose */
    heddle_array *rows = heddle_reshape(a, HEDDLE_SHAPE(2, n / 2));
    heddle_array *last = heddle_getitem(rows, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_FROM(-BEYOND)));
    CHECK_NUM(sum_of(last), 2 + 3 + 4 + 6 + 7);
    CHECK_NUM(
        number(heddle_argmax(heddle_sum(heddle_permute_dims(last, 2, (int[]){1, 0}), .axis = 1))),
        (double)(BEYOND - 1));
    heddle_scope_close(scope);
}

/* What is no memory at all: indices, and one element seen 2^40 times. */
static void test_extents(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *all = range((int64_t)1 << 40);
    heddle_array *some = heddle_getitem(all, HEDDLE_INDEX(HEDDLE_STEP((int64_t)1 << 36)));
    CHECK_NUM(sum_of(some), 120.0 * (double)((int64_t)1 << 36));
    CHECK_NUM(number(heddle_getitem(all, HEDDLE_INDEX(HEDDLE_AT(-1)))),
              (double)(((int64_t)1 << 40) - 1));
    const double seven = 7;
    heddle_array *seen = heddle_broadcast_to(
        heddle_asarray(&seven, HEDDLE_FLOAT64, HEDDLE_SHAPE(1)), HEDDLE_SHAPE((int64_t)1 << 57));
    CHECK_NUM(sum_of(heddle_getitem(seen, HEDDLE_INDEX(HEDDLE_FROM(-3)))), 21);
    heddle_scope_close(scope);
}

int main(void)
{
    /* of 1 GB a plan gets 128 MB */
    CHECK_EQ(heddle_configure(
                 &(struct heddle_config){.devices = "cpu", .cpu_memory_bytes = (int64_t)1 << 30}),
             HEDDLE_OK);
    test_parts_that_meet();
    test_programs();
    for (int n = 65535; n <= 65537; n++) test_constants(n);
    test_parts();
    test_extents();
    if (make_file()) test_offsets();
    unlink(path);
    check_nothing_left();
    return check_done();
}
