/* What a machine allows for a light pass over host data that CPU cores and GPUs share: the rate of a
 * triad on the cores, of copies to and from the GPUs, and of both at once, in pinned memory. Where the
 * memory's own rate is the limit, both together are less than the sum, whatever a library does.
 *
 *     micro_host_mix [SECONDS]      JSON lines; GB/s count 12 bytes an element: two read, one written
 */
#include <cuda_runtime_api.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { N = 1 << 28, PIECE = 8 << 20, MOST_GPUS = 8 };

static float *x, *y, *out;
static double seconds = 0.5;
static int n_gpus;
static atomic_bool stop;

/* Past the caches, where the processor can: a store that reads its line first takes from the rate. */
static void triad(size_t from, size_t to)
{
#ifdef __SSE2__
    const __m128 scale = _mm_set1_ps(2.5f);
#pragma omp parallel for schedule(static)
    for (size_t i = from; i < to; i += 4)
        _mm_stream_ps(out + i,
                      _mm_add_ps(_mm_mul_ps(scale, _mm_load_ps(x + i)), _mm_load_ps(y + i)));
#else
#pragma omp parallel for schedule(static)
    for (size_t i = from; i < to; i++) out[i] = 2.5f * x[i] + y[i];
#endif
}

/* Rate of the cores over elements [from, to), for as long as is asked for. */
static double run_cores(size_t from, size_t to)
{
    const double start = omp_get_wtime();
    double bytes = 0, now = start;
    for (; now - start < seconds; now = omp_get_wtime()) {
        triad(from, to);
        bytes += 12.0 * (double)(to - from);
    }
    return 1e-9 * bytes / (now - start);
}

struct traffic {
    pthread_t thread;
    int gpu;
    size_t from, to;
    double rate;
};

/* Copies both inputs to a GPU and as much back, until it is told to stop. */
static void *copy(void *argument)
{
    struct traffic *t = argument;
    cudaStream_t in, back;
    float *room[3];
    double bytes = 0;
    cudaSetDevice(t->gpu);
    cudaStreamCreate(&in);
    cudaStreamCreate(&back);
    for (int i = 0; i < 3; i++) cudaMalloc((void **)&room[i], PIECE * sizeof(float));
    const size_t size = PIECE * sizeof(float);
    const double start = omp_get_wtime();
    while (!atomic_load(&stop)) {
        for (size_t i = t->from; i + PIECE <= t->to; i += PIECE) {
            cudaMemcpyAsync(room[0], x + i, size, cudaMemcpyHostToDevice, in);
            cudaMemcpyAsync(room[1], y + i, size, cudaMemcpyHostToDevice, in);
            cudaMemcpyAsync(out + i, room[2], size, cudaMemcpyDeviceToHost, back);
            bytes += 3.0 * (double)size;
        }
        cudaDeviceSynchronize();
    }
    t->rate = 1e-9 * bytes / (omp_get_wtime() - start);
    for (int i = 0; i < 3; i++) cudaFree(room[i]);
    cudaStreamDestroy(in);
    cudaStreamDestroy(back);
    return NULL;
}

static void start_copies(struct traffic traffic[], size_t n)
{
    atomic_store(&stop, false);
    for (int i = 0; i < n_gpus; i++) {
        traffic[i] = (struct traffic){.gpu = i,
                                      .from = n * (size_t)i / (size_t)n_gpus,
                                      .to = n * (size_t)(i + 1) / (size_t)n_gpus};
        if (pthread_create(&traffic[i].thread, NULL, copy, &traffic[i]) != 0) exit(1);
    }
}

static double end_copies(struct traffic traffic[])
{
    double rate = 0;
    atomic_store(&stop, true);
    for (int i = 0; i < n_gpus; i++) {
        pthread_join(traffic[i].thread, NULL);
        rate += traffic[i].rate;
    }
    return rate;
}

static void wait_a_while(void)
{
    for (const double start = omp_get_wtime(); omp_get_wtime() - start < seconds;) continue;
}

int main(int argc, char **argv)
{
    struct traffic traffic[MOST_GPUS];
    if (argc > 1) seconds = atof(argv[1]);
    if (cudaGetDeviceCount(&n_gpus) != cudaSuccess || n_gpus == 0) {
        fprintf(stderr, "micro_host_mix: no GPU\n");
        return 77;
    }
    if (n_gpus > MOST_GPUS) n_gpus = MOST_GPUS;
    if (cudaMallocHost((void **)&x, N * sizeof(float)) != cudaSuccess ||
        cudaMallocHost((void **)&y, N * sizeof(float)) != cudaSuccess ||
        cudaMallocHost((void **)&out, N * sizeof(float)) != cudaSuccess) {
        fprintf(stderr, "micro_host_mix: no memory\n");
        return 1;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N; i++) {
        x[i] = 1;
        y[i] = 2;
        out[i] = 0;
    }
    for (int round = 0; round < 3; round++) {
        const double cores = run_cores(0, N);
        start_copies(traffic, N);
        wait_a_while();
        const double links = end_copies(traffic);
        start_copies(traffic, N / 2);
        const double with_links = run_cores(N / 2, N);
        const double with_cores = end_copies(traffic);
        printf("{\"limit\": \"host_mix\", \"threads\": %d, \"gpus\": %d, \"cores_GBps\": %.4g, "
               "\"links_GBps\": %.4g, \"together_GBps\": %.4g, \"of_the_sum\": %.3g}\n",
               omp_get_max_threads(), n_gpus, cores, links, with_links + with_cores,
               (with_links + with_cores) / (cores + links));
        fflush(stdout);
    }
    return 0;
}
