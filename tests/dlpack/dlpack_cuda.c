/* Tensors on GPUs: lent memory is used in place and given back once; arrays there are exported in place, or copied from
 * the host or to it. Skipped (77) without a GPU. */
#include "check_heddle.h"

#include <cuda_runtime_api.h>
#include <heddle.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 64, COLUMNS = 32, N = ROWS * COLUMNS };

static _Atomic int n_deleted;

static void cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

/* Deleters are called when the last task that reads the memory is done, from another thread. */
static int deleted_in_time(int expected)
{
    for (int i = 0; i < 10000 && n_deleted < expected; i++) usleep(1000);
    return n_deleted;
}

struct producer {
    struct heddle_dl_versioned managed;
    int64_t shape[2], strides[2];
};

static void deleted(struct heddle_dl_versioned *self)
{
    cuda(cudaFree(self->tensor.data), "cudaFree");
    free(self->manager_ctx);
    n_deleted++;
}

/* 0, 1, ... in Fortran's order or in C's. */
static struct heddle_dl_versioned *produce(bool fortran, int bad_stride)
{
    double host[N];
    for (int i = 0; i < N; i++) host[i] = i;
    struct producer *p = calloc(1, sizeof *p);
    p->shape[0] = ROWS;
    p->shape[1] = COLUMNS - bad_stride;
    p->strides[0] = fortran ? 1 : COLUMNS;
    p->strides[1] = fortran ? ROWS : 1;
    p->managed = (struct heddle_dl_versioned){
        .major = 1,
        .manager_ctx = p,
        .deleter = deleted,
        .tensor = {.device = {HEDDLE_DL_CUDA, 0},
                   .ndim = 2,
                   .dtype = {HEDDLE_DL_FLOAT, 64, 1},
                   .shape = p->shape,
                   .strides = p->strides},
    };
    cuda(cudaMalloc(&p->managed.tensor.data, sizeof host), "cudaMalloc");
    cuda(cudaMemcpy(p->managed.tensor.data, host, sizeof host, cudaMemcpyHostToDevice), "copy");
    return &p->managed;
}

static void check_values(heddle_array *a, bool fortran)
{
    double values[N];
    CHECK(heddle_read(a, values, sizeof values) == HEDDLE_OK, "%s", heddle_error(a));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += values[i] != (fortran ? i % COLUMNS * ROWS + i / COLUMNS : i);
    CHECK_EQ(wrong, 0);
}

static void import(bool fortran, enum heddle_copy copy)
{
    const int before = n_deleted;
    heddle_array *a = heddle_from_dlpack(produce(fortran, 0), .copy = copy);
    if (copy == HEDDLE_COPY_ALWAYS)
        CHECK_EQ(deleted_in_time(before + 1), before + 1);
    else
        CHECK_EQ(n_deleted, before);
    check_values(a, fortran);
    heddle_release(a);
    CHECK_EQ(deleted_in_time(before + 1), before + 1);
}

static void check_on_gpu(struct heddle_dl_versioned *t, uint64_t flags)
{
    double host[N];
    CHECK_EQ(t->tensor.device.type, HEDDLE_DL_CUDA);
    CHECK_EQ(t->tensor.device.id, 0);
    CHECK_EQ(t->flags, flags);
    cuda(cudaMemcpy(host, t->tensor.data, sizeof host, cudaMemcpyDeviceToHost), "copy back");
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += host[i] != 2 * i;
    CHECK_EQ(wrong, 0);
    t->deleter(t);
}

static void export(void)
{
    struct heddle_dl_versioned *there = NULL, *copy = NULL, *host = NULL, *moved = NULL;
    struct heddle_dl_device device = {0, 0};
    heddle_array *a = heddle_from_dlpack(produce(false, 0));
    heddle_array *sum = heddle_add(a, a);
    heddle_array *twice = heddle_to(sum, heddle_gpu(0));
    heddle_release(sum);
    CHECK_EQ(heddle_dlpack_device(twice, &device), HEDDLE_OK);
    CHECK_EQ(device.type, HEDDLE_DL_CUDA);
    CHECK_EQ(heddle_to_dlpack(twice, &there, .copy = HEDDLE_COPY_NEVER), HEDDLE_OK);
    CHECK_EQ(heddle_to_dlpack(twice, &copy, .copy = HEDDLE_COPY_ALWAYS), HEDDLE_OK);
    CHECK(there->tensor.data != copy->tensor.data);
    CHECK_EQ(heddle_to_dlpack(twice, &host, .copy = HEDDLE_COPY_NEVER, .place = heddle_cpu(0)),
             HEDDLE_EARG);
    CHECK_EQ(heddle_to_dlpack(twice, &host, .place = heddle_cpu(0)), HEDDLE_OK);
    CHECK_EQ(host->flags, HEDDLE_DL_IS_COPIED);
    CHECK_NUM(((const double *)host->tensor.data)[N - 1], 2 * (N - 1));
    host->deleter(host);
    heddle_array *range = heddle_arange(heddle_scalar(2.0 * N), NULL, heddle_scalar(2.0));
    CHECK_EQ(heddle_to_dlpack(range, &moved, .place = heddle_gpu(0)), HEDDLE_OK);
    heddle_release(range);
    heddle_release(twice);
    heddle_release(a);
    check_on_gpu(there, HEDDLE_DL_READ_ONLY);
    check_on_gpu(copy, HEDDLE_DL_IS_COPIED);
    check_on_gpu(moved, HEDDLE_DL_IS_COPIED);
}

/* What was asked to be in host memory is exported from there, though the GPU that computed it has it, too. */
static void export_from_host(void)
{
    struct heddle_dl_versioned *host = NULL;
    struct heddle_dl_device device = {0, 0};
    heddle_scope scope = heddle_scope_open();
    heddle_array *there =
        heddle_square(heddle_to(heddle_arange(heddle_scalar(N), NULL, NULL), heddle_gpu(0)));
    CHECK_EQ(heddle_wait(there), HEDDLE_OK);
    heddle_array *back = heddle_to(there, heddle_cpu(0));
    CHECK_EQ(heddle_dlpack_device(back, &device), HEDDLE_OK);
    CHECK_EQ(device.type, HEDDLE_DL_CPU);
    CHECK_EQ(heddle_to_dlpack(back, &host), HEDDLE_OK);
    CHECK_EQ(host->tensor.device.type, HEDDLE_DL_CPU);
    CHECK_EQ(((const int64_t *)host->tensor.data)[N - 1], (int64_t)(N - 1) * (N - 1));
    host->deleter(host);
    heddle_scope_close(scope);
}

int main(void)
{
    int n_cpus, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_gpus == 0) {
        fprintf(stderr, "skipped: no GPU\n");
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    }
    import(false, HEDDLE_COPY_NEVER);
    import(true, HEDDLE_COPY_NEVER);
    import(true, HEDDLE_COPY_ALWAYS);
    heddle_array *gaps = heddle_from_dlpack(produce(false, 1), .copy = HEDDLE_COPY_NEVER);
    CHECK_EQ(heddle_status_of(gaps), HEDDLE_EARG);
    heddle_release(gaps);
    CHECK_EQ(deleted_in_time(4), 4);
    export();
    CHECK_EQ(deleted_in_time(5), 5);
    export_from_host();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    return check_done();
}
