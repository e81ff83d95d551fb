/* The border on a GPU: memory with strides in and out, and streams in order. A stream of the test's is busy for a while
 * (a function that sleeps) before it writes or reads, so that who does not wait for it sees, or leaves, other values.
 * Skipped (77) without a GPU. */
#include "check_heddle.h"

#include <cuda_runtime_api.h>
#include <heddle.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 96, PITCH = 64, COLUMNS = 40, N = ROWS * PITCH, ROUNDS = 8 };
static const int64_t shape[2] = {ROWS, COLUMNS}, pitched[2] = {PITCH, 1}, across[2] = {1, ROWS};

static cudaStream_t mine;
static double *device, *host; /* of N elements; host is pinned */
static _Atomic int n_deleted;

static void cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void deleted(void *user)
{
    (void)user;
    n_deleted++;
}

static int deleted_in_time(int expected)
{
    for (int i = 0; i < 10000 && n_deleted < expected; i++) usleep(1000);
    return n_deleted;
}

static void sleeps(void *unused)
{
    (void)unused;
    usleep(50000);
}

/* Everything to `value` behind what my stream does for 50 ms. */
static void write_late(double value)
{
    for (int i = 0; i < N; i++) host[i] = value + i;
    cuda(cudaLaunchHostFunc(mine, sleeps, NULL), "cudaLaunchHostFunc");
    cuda(cudaMemcpyAsync(device, host, N * sizeof *host, cudaMemcpyHostToDevice, mine), "copy");
}

static void check_read(heddle_array *a, double value, int64_t row, int64_t column)
{
    static double values[ROWS * COLUMNS];
    CHECK(heddle_read(a, values, sizeof values) == HEDDLE_OK, "%s", heddle_error(a));
    int wrong = 0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            wrong += values[i * COLUMNS + j] != value + (double)(i * row + j * column);
    CHECK(wrong == 0, "%d of %d elements, from %g on", wrong, ROWS * COLUMNS, values[0]);
}

static void in(const int64_t *strides, enum heddle_copy copy)
{
    const int before = n_deleted;
    heddle_scope scope = heddle_scope_open();
    write_late(before);
    heddle_array *a =
        heddle_from_pointer(device, HEDDLE_FLOAT64, 2, shape, .strides = strides, .copy = copy,
                            .place = heddle_gpu(0), .stream = mine, .deleter = deleted);
    check_read(a, before, strides[0], strides[1]);
    heddle_scope_close(scope);
    CHECK_EQ(deleted_in_time(before + 1), before + 1);
}

/* Behind what my stream does, and what lies between stays. */
static void out(const int64_t *strides)
{
    static double values[N];
    write_late(-1000);
    heddle_array *a =
        heddle_reshape(heddle_arange(heddle_scalar((double)ROWS * COLUMNS), NULL, NULL), 2, shape);
    CHECK(heddle_to_pointer(a, device, .strides = strides, .place = heddle_gpu(0),
                            .stream = mine) == HEDDLE_OK,
          "%s", heddle_last_error());
    cuda(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost), "copy");
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++) {
            double *at = &values[i * strides[0] + j * strides[1]];
            CHECK_NUM(*at, (double)(i * COLUMNS + j));
            *at = (double)(at - values) - 1000;
        }
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += values[i] != i - 1000.0;
    CHECK_EQ(wrong, 0);
}

/* A consumer that gives a tensor back before its stream has read it: the memory must not be written meanwhile. */
static void given_back_early(int64_t round)
{
    struct heddle_dl_versioned *t = NULL;
    heddle_scope scope = heddle_scope_open();
    heddle_array *zeros = heddle_to(heddle_zeros(HEDDLE_SHAPE(N)), heddle_gpu(0));
    heddle_array *a =
        heddle_own(heddle_to(heddle_add(zeros, heddle_scalar((double)round)), heddle_gpu(0)));
    CHECK_EQ(heddle_to_dlpack(a, &t, .place = heddle_gpu(0), .stream = mine), HEDDLE_OK);
    heddle_release(a);
    heddle_scope_close(scope);
    cuda(cudaLaunchHostFunc(mine, sleeps, NULL), "cudaLaunchHostFunc");
    cuda(cudaMemcpyAsync(host, t->tensor.data, N * sizeof *host, cudaMemcpyDeviceToHost, mine),
         "copy");
    t->deleter(t);
    scope = heddle_scope_open();
    zeros = heddle_to(heddle_zeros(HEDDLE_SHAPE(N)), heddle_gpu(0));
    for (int i = 0; i < 16; i++) /* they take the memory that is free */
        CHECK_EQ(heddle_wait(heddle_to(heddle_add(zeros, heddle_scalar(-1.0 - i)), heddle_gpu(0))),
                 HEDDLE_OK);
    heddle_scope_close(scope);
    cuda(cudaStreamSynchronize(mine), "cudaStreamSynchronize");
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += host[i] != (double)round;
    CHECK(wrong == 0, "%d elements of a tensor that was given back early, now %g", wrong, host[0]);
}

/* Heddle waits for an event of the program's by way of its own stream. */
static void events(void)
{
    void *stream = NULL, *again = NULL;
    cudaEvent_t event;
    CHECK_EQ(heddle_stream(heddle_gpu(0), &stream), HEDDLE_OK);
    CHECK_EQ(heddle_stream(heddle_gpu(0), &again), HEDDLE_OK);
    CHECK(stream && stream == again, "not one stream");
    cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    write_late(7);
    cuda(cudaEventRecord(event, mine), "cudaEventRecord");
    cuda(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
    heddle_array *a = heddle_from_pointer(device, HEDDLE_FLOAT64, 2, shape, .place = heddle_gpu(0),
                                          .stream = stream, .deleter = deleted);
    check_read(a, 7, COLUMNS, 1);
    cuda(cudaEventDestroy(event), "cudaEventDestroy");
}

/* What the host has is on a GPU once heddle_to has sent it there. */
static void sent(void)
{
    static double data[N];
    struct heddle_dl_device where = {0};
    struct heddle_dl_versioned *t = NULL;
    heddle_scope scope = heddle_scope_open();
    heddle_array *there = heddle_to(
        heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(N), .borrow = true), heddle_gpu(0));
    CHECK_EQ(heddle_dlpack_device(there, &where), HEDDLE_OK);
    CHECK_EQ(where.type, HEDDLE_DL_CUDA);
    CHECK_EQ(heddle_to_dlpack(there, &t), HEDDLE_OK);
    if (t) {
        CHECK_EQ(t->tensor.device.type, HEDDLE_DL_CUDA);
        t->deleter(t);
    }
    heddle_scope_close(scope);
}

/* The GPU that the program has chosen stays current, whatever Heddle does on this thread. */
static void current_stays(int n_gpus)
{
    static double values[ROWS * COLUMNS];
    for (int gpu = 0; gpu < n_gpus; gpu++) {
        int now = -1;
        const struct heddle_distribution halves = {.cut[0] = {HEDDLE_CUT_PARTS, n_gpus, NULL}};
        heddle_scope scope = heddle_scope_open();
        cuda(cudaSetDevice(gpu), "cudaSetDevice");
#define CHECK_CURRENT(what)                                                                        \
    do {                                                                                           \
        cuda(cudaGetDevice(&now), "cudaGetDevice");                                                \
        CHECK(now == gpu, "after %s GPU %d is current, not %d", what, now, gpu);                   \
    } while (0)
        heddle_array *a = heddle_reshape(
            heddle_arange(heddle_scalar((double)ROWS * COLUMNS), NULL, NULL), 2, shape);
        heddle_array *cut = heddle_distribute(heddle_to(a, heddle_gpu(n_gpus - 1)), &halves);
        CHECK_EQ(heddle_wait(cut), HEDDLE_OK);
        CHECK_CURRENT("distribute");
        heddle_array *sum = heddle_sum(heddle_exp(heddle_multiply(cut, heddle_scalar(1e-4))));
        CHECK_EQ(heddle_eval(sum), HEDDLE_OK);
        CHECK_CURRENT("eval");
        CHECK_EQ(heddle_read(sum, values, sizeof *values), HEDDLE_OK);
        CHECK_CURRENT("a small read");
        for (int place = 0; place < n_gpus; place++) {
            struct heddle_part_view view;
            heddle_array *there = heddle_to(heddle_add(cut, sum), heddle_gpu(place));
            CHECK_EQ(heddle_part_acquire(there, 0, heddle_gpu(n_gpus - 1 - place), &view),
                     HEDDLE_OK);
            CHECK_CURRENT("part_acquire");
            heddle_part_release(&view);
            CHECK_EQ(heddle_read(there, values, sizeof values), HEDDLE_OK);
            CHECK_CURRENT("read");
        }
        heddle_scope_close(scope);
        CHECK_CURRENT("releases");
    }
    cuda(cudaSetDevice(0), "cudaSetDevice");
}

int main(void)
{
    int n_cpus, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_gpus == 0) {
        fprintf(stderr, "skipped: no GPU\n");
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    }
    cuda(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking), "cudaStreamCreate");
    cuda(cudaMalloc((void **)&device, N * sizeof *device), "cudaMalloc");
    cuda(cudaMallocHost((void **)&host, N * sizeof *host), "cudaMallocHost");
    heddle_scope scope = heddle_scope_open();
    for (int copy = HEDDLE_COPY_IF_NEEDED; copy <= HEDDLE_COPY_ALWAYS; copy++) {
        in((const int64_t[]){COLUMNS, 1}, (enum heddle_copy)copy);
        in(pitched, (enum heddle_copy)copy); /* gaps: copied by the GPU */
        in(across, (enum heddle_copy)copy);
    }
    out(pitched);
    out(across);
    events();
    for (int64_t round = 1; round <= ROUNDS; round++) given_back_early(round);
    heddle_scope_close(scope);
    sent();
    current_stays(n_gpus);
    CHECK_EQ(deleted_in_time(7), 7);
    check_nothing_left();
    cuda(cudaFree(device), "cudaFree");
    cuda(cudaFreeHost(host), "cudaFreeHost");
    cuda(cudaStreamDestroy(mine), "cudaStreamDestroy");
    return check_done();
}
