/* The block functions of one dtype for one instruction set. CMakeLists.txt compiles this file once
 * for each pair, with HD_ID, HD_T, HD_KIND, HD_BYTES, HD_SINGLE, HD_ISA: a row of ops.def, dtypes.def or
 * reductions.def becomes a function and an entry of the table. It must not call anything compiled
 * for another instruction set. Entry point: heddle__block_<dtype>_<isa>. */
#include "scalar.h"

#include "draw.h"

#include "cpu/accepts.h"
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <string.h>

/* ---- operations ------------------------------------------------------------------------------- */

/* Element i of an operand. Bools are loaded as bytes: GCC 12 makes no vectors of loads of bools. */
#define HD_BOOL_AT(p, i) (((const uint8_t *)(p))[i] != 0)
#if HD_KIND == HD_B
#define HD_AT HD_BOOL_AT
#else
#define HD_AT(p, i) (((const HD_T *)(p))[i])
#endif

#define HD_LOOP_1(NAME, R, ...)                                                                    \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        (void)ys, (void)zs;                                                                        \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const HD_T x = HD_AT(xs, i);                                                           \
            ((R *)out)[i] = (R)(__VA_ARGS__);                                                      \
        }                                                                                          \
    }
/* X and Y: the element to take, i or 0. */
#define HD_LOOP_XY(NAME, X, Y, R, ...)                                                             \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        (void)zs;                                                                                  \
        const HD_T x0 = HD_AT(xs, 0), y0 = HD_AT(ys, 0);                                           \
        (void)x0, (void)y0;                                                                        \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const HD_T x = X, y = Y;                                                               \
            ((R *)out)[i] = (R)(__VA_ARGS__);                                                      \
        }                                                                                          \
    }
#define HD_LOOP_2(NAME, R, ...)                                                                    \
    HD_LOOP_XY(NAME, HD_AT(xs, i), HD_AT(ys, i), R, __VA_ARGS__)                                   \
    HD_LOOP_XY(NAME##_ys, HD_AT(xs, i), y0, R, __VA_ARGS__)                                        \
    HD_LOOP_XY(NAME##_xs, x0, HD_AT(ys, i), R, __VA_ARGS__)
#define HD_LOOP_3(NAME, R, ...) HD_LOOP_XYZ(NAME, bool, HD_BOOL_AT, R, __VA_ARGS__)
#define HD_LOOP_XYZ(NAME, X, X_AT, R, ...)                                                         \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const X x = X_AT(xs, i);                                                               \
            const HD_T y = HD_AT(ys, i), z = HD_AT(zs, i);                                         \
            ((R *)out)[i] = (R)(__VA_ARGS__);                                                      \
        }                                                                                          \
    }

#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, ...)                    \
    HD_FOR_##accepts(HD_LOOP_##arity(op_##ID, HD_RESULT_##result, __VA_ARGS__))
#define HD_DRAWS_2 HD_LOOP_2
#define HD_DRAWS_3(NAME, R, ...) HD_LOOP_XYZ(NAME, HD_T, HD_AT, R, __VA_ARGS__)
#define HEDDLE_RANDOM_OP(ID, name, arity, accepts, result, convert, flops, flags, ...)             \
    HD_FOR_##accepts(HD_DRAWS_##arity(op_##ID, HD_RESULT_##result, __VA_ARGS__))
#include <heddle/ops.def>
#undef HEDDLE_OP

#if HD_KIND == HD_I || HD_KIND == HD_U
#include "cpu/division.h"
#define HD_LOOP_BY(NAME, PLAIN)                                                                    \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        struct hd_divisor d = hd_divisor_of(*(const HD_T *)ys);                                    \
        if (!d.large) {                                                                            \
            PLAIN(n, out, xs, ys, zs);                                                             \
            return;                                                                                \
        }                                                                                          \
        d.large = (hd_size)-1, d.unit = 0; /* so the loop has no masks */                          \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) ((HD_T *)out)[i] = hd_##NAME(((const HD_T *)xs)[i], &d);    \
    }
HD_LOOP_BY(floor_divide_by, op_FLOOR_DIVIDE_ys)
HD_LOOP_BY(remainder_by, op_REMAINDER_ys)
HD_LOOP_BY(fmod_by, op_FMOD_ys)
#endif

/* ---- casts ------------------------------------------------------------------------------------ */

#define HD_TO_B(type, x) hd_to_bool(x)
#define HD_TO_I(type, x) (type) hd_to_i64(x)
#define HD_TO_U(type, x) (type) hd_to_u64(x)
#define HD_TO_F(type, x) HD_TO_FLOAT(type, x)
#define HD_TO_C(type, x) HD_TO_COMPLEX(type, x)

#if HD_KIND == HD_F
#if HD_SINGLE
typedef int32_t hd_bits;
#define HD_BITS_2_31 INT32_C(0x4f000000)
#else
typedef int64_t hd_bits;
#define HD_BITS_2_31 INT64_C(0x41e0000000000000)
#endif

/* Whether all are between -2^31 and 2^31. Magnitudes are in the order of their bits, NaN after infinity: a larger one makes a
 * difference negative. */
static bool fit_int32(size_t n, const HD_T *x)
{
    const hd_bits *bits = (const void *)x, magnitude = ~((hd_bits)1 << (8 * sizeof *bits - 1));
    hd_bits beyond = 0;
    HD_VECTOR
    for (size_t i = 0; i < n; i++) beyond |= HD_BITS_2_31 - 1 - (bits[i] & magnitude);
    return beyond >= 0;
}

/* Processors convert to int32 with the width of a vector, and few to int64: what all fits goes that way, to the same
 * results. */
#define HD_CAST_INTEGER(NAME, R, ...)                                                              \
    HD_LOOP_1(NAME##_near, R, (int32_t)x)                                                          \
    HD_LOOP_1(NAME##_far, R, __VA_ARGS__)                                                          \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        enum { STRIP = 256 };                                                                      \
        const HD_T *x = xs;                                                                        \
        for (size_t i = 0; i < n; i += STRIP) {                                                    \
            const size_t m = n - i < STRIP ? n - i : STRIP;                                        \
            (fit_int32(m, x + i) ? NAME##_near : NAME##_far)(m, (R *)out + i, x + i, ys, zs);      \
        }                                                                                          \
    }
#else
#define HD_CAST_INTEGER HD_LOOP_1
#endif
#define HD_CAST_B HD_LOOP_1
#define HD_CAST_I HD_CAST_INTEGER
#define HD_CAST_U HD_CAST_INTEGER
#define HD_CAST_F HD_LOOP_1
#define HD_CAST_C HD_LOOP_1

#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy)                                            \
    HD_CAST_##kind(cast_##ID, ctype, HD_TO_##kind(ctype, x))
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE

/* ---- reductions -------------------------------------------------------------------------------- */

/* Accumulators after their first elements. */
#define HD_ELEMENT(NAME, ...)                                                                      \
    static inline HD_T NAME##_of(HD_T y)                                                           \
    {                                                                                              \
        return (HD_T)(__VA_ARGS__);                                                                \
    }                                                                                              \
    static void NAME##_begin(size_t n, void *acc, const void *v)                                   \
    {                                                                                              \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) ((HD_T *)acc)[i] = NAME##_of(((const HD_T *)v)[i]);         \
    }
enum { HD_COLUMNS = 64 / sizeof(HD_T) };
/* Of n_rows rows of m elements, how many may be read from element i on for that many, which may be beyond a row's end: as long
 * as another row begins or ends behind. */
static inline size_t rows_in_reach(size_t n_rows, size_t m, size_t i, size_t lanes, int64_t step)
{
    if (i + lanes <= m) return n_rows;
    if (step <= 0) return 0;
    const size_t beyond = (i + lanes - m + (size_t)step - 1) / (size_t)step;
    return beyond < n_rows ? n_rows - beyond : 0;
}
/* Some columns of all rows, from i on, in registers. Lanes too many have elements of the next row. */
#define HD_STRIP(NAME, VECTORS, ROW)                                                               \
    static inline void NAME##_strip_##VECTORS(size_t n_rows, size_t m, size_t i, HD_T *acc,        \
                                              const HD_T *v, int64_t step)                         \
    {                                                                                              \
        enum { LANES = (VECTORS)*HD_COLUMNS };                                                     \
        const size_t some = m - i < LANES ? m - i : LANES;                                         \
        const size_t reach = rows_in_reach(n_rows, m, i, LANES, step);                             \
        HD_T t[LANES] = {0};                                                                       \
        size_t r = 0;                                                                              \
        if (some == LANES) /* of a known size */                                                   \
            memcpy(t, acc + i, sizeof t);                                                          \
        else                                                                                       \
            memcpy(t, acc + i, some * sizeof *t);                                                  \
        for (v += i; r < reach; r++, v += step) {                                                  \
            ROW                                                                                    \
        }                                                                                          \
        if (some == LANES)                                                                         \
            memcpy(acc + i, t, sizeof t);                                                          \
        else                                                                                       \
            memcpy(acc + i, t, some * sizeof *t);                                                  \
        for (; r < n_rows; r++, v += step) NAME##_accumulate(some, acc + i, NULL, v, 0);           \
    }
#define HD_ROW(NAME, LOOP)                                                                         \
    LOOP for (size_t k = 0; k < LANES; k++) t[k] = NAME##_two(t[k], NAME##_of(v[k]));
#define HD_STRIPS(NAME)                                                                            \
    HD_STRIP(NAME, 1, HD_ROW(NAME, HD_LANES))                                                      \
    HD_STRIP(NAME, 2, HD_ROW(NAME, HD_VECTOR))                                                     \
    HD_STRIP(NAME, 3, HD_ROW(NAME, HD_VECTOR))                                                     \
    HD_STRIP(NAME, 4, HD_ROW(NAME, HD_VECTOR))
#if HD_KIND == HD_F
typedef HD_T hd_column __attribute__((vector_size(HD_COLUMNS * sizeof(HD_T))));
typedef __typeof__((hd_column){0} < (hd_column){0}) hd_flags;
/* The same of the largest and the smallest, by vectors: GCC 12 makes none of these selections. `keeps`: where x stays. */
#define HD_ROW_OF(KEEPS)                                                                           \
    HD_UNROLL for (size_t k = 0; k < LANES; k += HD_COLUMNS)                                       \
    {                                                                                              \
        hd_column x, y;                                                                            \
        memcpy(&x, t + k, sizeof x);                                                               \
        memcpy(&y, v + k, sizeof y);                                                               \
        const hd_flags keeps = (KEEPS);                                                            \
        x = (hd_column)((keeps & (hd_flags)x) | (~keeps & (hd_flags)y));                           \
        memcpy(t + k, &x, sizeof x);                                                               \
    }
#define HD_STRIPS_OF(NAME, KEEPS)                                                                  \
    HD_STRIP(NAME, 1, HD_ROW_OF(KEEPS))                                                            \
    HD_STRIP(NAME, 2, HD_ROW_OF(KEEPS))                                                            \
    HD_STRIP(NAME, 3, HD_ROW_OF(KEEPS))                                                            \
    HD_STRIP(NAME, 4, HD_ROW_OF(KEEPS))
#define HD_MAX_STRIPS(NAME) HD_STRIPS_OF(NAME, (x >= y) | (x != x))
#define HD_MIN_STRIPS(NAME) HD_STRIPS_OF(NAME, (x <= y) | (x != x))
#define HD_NANMAX_STRIPS(NAME) HD_STRIPS_OF(NAME, (x >= y) | (y != y))
#define HD_NANMIN_STRIPS(NAME) HD_STRIPS_OF(NAME, (x <= y) | (y != y))
#else
#define HD_MAX_STRIPS HD_STRIPS
#define HD_MIN_STRIPS HD_STRIPS
#define HD_NANMAX_STRIPS HD_STRIPS
#define HD_NANMIN_STRIPS HD_STRIPS
#endif
/* Four rows at a time, side by side: processors fetch what follows in each, and accumulators are read and written a fourth as
 * often. */
#define HD_PASSES_AS(NAME, PASSES)                                                                 \
    static inline void PASSES(size_t n_rows, size_t m, HD_T *acc, const HD_T *v, int64_t step)     \
    {                                                                                              \
        size_t r = 0;                                                                              \
        for (; r + 4 <= n_rows; r += 4, v += 4 * step) {                                           \
            const HD_T *const v1 = v + step, *const v2 = v1 + step, *const v3 = v2 + step;         \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++) {                                                       \
                const HD_T t = NAME##_two(acc[i], NAME##_of(v[i]));                                \
                const HD_T u = NAME##_two(t, NAME##_of(v1[i]));                                    \
                acc[i] = NAME##_two(NAME##_two(u, NAME##_of(v2[i])), NAME##_of(v3[i]));            \
            }                                                                                      \
        }                                                                                          \
        for (; r + 2 <= n_rows; r += 2, v += 2 * step) {                                           \
            const HD_T *const v1 = v + step;                                                       \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++)                                                         \
                acc[i] = NAME##_two(NAME##_two(acc[i], NAME##_of(v[i])), NAME##_of(v1[i]));        \
        }                                                                                          \
        if (r < n_rows) NAME##_accumulate(m, acc, NULL, v, 0);                                     \
    }
#define HD_PASSES(NAME) HD_PASSES_AS(NAME, NAME##_passes)
#if HD_KIND == HD_F
/* Of the largest and the smallest, as processors have it, which is right but for NaN: where there was one, those rows again, as
 * they should be, and all that follow. What was taken before changes nothing then. */
#define HD_QUICK_PASSES(NAME, BEYOND)                                                              \
    HD_PASSES_AS(NAME, NAME##_exact_passes)                                                        \
    static inline bool NAME##_quick_pass(size_t m, HD_T *acc, const HD_T *v, int64_t step)         \
    {                                                                                              \
        const HD_T *const v1 = v + step, *const v2 = v1 + step, *const v3 = v2 + step;             \
        hd_bits nan = 0;                                                                           \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < m; i++) {                                                           \
            const HD_T x = acc[i], y0 = v[i], y1 = v1[i], y2 = v2[i], y3 = v3[i];                  \
            const HD_T t0 = y0 BEYOND x ? y0 : x, t1 = y1 BEYOND t0 ? y1 : t0;                     \
            const HD_T t2 = y2 BEYOND t1 ? y2 : t1;                                                \
            acc[i] = y3 BEYOND t2 ? y3 : t2;                                                       \
            nan |= (isunordered(x, y0) ? -1 : 0) | (isunordered(y1, y2) ? -1 : 0) |                \
                   (isunordered(y3, y3) ? -1 : 0);                                                 \
        }                                                                                          \
        return nan != 0;                                                                           \
    }                                                                                              \
    static inline void NAME##_passes(size_t n_rows, size_t m, HD_T *acc, const HD_T *v,            \
                                     int64_t step)                                                 \
    {                                                                                              \
        size_t r = 0;                                                                              \
        while (r + 4 <= n_rows && !NAME##_quick_pass(m, acc, v + (int64_t)r * step, step)) r += 4; \
        NAME##_exact_passes(n_rows - r, m, acc, v + (int64_t)r * step, step);                      \
    }
#define HD_LARGEST_PASSES(NAME) HD_QUICK_PASSES(NAME, >)
#define HD_SMALLEST_PASSES(NAME) HD_QUICK_PASSES(NAME, <)
#else
#define HD_LARGEST_PASSES HD_PASSES
#define HD_SMALLEST_PASSES HD_PASSES
#endif
/* A reduction of values alone. Short rows go left to right; longer ones by halves, the first of
 * which reads v and writes to t. */
#define HD_REDUCER(NAME, ...) HD_REDUCER_BY(HD_STRIPS, HD_PASSES, NAME, __VA_ARGS__)
#define HD_REDUCER_MAX(NAME, ...) HD_REDUCER_BY(HD_MAX_STRIPS, HD_LARGEST_PASSES, NAME, __VA_ARGS__)
#define HD_REDUCER_MIN(NAME, ...)                                                                  \
    HD_REDUCER_BY(HD_MIN_STRIPS, HD_SMALLEST_PASSES, NAME, __VA_ARGS__)
#define HD_REDUCER_NANMAX(NAME, ...)                                                               \
    HD_REDUCER_BY(HD_NANMAX_STRIPS, HD_LARGEST_PASSES, NAME, __VA_ARGS__)
#define HD_REDUCER_NANMIN(NAME, ...)                                                               \
    HD_REDUCER_BY(HD_NANMIN_STRIPS, HD_SMALLEST_PASSES, NAME, __VA_ARGS__)
#define HD_REDUCER_BY(STRIPS, PASSES, NAME, ...)                                                   \
    static inline HD_T NAME##_two(HD_T x, HD_T y)                                                  \
    {                                                                                              \
        return (HD_T)(__VA_ARGS__);                                                                \
    }                                                                                              \
    static void NAME##_accumulate(size_t n, void *acc, int32_t *at, const void *v, int32_t first)  \
    {                                                                                              \
        (void)at, (void)first;                                                                     \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            ((HD_T *)acc)[i] = NAME##_two(((HD_T *)acc)[i], NAME##_of(((const HD_T *)v)[i]));      \
    }                                                                                              \
    static void NAME##_merge(size_t n, void *acc, int32_t *at, const void *v, int32_t first)       \
    {                                                                                              \
        (void)at, (void)first;                                                                     \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            ((HD_T *)acc)[i] = NAME##_two(((HD_T *)acc)[i], ((const HD_T *)v)[i]);                 \
    }                                                                                              \
    STRIPS(NAME)                                                                                   \
    PASSES(NAME)                                                                                   \
    static void NAME##_fold(size_t n_rows, size_t m, void *acc, int32_t *at, const void *v,        \
                            int64_t step, int32_t first)                                           \
    {                                                                                              \
        (void)at, (void)first;                                                                     \
        enum { FEW = 8 }; /* rows that strips are not worth it */                                  \
        size_t i = 0;                                                                              \
        if (m >= 4 * HD_COLUMNS) {                                                                 \
            i = m / HD_COLUMNS * HD_COLUMNS;                                                       \
            NAME##_passes(n_rows, i, acc, v, step);                                                \
        }                                                                                          \
        const size_t left = (m - i + HD_COLUMNS - 1) / HD_COLUMNS;                                 \
        if (n_rows < FEW || n_rows * m < 4 * HD_COLUMNS)                                           \
            for (size_t r = 0; r < n_rows && i < m; r++)                                           \
                NAME##_accumulate(m - i, (HD_T *)acc + i, NULL,                                    \
                                  (const HD_T *)v + (int64_t)r * step + i, 0);                     \
        else if (left == 4)                                                                        \
            NAME##_strip_4(n_rows, m, i, acc, v, step);                                            \
        else if (left == 3)                                                                        \
            NAME##_strip_3(n_rows, m, i, acc, v, step);                                            \
        else if (left == 2)                                                                        \
            NAME##_strip_2(n_rows, m, i, acc, v, step);                                            \
        else if (left == 1)                                                                        \
            NAME##_strip_1(n_rows, m, i, acc, v, step);                                            \
    }                                                                                              \
    static void NAME##_rows(size_t n_rows, size_t n, void *out, int32_t *out_at, const void *vs,   \
                            const int32_t *v_at)                                                   \
    {                                                                                              \
        (void)out_at, (void)v_at;                                                                  \
        const HD_T *v = vs;                                                                        \
        if (n <= HEDDLE_TREE_SHORT) {                                                              \
            for (size_t r = 0; r < n_rows; r++, v += n) {                                          \
                HD_T acc = v[0];                                                                   \
                for (size_t i = 1; i < n; i++) acc = NAME##_two(acc, v[i]);                        \
                ((HD_T *)out)[r] = acc;                                                            \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        const size_t top = half_of(n);                                                             \
        for (size_t r = 0; r < n_rows; r++, v += n) {                                              \
            HD_T t[HEDDLE_TREE_LANES / 2];                                                         \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n - top; i++) t[i] = NAME##_two(v[i], v[i + top]);              \
            for (size_t i = n - top; i < top; i++) t[i] = v[i];                                    \
            for (size_t half = top / 2; half; half /= 2) {                                         \
                HD_VECTOR                                                                          \
                for (size_t i = 0; i < half; i++) t[i] = NAME##_two(t[i], t[i + half]);            \
            }                                                                                      \
            ((HD_T *)out)[r] = t[0];                                                               \
        }                                                                                          \
    }
#define HD_ARG_LOOP(NAME, loop, of)                                                                \
    static void NAME##_##loop(size_t n, void *acc, int32_t *at, const void *v, int32_t first)      \
    {                                                                                              \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const HD_T x = ((HD_T *)acc)[i], y = of(((const HD_T *)v)[i]);                         \
            const bool take = NAME##_two(x, y);                                                    \
            ((HD_T *)acc)[i] = take ? y : x;                                                       \
            at[i] = take ? (int32_t)i + first : at[i];                                             \
        }                                                                                          \
    }
/* One that carries element numbers: the expression says whether y replaces x, later in order. */
#define HD_ARG_REDUCER(NAME, ...)                                                                  \
    static inline bool NAME##_two(HD_T x, HD_T y)                                                  \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    HD_ARG_LOOP(NAME, accumulate, NAME##_of)                                                       \
    HD_ARG_LOOP(NAME, merge, )                                                                     \
    static void NAME##_fold(size_t n_rows, size_t m, void *acc_, int32_t *at, const void *v_,      \
                            int64_t step, int32_t first)                                           \
    {                                                                                              \
        HD_T *acc = acc_;                                                                          \
        const HD_T *v = v_;                                                                        \
        for (size_t r = 0; r < n_rows; r++, v += step) {                                           \
            const int32_t number = first + (int32_t)r;                                             \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++) {                                                       \
                const HD_T x = acc[i], y = NAME##_of(v[i]);                                        \
                const bool take = NAME##_two(x, y);                                                \
                acc[i] = take ? y : x;                                                             \
                at[i] = take ? number : at[i];                                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_rows(size_t n_rows, size_t n, void *out, int32_t *out_at, const void *vs,   \
                            const int32_t *v_at)                                                   \
    {                                                                                              \
        const HD_T *v = vs;                                                                        \
        for (size_t r = 0; r < n_rows; r++, v += n) {                                              \
            size_t best = 0;                                                                       \
            for (size_t i = 1; i < n; i++) {                                                       \
                const bool tie =                                                                   \
                    v_at && !NAME##_two(v[i], v[best]) && v_at[r * n + i] < v_at[r * n + best];    \
                if (NAME##_two(v[best], v[i]) || tie) best = i;                                    \
            }                                                                                      \
            ((HD_T *)out)[r] = v[best];                                                            \
            out_at[r] = v_at ? v_at[r * n + best] : (int32_t)best;                                 \
        }                                                                                          \
    }

/* Half of the least power of two >= n, n >= 2. */
static inline size_t half_of(size_t n)
{
    size_t half = 1;
    while (2 * half < n) half *= 2;
    return half;
}

#define HD_REDUCER_SUM HD_REDUCER
#define HD_REDUCER_PROD HD_REDUCER
#define HD_REDUCER_ANY HD_REDUCER
#define HD_REDUCER_ALL HD_REDUCER
#define HD_REDUCER_ARGMAX HD_ARG_REDUCER
#define HD_REDUCER_ARGMIN HD_ARG_REDUCER

#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    HD_FOR_##accepts(HD_ELEMENT(reduce_##ID, element) HD_REDUCER_##ID(reduce_##ID, __VA_ARGS__))
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION

/* ---- the table --------------------------------------------------------------------------------- */

#define HD_ENTRY_1(NAME) .vector = NAME
#define HD_ENTRY_2(NAME) .vector = NAME, .y_scalar = NAME##_ys, .x_scalar = NAME##_xs
#define HD_ENTRY_3(NAME) .vector = NAME

/* The table begins with the loops of the rows; what is faster replaces them. */
#pragma GCC diagnostic ignored "-Woverride-init"

extern const struct heddle__block_type HD_PASTE(heddle__block_, HD_ID, HD_ISA);
const struct heddle__block_type HD_PASTE(heddle__block_, HD_ID, HD_ISA) = {
    .ops =
        {
#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, ...)                    \
    HD_FOR_##accepts([HEDDLE_OP_##ID] = {HD_ENTRY_##arity(op_##ID)}, )
#define HEDDLE_RANDOM_OP HEDDLE_OP
#include <heddle/ops.def>
#undef HEDDLE_OP
#if HD_KIND == HD_I || HD_KIND == HD_U
            [HEDDLE_OP_FLOOR_DIVIDE].y_scalar = floor_divide_by,
            [HEDDLE_OP_REMAINDER].y_scalar = remainder_by,
            [HEDDLE_OP_FMOD].y_scalar = fmod_by,
#endif
        },
    .casts =
        {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) [HEDDLE_##ID] = cast_##ID,
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
        },
    .reducers =
        {
#define HEDDLE_REDUCTION(ID, name, accepts, convert, identity, element, ...)                       \
    HD_FOR_##accepts([HEDDLE_REDUCE_##ID] = {reduce_##ID##_begin, reduce_##ID##_accumulate,        \
                                             reduce_##ID##_merge, reduce_##ID##_fold,              \
                                             reduce_##ID##_rows}, )
#include <heddle/reductions.def>
#undef HEDDLE_REDUCTION
        },
};
