/* Raw kernels of the kinds that CuPy's guide shows, each as CUDA source with a twin in C: vectors added, complex numbers, a
 * struct as an argument, sums of blocks in shared memory, templates and two functions of one module, constant memory, tiles
 * of a transposition. On CPUs the twins run, on a GPU the sources; both beside values computed here. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK, ROWS = 37, COLUMNS = 50 };

static double number(int64_t i)
{
    return (double)(i * 7919 % 1013) / 8 - 60;
}

static heddle_array *numbers(enum heddle_dtype dtype, int64_t n)
{
    double *const x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = number(i);
    heddle_array *const a =
        heddle_astype(heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(n)), dtype);
    free(x);
    return a;
}

static int64_t size_of(const struct heddle_raw_launch *l, int argument)
{
    int64_t n;
    memcpy(&n, l->arguments[argument].data, sizeof n);
    return n;
}

static heddle_raw_kernel *made(heddle_raw_kernel *k)
{
    CHECK(k != NULL, "%s", heddle_last_error());
    return k;
}

/* Reads `n` numbers and gives whether each is what `right` says. */
static void check_all(const char *name, heddle_array *a, int64_t n, double (*right)(int64_t i))
{
    double *const got = malloc((size_t)n * sizeof *got);
    CHECK(heddle_read(heddle_astype(a, HEDDLE_FLOAT64), got, n * 8) == HEDDLE_OK, "%s: %s", name,
          heddle_error(a));
    int64_t i = 0;
    while (i < n && got[i] == right(i)) i++;
    CHECK(i == n, "%s: [%lld] is %g, not %g", name, (long long)i, got[i], right(i));
    free(got);
}

/* ---- Vectors ------------------------------------------------------------------------------------------ */

static const char add_text[] =
    "extern \"C\" __global__ void add(const float *x, const float *y, float *z, long long n)\n"
    "{\n"
    "    const long long i = (long long)blockDim.x * blockIdx.x + threadIdx.x;\n"
    "    if (i < n) z[i] = x[i] + y[i];\n"
    "}\n";

static enum heddle_status add(const struct heddle_raw_launch *l)
{
    const float *const x = l->arguments[0].data, *const y = l->arguments[1].data;
    float *const z = l->arguments[2].data;
    for (int64_t i = 0; i < size_of(l, 3); i++) z[i] = x[i] + y[i];
    return HEDDLE_OK;
}

static double twice(int64_t i)
{
    return 2 * number(i);
}

static void test_vectors(void)
{
    heddle_raw_kernel *const k = made(heddle_raw_kernel_from_source(add_text, "add", .host = add));
    for (int over_parts = 0; over_parts < 2; over_parts++) {
        heddle_array *const x = numbers(HEDDLE_FLOAT32, N), *z;
        const struct heddle_distribution thirds = {.cut[0] = {HEDDLE_CUT_PARTS, 3, NULL}};
        CHECK_EQ(heddle_raw_call(
                     k,
                     HEDDLE_RAW_ARGUMENTS(
                         heddle_raw_read(over_parts ? heddle_distribute(x, &thirds) : x),
                         heddle_raw_read(x), heddle_raw_write(&z, HEDDLE_FLOAT32, HEDDLE_SHAPE(N)),
                         heddle_raw_size_of(2)),
                     .over_parts = over_parts),
                 HEDDLE_OK);
        check_all("add", z, N, twice);
    }
    heddle_raw_kernel_release(k);
}

/* ---- Complex numbers ---------------------------------------------------------------------------------- */

/* complex64 is float2 to a kernel. */
static const char rotate_text[] =
    "extern \"C\" __global__ void rotate(const float2 *x, float2 by, float2 *z, long long n)\n"
    "{\n"
    "    const long long i = (long long)blockDim.x * blockIdx.x + threadIdx.x;\n"
    "    if (i < n) z[i] = make_float2(x[i].x * by.x - x[i].y * by.y, x[i].x * by.y + x[i].y * "
    "by.x);\n"
    "}\n";

static enum heddle_status rotate(const struct heddle_raw_launch *l)
{
    const float *const x = l->arguments[0].data, *const by = l->arguments[1].data;
    float *const z = l->arguments[2].data;
    for (int64_t i = 0; i < size_of(l, 3); i++) {
        z[2 * i] = x[2 * i] * by[0] - x[2 * i + 1] * by[1];
        z[2 * i + 1] = x[2 * i] * by[1] + x[2 * i + 1] * by[0];
    }
    return HEDDLE_OK;
}

/* x (2 + i) of real x. */
static double real_of_rotated(int64_t i)
{
    return 2 * number(i);
}

static void test_complex(void)
{
    const float by[2] = {2, 1};
    heddle_raw_kernel *const k =
        made(heddle_raw_kernel_from_source(rotate_text, "rotate", .host = rotate));
    heddle_array *z;
    CHECK_EQ(heddle_raw_call(
                 k, HEDDLE_RAW_ARGUMENTS(heddle_raw_read(numbers(HEDDLE_COMPLEX64, N)),
                                         heddle_raw_bytes(by, sizeof by),
                                         heddle_raw_write(&z, HEDDLE_COMPLEX64, HEDDLE_SHAPE(N)),
                                         heddle_raw_size_of(2))),
             HEDDLE_OK);
    check_all("rotate, real", heddle_real(z), N, real_of_rotated);
    check_all("rotate, imaginary", heddle_imag(z), N, number);
    heddle_raw_kernel_release(k);
}

/* ---- A struct ------------------------------------------------------------------------------------------- */

struct line {
    float slope;
    double offset;
    int every;
};

static const char line_text[] =
    "struct line { float slope; double offset; int every; };\n"
    "extern \"C\" __global__ void on_line(const double *x, line by, double *z, long long n)\n"
    "{\n"
    "    const long long i = (long long)blockDim.x * blockIdx.x + threadIdx.x;\n"
    "    if (i < n) z[i] = i % by.every == 0 ? by.slope * x[i] + by.offset : x[i];\n"
    "}\n";

static enum heddle_status on_line(const struct heddle_raw_launch *l)
{
    const double *const x = l->arguments[0].data;
    double *const z = l->arguments[2].data;
    struct line by;
    memcpy(&by, l->arguments[1].data, sizeof by);
    for (int64_t i = 0; i < size_of(l, 3); i++)
        z[i] = i % by.every == 0 ? (double)by.slope * x[i] + by.offset : x[i];
    return HEDDLE_OK;
}

static double every_third(int64_t i)
{
    return i % 3 ? number(i) : 10 - number(i) / 2;
}

static void test_struct(void)
{
    const struct line by = {-0.5F, 10, 3};
    heddle_raw_kernel *const k =
        made(heddle_raw_kernel_from_source(line_text, "on_line", .host = on_line));
    heddle_array *z;
    CHECK_EQ(heddle_raw_call(
                 k, HEDDLE_RAW_ARGUMENTS(heddle_raw_read(numbers(HEDDLE_FLOAT64, N)),
                                         heddle_raw_bytes(&by, sizeof by),
                                         heddle_raw_write(&z, HEDDLE_FLOAT64, HEDDLE_SHAPE(N)),
                                         heddle_raw_size_of(2))),
             HEDDLE_OK);
    check_all("on_line", z, N, every_third);
    heddle_raw_kernel_release(k);
}

/* ---- Shared memory -------------------------------------------------------------------------------------- */

static const char sums_text[] =
    "extern \"C\" __global__ void block_sums(const double *x, double *sums, long long n)\n"
    "{\n"
    "    extern __shared__ double own[];\n"
    "    const long long i = (long long)blockDim.x * blockIdx.x + threadIdx.x;\n"
    "    own[threadIdx.x] = i < n ? x[i] : 0;\n"
    "    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {\n"
    "        __syncthreads();\n"
    "        if (threadIdx.x < half) own[threadIdx.x] += own[threadIdx.x + half];\n"
    "    }\n"
    "    if (threadIdx.x == 0) sums[blockIdx.x] = own[0];\n"
    "}\n";

static enum heddle_status block_sums(const struct heddle_raw_launch *l)
{
    const double *const x = l->arguments[0].data;
    double *const sums = l->arguments[1].data;
    memset(sums, 0, (size_t)l->grid[0] * sizeof *sums);
    for (int64_t i = 0; i < size_of(l, 2); i++) sums[i / l->block[0]] += x[i];
    return HEDDLE_OK;
}

/* Eighths: exact in any order. */
static double sum_of_block(int64_t block)
{
    double sum = 0;
    for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK && i < N; i++) sum += number(i);
    return sum;
}

static void test_shared_memory(void)
{
    heddle_raw_kernel *const k =
        made(heddle_raw_kernel_from_source(sums_text, "block_sums", .host = block_sums));
    heddle_array *sums;
    CHECK_EQ(heddle_raw_call(
                 k,
                 HEDDLE_RAW_ARGUMENTS(heddle_raw_read(numbers(HEDDLE_FLOAT64, N)),
                                      heddle_raw_write(&sums, HEDDLE_FLOAT64, HEDDLE_SHAPE(BLOCKS)),
                                      heddle_raw_size_of(0)),
                 .grid = HEDDLE_LENGTHS(BLOCKS), .block = HEDDLE_LENGTHS(BLOCK),
                 .shared_bytes = BLOCK * sizeof(double)),
             HEDDLE_OK);
    check_all("block_sums", sums, BLOCKS, sum_of_block);
    heddle_raw_kernel_release(k);
}

/* ---- A module: templates, two functions, constants --------------------------------------------------- */

/* A template has a name without C++'s decoration for each type that it is wanted for; flags are macros of the module. */
static const char module_text[] =
    "__constant__ double coefficients[3] = {0.5, -2, OFFSET};\n"
    "template <class T> __device__ void polynomial(const T *x, T *z, long long n)\n"
    "{\n"
    "    const long long i = (long long)blockDim.x * blockIdx.x + threadIdx.x;\n"
    "    if (i < n) z[i] = (T)((coefficients[0] * x[i] + coefficients[1]) * x[i] + "
    "coefficients[2]);\n"
    "}\n"
    "extern \"C\" __global__ void polynomial_float(const float *x, float *z, long long n) { "
    "polynomial(x, z, n); }\n"
    "extern \"C\" __global__ void polynomial_double(const double *x, double *z, long long n) { "
    "polynomial(x, z, n); }\n";

static double polynomial(int64_t i)
{
    return number(i) * number(i) / 2 - 2 * number(i) + 7;
}

static enum heddle_status polynomial_float(const struct heddle_raw_launch *l)
{
    const float *const x = l->arguments[0].data;
    float *const z = l->arguments[1].data;
    for (int64_t i = 0; i < size_of(l, 2); i++)
        z[i] = (float)((0.5 * (double)x[i] - 2) * (double)x[i] + 7);
    return HEDDLE_OK;
}

static enum heddle_status polynomial_double(const struct heddle_raw_launch *l)
{
    const double *const x = l->arguments[0].data;
    double *const z = l->arguments[1].data;
    for (int64_t i = 0; i < size_of(l, 2); i++) z[i] = (0.5 * x[i] - 2) * x[i] + 7;
    return HEDDLE_OK;
}

static void test_module(void)
{
    static heddle_raw_function *const hosts[2] = {polynomial_float, polynomial_double};
    static const char *const names[2] = {"polynomial_float", "polynomial_double"};
    static const enum heddle_dtype dtypes[2] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64};
    for (int t = 0; t < 2; t++) {
        heddle_raw_kernel *const k =
            made(heddle_raw_kernel_from_module(module_text, sizeof module_text - 1, names[t],
                                               .host = hosts[t], .flags = "-DOFFSET=7"));
        heddle_array *z;
        CHECK_EQ(heddle_raw_call(
                     k, HEDDLE_RAW_ARGUMENTS(heddle_raw_read(numbers(dtypes[t], N)),
                                             heddle_raw_write(&z, dtypes[t], HEDDLE_SHAPE(N)),
                                             heddle_raw_size_of(1))),
                 HEDDLE_OK);
        check_all(names[t], z, N, polynomial);
        heddle_raw_kernel_release(k);
    }
}

/* ---- Tiles ---------------------------------------------------------------------------------------------- */

static const char transpose_text[] =
    "extern \"C\" __global__ void transpose(const int *x, int *z, int rows, int columns)\n"
    "{\n"
    "    __shared__ int tile[16][17];\n"
    "    const int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;\n"
    "    if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[r * columns + c];\n"
    "    __syncthreads();\n"
    "    const int to_r = blockIdx.x * 16 + threadIdx.y, to_c = blockIdx.y * 16 + threadIdx.x;\n"
    "    if (to_r < columns && to_c < rows) z[to_r * rows + to_c] = "
    "tile[threadIdx.x][threadIdx.y];\n"
    "}\n";

static enum heddle_status transpose(const struct heddle_raw_launch *l)
{
    const int32_t *const x = l->arguments[0].data;
    int32_t *const z = l->arguments[1].data;
    int32_t rows, columns;
    memcpy(&rows, l->arguments[2].data, sizeof rows);
    memcpy(&columns, l->arguments[3].data, sizeof columns);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < columns; c++) z[c * rows + r] = x[r * columns + c];
    return HEDDLE_OK;
}

static double transposed(int64_t i)
{
    const double x = number(i % ROWS * COLUMNS + i / ROWS);
    return (double)(int64_t)x;
}

static void test_tiles(void)
{
    heddle_raw_kernel *const k =
        made(heddle_raw_kernel_from_source(transpose_text, "transpose", .host = transpose));
    heddle_array *const x = heddle_reshape(numbers(HEDDLE_INT32, (int64_t)ROWS * COLUMNS),
                                           HEDDLE_SHAPE(ROWS, COLUMNS)),
                        *z;
    CHECK_EQ(heddle_raw_call(k,
                             HEDDLE_RAW_ARGUMENTS(
                                 heddle_raw_read(x),
                                 heddle_raw_write(&z, HEDDLE_INT32, HEDDLE_SHAPE(COLUMNS, ROWS)),
                                 heddle_raw_i32(ROWS), heddle_raw_i32(COLUMNS)),
                             .grid = HEDDLE_LENGTHS((COLUMNS + 15) / 16, (ROWS + 15) / 16),
                             .block = HEDDLE_LENGTHS(16, 16)),
             HEDDLE_OK);
    check_all("transpose", z, (int64_t)ROWS * COLUMNS, transposed);
    heddle_raw_kernel_release(k);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    static void (*const tests[])(void) = {test_vectors,       test_complex, test_struct,
                                          test_shared_memory, test_module,  test_tiles};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        heddle_scope scope = heddle_scope_open();
        tests[i]();
        heddle_scope_close(scope);
    }
    check_nothing_left();
    return check_done();
}
