/* Halves of one vector of HD_WIDTH bytes, of elements of HD_BYTES: for halving.c, which defines these and the types part<BYTES>. */
#ifndef HEDDLE_CODELETS_CPU_HALVES_H
#define HEDDLE_CODELETS_CPU_HALVES_H

/* t<HALF> of t<WHOLE>, if the type has both. */
#define HALVE(WHOLE, HALF, ...)                                                                    \
    part##HALF t##HALF;                                                                            \
    {                                                                                              \
        part##HALF x, y;                                                                           \
        memcpy(&x, &t##WHOLE, sizeof x);                                                           \
        memcpy(&y, (const char *)&t##WHOLE + sizeof x, sizeof y);                                  \
        t##HALF = (part##HALF)(__VA_ARGS__);                                                       \
    }
#define NONE(...)
#if HD_WIDTH >= 64
#define HALVE_64 HALVE
#else
#define HALVE_64 NONE
#endif
#if HD_WIDTH >= 32
#define HALVE_32 HALVE
#else
#define HALVE_32 NONE
#endif
#if HD_BYTES <= 4
#define HALVE_8 HALVE
#else
#define HALVE_8 NONE
#endif
#if HD_BYTES <= 2
#define HALVE_4 HALVE
#else
#define HALVE_4 NONE
#endif
#if HD_BYTES == 1
#define HALVE_2 HALVE
#else
#define HALVE_2 NONE
#endif

#endif
