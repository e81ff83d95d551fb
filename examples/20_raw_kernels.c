/* What you learn: CUDA source as it stands in tutorials, launched on Heddle's arrays: vectors added, a struct as an argument,
 * sums of blocks in shared memory. Each has a twin in C, so that the program runs where there is no GPU, too. */
#include "common.h"

enum { N = 10000, BLOCK = 256, BLOCKS = (N + BLOCK - 1) / BLOCK };

/* Two functions of one module. */
static const char source[] =
    "struct line { float slope, at_zero; };\n"
    "extern \"C\" __global__ void add(const float *x, const float *y, float *z, long long n)\n"
    "{\n"
    "    const long long i = blockDim.x * (long long)blockIdx.x + threadIdx.x;\n"
    "    if (i < n) z[i] = x[i] + y[i];\n"
    "}\n"
    "extern \"C\" __global__ void sums(const float *x, float *z, line l, long long n)\n"
    "{\n"
    "    extern __shared__ float s[];\n"
    "    const long long i = blockDim.x * (long long)blockIdx.x + threadIdx.x;\n"
    "    s[threadIdx.x] = i < n ? l.slope * x[i] + l.at_zero : 0;\n"
    "    for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
    "        __syncthreads();\n"
    "        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];\n"
    "    }\n"
    "    if (threadIdx.x == 0) z[blockIdx.x] = s[0];\n"
    "}\n";
struct line {
    float slope, at_zero;
};

static enum heddle_status add_on_a_cpu(const struct heddle_raw_launch *l)
{
    const float *x = l->arguments[0].data, *y = l->arguments[1].data;
    float *z = l->arguments[2].data;
    for (int64_t i = 0; i < l->arguments[2].extents.shape[0]; i++) z[i] = x[i] + y[i];
    return HEDDLE_OK;
}

static enum heddle_status sums_on_a_cpu(const struct heddle_raw_launch *l)
{
    const float *x = l->arguments[0].data;
    const struct line *line = l->arguments[2].data;
    float *z = l->arguments[1].data;
    for (int64_t b = 0; b < BLOCKS; b++) {
        z[b] = 0;
        for (int64_t i = b * BLOCK; i < N && i < (b + 1) * BLOCK; i++)
            z[b] += line->slope * x[i] + line->at_zero;
    }
    return HEDDLE_OK;
}

int main(void)
{
    static float ones[N], ramp[N];
    for (int i = 0; i < N; i++) {
        ones[i] = 1;
        ramp[i] = (float)(i % 16);
    }
    heddle_raw_kernel *add = heddle_raw_kernel_from_source(source, "add", .host = add_on_a_cpu);
    heddle_raw_kernel *sums = heddle_raw_kernel_from_source(source, "sums", .host = sums_on_a_cpu);
    expect_true("there are kernels", add && sums);

    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_asarray(ones, HEDDLE_FLOAT32, HEDDLE_SHAPE(N));
    heddle_array *y = heddle_asarray(ramp, HEDDLE_FLOAT32, HEDDLE_SHAPE(N)), *z, *of_blocks;

    /* No grid: a thread for each element of the array that is made. Both calls are lazy. */
    HEDDLE_MUST(heddle_raw_call(
        add, HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x), heddle_raw_read(y),
                                  heddle_raw_write(&z, HEDDLE_FLOAT32, HEDDLE_SHAPE(N)),
                                  heddle_raw_size_of(0))));
    const struct line line = {.slope = 2, .at_zero = -1};
    HEDDLE_MUST(heddle_raw_call(
        sums,
        HEDDLE_RAW_ARGUMENTS(heddle_raw_read(z),
                             heddle_raw_write(&of_blocks, HEDDLE_FLOAT32, HEDDLE_SHAPE(BLOCKS)),
                             heddle_raw_bytes(&line, sizeof line), heddle_raw_size_of(0)),
        .grid = HEDDLE_LENGTHS(BLOCKS), .block = HEDDLE_LENGTHS(BLOCK),
        .shared_bytes = BLOCK * sizeof(float)));

    /* What a kernel made is an array as any other. */
    EXPECT("z[17]", value_at(z, 17), 2);
    EXPECT("a block", value_at(of_blocks, 3), BLOCK * (2 * 8.5 - 1));
    EXPECT("all", HEDDLE_MUST_ITEM(heddle_sum(of_blocks)), N * (2 * 8.5 - 1));
    heddle_scope_close(scope);
    heddle_raw_kernel_release(add);
    heddle_raw_kernel_release(sums);
    return examples_failed();
}
