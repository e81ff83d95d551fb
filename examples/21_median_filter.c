/* What you learn: to bring a kernel of your own, in CUDA for GPUs and in C for CPUs, and to run it over parts with a halo, on as
 * many GPUs as there are. */
#include "common.h"

enum { ROWS = 300, COLUMNS = 400 };

/* One text for both compilers: the median of an element and its neighbours, up to 9, of which the border has fewer; of an
 * even number the lower one in the middle. */
#define BOTH(...)                                                                                  \
    static const char shared[] = #__VA_ARGS__;                                                     \
    __VA_ARGS__
BOTH(static float median_at(const float *x, long long rows, long long columns, long long i,
                            long long j) {
    float near[9];
    int n = 0;
    for (long long r = i > 0 ? i - 1 : 0; r < rows && r <= i + 1; r++)
        for (long long c = j > 0 ? j - 1 : 0; c < columns && c <= j + 1; c++) {
            int k = n++;
            for (; k > 0 && near[k - 1] > x[r * columns + c]; k--) near[k] = near[k - 1];
            near[k] = x[r * columns + c];
        }
    return near[(n - 1) / 2];
})

/* What a launch has of x is its part and the halo; of y the part alone. */
static const char kernel[] =
    "#include \"heddle_raw.h\"\n"
    "__device__ float median_at(const float *, long long, long long, long long, long long);\n"
    "extern \"C\" __global__ void median(const float *x, heddle_raw_extents xe, float *y,\n"
    "                                  heddle_raw_extents ye)\n"
    "{\n"
    "    const long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    const long long i = blockIdx.y * (long long)blockDim.y + threadIdx.y;\n"
    "    if (i < ye.shape[0] && j < ye.shape[1])\n"
    "        y[i * ye.shape[1] + j] = median_at(x, xe.shape[0], xe.shape[1], i + xe.before[0],\n"
    "                                           j + xe.before[1]);\n"
    "}\n";

static enum heddle_status on_a_cpu(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_extents *xe = &l->arguments[0].extents, *ye = &l->arguments[2].extents;
    const float *x = l->arguments[0].data;
    float *y = l->arguments[2].data;
    for (int64_t i = 0; i < ye->shape[0]; i++)
        for (int64_t j = 0; j < ye->shape[1]; j++)
            *y++ = median_at(x, xe->shape[0], xe->shape[1], i + xe->before[0], j + xe->before[1]);
    return HEDDLE_OK;
}

int main(void)
{
    static float image[ROWS][COLUMNS], out[ROWS][COLUMNS];
    char source[sizeof shared + sizeof kernel];
    snprintf(source, sizeof source, "%s\n%s", kernel, shared);
    heddle_raw_kernel *median = heddle_raw_kernel_from_source(source, "median", .host = on_a_cpu);
    expect_true("there is a kernel", median != NULL);

    /* A slope with specks, which a median removes. */
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            image[i][j] = i % 7 == 3 && j % 5 == 2 ? 1e6f : (float)(i + 2 * j);

    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_asarray(image, HEDDLE_FLOAT32, HEDDLE_SHAPE(ROWS, COLUMNS)), *y;
    const struct heddle_distribution quarters = {
        .cut = {{HEDDLE_CUT_PARTS, 2, NULL}, {HEDDLE_CUT_PARTS, 2, NULL}}};
    x = heddle_distribute(x, &quarters); /* a large array is cut by itself */

    /* No grid: a thread for each element of y's part. */
    HEDDLE_MUST(heddle_raw_call(
        median,
        HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x), heddle_raw_extents_of(0),
                             heddle_raw_write(&y, HEDDLE_FLOAT32, HEDDLE_SHAPE(ROWS, COLUMNS)),
                             heddle_raw_extents_of(2)),
        .block = HEDDLE_LENGTHS(32, 8), .over_parts = true, .halo = HEDDLE_LENGTHS(1, 1)));
    heddle_raw_kernel_release(median); /* the call keeps it */

    HEDDLE_MUST(heddle_read(y, out, sizeof out));
    float most = 0;
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++) {
            const float error = out[i][j] - (float)(i + 2 * j);
            if (error > most || -error > most) most = error > 0 ? error : -error;
        }
    expect_true("no speck is left", most <= 1);
    const int middle = ROWS / 2;
    EXPECT("at a cut, of a slope", out[middle][COLUMNS / 2], middle + COLUMNS);
    EXPECT("in a corner, of 4", out[0][0], 1);
    int64_t n_parts = 0;
    HEDDLE_MUST(heddle_count_parts(y, &n_parts));
    EXPECT("parts", (double)n_parts, 4);
    heddle_scope_close(scope);
    return examples_failed();
}
