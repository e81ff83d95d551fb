/* Elements by a mask on the GPU, in three kernels: count each tile of the mask, add the counts up, write what each tile
 * selects. A tile's selection is first listed in shared memory, so that threads next to each other write next to each
 * other. */
#include "families/compact/cuda_compact.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum { THREADS = 256, EACH = 16, TILE = HEDDLE_COMPACT_TILE, WARPS = THREADS / 32, COUNTS = 16 };
static_assert(TILE == THREADS * EACH, "a thread has 16 elements of a tile");

struct alignas(16) compact_16 {
    hd_uint64 word[2];
};

/* The thread's elements of a tile, a bit each. */
static __device__ unsigned selected(const uint8_t *mask, int64_t size, int64_t tile)
{
    const int64_t first = tile * TILE + threadIdx.x * EACH;
    unsigned bits = 0;
    if (first + EACH <= size && ((size_t)(mask + first) & 15) == 0) {
        const uint4 all = *(const uint4 *)(mask + first);
        const unsigned word[4] = {all.x, all.y, all.z, all.w};
#pragma unroll
        for (int k = 0; k < EACH; k++)
            bits |= (unsigned)((word[k / 4] >> (k % 4 * 8) & 255) != 0) << k;
    } else {
        for (int k = 0; k < EACH; k++)
            bits |= (unsigned)(first + k < size && mask[first + k] != 0) << k;
    }
    return bits;
}

static __device__ unsigned count_bits(unsigned x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

/* The sum of what the threads before this one have; *total is that of all. */
static __device__ unsigned sum_before(unsigned x, unsigned *total)
{
    __shared__ unsigned warp_sum[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = x; /* of the warp's threads up to this one */
    for (int by = 1; by < 32; by *= 2) {
        const unsigned other = __shfl_sync(0xffffffffu, sum, lane >= by ? lane - by : lane);
        if (lane >= by) sum += other;
    }
    __syncthreads();
    if (lane == 31) warp_sum[warp] = sum;
    __syncthreads();
    unsigned before = 0, all = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) before += warp_sum[w];
        all += warp_sum[w];
    }
    *total = all;
    return before + sum - x;
}

static __global__ void __launch_bounds__(THREADS) count_tiles(const heddle_compact_kernel p)
{
    unsigned total;
    sum_before(count_bits(selected(p.mask, p.call.size, blockIdx.x)), &total);
    if (threadIdx.x == 0) p.counts[blockIdx.x] = total;
}

/* counts[i] becomes the sum of those before it. One block. A round's counts are below 2^32. */
static __global__ void __launch_bounds__(THREADS) add_counts(const heddle_compact_kernel p)
{
    int64_t *counts = p.counts;
    const int64_t n = (p.call.size + TILE - 1) / TILE;
    int64_t so_far = 0;
    for (int64_t round = 0; round < n; round += THREADS * COUNTS) {
        const int64_t first = round + threadIdx.x * COUNTS;
        unsigned own[COUNTS], sum = 0, total;
#pragma unroll
        for (int k = 0; k < COUNTS; k++) {
            own[k] = first + k < n ? (unsigned)counts[first + k] : 0;
            sum += own[k];
        }
        int64_t before = so_far + sum_before(sum, &total);
#pragma unroll
        for (int k = 0; k < COUNTS; k++) {
            if (first + k < n) counts[first + k] = before;
            before += own[k];
        }
        so_far += total;
    }
}

/* T void: positions. */
template <class T>
static __global__ void __launch_bounds__(THREADS) write_tiles(const heddle_compact_kernel p)
{
    __shared__ uint16_t list[TILE];
    const heddle_compact &c = p.call;
    unsigned bits = selected(p.mask, c.size, blockIdx.x), total;
    unsigned to = sum_before(count_bits(bits), &total);
    for (int k = 0; bits >> k; k++)
        if (bits >> k & 1) list[to++] = (uint16_t)(threadIdx.x * EACH + k);
    __syncthreads();
    const int64_t first = (int64_t)blockIdx.x * TILE, at = p.counts[blockIdx.x];
    if (at + total > c.n) total = at < c.n ? (unsigned)(c.n - at) : 0;
    if constexpr (hd_same<T, void>) {
        for (unsigned k = threadIdx.x; k < total; k += THREADS)
            ((int64_t *)p.out)[at + k] = c.first + first + list[k];
    } else if (c.row == 1) {
        for (unsigned k = threadIdx.x; k < total; k += THREADS)
            ((T *)p.out)[at + k] = ((const T *)p.in)[first + list[k]];
    } else {
        const T *in = (const T *)p.in + first * c.row;
        T *out = (T *)p.out + at * c.row;
        for (int64_t k = threadIdx.x; k < total * c.row; k += THREADS) {
            const int64_t j = k / c.row;
            out[k] = in[list[j] * c.row + (k - j * c.row)];
        }
    }
}

typedef void (*function)(const heddle_compact_kernel);

static function function_of(const heddle_compact *c)
{
    if (c->positions) return write_tiles<void>;
    switch (c->element_bytes) {
    case 1: return write_tiles<hd_uint8>;
    case 2: return write_tiles<hd_uint16>;
    case 4: return write_tiles<hd_uint32>;
    case 8: return write_tiles<hd_uint64>;
    case 16: return write_tiles<compact_16>;
    default: return nullptr;
    }
}

int heddle__compact_launch(const struct heddle_compact_kernel *p, void *stream)
{
    const int64_t tiles = (p->call.size + TILE - 1) / TILE;
    const function kernels[3] = {count_tiles, add_counts, function_of(&p->call)};
    if (!kernels[2] || tiles > INT32_MAX) return (int)cudaErrorInvalidValue;
    void *parameters[] = {(void *)p};
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < 3 && error == cudaSuccess; k++)
        error = cudaLaunchKernel((const void *)kernels[k], dim3(k == 1 ? 1 : (unsigned)tiles),
                                 dim3(THREADS), parameters, 0, (cudaStream_t)stream);
    return (int)error;
}
