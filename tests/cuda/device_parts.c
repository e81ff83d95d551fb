/* Proves on GPUs what tests/distribute can only prove on CPU teams: arrays made of device pointers are
 * used in place, given back once and mix with parts on the host; views and functions over parts get
 * device memory and a stream. Skipped (77) without a GPU. */
#include "check_heddle.h"

#include <cuda_runtime_api.h>
#include <heddle.h>
#include <stdlib.h>

enum { ROWS = 1 << 12, COLUMNS = 1 << 10, N = ROWS * COLUMNS, MAX_PARTS = 4 };

static int n_gpus;
static double *host; /* the array, of which the parts have copies */
static atomic_int n_returned;

static void cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void free_device(void *user)
{
    cuda(cudaFree(user), "cudaFree");
    atomic_fetch_add(&n_returned, 1);
}

static void free_host(void *user)
{
    free(user);
    atomic_fetch_add(&n_returned, 1);
}

/* Rows from `first` on at a GPU, or on the host: gpu < 0. */
static struct heddle_part_source lend(int gpu, int64_t first, int64_t rows)
{
    const size_t bytes = (size_t)(rows * COLUMNS) * sizeof *host;
    struct heddle_part_source part = {.extent = rows, .place = HEDDLE_ANYWHERE};
    if (gpu < 0) {
        part.data = malloc(bytes);
        memcpy(part.data, host + first * COLUMNS, bytes);
        part.deleter = free_host;
    } else {
        cuda(cudaSetDevice(gpu), "cudaSetDevice");
        cuda(cudaMalloc(&part.data, bytes), "cudaMalloc");
        cuda(cudaMemcpy(part.data, host + first * COLUMNS, bytes, cudaMemcpyHostToDevice), "copy");
        part.place = heddle_gpu(gpu);
        part.deleter = free_device;
    }
    part.user = part.data;
    return part;
}

/* Parts at GPU 0, at the last GPU and at GPU 0, of unequal sizes. */
static int lend_three(struct heddle_part_source parts[MAX_PARTS])
{
    parts[0] = lend(0, 0, ROWS / 2);
    parts[1] = lend(n_gpus - 1, ROWS / 2, ROWS / 4);
    parts[2] = lend(0, ROWS / 2 + ROWS / 4, ROWS / 4);
    return 3;
}

static heddle_array *join(int n, const struct heddle_part_source *parts)
{
    heddle_array *a = heddle_from_parts(n, parts, 0, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    CHECK(heddle_status_of(a) == HEDDLE_OK, "%s", heddle_error(a));
    return a;
}

static int64_t moved(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.bytes_to_gpu + s.bytes_from_gpu + s.bytes_gpu_to_gpu;
}

static void check_values(heddle_array *a, double factor)
{
    double *x = malloc(N * sizeof *x);
    CHECK(heddle_read(a, x, N * (int64_t)sizeof *x) == HEDDLE_OK, "%s", heddle_error(a));
    int64_t wrong = 0;
    for (int64_t i = 0; i < N; i++) wrong += x[i] != host[i] * factor;
    CHECK_EQ(wrong, 0);
    free(x);
}

static void test_in_place(void)
{
    heddle_scope scope = heddle_scope_open();
    struct heddle_part_source parts[MAX_PARTS];
    const int n = lend_three(parts);
    heddle_array *a = join(n, parts);
    double expected = 0, got = 0;
    for (int64_t i = 0; i < N; i++) expected += host[i] * 2; /* integers: exact */

    heddle_statistics_reset();
    heddle_array *twice = heddle_add(a, a);
    CHECK(heddle_wait(twice) == HEDDLE_OK, "%s", heddle_error(twice));
    CHECK_EQ(moved(), 0);
    heddle_array *sum = heddle_sum(twice);
    CHECK(heddle_read(sum, &got, sizeof got) == HEDDLE_OK, "%s", heddle_error(sum));
    CHECK_NUM(got, expected);
    CHECK(moved() < N / 8, "%lld bytes moved", (long long)moved()); /* partial sums */

    /* lent memory itself, not a copy */
    for (int p = 0; p < n; p++) {
        struct heddle_part_info info;
        struct heddle_part_view view;
        CHECK_EQ(heddle_part(a, p, &info), HEDDLE_OK);
        CHECK_EQ(info.place, parts[p].place);
        CHECK_EQ(info.current, parts[p].place);
        CHECK_EQ(heddle_part_acquire(a, p, parts[p].place, &view), HEDDLE_OK);
        CHECK(view.data == parts[p].data, "part %d was copied", p);
        CHECK_EQ(view.place, parts[p].place);
        heddle_part_release(&view);
    }
    check_values(a, 1);
    check_values(twice, 2);

    /* at GPU 0 in one part; there and back */
    heddle_array *whole = heddle_to(a, heddle_gpu(0));
    check_values(heddle_distribute_like(whole, a), 1);
    CHECK_EQ(atomic_load(&n_returned), 0);
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_returned), n);
}

/* Data of lent memory survive a shut-down; the memory is given back when nobody needs them. */
static void test_shutdown(void)
{
    struct heddle_part_source parts[MAX_PARTS];
    atomic_store(&n_returned, 0);
    const int n = lend_three(parts);
    heddle_scope scope = heddle_scope_open();
    heddle_array *kept = heddle_keep(join(n, parts));
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_returned), 0);
    scope = heddle_scope_open();
    check_values(heddle_add(kept, kept), 2);
    heddle_scope_close(scope);
    heddle_release(kept);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_returned), n);
}

/* One part on the host, two at GPUs. */
static void test_mixed(void)
{
    atomic_store(&n_returned, 0);
    heddle_scope scope = heddle_scope_open();
    const struct heddle_part_source parts[] = {lend(-1, 0, ROWS / 4), lend(0, ROWS / 4, ROWS / 4),
                                               lend(n_gpus - 1, ROWS / 2, ROWS / 2)};
    heddle_array *a = join(3, parts);
    check_values(a, 1);
    check_values(heddle_add(a, a), 2);
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_returned), 3);
}

/* The rows below: what comes after a part is its overlap's. */
static enum heddle_status rows_below(const struct heddle_part_view *in, void *out, void *user)
{
    (void)user;
    const int64_t own = in->shape[0] - in->before[0] - in->after[0];
    const int64_t have = own - 1 + in->after[0];
    const size_t row = (size_t)in->shape[1] * sizeof(double);
    const char *from = (const char *)in->data + (size_t)(in->before[0] + 1) * row;
    cudaStream_t stream = in->stream;
    if (in->place < heddle_gpu(0) || !stream) return HEDDLE_EINTERNAL;
    cudaError_t error = cudaMemcpyAsync(out, from, (size_t)(have < own ? have : own) * row,
                                        cudaMemcpyDeviceToDevice, stream);
    if (have < own && error == cudaSuccess) /* the last row of the array has none below */
        error = cudaMemsetAsync((char *)out + (size_t)have * row, 0, row, stream);
    return error == cudaSuccess ? HEDDLE_OK : HEDDLE_EDEVICE;
}

static enum heddle_status on_a_cpu(const struct heddle_part_view *in, void *out, void *user)
{
    const double *x = in->data;
    double *y = out;
    (void)user;
    if (in->place >= heddle_gpu(0)) return HEDDLE_EINTERNAL;
    for (int64_t i = 0; i < in->shape[0] * in->shape[1]; i++) y[i] = 3 * x[i];
    return HEDDLE_OK;
}

static void test_functions(void)
{
    heddle_scope scope = heddle_scope_open();
    const struct heddle_distribution d = {
        .cut[0] = {HEDDLE_CUT_PARTS, 4, NULL},
        .overlap[0] = {2, 1},
        HEDDLE_PLACES(heddle_gpu(0), heddle_gpu(n_gpus - 1)),
    };
    heddle_array *a = heddle_asarray(host, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    heddle_array *u = heddle_distribute(a, &d);
    heddle_array *below = heddle_map_parts(u, HEDDLE_FLOAT64, on_a_cpu, .cuda = rows_below);
    double *x = malloc(N * sizeof *x);
    CHECK(heddle_read(below, x, N * (int64_t)sizeof *x) == HEDDLE_OK, "%s", heddle_error(below));
    CHECK(memcmp(x, host + COLUMNS, (size_t)(N - COLUMNS) * sizeof *x) == 0, "rows below");
    CHECK_NUM(x[N - 1], 0);
    free(x);

    /* A view with its overlap, on the GPU. */
    struct heddle_part_view view;
    CHECK(heddle_part_acquire(u, 1, heddle_gpu(0), &view) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_EQ(view.lo[0], ROWS / 4 - 2);
    CHECK_EQ(view.shape[0], ROWS / 4 + 3);
    double corner[2] = {0, 0};
    const double *last = (const double *)view.data + view.shape[0] * COLUMNS - 1;
    cuda(cudaMemcpy(&corner[0], view.data, sizeof *corner, cudaMemcpyDeviceToHost), "first");
    cuda(cudaMemcpy(&corner[1], last, sizeof *corner, cudaMemcpyDeviceToHost), "last");
    CHECK_NUM(corner[0], host[view.lo[0] * COLUMNS]);
    CHECK_NUM(corner[1], host[(view.lo[0] + view.shape[0]) * COLUMNS - 1]);
    heddle_part_release(&view);

    /* A function for CPUs alone: its parts go there and back. */
    struct heddle_distribution plain = d;
    plain.overlap[0] = (struct heddle_overlap){0, 0};
    heddle_array *w = heddle_map_parts(heddle_distribute(a, &plain), HEDDLE_FLOAT64, on_a_cpu);
    check_values(w, 3);
    struct heddle_part_info info;
    CHECK_EQ(heddle_part(w, 1, &info), HEDDLE_OK);
    CHECK_EQ(info.place, heddle_gpu(n_gpus - 1));

    char *text = NULL;
    heddle_array *small = heddle_to(heddle_ones(HEDDLE_SHAPE(2)), heddle_gpu(0));
    CHECK_EQ(heddle_parts_text(small, &text), HEDDLE_OK);
    CHECK_STR(text, "array([1., 1.])@<CUDA Device 0>");
    heddle_free(text);
    heddle_scope_close(scope);
}

int main(void)
{
    const int skip = getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    int n_cpus = 0, n_cuda = 0;
    if (cudaGetDeviceCount(&n_cuda) != cudaSuccess || n_cuda == 0) {
        printf("no GPU\n");
        return skip;
    }
    CHECK(heddle_count_places(&n_cpus, &n_gpus) == HEDDLE_OK, "%s", heddle_last_error());
    if (n_gpus == 0 || n_cpus == 0) {
        printf("%d CPU teams and %d GPUs are used\n", n_cpus, n_gpus);
        return skip;
    }
    host = malloc(N * sizeof *host);
    for (int64_t i = 0; i < N; i++) host[i] = (double)(i % 1021 - 500);
    test_in_place();
    test_shutdown();
    test_mixed();
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    test_functions();
    check_nothing_left();
    free(host);
    return check_done();
}
