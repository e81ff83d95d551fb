/* The dtypes of device code, hd_<dtype>, and what templates ask of them: kind, real dtype, the unsigned
 * type that arithmetic wraps in. Compiled by nvcc and, as embedded text, by NVRTC, for which
 * embed.cmake drops the #includes of these headers: none may include anything else than these, draw.h,
 * log_add_exp.h, bessel.h and base/half.h. Entry points:
 * HD, HD_BIG, hd_<dtype>, hd_kind, hd_traits, hd_same, hd_wrap. */
#ifndef HEDDLE_CUDA_TYPES_CUH
#define HEDDLE_CUDA_TYPES_CUH

#define HD static __device__ __forceinline__
#ifndef HD_BIG /* of the interpreter: not inlined, to bound its size */
#define HD_BIG static __device__ inline
#endif
#define HD_SHARED HD_BIG /* of headers that C includes, too */
#define HEDDLE_HALF_FUNCTION HD

typedef bool hd_bool;
typedef signed char hd_int8;
typedef short hd_int16;
typedef int hd_int32;
typedef long long hd_int64;
typedef unsigned char hd_uint8;
typedef unsigned short hd_uint16;
typedef unsigned int hd_uint32;
typedef unsigned long long hd_uint64;
typedef float hd_float32;
typedef double hd_float64;

template <class R>
struct alignas(2 * sizeof(R)) hd_complex {
    R re, im;
};
typedef hd_complex<float> hd_complex64;
typedef hd_complex<double> hd_complex128;

/* Kind of a dtype ('H': a half, half.cuh), and its real dtype. */
template <class T>
struct hd_traits {
    static constexpr char kind = T(-1) < T(0) ? 'I' : 'U';
    typedef T real;
};
template <>
struct hd_traits<bool> {
    static constexpr char kind = 'B';
    typedef bool real;
};
template <>
struct hd_traits<float> {
    static constexpr char kind = 'F';
    typedef float real;
};
template <>
struct hd_traits<double> {
    static constexpr char kind = 'F';
    typedef double real;
};
template <class R>
struct hd_traits<hd_complex<R>> {
    static constexpr char kind = 'C';
    typedef R real;
};
template <class T>
constexpr char hd_kind = hd_traits<T>::kind;
template <class T>
constexpr bool hd_is_integer = hd_kind<T> == 'I' || hd_kind<T> == 'U';
template <class T>
constexpr bool hd_is_floating = hd_kind<T> == 'F' || hd_kind<T> == 'C';
template <class A, class B>
constexpr bool hd_same = false;
template <class A>
constexpr bool hd_same<A, A> = true;

/* Integers wrap: their arithmetic is done in these unsigned types. */
template <bool Wide>
struct hd_unsigned_of {
    typedef unsigned type;
};
template <>
struct hd_unsigned_of<true> {
    typedef unsigned long long type;
};
template <class T>
using hd_wrap = typename hd_unsigned_of<(sizeof(T) > 4)>::type;

#endif
