/* Real and complex numbers of four dtypes, in long double, and how they go to a GPU and back. */
#ifndef HEDDLE_TESTS_CUDA_NUMBERS_H
#define HEDDLE_TESTS_CUDA_NUMBERS_H

#include "cuda/families.h"
#include "random_words.h"

#include <heddle/dtype.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef long double complex number;

static const int dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_COMPLEX64, HEDDLE_COMPLEX128};

static inline bool is_single(int dtype)
{
    return dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64;
}
static inline int parts(int dtype)
{
    return dtype == HEDDLE_COMPLEX64 || dtype == HEDDLE_COMPLEX128 ? 2 : 1;
}
static inline long double precision(int dtype)
{
    return is_single(dtype) ? 0x1p-23L : 0x1p-52L;
}

/* n numbers of a dtype as they are on the GPU, and back. */
static inline void *put(int dtype, int64_t n, const number *x)
{
    const int per = parts(dtype);
    float *narrow = malloc((size_t)(n * per + 1) * sizeof *narrow);
    double *wide = malloc((size_t)(n * per + 1) * sizeof *wide);
    for (int64_t i = 0; i < n * per; i++) {
        wide[i] = (double)(i % per ? cimagl(x[i / per]) : creall(x[i / per]));
        narrow[i] = (float)wide[i];
    }
    void *to = is_single(dtype) ? families_to_gpu(narrow, (size_t)(n * per) * sizeof *narrow)
                                : families_to_gpu(wide, (size_t)(n * per) * sizeof *wide);
    gpu_check(cudaStreamSynchronize(gpu_stream()), "synchronise");
    free(narrow);
    free(wide);
    return to;
}
static inline void get(int dtype, int64_t n, const void *from, number *x)
{
    const int per = parts(dtype);
    double *wide = malloc((size_t)(n * per + 1) * sizeof *wide);
    families_from_gpu(wide, from, (size_t)(n * per) * (is_single(dtype) ? 4 : 8));
    for (int64_t i = n * per - 1; i >= 0 && is_single(dtype); i--) wide[i] = ((float *)wide)[i];
    for (int64_t i = 0; i < n; i++)
        x[i] = per == 2 ? CMPLXL(wide[2 * i], wide[2 * i + 1]) : CMPLXL(wide[i], 0);
    free(wide);
}

static inline number random_of(int dtype)
{
    const double re = (double)(int64_t)random_word() * 0x1p-63,
                 im = (double)(int64_t)random_word() * 0x1p-63;
    return is_single(dtype) ? CMPLXL((float)re, parts(dtype) == 2 ? (float)im : 0)
                            : CMPLXL(re, parts(dtype) == 2 ? im : 0);
}

static inline number *numbers(int64_t n)
{
    return calloc((size_t)(n + 1), sizeof(number));
}

static inline long double norm(int64_t n, const number *x)
{
    long double sum = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmaxl(largest, cabsl(x[i]));
    for (int64_t i = 0; i < n && largest > 0; i++)
        sum += cabsl(x[i]) / largest * (cabsl(x[i]) / largest);
    return largest * sqrtl(sum);
}

#endif
