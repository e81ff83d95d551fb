/* Tables of what maps make of each byte (source_map.c). Embedded text for NVRTC: may include scalar.cuh only. */
#ifndef HEDDLE_CUDA_BYTE_TABLES_CUH
#define HEDDLE_CUDA_BYTE_TABLES_CUH

#include "cuda/scalar.cuh"

/* A value for each byte, in shared memory. */
template <class T>
struct hd_table {
    T value[256];
    __device__ __forceinline__ void put(int byte, T x) { value[byte] = x; }
    __device__ __forceinline__ T get(unsigned char byte, int) const { return value[byte]; }
};

/* The same of up to 4 bytes, with a copy for each lane of a warp: where each lane reads another value, none waits for another's bank. */
template <class T>
struct hd_table_of_lanes {
    static constexpr int lanes = 32;
    unsigned word[256][lanes];
    __device__ __forceinline__ void put(int byte, T x)
    {
        for (int k = 0; k < lanes; k++) *(T *)&word[byte][(byte + k) % lanes] = x;
    }
    __device__ __forceinline__ T get(unsigned char byte, int lane) const
    {
        return *(const T *)&word[byte][lane];
    }
};

#endif
