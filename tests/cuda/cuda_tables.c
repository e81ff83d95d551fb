/* Maps of one array of bytes, whose elements are computed once for each of the 256 and looked up, in all forms of a walk, against
 * plain loops. Entry point: test_tables. */
#include "check.h"
#include "cuda/passes.h"

#include <math.h>
#include <stdlib.h>

static float root(float x)
{
    return sqrtf(x * x + 1) / (x * x + 2) * 200;
}

enum { FLOATS = 1, BYTES = 2 };

/* rows x columns elements; the input begins at `offset` and has these strides, the results, FLOATS or BYTES or both, are dense. */
static void test_results(unsigned results, enum heddle_dtype d, int64_t rows, int64_t columns,
                         int64_t offset, int64_t row, int64_t column)
{
    struct build b;
    const int64_t extent[] = {rows, columns}, stride[] = {row, column}, n = rows * columns;
    const size_t size = (size_t)(offset + rows * llabs(row) + columns * llabs(column));
    unsigned char *in = malloc(size), *bytes_out = calloc((size_t)n, 1);
    float *floats = calloc((size_t)n, 4);
    void *host[3] = {in};
    size_t bytes[3] = {size};
    int n_arrays = 1;
    for (size_t i = 0; i < size; i++) in[i] = (unsigned char)(i * 2654435761u >> 13);
    build_begin(&b, 2, 2, extent);
    const int load = build_load(&b, d, NULL, stride, offset);
    const int x = build_cast(&b, d, HEDDLE_FLOAT32, load);
    const int xx = build_op(&b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT32, x, x);
    const int one = build_number(&b, HEDDLE_FLOAT32, 1), two = build_number(&b, HEDDLE_FLOAT32, 2),
              many = build_number(&b, HEDDLE_FLOAT32, 200);
    const int above = build_op(&b, HEDDLE_OP_SQRT, HEDDLE_FLOAT32,
                               build_op(&b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, xx, one), 0);
    const int ratio = build_op(&b, HEDDLE_OP_DIVIDE, HEDDLE_FLOAT32, above,
                               build_op(&b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, xx, two));
    const int y = build_op(&b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT32, ratio, many);
    if (results & FLOATS) {
        build_store(&b, y, HEDDLE_FLOAT32, NULL, NULL, 0);
        host[n_arrays] = floats;
        bytes[n_arrays++] = (size_t)n * 4;
    }
    if (results & BYTES) {
        build_store(&b, build_cast(&b, HEDDLE_FLOAT32, HEDDLE_UINT8, y), HEDDLE_UINT8, NULL, NULL,
                    0);
        host[n_arrays] = bytes_out;
        bytes[n_arrays++] = (size_t)n;
    }
    build_seal(&b, 0);
    if (pass_run(&b, host, bytes, n_arrays, "tables")) {
        int64_t n_bad = 0;
        for (int64_t i = 0; i < n; i++) {
            const unsigned char byte = in[offset + i / columns * row + i % columns * column];
            const float want = root(d == HEDDLE_INT8 ? (float)(signed char)byte : (float)byte);
            n_bad += (results & FLOATS && floats[i] != want) ||
                     (results & BYTES && bytes_out[i] != (unsigned char)want);
        }
        CHECK(n_bad == 0, "%s, %lld x %lld, strides %lld, %lld, %s: %lld elements",
              heddle_dtype_name(d), (long long)rows, (long long)columns, (long long)row,
              (long long)column, pass_names[pass], (long long)n_bad);
    }
    free(in);
    free(floats);
    free(bytes_out);
}

static void test_walk(enum heddle_dtype d, int64_t rows, int64_t columns, int64_t offset,
                      int64_t row, int64_t column)
{
    test_results(FLOATS | BYTES, d, rows, columns, offset, row, column);
}

void test_tables(void)
{
    const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT8};
    for (int k = 0; k < 2; k++) {
        test_walk(dtypes[k], 1, 16384, 0, 16384, 1);
        test_walk(dtypes[k], 1, 20011, 3, 20011, 1);
        test_walk(dtypes[k], 150, 201, 3, 205, 1);
        test_walk(dtypes[k], 300, 128, 0, 128, 1);
        test_walk(dtypes[k], 201, 150, 0, 1, 201); /* transposed */
        test_walk(dtypes[k], 6000, 5, 0, 8, 1);    /* short rows */
        test_walk(dtypes[k], 1, 20011, 20010, 20011, -1);
        test_walk(dtypes[k], 1, 16383, 0, 16383, 1); /* fewer than make a table */
        /* neighbours apart: near enough that a thread has several, or not */
        test_walk(dtypes[k], 150, 131, 2, 398, 3);
        test_walk(dtypes[k], 1, 20011, 100055, 0, -5);
        test_walk(dtypes[k], 150, 128, 1, 1024, 8);
        test_walk(dtypes[k], 150, 128, 1, 1152, 9);
        /* one result of so many elements: lanes have copies; and of one less */
        for (unsigned results = FLOATS; results <= BYTES; results++) {
            test_results(results, dtypes[k], 1, 1 << 20, 0, 0, 1);
            test_results(results, dtypes[k], 1, (1 << 20) - 1, 0, 0, 1);
            test_results(results, dtypes[k], 1025, 1027, 1, 1030, 1);
        }
    }
}
