/* One body for CPUs and GPUs: an elementwise kernel that the program's own compiler compiles for CPUs, and whose text is
 * made into operations or CUDA.
 *
 *     HEDDLE_ELEMENTWISE(squared_diff, (float x, float y), (float z), { z = (x - y) * (x - y); })
 *
 *     heddle_kernel *k = squared_diff();
 *     heddle_array *z = heddle_kernel_apply(k, HEDDLE_ARRAYS(x, y));
 *
 * outside of functions, in C11 and C++17, makes the function `heddle_kernel *squared_diff(void)`. The kernel is the caller's
 * (heddle_kernel_release). 1 to 8 inputs, 1 to 4 outputs, of types that are one word: float, double, int, bool, int8_t ..
 * uint64_t. Inputs are const, arrays best
 * before numbers, which loops then have as constants; outputs begin as 0; `i` is the place of the element, `n` how many there are.
 *
 * The body is a text of kernel.h that is C as well: what both mean (docs/kernels.md). A straight line is recorded as
 * operations, and fuses; anything else runs as compiled here on CPUs, vectorised as the compiler's options allow (-O3), and
 * through NVRTC on GPUs. Functions are those of math.h, which this includes; with a float, write sqrtf: both take it as
 * float32. */
#ifndef HEDDLE_SINGLE_SOURCE_H
#define HEDDLE_SINGLE_SOURCE_H

#include <heddle/kernel.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define HEDDLE_ELEMENTWISE(name, in, out, ...)                                                     \
    __attribute__((always_inline)) static inline void name##_element(                              \
        const int64_t heddle_i, const int64_t heddle_n,                                            \
        HEDDLE_EACH_(HEDDLE_EACH_VALUE_, in) HEDDLE_EACH_(HEDDLE_EACH_TARGET_, out) int heddle_end)  \
    {                                                                                              \
        const int64_t i = heddle_i, n = heddle_n;                                                  \
        (void)i, (void)n, (void)heddle_end;                                                        \
        HEDDLE_EACH_(HEDDLE_EACH_INPUT_, in)                                                       \
        HEDDLE_EACH_(HEDDLE_EACH_OUTPUT_, out)                                                     \
        __VA_ARGS__                                                                                \
        HEDDLE_EACH_(HEDDLE_EACH_STORE_, out)                                                      \
    }                                                                                              \
    __attribute__((always_inline)) static inline void name##_span(                                 \
        const int heddle_dense, int64_t heddle_n, void *const heddle_p[], int64_t heddle_first,    \
        int64_t heddle_size)                                                                       \
    {                                                                                              \
        HEDDLE_EACH_(HEDDLE_EACH_FROM_, in)                                                        \
        heddle_p += HEDDLE_COUNT_ in;                                                              \
        HEDDLE_EACH_(HEDDLE_EACH_TO_, out)                                                         \
        HEDDLE_SIMD_                                                                               \
        for (int64_t heddle_k = 0; heddle_k < heddle_n; heddle_k++)                                \
            name##_element(heddle_first + heddle_k, heddle_size,                                   \
                           HEDDLE_EACH_(HEDDLE_EACH_LOAD_, in)                                     \
                               HEDDLE_EACH_(HEDDLE_EACH_AT_, out) 0);                              \
    }                                                                                              \
    static inline void name##_loop(int64_t heddle_n, int heddle_dense, void *const heddle_p[],     \
                                   int64_t heddle_first, int64_t heddle_size)                      \
    {                                                                                              \
        const int heddle_all = HEDDLE_COUNT_ in;                                                   \
        if (heddle_dense >= heddle_all)                                                            \
            name##_span(8, heddle_n, heddle_p, heddle_first, heddle_size);                         \
        else if (heddle_all > 1 && heddle_dense == 1)                                              \
            name##_span(1, heddle_n, heddle_p, heddle_first, heddle_size);                         \
        else if (heddle_all > 2 && heddle_dense == 2)                                              \
            name##_span(2, heddle_n, heddle_p, heddle_first, heddle_size);                         \
        else                                                                                       \
            name##_span(heddle_dense, heddle_n, heddle_p, heddle_first, heddle_size);              \
    }                                                                                              \
    static inline heddle_kernel *name(void)                                                        \
    {                                                                                              \
        return heddle_kernel_with_loop(HEDDLE_TEXT_ in, HEDDLE_TEXT_ out, #__VA_ARGS__, #name,      \
                                       name##_loop);                                               \
    }

/* ---- What it is made of ------------------------------------------------------------------------------ */

/* Elements are independent. Clang finds out by itself; told, it warns of loops that it cannot vectorise. */
#if defined(__clang__)
#define HEDDLE_SIMD_
#elif defined(_OPENMP)
#define HEDDLE_SIMD_ _Pragma("omp simd")
#else
#define HEDDLE_SIMD_ _Pragma("GCC ivdep")
#endif

/* For parameter k, of that type and name. */
#define HEDDLE_EACH_VALUE_(k, type, name) const type heddle_in_##k,
#define HEDDLE_EACH_TARGET_(k, type, name) type *heddle_out_##k,
#define HEDDLE_EACH_INPUT_(k, type, name)                                                          \
    const type name = heddle_in_##k;                                                               \
    (void)name;
#define HEDDLE_EACH_OUTPUT_(k, type, name) type name = 0;
#define HEDDLE_EACH_STORE_(k, type, name) *heddle_out_##k = name;
#define HEDDLE_EACH_FROM_(k, type, name)                                                           \
    const type *const heddle_in_##k = (const type *)heddle_p[k];                                   \
    const type heddle_one_##k = *heddle_in_##k;
#define HEDDLE_EACH_TO_(k, type, name) type *const heddle_out_##k = (type *)heddle_p[k];
#define HEDDLE_EACH_LOAD_(k, type, name) k < heddle_dense ? heddle_in_##k[heddle_k] : heddle_one_##k,
#define HEDDLE_EACH_AT_(k, type, name) heddle_out_##k + heddle_k,

#define HEDDLE_TEXT_(...) #__VA_ARGS__
#define HEDDLE_OPEN_(...) __VA_ARGS__
#define HEDDLE_COUNT_(...) HEDDLE_NINTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define HEDDLE_NINTH_(a, b, c, d, e, f, g, h, n, ...) n
#define HEDDLE_JOIN_(a, b) HEDDLE_JOINED_(a, b)
#define HEDDLE_JOINED_(a, b) a##b

/* M(k, type, name) for each parameter of a list in brackets. */
#define HEDDLE_EACH_(M, list)                                                                      \
    HEDDLE_CALLED_(HEDDLE_JOIN_(HEDDLE_EACH_OF_, HEDDLE_COUNT_ list), M, HEDDLE_OPEN_ list)
#define HEDDLE_CALLED_(macro, ...) macro(__VA_ARGS__)
#define HEDDLE_EACH_OF_1(M, a) HEDDLE_ONE_(M, 0, a)
#define HEDDLE_EACH_OF_2(M, a, b) HEDDLE_EACH_OF_1(M, a) HEDDLE_ONE_(M, 1, b)
#define HEDDLE_EACH_OF_3(M, a, b, c) HEDDLE_EACH_OF_2(M, a, b) HEDDLE_ONE_(M, 2, c)
#define HEDDLE_EACH_OF_4(M, a, b, c, d) HEDDLE_EACH_OF_3(M, a, b, c) HEDDLE_ONE_(M, 3, d)
#define HEDDLE_EACH_OF_5(M, a, b, c, d, e) HEDDLE_EACH_OF_4(M, a, b, c, d) HEDDLE_ONE_(M, 4, e)
#define HEDDLE_EACH_OF_6(M, a, b, c, d, e, f)                                                      \
    HEDDLE_EACH_OF_5(M, a, b, c, d, e) HEDDLE_ONE_(M, 5, f)
#define HEDDLE_EACH_OF_7(M, a, b, c, d, e, f, g)                                                   \
    HEDDLE_EACH_OF_6(M, a, b, c, d, e, f) HEDDLE_ONE_(M, 6, g)
#define HEDDLE_EACH_OF_8(M, a, b, c, d, e, f, g, h)                                                \
    HEDDLE_EACH_OF_7(M, a, b, c, d, e, f, g) HEDDLE_ONE_(M, 7, h)
#define HEDDLE_ONE_(M, k, parameter) HEDDLE_SPLIT_(M, k, HEDDLE_TYPE_##parameter)
#define HEDDLE_SPLIT_(M, ...) M(__VA_ARGS__)

/* "float x" becomes "float, x". A type that is not here is one of more words. */
#define HEDDLE_TYPE_float float,
#define HEDDLE_TYPE_double double,
#define HEDDLE_TYPE_int int,
#define HEDDLE_TYPE_bool bool,
#define HEDDLE_TYPE__Bool bool,
#define HEDDLE_TYPE_int8_t int8_t,
#define HEDDLE_TYPE_int16_t int16_t,
#define HEDDLE_TYPE_int32_t int32_t,
#define HEDDLE_TYPE_int64_t int64_t,
#define HEDDLE_TYPE_uint8_t uint8_t,
#define HEDDLE_TYPE_uint16_t uint16_t,
#define HEDDLE_TYPE_uint32_t uint32_t,
#define HEDDLE_TYPE_uint64_t uint64_t,

#endif
