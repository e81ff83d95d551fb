/* Values of the interpreter: two 64-bit words that hold any dtype, how they are read and written, and
 * the operations, conversions and combinations on them, chosen by the class of their dtype
 * (HEDDLE_AS_...). Knows nothing of programs. Entry points: hd_read, hd_write, hd_apply_as,
 * hd_convert, hd_lifted, hd_combine, hd_is_one. */
#ifndef HEDDLE_CUDA_INTERPRETER_VALUES_CUH
#define HEDDLE_CUDA_INTERPRETER_VALUES_CUH

#include "cuda/interpreter.h"

#define HD_BIG static __device__ __noinline__
#include "cuda/scalar.cuh"
#include "cuda/divisors.cuh"
#include "cuda/cast.cuh"
#include "cuda/complex.cuh"
#include "cuda/kernel.cuh"

typedef ulonglong2 hd_raw; /* a value of any class; an index of argmax in y */

template <class T>
HD hd_raw hd_to_raw(T x)
{
    if constexpr (hd_same<T, hd_complex128>)
        return make_ulonglong2((hd_uint64)__double_as_longlong(x.re),
                               (hd_uint64)__double_as_longlong(x.im));
    else if constexpr (hd_same<T, hd_complex64>)
        return make_ulonglong2(__float_as_uint(x.re) | (hd_uint64)__float_as_uint(x.im) << 32, 0);
    else if constexpr (hd_same<T, double>)
        return make_ulonglong2((hd_uint64)__double_as_longlong(x), 0);
    else if constexpr (hd_same<T, float>)
        return make_ulonglong2(__float_as_uint(x), 0);
    else
        return make_ulonglong2((hd_uint64)x, 0);
}

template <class T>
HD T hd_from_raw(hd_raw raw)
{
    const hd_int64 words[2] = {(hd_int64)raw.x, (hd_int64)raw.y};
    return hd_slot<T>(words);
}

/* A number as a half holds it. */
template <class Half, class T>
HD float hd_through(T x)
{
    return hd_widen(hd_cast<Half>(x));
}

/* Sign- or zero-extends the low bits that an integer dtype has; rounds to a half. */
HD hd_raw hd_narrow(hd_raw x, int dtype)
{
    switch (dtype) {
    case HEDDLE_INT8: x.x = (hd_uint64)(hd_int64)(hd_int8)x.x; break;
    case HEDDLE_INT16: x.x = (hd_uint64)(hd_int64)(hd_int16)x.x; break;
    case HEDDLE_INT32: x.x = (hd_uint64)(hd_int64)(hd_int32)x.x; break;
    case HEDDLE_UINT8: x.x = (hd_uint8)x.x; break;
    case HEDDLE_UINT16: x.x = (hd_uint16)x.x; break;
    case HEDDLE_UINT32: x.x = (hd_uint32)x.x; break;
    case HEDDLE_FLOAT16: return hd_to_raw(hd_through<hd_float16>(hd_from_raw<float>(x)));
    case HEDDLE_BFLOAT16: return hd_to_raw(hd_through<hd_bfloat16>(hd_from_raw<float>(x)));
    default: break;
    }
    return x;
}

HD hd_raw hd_half_of_double(hd_raw raw, int dtype)
{
    const double x = hd_from_raw<double>(raw);
    return hd_to_raw(dtype == HEDDLE_FLOAT16 ? hd_through<hd_float16>(x)
                                             : hd_through<hd_bfloat16>(x));
}

HD hd_raw hd_read(const char *p, int dtype, hd_int64 at)
{
    switch (dtype) {
    case HEDDLE_BOOL: return hd_to_raw(((const hd_uint8 *)p)[at] != 0);
    case HEDDLE_INT8: return hd_to_raw((hd_int64)((const hd_int8 *)p)[at]);
    case HEDDLE_INT16: return hd_to_raw((hd_int64)((const hd_int16 *)p)[at]);
    case HEDDLE_INT32: return hd_to_raw((hd_int64)((const hd_int32 *)p)[at]);
    case HEDDLE_UINT8: return hd_to_raw((hd_uint64)((const hd_uint8 *)p)[at]);
    case HEDDLE_UINT16: return hd_to_raw((hd_uint64)((const hd_uint16 *)p)[at]);
    case HEDDLE_UINT32:
    case HEDDLE_FLOAT32: return hd_to_raw((hd_uint64)((const hd_uint32 *)p)[at]);
    case HEDDLE_FLOAT16: return hd_to_raw(hd_widen(((const hd_float16 *)p)[at]));
    case HEDDLE_BFLOAT16: return hd_to_raw(hd_widen(((const hd_bfloat16 *)p)[at]));
    case HEDDLE_COMPLEX128: return ((const hd_raw *)p)[at];
    default: return hd_to_raw(((const hd_uint64 *)p)[at]);
    }
}

HD void hd_write(char *p, int dtype, hd_int64 at, hd_raw x)
{
    switch (dtype) {
    case HEDDLE_BOOL:
    case HEDDLE_INT8:
    case HEDDLE_UINT8: ((hd_uint8 *)p)[at] = (hd_uint8)x.x; break;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: ((hd_uint16 *)p)[at] = (hd_uint16)x.x; break;
    case HEDDLE_INT32:
    case HEDDLE_UINT32:
    case HEDDLE_FLOAT32: ((hd_uint32 *)p)[at] = (hd_uint32)x.x; break;
    case HEDDLE_FLOAT16: ((hd_float16 *)p)[at] = hd_cast<hd_float16>(hd_from_raw<float>(x)); break;
    case HEDDLE_BFLOAT16:
        ((hd_bfloat16 *)p)[at] = hd_cast<hd_bfloat16>(hd_from_raw<float>(x));
        break;
    case HEDDLE_COMPLEX128: ((hd_raw *)p)[at] = x; break;
    default: ((hd_uint64 *)p)[at] = x.x; break;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

template <class T>
constexpr unsigned hd_bit = hd_kind<T> == 'B' ? HEDDLE_KIND_B
                            : hd_kind<T> == 'I'
                                ? HEDDLE_KIND_I | (sizeof(T) == 8 ? HEDDLE_ACCEPTS_I64 : 0)
                            : hd_kind<T> == 'U'
                                ? HEDDLE_KIND_U | (sizeof(T) == 8 ? HEDDLE_ACCEPTS_U64 : 0)
                            : hd_kind<T> == 'F'
                                ? HEDDLE_KIND_F | (sizeof(T) == 8 ? HEDDLE_ACCEPTS_F64 : 0)
                                : HEDDLE_KIND_C;

/* `x & y` of bool has type int: a truth value all the same. */
template <class T, class R>
HD hd_raw hd_result(R r)
{
    if constexpr (hd_same<T, bool>)
        return hd_to_raw((bool)r);
    else
        return hd_to_raw(r);
}

template <class T>
static __device__ __noinline__ hd_raw hd_apply(int code, hd_raw a, hd_raw b, hd_raw c)
{
    const T x = hd_from_raw<T>(a), y = hd_from_raw<T>(b), z = hd_from_raw<T>(c);
    (void)z;
    switch (code) {
#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, ...)                    \
    case HEDDLE_OP_##ID:                                                                           \
        if constexpr ((HEDDLE_ACCEPTS_##accepts & hd_bit<T>) != 0 &&                               \
                      HEDDLE_OP_##ID != HEDDLE_OP_WHERE) /* done by the caller */                  \
            return hd_result<T>(__VA_ARGS__);                                                      \
        break;
#define HEDDLE_RANDOM_OP HEDDLE_OP
#include <heddle/ops.def>
#undef HEDDLE_OP
    default: break;
    }
    return a;
}

template <int Words>
HD hd_raw hd_apply_as(int as, int code, hd_raw a, hd_raw b, hd_raw c)
{
    switch (as) {
    case HEDDLE_AS_BOOL: return hd_apply<bool>(code, a, b, c);
    case HEDDLE_AS_I64: return hd_apply<hd_int64>(code, a, b, c);
    case HEDDLE_AS_U64: return hd_apply<hd_uint64>(code, a, b, c);
    case HEDDLE_AS_F32: return hd_apply<float>(code, a, b, c);
    case HEDDLE_AS_F64: return hd_apply<double>(code, a, b, c);
    default: break;
    }
    if constexpr (Words == 2)
        return as == HEDDLE_AS_C64 ? hd_apply<hd_complex64>(code, a, b, c)
                                   : hd_apply<hd_complex128>(code, a, b, c);
    return a;
}

template <class From, int Words>
HD hd_raw hd_cast_from(hd_raw raw, int to)
{
    const From x = hd_from_raw<From>(raw);
    switch (to) {
    case HEDDLE_AS_BOOL: return hd_to_raw(hd_cast<bool>(x));
    case HEDDLE_AS_I64: return hd_to_raw(hd_cast<hd_int64>(x));
    case HEDDLE_AS_U64: return hd_to_raw(hd_cast<hd_uint64>(x));
    case HEDDLE_AS_F32: return hd_to_raw(hd_cast<float>(x));
    case HEDDLE_AS_F64: return hd_to_raw(hd_cast<double>(x));
    default: break;
    }
    if constexpr (Words == 2)
        return to == HEDDLE_AS_C64 ? hd_to_raw(hd_cast<hd_complex64>(x))
                                   : hd_to_raw(hd_cast<hd_complex128>(x));
    return raw;
}

template <int Words>
static __device__ __noinline__ hd_raw hd_convert(hd_raw x, int as, int to)
{
    switch (as) {
    case HEDDLE_AS_BOOL: return hd_cast_from<bool, Words>(x, to);
    case HEDDLE_AS_I64: return hd_cast_from<hd_int64, Words>(x, to);
    case HEDDLE_AS_U64: return hd_cast_from<hd_uint64, Words>(x, to);
    case HEDDLE_AS_F32: return hd_cast_from<float, Words>(x, to);
    case HEDDLE_AS_F64: return hd_cast_from<double, Words>(x, to);
    default: break;
    }
    if constexpr (Words == 2)
        return as == HEDDLE_AS_C64 ? hd_cast_from<hd_complex64, Words>(x, to)
                                   : hd_cast_from<hd_complex128, Words>(x, to);
    return x;
}

template <class T>
HD hd_raw hd_lifted_as(int op, hd_raw b)
{
    const T y = hd_from_raw<T>(b);
    hd_raw r = b;
    switch (op) {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    case HEDDLE_REDUCE_##ID:                                                                       \
        if constexpr ((HEDDLE_ACCEPTS_##accepts & hd_bit<T>) != 0) r = hd_result<T>(element);      \
        break;
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
    default: break;
    }
    if (op == HEDDLE_REDUCE_ARGMAX || op == HEDDLE_REDUCE_ARGMIN) r.y = b.y;
    return r;
}

/* What an element is to the accumulators of a reduction. */
template <int Words>
static __device__ __noinline__ hd_raw hd_lifted(int op, int as, hd_raw y)
{
    switch (as) {
    case HEDDLE_AS_BOOL: return hd_lifted_as<bool>(op, y);
    case HEDDLE_AS_I64: return hd_lifted_as<hd_int64>(op, y);
    case HEDDLE_AS_U64: return hd_lifted_as<hd_uint64>(op, y);
    case HEDDLE_AS_F32: return hd_lifted_as<float>(op, y);
    case HEDDLE_AS_F64: return hd_lifted_as<double>(op, y);
    default: break;
    }
    if constexpr (Words == 2)
        return as == HEDDLE_AS_C64 ? hd_lifted_as<hd_complex64>(op, y)
                                   : hd_lifted_as<hd_complex128>(op, y);
    return y;
}

template <class T>
HD hd_raw hd_combine_as(int op, hd_raw a, hd_raw b)
{
    const T x = hd_from_raw<T>(a), y = hd_from_raw<T>(b);
    if constexpr (hd_kind<T> != 'C') {
        const hd_at<T> p = {x, (hd_int64)a.y}, q = {y, (hd_int64)b.y};
        hd_at<T> r = p;
        if (op == HEDDLE_REDUCE_ARGMAX) r = hd_argmax(p, q);
        if (op == HEDDLE_REDUCE_ARGMIN) r = hd_argmin(p, q);
        if (op == HEDDLE_REDUCE_ARGMAX || op == HEDDLE_REDUCE_ARGMIN)
            return make_ulonglong2(hd_to_raw(r.value).x, (hd_uint64)r.index);
    }
    switch (op) {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    case HEDDLE_REDUCE_##ID:                                                                       \
        if constexpr ((HEDDLE_ACCEPTS_##accepts & hd_bit<T>) != 0)                                 \
            return hd_result<T>(__VA_ARGS__);                                                      \
        break;
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
    default: break;
    }
    return a;
}

template <int Words>
static __device__ __noinline__ hd_raw hd_combine(int op, int as, int dtype, hd_raw a, hd_raw b)
{
    switch (as) {
    case HEDDLE_AS_BOOL: return hd_combine_as<bool>(op, a, b);
    case HEDDLE_AS_I64: return hd_narrow(hd_combine_as<hd_int64>(op, a, b), dtype);
    case HEDDLE_AS_U64: return hd_narrow(hd_combine_as<hd_uint64>(op, a, b), dtype);
    case HEDDLE_AS_F32: return hd_combine_as<float>(op, a, b);
    case HEDDLE_AS_F64: return hd_combine_as<double>(op, a, b);
    default: break;
    }
    if constexpr (Words == 2)
        return as == HEDDLE_AS_C64 ? hd_combine_as<hd_complex64>(op, a, b)
                                   : hd_combine_as<hd_complex128>(op, a, b);
    return a;
}

/* Whether a reduction of no elements is 1. */
HD bool hd_is_one(int op)
{
    switch (op) {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, ...)                                \
    case HEDDLE_REDUCE_##ID:                                                                       \
        return identity == 1;
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
    default: return false;
    }
}

#endif
