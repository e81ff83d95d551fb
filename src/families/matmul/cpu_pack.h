/* How operands are brought into the order in which kernels read them (products/packed.c). */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_PACK_H
#define HEDDLE_FAMILIES_MATMUL_CPU_PACK_H

#include "cpu/blocks.h"

#include <string.h>

enum { HEDDLE_PACK_TURNED = 64 }; /* terms turned at once: they stay in the nearest cache */

static inline int64_t heddle__parts(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

static inline int64_t heddle__at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

/* out[l, j] = x[l, j], j < n, and 0 up to the width; l < k. Steps of x in elements, of `size` bytes: from l to l + 1, and from line j to
 * j + 1. */
static inline void heddle__pack(enum heddle__packed_type type, int64_t size, const char *x,
                                int64_t k, int64_t step, int64_t line, int64_t n, int64_t width,
                                char *out)
{
    const struct heddle__block_moves *moves = &heddle__cpu_blocks()->moves;
    const int log2_size = heddle__log2_size((size_t)size);
    if (n < width) memset(out, 0, (size_t)(k * width * size));
    if (line == 1 || n == 1) {
        heddle__cpu_blocks()->packed.copy[type](k, n, width, out, x, step);
    } else if (step == 1) {
        for (int64_t l = 0; l < k; l += HEDDLE_PACK_TURNED)
            moves->turn[log2_size]((size_t)heddle__at_most(k - l, HEDDLE_PACK_TURNED), (size_t)n,
                                   out + l * width * size, width, x + l * size, line);
    } else {
        for (int64_t l = 0; l < k; l++)
            moves->gather[log2_size]((size_t)n, out + l * width * size, x + l * step * size, line);
    }
}

#endif
