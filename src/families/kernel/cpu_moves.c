/* Elements of blocks chosen, read and written by index. They are moved by their size. Entry points: cpu_blocks.h. */
#include "families/kernel/cpu_blocks.h"

#include <stdbool.h>

/* Masks are apart from what is chosen. Clang finds out by itself; told, it warns where it cannot use it. */
#if defined(__clang__)
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

struct two {
    uint64_t words[2];
};

#define SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t) X(16, struct two)

#define CHOOSE(bytes, type)                                                                        \
    static void choose_##bytes(int n, void *out, const bool *mask, const void *a, const void *b)   \
    {                                                                                              \
        const type *const x = a, *const y = b;                                                     \
        type *const to = out;                                                                      \
        INDEPENDENT for (int k = 0; k < n; k++) to[k] = mask[k] ? x[k] : y[k];                     \
    }
SIZES(CHOOSE)

#define READ(bytes, type)                                                                          \
    static void read_##bytes(int n, void *out, const void *from, int64_t size, const int64_t *at)  \
    {                                                                                              \
        static const type none;                                                                    \
        const type *const x = from;                                                                \
        type *const to = out;                                                                      \
        for (int k = 0; k < n; k++) to[k] = (uint64_t)at[k] < (uint64_t)size ? x[at[k]] : none;    \
    }
SIZES(READ)

#define WRITE(bytes, type)                                                                         \
    static void write_##bytes(int n, void *to, int64_t size, const int64_t *at, const bool *mask,  \
                              const void *a)                                                       \
    {                                                                                              \
        const type *const x = a;                                                                   \
        type *const y = to;                                                                        \
        for (int k = 0; k < n; k++)                                                                \
            if (mask[k] && (uint64_t)at[k] < (uint64_t)size) y[at[k]] = x[k];                      \
    }
SIZES(WRITE)

#define CASE(size, type)                                                                           \
    case size: FUNCTION(size); break;

void heddle__kernel_block_choose(int n, int bytes, void *out, const bool *mask, const void *a,
                                 const void *b)
{
    switch (bytes) {
#define FUNCTION(size) choose_##size(n, out, mask, a, b)
        SIZES(CASE)
#undef FUNCTION
    default: break;
    }
}

void heddle__kernel_block_read(int n, int bytes, void *out, const void *from, int64_t size,
                               const int64_t *at)
{
    switch (bytes) {
#define FUNCTION(bytes) read_##bytes(n, out, from, size, at)
        SIZES(CASE)
#undef FUNCTION
    default: break;
    }
}

void heddle__kernel_block_write(int n, int bytes, void *to, int64_t size, const int64_t *at,
                                const bool *mask, const void *a)
{
    switch (bytes) {
#define FUNCTION(bytes) write_##bytes(n, to, size, at, mask, a)
        SIZES(CASE)
#undef FUNCTION
    default: break;
    }
}
