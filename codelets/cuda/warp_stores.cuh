/* Stores of threads of a warp whose elements follow each other, some pieces (hd_vector) of each: a thread's own lie in a row, so that
 * a store of each first piece, then of each second one, writes all lines of the warp in part, each time. Also embedded text for NVRTC: may include
 * kernel.cuh only. */
#ifndef HEDDLE_CUDA_WARP_STORES_CUH
#define HEDDLE_CUDA_WARP_STORES_CUH

#include "cuda/kernel.cuh"

/* hd_store of each thread by all of the warp: neighbours store neighbours, of small elements words. `room`: shared memory for those of the
 * block's threads. */
template <class T, int V>
HD void hd_store_by_warp(T *p, const T (&r)[V], void *room)
{
    if constexpr (sizeof(T) < 4 && V * sizeof(T) % 4 == 0) {
        hd_vector<T, V> v;
#pragma unroll
        for (int k = 0; k < V; k++) v.element[k] = r[k];
        hd_store_by_warp((unsigned *)p, v.word, room);
    } else {
        const int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread & 31;
        T *const own = (T *)room + (thread - lane) * V, *const first = p - lane * V;
#pragma unroll
        for (int k = 0; k < V; k++) own[lane * V + k] = r[k];
        __syncwarp();
#pragma unroll
        for (int k = 0; k < V; k++) first[k * 32 + lane] = own[k * 32 + lane];
        __syncwarp();
    }
}

/* The same of 32 bytes each, two pieces: two threads store the first one's, then the second one's, which are a sector of the cache. */
template <class T, int V>
HD void hd_store_by_pair(T *p, const T (&r)[V])
{
    typedef hd_vector<T, V> vector;
    static_assert(vector::pieces == 2 && vector::bytes == 16, "two pieces");
    const int odd = threadIdx.x & 1, lane = (threadIdx.y * blockDim.x + threadIdx.x) & 31;
    vector v, w;
    hd_expect_aligned<T, V>(p);
#pragma unroll
    for (int k = 0; k < V; k++) v.element[k] = r[k];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned other = __shfl_sync(0xffffffffu, odd ? v.word[k] : v.word[4 + k], lane ^ 1);
        w.word[k] = odd ? other : v.word[k];
        w.word[4 + k] = odd ? v.word[4 + k] : other;
    }
    typename vector::piece *const first = (typename vector::piece *)(p - odd * V);
    first[odd] = w.part[0];
    first[2 + odd] = w.part[1];
}

#endif
