/* Rows of less than a vector, for halving.c, which defines N and the types part<BYTES>: HD_FEW has one, of at least LEAST_ROW elements;
 * HD_TAKE_FEW all rows of a call. */
#ifndef HEDDLE_CODELETS_CPU_SMALL_ROWS_H
#define HEDDLE_CODELETS_CPU_SMALL_ROWS_H

/* Of small integers the order does not matter, whose sums are rounded by nothing: rows of less than a vector, and of 16 bytes or more, go
 * piece by piece, each half of the one before. */
#if HD_BYTES <= 2 && HD_KIND != HD_F
enum { LEAST_ROW = 16 / HD_BYTES };
#define HD_PIECE(BYTES, ...)                                                                       \
    if (n * HD_BYTES & BYTES) {                                                                    \
        const part##BYTES x = t##BYTES;                                                            \
        part##BYTES y;                                                                             \
        memcpy(&y, v + at, sizeof y);                                                              \
        at += BYTES / HD_BYTES;                                                                    \
        t##BYTES = (part##BYTES)(__VA_ARGS__);                                                     \
    }
#if HD_BYTES == 1
#define HD_LAST_PIECE HD_PIECE
#else
#define HD_LAST_PIECE NONE
#endif
#define HD_FEW(NAME, ...)                                                                          \
    static inline element NAME##_few(size_t n, const element *v)                                   \
    {                                                                                              \
        part16 t16;                                                                                \
        memcpy(&t16, v, sizeof t16);                                                               \
        size_t at = LEAST_ROW;                                                                     \
        for (; at + LEAST_ROW <= n; at += LEAST_ROW) {                                             \
            const part16 x = t16;                                                                  \
            part16 y;                                                                              \
            memcpy(&y, v + at, sizeof y);                                                          \
            t16 = (part16)(__VA_ARGS__);                                                           \
        }                                                                                          \
        HALVE(16, 8, __VA_ARGS__)                                                                  \
        HD_PIECE(8, __VA_ARGS__)                                                                   \
        HALVE_8(8, 4, __VA_ARGS__)                                                                 \
        HD_PIECE(4, __VA_ARGS__)                                                                   \
        HALVE_4(4, 2, __VA_ARGS__)                                                                 \
        HD_PIECE(2, __VA_ARGS__)                                                                   \
        HALVE_2(2, 1, __VA_ARGS__)                                                                 \
        HD_LAST_PIECE(1, __VA_ARGS__)                                                              \
        element all;                                                                               \
        memcpy(&all, &PASTE(t, HD_BYTES), sizeof all);                                             \
        return all;                                                                                \
    }
#define HD_TAKE_FEW(NAME)                                                                          \
    if (n < N) {                                                                                   \
        element *to = out;                                                                         \
        const element *row = v;                                                                    \
        for (size_t r = 0; r < n_rows; r++) to[r] = NAME##_few(n, row + r * n);                    \
        return;                                                                                    \
    }
#else
enum { LEAST_ROW = N };
#define HD_FEW(NAME, ...)
#define HD_TAKE_FEW(NAME)
#endif

#endif
