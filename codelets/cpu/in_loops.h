/* The words of exponentials.h for one number: selections, and no paths for vectors that have none of what is seldom, so that
 * compilers make vectors of loops over it. The bits are those of elementary.c. Text of compiled loops only, where multiplications and additions are fused. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define inline inline __attribute__((always_inline))
#define HD_LEVEL 2
typedef double vd;
typedef float vf;
typedef int64_t vdi;
typedef int32_t vfi;
typedef uint64_t vdu;
typedef uint32_t vfu;

#define SAME_BITS(NAME, TO, FROM)                                                                  \
    static inline TO NAME(FROM x)                                                                  \
    {                                                                                              \
        TO r;                                                                                      \
        memcpy(&r, &x, sizeof r);                                                                  \
        return r;                                                                                  \
    }
SAME_BITS(INT_d, vdi, vd)
SAME_BITS(UINT_d, vdu, vd)
SAME_BITS(REAL_d, vd, vdi)
SAME_BITS(INT_f, vfi, vf)
SAME_BITS(UINT_f, vfu, vf)
SAME_BITS(REAL_f, vf, vfi)

#define ANY(mask) true
#define NOT(mask) (!(mask))
#define IS_NAN(x) ((x) != (x))
#define MAGNITUDE_d(x) __builtin_fabs(x)
#define MAGNITUDE_f(x) __builtin_fabsf(x)
#define SIGNED_d(size, x) REAL_d(INT_d(size) | (INT_d(x) & INT64_MIN))
#define SIGNED_f(size, x) REAL_f(INT_f(size) | (INT_f(x) & INT32_MIN))
#define FMA_d __builtin_fma
#define FMA_f __builtin_fmaf
#define FUSED_d FMA_d
#define FUSED_f FMA_f
#define select_d(mask, yes, no) ((mask) ? (yes) : (no))
#define select_f(mask, yes, no) ((mask) ? (yes) : (no))
