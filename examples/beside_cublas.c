/* What you learn: to call a CUDA library of your own, here cuBLAS, between two expressions of Heddle's: the data of an
 * array where they are, and memory of yours as an array, in the order that a stream gives. Skipped (77) without a GPU. */
#include "common.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 200 };

static void must(int status, const char *what)
{
    if (status == 0) return;
    fprintf(stderr, "%s: error %d\n", what, status);
    exit(1);
}

static void give_back(void *memory)
{
    must(cudaFree(memory), "cudaFree");
}

int main(void)
{
    int n_cpus = 0, n_gpus = 0;
    HEDDLE_MUST(heddle_count_places(
        &n_cpus, &n_gpus)); /* starts Heddle before there is other work on the GPU */
    if (n_gpus == 0) {
        printf("skipped: no GPU\n");
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    }
    void *stream = NULL; /* for our own work; any stream would do */
    HEDDLE_MUST(heddle_stream(heddle_gpu(0), &stream));
    cublasHandle_t blas;
    must(cublasCreate(&blas), "cublasCreate");
    must(cublasSetStream(blas, stream), "cublasSetStream");

    /* An expression of Heddle's, on the GPU. */
    heddle_scope scope = heddle_scope_open();
    heddle_array *i = heddle_reshape(heddle_arange(heddle_scalar((double)ROWS), NULL, NULL),
                                     HEDDLE_SHAPE(ROWS, 1));
    heddle_array *j = heddle_arange(heddle_scalar((double)COLUMNS), NULL, NULL);
    heddle_array *matrix =
        heddle_to(heddle_add(i, heddle_multiply(j, heddle_scalar(0.5))), heddle_gpu(0));
    heddle_array *ones = heddle_to(heddle_ones(HEDDLE_SHAPE(COLUMNS)), heddle_gpu(0));

    /* Our own call, on what Heddle computed: complete once we hold it, and not changed while we do. */
    struct heddle_part_view a, x;
    HEDDLE_MUST(heddle_part_acquire(matrix, 0, heddle_gpu(0), &a));
    HEDDLE_MUST(heddle_part_acquire(ones, 0, heddle_gpu(0), &x));
    double *product;
    must(cudaMalloc((void **)&product, ROWS * sizeof *product), "cudaMalloc");
    const double one = 1, zero = 0;
    must(cublasDgemv(blas, CUBLAS_OP_T, COLUMNS, ROWS, &one, a.data, COLUMNS, x.data, 1, &zero,
                     product, 1),
         "cublasDgemv");

    /* Its result as an array: Heddle waits for our stream, so that the views may go, too. */
    heddle_array *sums =
        heddle_from_pointer(product, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS), .place = heddle_gpu(0),
                            .stream = stream, .deleter = give_back, .user = product);
    heddle_part_release(&a);
    heddle_part_release(&x);
    heddle_array *means = heddle_divide(sums, heddle_scalar((double)COLUMNS));
    EXPECT("mean of row 0", value_at(means, 0), (COLUMNS - 1) * 0.25);
    EXPECT("mean of row 299", value_at(means, 299), 299 + (COLUMNS - 1) * 0.25);

    /* And into memory of ours, two to the right of each other, behind what our stream does. */
    double *pairs;
    must(cudaMalloc((void **)&pairs, 2 * ROWS * sizeof *pairs), "cudaMalloc");
    HEDDLE_MUST(heddle_to_pointer(means, pairs, .strides = (int64_t[]){2}, .place = heddle_gpu(0),
                                  .stream = stream));
    HEDDLE_MUST(heddle_to_pointer(sums, pairs + 1, .strides = (int64_t[]){2},
                                  .place = heddle_gpu(0), .stream = stream));
    double dot = 0;
    must(cublasDdot(blas, ROWS, pairs, 2, pairs + 1, 2, &dot), "cublasDdot"); /* waits */
    double expected = 0;
    for (int r = 0; r < ROWS; r++) {
        const double mean = r + (COLUMNS - 1) * 0.25;
        expected += mean * mean * COLUMNS;
    }
    EXPECT("means times sums", dot, expected);
    heddle_scope_close(scope);
    must(cublasDestroy(blas), "cublasDestroy");
    must(cudaFree(pairs), "cudaFree");
    return examples_failed();
}
