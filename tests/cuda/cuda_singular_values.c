/* Singular values of batches (families/spectral/cuda_jacobi.h), against what they mean, in long double: U S V^H is the matrix, U and V are
 * unitary, and values descend; of random and graded matrices, singular ones, and ones at both ends of the dtype's range. */
#include "check.h"
#include "cuda/numbers.h"
#include "families/spectral/cuda_jacobi.h"

enum { KINDS = 6 };

/* Matrix number `kind` of a batch, row-major. */
static void fill(int kind, int dtype, int rows, int columns, number *a)
{
    const long double far = is_single(dtype) ? 0x1p100L : 0x1p900L;
    for (int i = 0; i < rows * columns; i++) {
        const int row = i / columns;
        long double by = 1;
        if (kind == 1) by = powl(2, -row * (is_single(dtype) ? 3 : 5)); /* graded */
        if (kind == 2) by = far;
        if (kind == 3) by = 1 / far;
        if (kind == 5) by = 0;
        a[i] = random_of(dtype) * by;
        if (kind == 4 && row > 0 && row % 2 == 0) a[i] = a[i % columns]; /* rows that repeat, */
        if (kind == 4 && row % 4 == 1) a[i] = 0;                         /* and of zeros */
        if (is_single(dtype)) a[i] = CMPLXL((float)creall(a[i]), (float)cimagl(a[i]));
    }
}

/* Rows (or, across, columns) of the matrix are orthonormal. */
static void check_unitary(const char *what, const struct heddle_jacobi *j, int n, int length,
                          int step, int stride, const number *x)
{
    long double worst = 0;
    for (int p = 0; p < n; p++)
        for (int q = 0; q <= p; q++) {
            number sum = 0;
            for (int i = 0; i < length; i++)
                sum += x[p * step + i * stride] * conjl(x[q * step + i * stride]);
            worst = fmaxl(worst, cabsl(sum - (p == q)));
        }
    CHECK(worst <= 12 * length * precision(j->dtype), "%s of %d x %d, %s: off by %Lg", what,
          j->rows, j->columns, heddle_dtype_name((enum heddle_dtype)j->dtype), worst);
}

static void check_matrix(const struct heddle_jacobi *j, const number *a, const number *values,
                         const number *u, const number *vh)
{
    const int m = j->rows, n = j->columns;
    long double error = 0, size = 0;
    for (int i = 0; i < m * n; i++) size = fmaxl(size, cabsl(a[i]));
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            number sum = 0;
            for (int k = 0; k < m; k++) sum += u[row * m + k] * values[k] * vh[k * n + column];
            error = fmaxl(error, cabsl(sum - a[row * n + column]));
        }
    CHECK(error <= 12 * n * precision(j->dtype) * size, "%d x %d, %s: off by %Lg of %Lg", m, n,
          heddle_dtype_name((enum heddle_dtype)j->dtype), error, size);
    for (int k = 1; k < m; k++)
        CHECK(creall(values[k]) <= creall(values[k - 1]) && creall(values[k]) >= 0,
              "values descend");
    check_unitary("u", j, m, m, 1, m, u);
    check_unitary("vh", j, m, n, n, 1, vh);
}

static void check_batch(int dtype, int rows, int columns)
{
    enum { N = KINDS };
    struct heddle_jacobi j = {
        .dtype = dtype, .rows = rows, .columns = columns, .n = N, .has_vectors = true};
    const int real = is_single(dtype) ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64, each = rows * columns;
    number *a = numbers(N * each), *values = numbers(N * rows), *alone = numbers(N * rows),
           *u = numbers(N * rows * rows), *vh = numbers(N * each);
    int info[N] = {0};
    for (int k = 0; k < N; k++) fill(k, dtype, rows, columns, a + k * each);
    j.in = put(dtype, N * each, a);
    j.values = put(real, N * rows, values);
    j.u = put(dtype, N * rows * rows, u);
    j.vh = put(dtype, N * each, vh);
    j.info = families_to_gpu(info, sizeof info);
    CHECK_EQ(heddle__jacobi_serves(&j), true);
    CHECK_EQ(heddle__jacobi(&j, gpu_stream()), 0);
    get(real, N * rows, j.values, values);
    get(dtype, N * rows * rows, j.u, u);
    get(dtype, N * each, j.vh, vh);
    families_from_gpu(info, j.info, sizeof info);
    for (int k = 0; k < N; k++) {
        CHECK_EQ(info[k], 0);
        check_matrix(&j, a + k * each, values + k * rows, u + k * rows * rows, vh + k * each);
    }
    j.has_vectors = false; /* the same values without vectors */
    j.values = put(real, N * rows, alone);
    CHECK_EQ(heddle__jacobi(&j, gpu_stream()), 0);
    get(real, N * rows, j.values, alone);
    for (int i = 0; i < N * rows; i++)
        CHECK(alone[i] == values[i], "value %d of %d x %d", i, rows, columns);
    free(a), free(values), free(alone), free(u), free(vh);
    gpu_free_all();
}

void test_jacobi(void)
{
    static const int shapes[][2] = {{1, 1}, {1, 5},  {2, 2},   {2, 3},   {3, 3},   {4, 9},
                                    {5, 5}, {8, 20}, {17, 17}, {20, 40}, {33, 33}, {40, 41}};
    for (int d = 0; d < 4; d++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if (!HEDDLE_EMULATED || shapes[s][0] < 20 || d == 1)
                check_batch(dtypes[d], shapes[s][0], shapes[s][1]);
    if (!HEDDLE_EMULATED) check_batch(HEDDLE_FLOAT64, 64, 70);
    struct heddle_jacobi j = {
        .dtype = HEDDLE_FLOAT64, .rows = 64, .columns = 64, .n = 2, .has_vectors = true};
    CHECK_EQ(heddle__jacobi_serves(&j), true);
    j.rows = j.columns = 129; /* what no shared memory has */
    CHECK_EQ(heddle__jacobi_serves(&j), false);
    j.columns = 128; /* more rows than columns are the transpose's */
    j.rows = 129;
    CHECK_EQ(heddle__jacobi_serves(&j), false);
}
