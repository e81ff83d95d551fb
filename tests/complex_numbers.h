/* <complex.h> with what glibc has for GCC alone. */
#ifndef HEDDLE_TESTS_COMPLEX_NUMBERS_H
#define HEDDLE_TESTS_COMPLEX_NUMBERS_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif
#ifndef CMPLXL
#define CMPLXL(x, y) __builtin_complex((long double)(x), (long double)(y))
#endif

#endif
