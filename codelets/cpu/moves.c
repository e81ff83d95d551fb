/* Strided copies into and out of blocks, for one instruction set (HD_ISA).
 * Entry point: heddle__block_moves_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <string.h>

struct element16 {
    uint64_t part[2];
};

/* Strides that vector code does well get loops of their own. */
#define MOVES(T, SIZE)                                                                             \
    static void gather_##SIZE(size_t n, void *out_, const void *x_, int64_t stride)                \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        if (stride == 1) {                                                                         \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[i];                                          \
        } else if (stride == 0) {                                                                  \
            const T value = x[0];                                                                  \
            for (size_t i = 0; i < n; i++) out[i] = value;                                         \
        } else if (stride == -1) {                                                                 \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[-(int64_t)i];                                \
        } else if (stride == 2) {                                                                  \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[2 * i];                                      \
        } else {                                                                                   \
            for (size_t i = 0; i < n; i++, x += stride) out[i] = x[0];                             \
        }                                                                                          \
    }                                                                                              \
    static void scatter_##SIZE(size_t n, void *out_, const void *x_, int64_t stride)               \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        if (stride == 1) {                                                                         \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[i];                                          \
        } else {                                                                                   \
            for (size_t i = 0; i < n; i++, out += stride) out[0] = x[i];                           \
        }                                                                                          \
    }

MOVES(uint8_t, 1)
MOVES(uint16_t, 2)
MOVES(uint32_t, 4)
MOVES(uint64_t, 8)
MOVES(struct element16, 16)

static void iota(size_t n, int64_t *out, int64_t first, int64_t step)
{
    for (size_t i = 0; i < n; i++) out[i] = first + (int64_t)i * step;
}

extern const struct heddle__block_moves HD_PASTE(heddle__block_, moves, HD_ISA);
const struct heddle__block_moves HD_PASTE(heddle__block_, moves, HD_ISA) = {
    .gather = {gather_1, gather_2, gather_4, gather_8, gather_16},
    .scatter = {scatter_1, scatter_2, scatter_4, scatter_8, scatter_16},
    .iota = iota,
};
