/* Two operations in one pass, for one instruction set (HD_ISA): x op y, and op z after or before it; y and z have a
 * number for each element, or one for all. Each operation rounds, as alone. Entry point: heddle__block_pairs_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

#define HD_PAIR(NAME, T, Y, Z, FIRST, ...)                                                         \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        const T y0 = ((const T *)ys)[0], z0 = zs ? ((const T *)zs)[0] : 0;                         \
        (void)y0, (void)z0;                                                                        \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const T x = ((const T *)xs)[i], y = Y, z = Z, t = x FIRST y;                           \
            (void)z;                                                                               \
            ((T *)out)[i] = __VA_ARGS__;                                                           \
        }                                                                                          \
    }
#define HD_EACH(T, p) ((const T *)p)[i]
#define HD_SCALARS(NAME, T, FIRST, ...)                                                            \
    HD_PAIR(NAME##_vv, T, HD_EACH(T, ys), HD_EACH(T, zs), FIRST, __VA_ARGS__)                      \
    HD_PAIR(NAME##_vs, T, HD_EACH(T, ys), z0, FIRST, __VA_ARGS__)                                  \
    HD_PAIR(NAME##_sv, T, y0, HD_EACH(T, zs), FIRST, __VA_ARGS__)                                  \
    HD_PAIR(NAME##_ss, T, y0, z0, FIRST, __VA_ARGS__)
#define HD_SECONDS(NAME, T, FIRST)                                                                 \
    HD_SCALARS(NAME##_add, T, FIRST, t + z)                                                        \
    HD_SCALARS(NAME##_add_right, T, FIRST, z + t)                                                  \
    HD_SCALARS(NAME##_subtract, T, FIRST, t - z)                                                   \
    HD_SCALARS(NAME##_subtract_right, T, FIRST, z - t)                                             \
    HD_SCALARS(NAME##_multiply, T, FIRST, (t * z))                                                 \
    HD_SCALARS(NAME##_multiply_right, T, FIRST, (z * t))                                           \
    HD_PAIR(NAME##_square_v, T, HD_EACH(T, ys), 0, FIRST, (t * t))                                 \
    HD_PAIR(NAME##_square_s, T, y0, 0, FIRST, (t * t))
#define HD_FIRSTS(T)                                                                               \
    HD_SECONDS(T##_add, T, +)                                                                      \
    HD_SECONDS(T##_subtract, T, -)                                                                 \
    HD_SECONDS(T##_multiply, T, *)
HD_FIRSTS(float)
HD_FIRSTS(double)

#define HD_ENTRY(NAME)                                                                             \
    {                                                                                              \
        {NAME##_vv, NAME##_vs}, {NAME##_sv, NAME##_ss},                                            \
    }
#define HD_ENTRIES(NAME)                                                                           \
    {                                                                                              \
        [HEDDLE_PAIR_ADD] = {HD_ENTRY(NAME##_add), HD_ENTRY(NAME##_add_right)},                    \
        [HEDDLE_PAIR_SUBTRACT] = {HD_ENTRY(NAME##_subtract), HD_ENTRY(NAME##_subtract_right)},     \
        [HEDDLE_PAIR_MULTIPLY] = {HD_ENTRY(NAME##_multiply), HD_ENTRY(NAME##_multiply_right)},     \
        [HEDDLE_PAIR_SQUARE] = {{{NAME##_square_v}, {NAME##_square_s}}},                           \
    }
#define HD_TYPE(T)                                                                                 \
    {                                                                                              \
        [HEDDLE_PAIR_ADD] = HD_ENTRIES(T##_add),                                                   \
        [HEDDLE_PAIR_SUBTRACT] = HD_ENTRIES(T##_subtract),                                         \
        [HEDDLE_PAIR_MULTIPLY] = HD_ENTRIES(T##_multiply),                                         \
    }

extern const heddle__block_pairs HD_PASTE(heddle__block_, pairs, HD_ISA);
const heddle__block_pairs HD_PASTE(heddle__block_, pairs, HD_ISA) = {HD_TYPE(float),
                                                                     HD_TYPE(double)};
