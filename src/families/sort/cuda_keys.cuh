/* Keys of elements (kernel.h) on the GPU. */
#ifndef HEDDLE_FAMILIES_SORT_CUDA_KEYS_CUH
#define HEDDLE_FAMILIES_SORT_CUDA_KEYS_CUH

#include "cuda/scalar.cuh"

/* How elements of type T are keys of type K. `flip`: all bits of a key for a descending order, else 0. */
template <class T, class K, bool IsSigned>
struct integer_keys {
    typedef T type;
    typedef K key_type;
    static constexpr int bits = 8 * sizeof(T);
    static constexpr K all = (K)(~(K)0 >> (8 * sizeof(K) - bits));
    static constexpr K offset = IsSigned ? (K)1 << (bits - 1) : 0;
    static __device__ K key(T x, bool, K flip) { return (((K)x & all) ^ offset) ^ flip; }
    static __device__ T element(K key, K flip) { return (T)((key ^ flip) ^ offset); }
};

template <class T, class K>
struct float_keys {
    typedef T type;
    typedef K key_type;
    static constexpr int bits = 8 * sizeof(T);
    static constexpr K all = ~(K)0, top = (K)1 << (bits - 1);
    static __device__ K key(T x, bool zeros_equal, K flip)
    {
        if (x != x) return all;
        if (zeros_equal && x == 0) x = 0; /* -0 is 0 */
        K bits_of;
        memcpy(&bits_of, &x, sizeof x);
        return (bits_of ^ (bits_of & top ? all : top)) ^ flip;
    }
    static __device__ T element(K key, K flip)
    {
        T x;
        const K ordered = key ^ flip;
        K bits_of = key == all ? (sizeof(T) == 4 ? (K)0x7fc00000u : (K)0x7ff8000000000000u)
                               : ordered ^ (ordered & top ? top : all);
        memcpy(&x, &bits_of, sizeof x);
        return x;
    }
};

/* f<How>(arguments) for the keys of a dtype; -1: none. */
#define HEDDLE_SORT_BY_KEYS(dtype, f, ...)                                                         \
    ((dtype) == HEDDLE_BOOL || (dtype) == HEDDLE_UINT8                                             \
         ? f<integer_keys<hd_uint8, unsigned, false>>(__VA_ARGS__)                                 \
     : (dtype) == HEDDLE_INT8    ? f<integer_keys<hd_int8, unsigned, true>>(__VA_ARGS__)           \
     : (dtype) == HEDDLE_UINT16  ? f<integer_keys<hd_uint16, unsigned, false>>(__VA_ARGS__)        \
     : (dtype) == HEDDLE_INT16   ? f<integer_keys<hd_int16, unsigned, true>>(__VA_ARGS__)          \
     : (dtype) == HEDDLE_UINT32  ? f<integer_keys<hd_uint32, unsigned, false>>(__VA_ARGS__)        \
     : (dtype) == HEDDLE_INT32   ? f<integer_keys<hd_int32, unsigned, true>>(__VA_ARGS__)          \
     : (dtype) == HEDDLE_UINT64  ? f<integer_keys<hd_uint64, hd_uint64, false>>(__VA_ARGS__)       \
     : (dtype) == HEDDLE_INT64   ? f<integer_keys<hd_int64, hd_uint64, true>>(__VA_ARGS__)         \
     : (dtype) == HEDDLE_FLOAT32 ? f<float_keys<float, unsigned>>(__VA_ARGS__)                     \
     : (dtype) == HEDDLE_FLOAT64 ? f<float_keys<double, hd_uint64>>(__VA_ARGS__)                   \
                                 : cudaErrorInvalidValue)

#endif
