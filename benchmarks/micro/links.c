/* Whether a GPU copies from host memory and from another GPU at the same time: each alone, then both,
 * from pinned memory. tests/simulated takes it for granted where GPUs have links of their own.
 *
 *     micro_links [SECONDS]      JSON lines; GB/s into GPU 0; needs two GPUs
 */
#include <cuda_runtime_api.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 256 << 20, AHEAD = 4 };

struct flow {
    const char *from;
    cudaStream_t stream;
    void *source, *target;
    cudaEvent_t done[AHEAD];
    double bytes;
};

static void start(struct flow *f, int slot)
{
    cudaMemcpyAsync(f->target, f->source, SIZE, cudaMemcpyDefault, f->stream);
    cudaEventRecord(f->done[slot], f->stream);
}

/* Keeps some copies of each flow on their way; counts those that are done in time. */
static void run(struct flow *const flows[], int n, double seconds)
{
    int next[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        flows[i]->bytes = 0;
        for (int slot = 0; slot < AHEAD; slot++) start(flows[i], slot);
    }
    const double begin = omp_get_wtime();
    double now = begin;
    for (; now - begin < seconds; now = omp_get_wtime())
        for (int i = 0; i < n; i++) {
            if (cudaEventQuery(flows[i]->done[next[i]]) != cudaSuccess) continue;
            flows[i]->bytes += SIZE;
            start(flows[i], next[i]);
            next[i] = (next[i] + 1) % AHEAD;
        }
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        printf("{\"case\": \"links\", \"from\": \"%s\", \"at_once\": %d, \"gb_per_s\": %.1f}\n",
               flows[i]->from, n, 1e-9 * flows[i]->bytes / (now - begin));
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 1;
    int n_gpus = 0;
    if (cudaGetDeviceCount(&n_gpus) != cudaSuccess || n_gpus < 2) {
        fprintf(stderr, "micro_links: needs two GPUs\n");
        return 77;
    }
    struct flow host = {.from = "host"}, peer = {.from = "gpu:1"};
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    cudaMalloc(&peer.source, SIZE);
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
    cudaMallocHost(&host.source, SIZE);
    struct flow *const both[2] = {&host, &peer};
    for (int i = 0; i < 2; i++) {
        cudaMalloc(&both[i]->target, SIZE);
        cudaStreamCreate(&both[i]->stream);
        for (int slot = 0; slot < AHEAD; slot++) cudaEventCreate(&both[i]->done[slot]);
    }
    run(both, 1, seconds);
    run(both + 1, 1, seconds);
    run(both, 2, seconds);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        fprintf(stderr, "micro_links: %s\n", cudaGetErrorString(error));
        return 1;
    }
    return 0;
}
