/* Cumulative sums, products and extremes on the CPU: threads share rows, or bands of chunks that stay in their
 * caches. The loops are in cpu_loops.h, for each dtype and operation. */
#include "base/share.h"
#include "families/scan/cpu_work.h"
#include "families/scan/kernel.h"

#include "kernels.h"

#include <complex.h>
#include <string.h>

#undef I

enum {
    HEDDLE_SCAN_STRIP = 256 /* columns that are scanned together */
};

/* Whether columns are too few for all threads, so that these share chunks of the axis. */
static bool heddle__scan_in_chunks(const struct heddle_scan *s, int n_threads)
{
    const int64_t strips = s->outer * ((s->inner + HEDDLE_SCAN_STRIP - 1) / HEDDLE_SCAN_STRIP);
    return n_threads > 1 && strips < n_threads && !s->has_in && !s->has_out &&
           heddle__scan_chunks(s->n, true) >= 4 * n_threads;
}

static inline float complex mul_c64(float complex x, float complex y)
{
    const float a = crealf(x), b = cimagf(x), c = crealf(y), d = cimagf(y);
    float complex product; /* clang 14 has no CMPLXF with glibc */
    __real__ product = a * c - b * d;
    __imag__ product = a * d + b * c;
    return product;
}

static inline double complex mul_c128(double complex x, double complex y)
{
    const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    double complex product;
    __real__ product = a * c - b * d;
    __imag__ product = a * d + b * c;
    return product;
}

/* Integers wrap, signed ones too. */
#define SCAN_T uint32_t
#define SCAN(name) name##_add_i32
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include "cpu_loops.h"

#define SCAN_T uint32_t
#define SCAN(name) name##_mul_i32
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include "cpu_loops.h"

#define SCAN_T uint64_t
#define SCAN(name) name##_add_i64
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include "cpu_loops.h"

#define SCAN_T uint64_t
#define SCAN(name) name##_mul_i64
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include "cpu_loops.h"

#define SCAN_T float
#define SCAN(name) name##_add_f32
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include "cpu_loops.h"

#define SCAN_T float
#define SCAN(name) name##_mul_f32
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include "cpu_loops.h"

#define SCAN_T double
#define SCAN(name) name##_add_f64
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include "cpu_loops.h"

#define SCAN_T double
#define SCAN(name) name##_mul_f64
#define SCAN_OP(x, y) (SCAN_T)((x) * (y))
#define SCAN_IDENTITY 1
#include "cpu_loops.h"

#define SCAN_T float complex
#define SCAN(name) name##_add_c64
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include "cpu_loops.h"

#define SCAN_T float complex
#define SCAN(name) name##_mul_c64
#define SCAN_OP(x, y) mul_c64(x, y)
#define SCAN_IDENTITY 1
#include "cpu_loops.h"

#define SCAN_T double complex
#define SCAN(name) name##_add_c128
#define SCAN_OP(x, y) (SCAN_T)((x) + (y))
#define SCAN_IDENTITY 0
#include "cpu_loops.h"

#define SCAN_T double complex
#define SCAN(name) name##_mul_c128
#define SCAN_OP(x, y) mul_c128(x, y)
#define SCAN_IDENTITY 1
#include "cpu_loops.h"

/* The first of equal ones; NaN if one is. There is no identity: nothing begins with one. */
#define SCAN_NAMED(name, dtype) name##_max_##dtype
#define SCAN_IS_BEST(x, y) (((x) >= (y)) | ((x) != (x)))
#include "cpu_extremes.h"

#define SCAN_NAMED(name, dtype) name##_min_##dtype
#define SCAN_IS_BEST(x, y) (((x) <= (y)) | ((x) != (x)))
#include "cpu_extremes.h"

#define RUNS(op)                                                                                   \
    {                                                                                              \
        [HEDDLE_INT32] = run_##op##_i32, [HEDDLE_INT64] = run_##op##_i64,                          \
        [HEDDLE_FLOAT32] = run_##op##_f32, [HEDDLE_FLOAT64] = run_##op##_f64,                      \
        [HEDDLE_COMPLEX64] = run_##op##_c64, [HEDDLE_COMPLEX128] = run_##op##_c128                 \
    }
#define RUNS_OF_EXTREMES(op)                                                                       \
    {                                                                                              \
        [HEDDLE_INT32] = run_##op##_i32, [HEDDLE_INT64] = run_##op##_i64,                          \
        [HEDDLE_UINT32] = run_##op##_u32, [HEDDLE_UINT64] = run_##op##_u64,                        \
        [HEDDLE_FLOAT32] = run_##op##_f32, [HEDDLE_FLOAT64] = run_##op##_f64                       \
    }

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    static heddle_scan_loops *const runs[][HEDDLE_N_DTYPES] = {
        [HEDDLE_SCAN_ADD] = RUNS(add),
        [HEDDLE_SCAN_MULTIPLY] = RUNS(mul),
        [HEDDLE_SCAN_MAXIMUM] = RUNS_OF_EXTREMES(max),
        [HEDDLE_SCAN_MINIMUM] = RUNS_OF_EXTREMES(min),
    };
    const struct heddle_scan *s = arguments;
    heddle_scan_loops *const f = runs[s->operation][s->dtype];
    HEDDLE_REQUIRE(f, HEDDLE_EINTERNAL, "scan: no kernel for %s",
                   heddle_dtype_name((enum heddle_dtype)s->dtype));
    if (s->before || s->after) return heddle__scan_with_work(s, f, k);
    f(s, k->buffers, k->scratch, k->team);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__scan_cpu = {.run = run};
